"""What the recogniser does not take, to WAV: SILK always; AMR, AMR-WB and Ogg Speex where PyAV is installed
(requirements-voice.txt). It is loaded with the first of them, and so only where voice is heard."""

import io
import wave
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pysilk

from transcription.sound import AMR_SIZES, AMR_WB_SIZES, Codec, Sound

RATE = 16000  # enough for speech, and a minute of it fits the recogniser's 3 MB
# OpenCORE's decoders: FFmpeg's own refuse frames of comfort noise, which phones send in every pause.
_FRAMED = {
    Codec.AMR: ("libopencore_amrnb", 8000, len(b"#!AMR\n"), AMR_SIZES),
    Codec.AMR_WB: ("libopencore_amrwb", 16000, len(b"#!AMR-WB\n"), AMR_WB_SIZES),
}


class Undecodable(Exception):
    """The bytes are not what their beginning says."""


def can_decode(codec: str) -> bool:
    return codec == Codec.SILK or (codec in (*_FRAMED, Codec.SPEEX) and find_spec("av") is not None)


def to_wav(sound: Sound) -> Sound:
    """Raises Undecodable."""
    frames = _of_silk(sound.data) if sound.codec is Codec.SILK else _by_av(sound)
    if not frames:
        raise Undecodable(f"{sound.codec}: nothing in it")
    out = io.BytesIO()
    with wave.open(out, "wb") as wav:
        wav.setnchannels(1)
        wav.setsampwidth(2)
        wav.setframerate(RATE)
        wav.writeframes(frames)
    return Sound(Codec.WAV, out.getvalue(), len(frames) / (2 * RATE))


def _of_silk(data: bytes) -> bytes:
    pcm = io.BytesIO()
    try:
        pysilk.decode(io.BytesIO(data), pcm, RATE)
    except pysilk.SilkError as error:
        raise Undecodable(f"silk: {error}") from None
    return pcm.getvalue()


def _by_av(sound: Sound) -> bytes:
    try:
        import av  # noqa: PLC0415 - 100 MB of FFmpeg, for the few sounds that need it
    except ImportError:
        raise Undecodable(f"{sound.codec}: no decoder is installed") from None
    resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
    try:
        decoded = _framed(av, sound) if sound.codec in _FRAMED else _contained(av, sound.data)
        pieces = [bytes(out.planes[0])[: out.samples * 2] for frame in decoded for out in resampler.resample(frame)]
        pieces += [bytes(out.planes[0])[: out.samples * 2] for out in resampler.resample(None)]
    except (av.FFmpegError, ValueError) as error:
        raise Undecodable(f"{sound.codec}: {type(error).__name__}") from None
    return b"".join(pieces)


def _framed(av: Any, sound: Sound) -> Iterator[Any]:
    """One packet for each 20 ms; a last one that is cut off is left out."""
    name, rate, at, sizes = _FRAMED[sound.codec]
    decoder = av.codec.CodecContext.create(name, "r")
    decoder.sample_rate, decoder.layout = rate, "mono"
    data = sound.data
    while at < len(data) and at + sizes[(data[at] >> 3) & 15] <= len(data):
        size = sizes[(data[at] >> 3) & 15]
        yield from decoder.decode(av.Packet(data[at : at + size]))
        at += size


def _contained(av: Any, data: bytes) -> Iterator[Any]:
    with av.open(io.BytesIO(data), format="ogg") as file:
        yield from file.decode(audio=0)
