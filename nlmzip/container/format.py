"""The constants of format 2 of an archive (`.nlmz`), all of them.

A member is a header, frames, and, where there is more than one frame, an index; members may
follow one another, as in gzip. A model that members behind it need can stand among them: a
member that holds no text. notes/format.md says what each byte buys.

    member: magic 3 | version and contents 1 | records | codings | frames | index
    frame: varint 2 * raw length + last | records | coding | varint coded length |
        CRC-32 of the raw bytes 4 | payload
"""

import zlib

MAGIC = b"\xfanz"
VERSION = 2
SUFFIX = ".nlmz"

# The low four bits of the fourth byte: how many codings follow, and whether the member is
# made of records, or is a model file.
MOST_CODINGS = 6
MODEL_MEMBER = 7
RECORDS = 8

# A coding's first byte. Below OF_WORDS: a profile of the engine, which needs no other model. From
# there on, and below REFERRING: the words codec and its predictor. From there on, and below
# ESCAPED: a profile, and which models follow that it refers to, one of REFERENCES. ESCAPED: both
# follow, as a varint and a byte. PREDICTOR: the words codec, whose predictor follows as a varint.
OF_WORDS, REFERRING, ESCAPED, PREDICTOR = 64, 128, 252, 253
#: What may be referred to: a model of bytes, a model of words, and whether their names follow.
REFERENCES = tuple(
    (of_bytes, of_words, named)
    for named in (False, True)
    for of_bytes, of_words in ((True, False), (False, True), (True, True))
)
#: Profiles that can stand in one byte with what they refer to.
MOST_REFERRING = (ESCAPED - REFERRING) // len(REFERENCES)

#: Bits of the flags of a model of words, in the mixture and in the words codec.
DYNAMIC, LIGHT = 1, 2
SPELLING_CACHE, NAMED = 2, 8
TEXT_FORMS = {"plain": 0, "general": 4, "bytes": 16}

HASH_BYTES = 8
CHECKSUM_BYTES = 4
#: Of a frame: its length and its checksum.
LEAST_FRAME_BYTES = 1 + CHECKSUM_BYTES
MOST_NAME_BYTES = 255

#: How records are told apart: by their lengths, which stand in their frame, or, as
#: DELIMITED + its number, by a byte behind each of them.
BY_LENGTH, DELIMITED = 0, 1

#: What ends an index, so that it is found from the member's end: its length, 4, and this.
TAIL = b"zn\xfa\x02"
TAIL_BYTES = 4 + len(TAIL)


def checksum(*parts: bytes) -> int:
    """The CRC-32 of these bytes one after the other."""
    value = 0
    for part in parts:
        value = zlib.crc32(part, value)
    return value
