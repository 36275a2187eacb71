"""Small true sounds of each codec: frames of silence by hand, SILK by the library. `seconds` long."""

import io
import math
import struct
import wave


def amr(seconds: float = 2) -> bytes:
    """12.2 kbit/s: 32 bytes for each 20 ms; the last frame of a pause is a comfort noise of 6 bytes."""
    return b"#!AMR\n" + (bytes([7 << 3 | 4]) + bytes(31)) * (round(seconds * 50) - 1) + bytes([8 << 3 | 4]) + bytes(5)


def amr_wb(seconds: float = 2) -> bytes:
    return b"#!AMR-WB\n" + (bytes([2 << 3 | 4]) + bytes(32)) * round(seconds * 50)


def pcm(seconds: float = 2, rate: int = 16000) -> bytes:
    return b"".join(struct.pack("<h", int(8000 * math.sin(n / 20))) for n in range(round(seconds * rate)))


def silk(seconds: float = 2, *, tencent: bool = True) -> bytes:
    """Tencent's variety has 0x02 before the mark."""
    import pysilk

    out = io.BytesIO()
    pysilk.encode(io.BytesIO(pcm(seconds)), out, 16000, 16000, tencent=tencent)
    return out.getvalue()


def wav(seconds: float = 2) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(bytes(round(seconds * 16000) * 2))
    return out.getvalue()


def mp3(seconds: float = 2) -> bytes:
    """MPEG-1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes for each 1152 samples."""
    return (b"\xff\xfb\x90\xc4" + bytes(413)) * round(seconds * 44100 / 1152)


def tagged_mp3() -> bytes:
    return b"ID3\x04\x00\x00\x00\x00\x00\x0a" + bytes(10) + mp3(1)


def ogg(header: bytes) -> bytes:
    """One page that begins a stream."""
    return b"OggS\x00\x02" + bytes(8) + b"\x01\x00\x00\x00" + bytes(8) + bytes([1, len(header)]) + header


def speex() -> bytes:
    return ogg(b"Speex   1.2.0" + bytes(67))


def ogg_speex(seconds: float = 2) -> bytes:
    """A whole stream, 16 kHz: frames of 20 ms that say nothing, as Speex's lowest mode has them."""
    header = b"Speex   " + b"1.2".ljust(20, b"\0")
    header += struct.pack("<13i", 1, 80, 16000, 1, 4, 1, -1, 320, 0, 1, 0, 0, 0)
    comment = struct.pack("<I", 0) + struct.pack("<I", 0)
    frames = round(seconds * 50)
    pages = [_page(0, 2, 0, [header]), _page(1, 0, 0, [comment])]
    return b"".join(pages) + _page(2, 4, frames * 320, [b"\x04\x3c"] * frames)


def _page(number: int, flags: int, position: int, packets: list[bytes]) -> bytes:
    head = struct.pack("<4sBBqIII", b"OggS", 0, flags, position, 1, number, 0)
    page = bytearray(head + bytes([len(packets), *map(len, packets)]) + b"".join(packets))
    struct.pack_into("<I", page, 22, _ogg_crc(page))
    return bytes(page)


def _ogg_crc(page: bytes) -> int:
    crc = 0
    for byte in page:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (0x04C11DB7 if crc & 0x80000000 else 0)) & 0xFFFFFFFF
    return crc


def spoken_amr(seconds: float = 2) -> bytes:
    """A tone that can be heard, encoded as phones do."""
    import av

    encoder = av.codec.CodecContext.create("libopencore_amrnb", "w")
    encoder.sample_rate, encoder.layout, encoder.format, encoder.bit_rate = 8000, "mono", "s16", 12200
    frames = []
    for n in range(0, round(seconds * 8000), 160):
        frame = av.AudioFrame("s16", "mono", 160)
        frame.sample_rate, frame.pts = 8000, n
        tone = [int(8000 * math.sin((n + i) / 4)) for i in range(160)]
        frame.planes[0].update(struct.pack("<160h", *tone) + bytes(frame.planes[0].buffer_size - 320))
        frames += encoder.encode(frame)
    return b"#!AMR\n" + b"".join(bytes(packet) for packet in [*frames, *encoder.encode(None)])


def opus() -> bytes:
    return ogg(b"OpusHead\x01\x01" + bytes(9))


def m4a() -> bytes:
    return b"\x00\x00\x00\x20ftypM4A " + bytes(20)
