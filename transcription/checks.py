"""Voice's part of `doctor`."""

import io
import wave
from collections.abc import Iterator

from django.conf import settings

from planner.errors import Failure
from planner.findings import Finding, bad, note, ok
from transcription.asr import Turn, Unheard
from transcription.decoding import can_decode
from transcription.sound import Codec, Sound, read
from transcription.worker import recogniser

GOES = "AMR, AMR-WB, SILK, Speex, MP3 and WAV go to Tencent as they are"


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
    yield ok("voice", f"Tencent recognises with {settings.TENCENT_ASR_ENGINE}. {GOES}; {_converted()}")


def _converted() -> str:
    if can_decode(Codec.AMR):
        return "what it does not take is converted (SILK, AMR, AMR-WB, Ogg Speex)"
    return "of what it does not take, SILK alone is converted (AMR and Speex: pip install -r requirements-voice.txt)"


def _silence() -> Sound:
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16000)
        sound.writeframes(bytes(16000))
    return read(out.getvalue())
