"""The followers' phones: who follows, what stands in each chat, how many messages the account may still send."""

import secrets
import threading
import time
from dataclasses import asdict, dataclass, field
from typing import Any

MESSAGE_WINDOW, MESSAGE_QUOTA = 48 * 3600.0, 5
FOLLOW_WINDOW, FOLLOW_QUOTA = 60.0, 3
MAX_SOUND, MAX_SECONDS = 2 * 1024 * 1024, 60  # of a voice message


@dataclass(frozen=True)
class Entry:
    """One line of a chat. `who`: me, account or system; `fields` are a template message's label and value pairs;
    `seconds` is the length of what was spoken."""

    id: int
    who: str
    text: str
    at: float
    title: str = ""
    fields: list[list[str]] = field(default_factory=list)
    seconds: int = 0


@dataclass
class Phone:
    openid: str
    following: bool = False
    chat: list[Entry] = field(default_factory=list)
    window_until: float = 0.0
    quota: int = 0


class Phones:
    """Safe under threads; `wait` returns as soon as a chat has something new."""

    def __init__(self) -> None:
        self._phones: dict[str, Phone] = {}
        self._changed = threading.Condition()
        self._closed = False

    def new(self) -> str:
        openid = "o" + secrets.token_urlsafe(24)[:27].replace("-", "_")
        with self._changed:
            self._phones[openid] = Phone(openid)
        return openid

    def latest(self) -> str | None:
        with self._changed:
            return next(reversed(self._phones), None)

    def known(self, openid: str) -> bool:
        with self._changed:
            return openid in self._phones

    def following(self, openid: str) -> bool:
        with self._changed:
            return openid in self._phones and self._phones[openid].following

    def set_following(self, openid: str, following: bool) -> bool:
        """False when it was so already."""
        with self._changed:
            phone = self._phones[openid]
            changed, phone.following = phone.following != following, following
            return changed

    def open_window(self, openid: str, seconds: float, quota: int) -> None:
        """WeChat's rule: what the follower does allows some messages for a while; a weaker act takes nothing away."""
        with self._changed:
            phone, until = self._phones[openid], time.time() + seconds
            if until >= phone.window_until:
                phone.window_until, phone.quota = until, quota

    def spend(self, openid: str) -> int:
        """Counts one customer message; the code that WeChat would answer, 0 for fine."""
        with self._changed:
            phone = self._phones.get(openid)
            if phone is None:
                return 40003
            if not phone.following:
                return 43004
            if time.time() > phone.window_until:
                return 45015
            if phone.quota <= 0:
                return 45047
            phone.quota -= 1
            return 0

    def add(self, openid: str, who: str, text: str, **more: Any) -> int:
        """`more`: title, fields, seconds of the Entry."""
        with self._changed:
            chat = self._phones[openid].chat
            entry = Entry(len(chat) + 1, who, text, time.time(), **more)
            chat.append(entry)
            self._changed.notify_all()
            return entry.id

    def wait(self, openid: str, *, after: int, seconds: float) -> list[Entry]:
        """The entries behind `after`; empty when none has come in that time."""
        with self._changed:
            chat = self._phones[openid].chat
            self._changed.wait_for(lambda: self._closed or len(chat) > after, seconds)
            return chat[max(0, after) :]

    def state(self, openid: str, *, after: int, seconds: float) -> dict[str, Any]:
        """What the chat page asks for."""
        entries = self.wait(openid, after=after, seconds=seconds)
        return {"following": self.following(openid), "entries": [asdict(entry) for entry in entries]}

    def close(self) -> None:
        """Lets go whoever waits."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
