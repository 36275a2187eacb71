"""SILK to WAV, for where the recogniser does not take it. The only decoder here: no other codec has one on the package
index that is small and free (docs/dependencies.md)."""

import io
import wave

import pysilk

from transcription.sound import Codec, Sound

RATE = 16000  # enough for speech, and a minute of it fits the recogniser's 3 MB
DECODABLE = frozenset({Codec.SILK})


class Undecodable(Exception):
    """The bytes are not what their beginning says."""


def to_wav(sound: Sound) -> Sound:
    """Raises Undecodable."""
    pcm, out = io.BytesIO(), io.BytesIO()
    try:
        pysilk.decode(io.BytesIO(sound.data), pcm, RATE)
    except pysilk.SilkError as error:
        raise Undecodable(f"silk: {error}") from None
    frames = pcm.getvalue()
    if not frames:
        raise Undecodable("silk: nothing in it")
    with wave.open(out, "wb") as wav:
        wav.setnchannels(1)
        wav.setsampwidth(2)
        wav.setframerate(RATE)
        wav.writeframes(frames)
    return Sound(Codec.WAV, out.getvalue(), len(frames) / (2 * RATE))
