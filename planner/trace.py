"""trace_id: one UUIDv7 per inbound message, carried by every row and log line that follows from it."""

import os
import time
from contextvars import ContextVar
from uuid import UUID

current: ContextVar[str] = ContextVar("trace_id", default="")


def new_trace_id() -> UUID:
    """Version 7 (RFC 9562): sorted by time, random otherwise; says nothing about the follower."""
    millis = time.time_ns() // 1_000_000
    value = (millis << 80) | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | (0x7 << 76)
    return UUID(int=value & ~(0x3 << 62) | (0x2 << 62))
