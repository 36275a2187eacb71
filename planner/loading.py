"""A process loads its modules without the cycle collector: all that loading makes stays, and to look through it over
and over takes a fifth of the start.

What is loaded is frozen: later collections do not look at it either, and write into none of the memory that forked
children share with their parent.
"""

import contextlib
import gc
from collections.abc import Iterator


def begin() -> None:
    gc.disable()


def end() -> None:
    gc.freeze()
    gc.enable()


@contextlib.contextmanager
def loading() -> Iterator[None]:
    begin()
    try:
        yield
    finally:
        end()
