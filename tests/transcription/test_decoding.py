"""To WAV by the optional decoder: what the recogniser refused has another chance, and what cannot be decoded is said."""

import io
import struct
import sys
import wave

import pytest

from tests import sounds
from transcription.decoding import Undecodable, can_decode, to_wav
from transcription.sound import Codec, Sound, read


def samples(sound: Sound) -> tuple[int, ...]:
    with wave.open(io.BytesIO(sound.data)) as wav:
        assert (wav.getframerate(), wav.getnchannels(), wav.getsampwidth()) == (16000, 1, 2)
        data = wav.readframes(wav.getnframes())
    return struct.unpack(f"<{len(data) // 2}h", data)


@pytest.mark.parametrize("made", [sounds.amr, sounds.amr_wb, sounds.ogg_speex])
def test_it_becomes_a_wav_of_the_same_length(made):
    found = to_wav(read(made(2)))

    assert read(found.data).codec is Codec.WAV
    assert found.seconds == pytest.approx(2, abs=0.1)


def test_what_was_said_is_still_heard():
    heard = samples(to_wav(read(sounds.spoken_amr(1))))

    middle = heard[4000:12000]
    assert max(middle) > 3000
    crossings = sum(a < 0 <= b for a, b in zip(middle, middle[1:], strict=False))
    assert crossings == pytest.approx(8000 / 4 / 6.283 * 0.5, rel=0.05)


def test_a_recording_that_is_cut_off_is_heard_as_far_as_it_goes():
    assert to_wav(read(sounds.amr(2)[:-3])).seconds == pytest.approx(1.98, abs=0.05)


@pytest.mark.parametrize(
    "sound",
    [
        Sound(Codec.SPEEX, sounds.speex(), None),
        Sound(Codec.SPEEX, b"bare speex", None),
        Sound(Codec.AMR, b"#!AMR\n", None),
    ],
    ids=["a header alone", "without a container", "no frames"],
)
def test_what_cannot_be_decoded_is_said(sound):
    with pytest.raises(Undecodable):
        to_wav(sound)


def test_only_what_has_a_decoder_is_converted():
    assert {codec for codec in Codec if can_decode(codec)} == {Codec.SILK, Codec.AMR, Codec.AMR_WB, Codec.SPEEX}


def test_without_the_optional_decoder_silk_alone_is(monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)

    assert {codec for codec in Codec if can_decode(codec)} == {Codec.SILK}
    with pytest.raises(Undecodable, match="no decoder"):
        to_wav(read(sounds.amr()))
