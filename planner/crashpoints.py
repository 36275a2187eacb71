"""The named moments at which the proof kills, stops or cuts a process: one on each side of every commit and every call.

They mean nothing in production: without a hook each is one comparison. Armed by the proof (tests/crash), or in any
process by the environment: CRASH_AT="finish:written kill 1" ends it at the first such moment (kill, stop, raise).

`committing`  a transaction                 NAME:before, NAME:written (all is written, COMMIT not sent), NAME:committed
`statement`   one statement, a commit of its own                NAME:before, NAME:committed
`outside`     one call of another system                        NAME:before, NAME:answered
`reach`       a moment between those
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import transaction

Hook = Callable[[str], None]


class Crash(Exception):
    """The unforeseen error that the proof raises. Nothing in the product may name it."""


def arm(hook: Hook | None) -> None:
    """`hook` is called with the name of each moment; None disarms."""
    global _hook
    _hook = hook


def reach(name: str) -> None:
    if _hook is not None:
        _hook(name)


@contextmanager
def committing(name: str) -> Iterator[None]:
    reach(f"{name}:before")
    with transaction.atomic():
        yield
        reach(f"{name}:written")
    reach(f"{name}:committed")


@contextmanager
def statement(name: str) -> Iterator[None]:
    reach(f"{name}:before")
    yield
    reach(f"{name}:committed")


@contextmanager
def outside(name: str) -> Iterator[None]:
    reach(f"{name}:before")
    yield
    reach(f"{name}:answered")


def strike(fault: str, name: str) -> None:
    match fault:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "raise":
            raise Crash(name)
        case _:
            raise ValueError(f"{fault!r} is none of kill, stop, raise")


def from_words(words: str) -> Hook | None:
    """`NAME:moment FAULT [n]`: the fault strikes at the nth such moment of this process, once."""
    if not words:
        return None
    *name, fault, nth = words.split() if words.split()[-1].isdecimal() else [*words.split(), "1"]
    wanted, left = " ".join(name), [int(nth)]

    def hook(reached: str) -> None:
        if reached == wanted:
            left[0] -= 1
            if left[0] == 0:
                strike(fault, reached)

    return hook


_hook: Hook | None = from_words(os.environ.get("CRASH_AT", ""))
