"""One claim of one clip: fetch it, know it, have it recognised; or ask again about a long one. Each step stores what a
later claim needs before the step after it, and every write carries the fence."""

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from django.conf import settings

from planner import sql
from planner.crashpoints import committing, outside, statement
from planner.errors import Effect, Retry
from planner.leases import Lease, LeaseLost
from planner.upstreams import Upstream
from transcription import hotwords, renditions, sound
from transcription.asr import LONGEST_SENTENCE, SENTENCE_BYTES, TASK_BYTES, Answer, Turn, Unheard
from transcription.decoding import Undecodable, can_decode, to_wav
from transcription.sound import Codec, Sound
from webhook.media import Media
from webhook.models import VoiceClip
from webhook.plain import clean

log = logging.getLogger(__name__)
MARGIN = 5.0
TEXT_LIMIT = 4000
CREATES = 2  # how often a long recognition may be ordered when nobody knows whether the first order arrived
FIRST_POLL, SLOWEST_POLL = 2.0, 30.0
_WORD = re.compile(r"\w")
_BROKEN = Answer(Retry.NEVER, Effect.NONE, "录音读不了", tells=VoiceClip.UNREADABLE, turn=Turn.OTHER_FORM)
_ENDLESS = Answer(Retry.NEVER, Effect.NONE, "录音太长", tells=VoiceClip.TOO_LONG)
_UNCONFIRMED = Answer(Retry.NEVER, Effect.UNKNOWN, f"长语音提交了 {CREATES} 次都没有得到任务号，不再付费")


class Recogniser(Protocol):
    """As transcription/tencent.py says it; each call raises Unheard."""

    def recognise(self, sound: Sound, hotwords: str) -> str: ...

    def submit_task(self, sound: Sound, hotwords: str) -> int: ...

    def task_status(self, task: int) -> str | None: ...


@dataclass
class Hearing:
    clip: VoiceClip
    lease: Lease
    media: Media
    recogniser: Recogniser
    step: Callable[[float], None]

    def run(self) -> None:
        """Raises Failure or LeaseLost: then nothing about the clip's state was settled."""
        if self.clip.rec_task is not None:
            self._ask_again(self.clip.rec_task)
            return
        found = self._sound()
        if (found.seconds or 0) > LONGEST_SENTENCE or not _fits(found, SENTENCE_BYTES):
            self._order(found)
        else:
            self._recognise(found)

    def _sound(self) -> Sound:
        form = renditions.of(self.clip)[self.clip.rendition]
        self.step(self.media.seconds + MARGIN)
        with outside("recording"):
            data = self.media.download(form.media_id)
        try:
            found = sound.read(data, claimed=self.clip.format)
            self._store(codec=found.codec.value, seconds=found.seconds)
            return to_wav(found) if form.decoded else found
        except (sound.Unreadable, Undecodable) as error:
            raise Unheard("unreadable", _BROKEN, detail=str(error), upstream=Upstream.MEDIA) from None

    def _recognise(self, found: Sound) -> None:
        self._call_begins()
        likely = hotwords.of(self.clip.follower)
        try:
            with outside("recognition"):
                words = self.recogniser.recognise(found, likely)
        except Unheard as refusal:
            if refusal.turn is not Turn.LONGER_WAY:
                raise
            self._order(found)
        else:
            self._heard(words)

    def _order(self, found: Sound) -> None:
        """The long way: counted before the call, its number stored before anything is asked about it."""
        found = _for_task(found)
        self._call_begins()
        if not self._write("creates = creates + 1", "creates < %s", CREATES):
            self._still_ours()
            raise Unheard("unconfirmed", _UNCONFIRMED)
        likely = hotwords.of(self.clip.follower)
        try:
            with outside("long recognition"):
                task = self.recogniser.submit_task(found, likely)
        except Unheard as refusal:
            if refusal.effect is Effect.NONE:
                self._write("creates = creates - 1", "TRUE")
            raise
        submitted = {"rec_task": task}
        VoiceClip.release(self.lease, f"识别任务 {task} 已提交", wait=FIRST_POLL, columns=submitted)

    def _ask_again(self, task: int) -> None:
        """Errors while asking are waited out like the task itself: it goes on meanwhile. The deadline is the end."""
        self._call_begins()
        try:
            with outside("long recognition's state"):
                words = self.recogniser.task_status(task)
        except Unheard as refusal:
            if refusal.turn is Turn.NEW_TASK or refusal.effect is Effect.DONE:
                self._store(rec_task=None)  # gone, or ended without words: an operator's retry orders anew
            elif refusal.retry is Retry.LATER:
                self._poll_later(refusal.reason)
                return
            raise
        if words is None:
            self._poll_later(f"识别任务 {task} 进行中")
        else:
            self._heard(words)

    def _poll_later(self, reason: str) -> None:
        wait = min(FIRST_POLL * 1.5 ** min(self.clip.polls + 1, 20), SLOWEST_POLL)
        VoiceClip.release(self.lease, reason, wait=wait, columns={"polls": self.clip.polls + 1})

    def _heard(self, words: str) -> None:
        """The text and the clip's end in one commit. Nothing understood: WeChat's own words, if it sent some."""
        text, by = clean(words).strip()[:TEXT_LIMIT], "tencent"
        if not _WORD.search(text):
            text, by = self.clip.recognition, VoiceClip.WECHAT if self.clip.recognition else by
        status, outcome = (VoiceClip.HEARD, "heard") if text else (VoiceClip.SILENT, "silent")
        with committing("clip heard"):
            VoiceClip.finish(self.lease, status, outcome, heard_by=by, last_error="")
            self.clip.settle(outcome, text)

    def silent(self) -> None:
        self._heard("")

    def _call_begins(self) -> None:
        self.step(settings.TENCENT_ASR_TIMEOUT_SECONDS + MARGIN)

    def _store(self, **columns: Any) -> None:
        """Raises LeaseLost."""
        if not self._write(", ".join(f"{name} = %s" for name in columns), "TRUE", *columns.values()):
            raise LeaseLost(f"clip {self.clip.pk}")

    def _write(self, assignments: str, condition: str, *values: Any) -> bool:
        """Values of the assignments, then of the condition."""
        update = f"UPDATE {self.lease.table} SET {assignments} WHERE {condition} AND {self.lease.held}"
        with statement("clip noted"):
            return sql.execute(update, (*values, *self.lease.params)) == 1

    def _still_ours(self) -> None:
        self._store(creates=CREATES)


def _fits(found: Sound, limit: int) -> bool:
    return -(-len(found.data) // 3) * 4 <= limit


def _for_task(found: Sound) -> Sound:
    """As the interface for long sound takes it. Raises Unheard."""
    try:
        fitting = to_wav(found) if not found.as_task and can_decode(found.codec) else found
    except Undecodable as error:
        if found.codec == Codec.SILK:
            raise Unheard("unreadable", _BROKEN, detail=str(error), upstream=Upstream.MEDIA) from None
        fitting = found  # the recogniser could read it: its length is what is wrong
    if not fitting.as_task or not _fits(fitting, TASK_BYTES):
        raise Unheard("too_long", _ENDLESS, detail=found.codec.value, upstream=Upstream.MEDIA)
    return fitting
