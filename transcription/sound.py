"""What the bytes of a voice message are, told from the bytes: names and headers lie. Pure.

`as_sentence` and `as_task` are Tencent's names of the format in its two interfaces, '' where it does not take it.
"""

import io
import struct
import wave
from dataclasses import dataclass
from enum import StrEnum

FRAMES_PER_SECOND = 50  # AMR, AMR-WB and SILK: 20 ms each
AMR_SIZES = (13, 14, 16, 18, 20, 21, 27, 32, 6, 1, 1, 1, 1, 1, 1, 1)  # by frame type, header byte included
AMR_WB_SIZES = (18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 1, 1, 1, 1, 1, 1)
SILK = b"#!SILK_V3"
_MP3_FRAME = (b"\xff\xfb", b"\xff\xf3", b"\xff\xfa", b"\xff\xf2", b"\xff\xe3", b"\xff\xe2")


class Codec(StrEnum):
    AMR = "amr"
    AMR_WB = "amr-wb"
    SILK = "silk"
    SPEEX = "speex"
    MP3 = "mp3"
    WAV = "wav"
    M4A = "m4a"
    OPUS = "ogg-opus"


_AS_SENTENCE = {Codec.AMR_WB: "amr"}
_AS_TASK = {Codec.AMR_WB: "amr", Codec.SILK: "", Codec.SPEEX: ""}


class Unreadable(Exception):
    """Nothing that we know, or nothing at all. The message says what it begins with, never more of it."""


@dataclass(frozen=True)
class Sound:
    """`seconds` is None where only a decoder could tell."""

    codec: Codec
    data: bytes
    seconds: float | None

    @property
    def as_sentence(self) -> str:
        return _AS_SENTENCE.get(self.codec, self.codec.value)

    @property
    def as_task(self) -> str:
        return _AS_TASK.get(self.codec, self.codec.value)


def read(data: bytes, *, claimed: str = "") -> Sound:
    """`claimed` is WeChat's Format: believed for bare Speex alone, which has no mark of its own. Raises Unreadable."""
    if not data:
        raise Unreadable("空的")
    if data[1 : 1 + len(SILK)] == SILK:  # Tencent's own variety has one byte before the mark
        data = data[1:]
    codec = _codec(data) or (Codec.SPEEX if claimed.lower() == "speex" else None)
    if codec is None:
        raise Unreadable(f"开头是 {data[:4].hex()}")
    sound = Sound(codec, data, _seconds(codec, data))
    if sound.seconds == 0:
        raise Unreadable(f"{codec.value}，里面没有声音")
    return sound


def _codec(data: bytes) -> Codec | None:
    if data.startswith(b"#!AMR-WB\n"):
        return Codec.AMR_WB
    if data.startswith(b"#!AMR\n"):
        return Codec.AMR
    if data.startswith(SILK):
        return Codec.SILK
    if data.startswith(b"RIFF") and data[8:12] == b"WAVE":
        return Codec.WAV
    if data.startswith(b"ID3") or data[:2] in _MP3_FRAME:
        return Codec.MP3
    if data.startswith(b"OggS"):
        return Codec.SPEEX if b"Speex   " in data[:64] else Codec.OPUS if b"OpusHead" in data[:64] else None
    return Codec.M4A if data[4:8] == b"ftyp" else None


def _seconds(codec: Codec, data: bytes) -> float | None:
    match codec:
        case Codec.AMR:
            return _amr_frames(data, 6, AMR_SIZES) / FRAMES_PER_SECOND
        case Codec.AMR_WB:
            return _amr_frames(data, 9, AMR_WB_SIZES) / FRAMES_PER_SECOND
        case Codec.SILK:
            return _silk_frames(data) / FRAMES_PER_SECOND
        case Codec.WAV:
            return _wav_seconds(data)
    return None


def _amr_frames(data: bytes, at: int, sizes: tuple[int, ...]) -> int:
    frames = 0
    while at < len(data):
        at += sizes[(data[at] >> 3) & 15]
        frames += at <= len(data)
    return frames


def _silk_frames(data: bytes) -> int:
    """Each has its length before it, two bytes; the standard variety ends with -1, Tencent's with the file."""
    at, frames = len(SILK), 0
    while at + 2 <= len(data):
        (length,) = struct.unpack_from("<h", data, at)
        if length < 0:
            break
        at += 2 + length
        frames += at <= len(data)
    return frames


def _wav_seconds(data: bytes) -> float | None:
    try:
        with wave.open(io.BytesIO(data)) as sound:
            return float(sound.getnframes()) / (sound.getframerate() or 1)
    except (wave.Error, EOFError, struct.error):  # not PCM: the recogniser may still know it
        return None
