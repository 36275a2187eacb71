"""What a sound is, told from its bytes."""

import pytest

from tests import sounds
from transcription.decoding import Undecodable, to_wav
from transcription.sound import Codec, Sound, Unreadable, read

KNOWN = [
    (sounds.amr(2), Codec.AMR, 2),
    (sounds.amr(59), Codec.AMR, 59),
    (sounds.amr_wb(3), Codec.AMR_WB, 3),
    (sounds.silk(2), Codec.SILK, 2),
    (sounds.silk(2, tencent=False), Codec.SILK, 2),
    (sounds.wav(1.5), Codec.WAV, 1.5),
    (sounds.mp3(), Codec.MP3, None),
    (sounds.tagged_mp3(), Codec.MP3, None),
    (sounds.speex(), Codec.SPEEX, None),
    (sounds.opus(), Codec.OPUS, None),
    (sounds.m4a(), Codec.M4A, None),
]


@pytest.mark.parametrize(("data", "codec", "seconds"), KNOWN)
def test_the_bytes_tell_codec_and_length_whatever_the_name_says(data, codec, seconds):
    found = read(data, claimed="speex")

    assert (found.codec, found.seconds) == (codec, seconds)


def test_the_extra_byte_before_silk_is_gone():
    assert read(sounds.silk()).data.startswith(b"#!SILK_V3")


def test_bare_speex_has_no_mark_and_is_believed_by_its_name_alone():
    bare = bytes(range(60, 130))

    assert read(bare, claimed="Speex").codec is Codec.SPEEX
    with pytest.raises(Unreadable):
        read(bare, claimed="amr")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"#!AMR\n",
        b"#!AMR-WB\n",
        b"#!SILK_V3",
        b"\x02#!SILK_V3",
        b"\x00" * 50,
        b"<html>no</html>",
        b"OggS" + bytes(40),
    ],
)
def test_nothing_and_nothing_known_are_unreadable(data):
    with pytest.raises(Unreadable):
        read(data, claimed="amr")


def test_a_frame_that_is_cut_off_does_not_count():
    assert read(sounds.amr(2)[:-3]).seconds == pytest.approx(1.98)


@pytest.mark.parametrize(("codec", "sentence", "task"), [
    (Codec.AMR, "amr", "amr"), (Codec.AMR_WB, "amr", "amr"), (Codec.SILK, "silk", ""), (Codec.SPEEX, "speex", ""),
    (Codec.MP3, "mp3", "mp3"), (Codec.WAV, "wav", "wav"), (Codec.M4A, "m4a", "m4a"), (Codec.OPUS, "ogg-opus", "ogg-opus"),
])  # fmt: skip
def test_the_names_are_those_of_tencents_two_interfaces(codec, sentence, task):
    sound = Sound(codec, b"x", None)

    assert (sound.as_sentence, sound.as_task) == (sentence, task)


@pytest.mark.parametrize("tencent", [True, False])
def test_silk_becomes_a_wav_of_the_same_length(tencent):
    made = to_wav(read(sounds.silk(2, tencent=tencent)))

    assert read(made.data).codec is Codec.WAV
    assert made.seconds == pytest.approx(2)


@pytest.mark.parametrize("data", [b"#!SILK_V3", sounds.silk(tencent=False)[:200]], ids=["empty", "cut off"])
def test_broken_silk_is_undecodable(data):
    with pytest.raises(Undecodable):
        to_wav(Sound(Codec.SILK, data, None))
