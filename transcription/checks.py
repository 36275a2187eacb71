"""Voice's part of `doctor`."""

import io
import wave
from collections.abc import Iterator

from django.conf import settings

from planner.errors import Failure
from planner.findings import Finding, bad, note, ok
from transcription.asr import Turn, Unheard
from transcription.sound import Sound, read
from transcription.worker import recogniser

CODECS = "AMR, AMR-WB, SILK, Speex, MP3 and WAV go to Tencent; SILK alone can be converted; no ffmpeg is used"


def checks() -> Iterator[Finding]:
    """Has half a second of silence recognised: the one call that proves keys, account, engine and clock."""
    if not settings.TENCENT_SECRET_ID:
        yield note("voice", "TENCENT_SECRET_ID is empty: voice messages are answered with a request to type")
        return
    if settings.WECHAT_ACCOUNT_KIND == "unverified":
        yield note("voice", "WeChat may refuse recordings to unverified accounts (48001): try one")
    try:
        recogniser().recognise(_silence(), "")
    except Failure as failure:
        if not isinstance(failure, Unheard) or failure.turn is not Turn.SILENT:
            yield bad("voice", failure.reason)
            return
    yield ok("voice", f"Tencent recognises with {settings.TENCENT_ASR_ENGINE}. {CODECS}")


def _silence() -> Sound:
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16000)
        sound.writeframes(bytes(16000))
    return read(out.getvalue())
