"""A canonical text as it lies in the file: deflated, with the words that every answer repeats known beforehand.

An answer of 700 bytes takes about 200, which makes the file and each of its backups a third of what they would be. The
dictionary belongs to the format: it is never changed. Another one would get a letter of its own.
"""

from __future__ import annotations

import hashlib
import zlib
from typing import Final

#: The first byte of a packed text names the dictionary.
_FIRST: Final = b"\x01"

#: The longest text that is read, in bytes: damage must not unpack into more memory than there is.
_LONGEST: Final = 1 << 24

_RAW: Final = -15

# What stands near the end costs least to repeat.
_DICTIONARY: Final = (
    b'"bank":"core","kind":"retraction","target":"01K","kind":"rerating","kind":"setting","name":"weights","value":'
    b'"kind":"mark","kind":"rename","to_bank":"to_question":"kind":"regrade","mode":"interview","retention":0.95,'
    b'"placed":true,"verdict":"unknown"}"verdict":"wrong-unit"}"verdict":"incorrect"}"verdict":"close"}'
    b'"slip":null,"verdict":"correct"},{"name":"part 2","parts":[{"name":"choice","slip":null,"verdict":"correct"},'
    b'{"name":"then","slip":"per-node","zero1","zero2","zero3","fsdp","ddp","tp8","pp8","ep8","cp","hsdp","pp4"'
    b'"figures":{"answer":"1,120 GB","state":"35 GB","tokens","GB/s","TFLOP/s","GiB","TB","hours","steps","days"},'
    b'"key":["fsdp"],"meaning":"3f9a","options":["fsdp","zero1","ddp","pp8"],"variant":{"batch.sequence":"4096",'
    b'"batch.micro":"1","layout.data":"64","layout.tensor":"8","layout.pipeline":"4","cluster.gpu":"h100",'
    b'"cluster.nodes":"4","model.parameters":"70000000000"}},"slip":"one-node","time":"2026-01-05T09:00:00.'
    b'{"bank":"shardwise","confidence":25,"confidence":50,"confidence":95,"confidence":75,"day":"2027-02-14",'
    b'"duration_ms":21500,"generation":0,"id":"01KE6P4YM0","kind":"attempt","offset":-480,"offset":120,"offset":60,'
    b'"parts":[],"promise":{"day":"2026-03-05","due":"2026-01-05T04:00:00.000000Z"},"question":"mb-70b-4nodes",'
    b'"rating":1,"rating":4,"rating":3,"response":{"chosen":[],"text":null},"response":{"chosen":["fsdp"],"text":'
    b'"35 GB"},"shown":{"figures":{},"key":[],"meaning":"","options":[],"variant":{}},"slip":null,'
    b'"time":"2026-01-05T09:00:00.000000Z","verdict":"correct","version":1}'
)


#: Ready to pack, with the dictionary read: a copy of it is a tenth of the work of another one. It is small, with a
#: window of 4 kB, which holds the dictionary and an answer; `unpack` reads it whatever the window.
_PACKER: Final = zlib.compressobj(6, zlib.DEFLATED, -12, 3, zdict=_DICTIONARY)


def pack(text: bytes) -> bytes:
    """Return a text, as bytes, as it is stored."""
    packer = _PACKER.copy()
    return _FIRST + packer.compress(text) + packer.flush()


def is_whole(stored: object, checksum: object) -> bool:
    """Tell whether a stored text is the one that its checksum was made of."""
    text = unpack(stored)
    return text is not None and hashlib.blake2b(text, digest_size=16).digest() == checksum


def unpack(stored: object) -> bytes | None:
    """Return the text as bytes, or None where what is stored is no packed text."""
    if not isinstance(stored, bytes) or stored[:1] != _FIRST:
        return None
    unpacker = zlib.decompressobj(_RAW, zdict=_DICTIONARY)
    try:
        text = unpacker.decompress(stored[1:], _LONGEST)
    except zlib.error:
        return None
    return text if unpacker.eof and not unpacker.unused_data else None
