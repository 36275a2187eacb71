"""Run as a process: does one piece of the product's work and kills itself at the named moment.

python -m tests.processes.child MOMENT
"""

import os
import signal
import sys
from typing import Any

import django

django.setup()

from django.db import transaction

from agent import client
from agent.run import Run
from agent.tools import Local
from planner.leases import Claimed
from reminders import digest, scan
from webhook.delivery import deliver_next
from webhook.models import Batch, OutboundMessage
from webhook.wechat import WeChat


def die(*args: Any, **kwargs: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


class DiesAfterAnOperation(Local):
    def call(self, *args: Any, **kwargs: Any) -> Any:
        super().call(*args, **kwargs)
        die()


def claimed() -> Claimed:
    found = Batch.claim(900)
    assert found is not None
    return found


def after_claim() -> None:
    claimed()
    die()


def after_operation() -> None:
    run = Run(claimed(), model=None, tools=DiesAfterAnOperation(), step=lambda seconds: None)
    client.engine()[0].invoke(run)


def in_reply() -> None:
    """The reply and DONE are written, and the process dies before their commit."""
    run = Run(claimed(), model=None, tools=Local(), step=lambda seconds: None)
    run.analyse()
    run.act()
    with transaction.atomic():
        run.answer()
        die()


class DiesInsteadOfSending(WeChat):
    send_text = die


def before_send() -> None:
    deliver_next(DiesInsteadOfSending())


class DiesAfterSending(WeChat):
    def send_text(self, *args: Any) -> None:
        super().send_text(*args)
        die()


def after_send() -> None:
    deliver_next(DiesAfterSending())


def in_scan() -> None:
    """The outbound row and the mark are written, and the process dies before their commit."""
    with transaction.atomic():
        assert scan.scan_next()
        die()


def scan_all() -> None:
    """What is due, reminders and digests; CRASH_AT in the environment says where it ends."""
    while scan.scan_next():
        continue
    while digest.digest_next():
        continue


def after_outbound_claim() -> None:
    assert OutboundMessage.claim(60) is not None
    die()


MOMENTS = {f.__name__: f for f in (after_claim, after_operation, in_reply, before_send, after_send, in_scan, scan_all, after_outbound_claim)}  # fmt: skip

if __name__ == "__main__":
    MOMENTS[sys.argv[1]]()
