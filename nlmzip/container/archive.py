"""The container (`.nlmz`): bytes in, bytes out, nothing else.

A member is a header and frames; members may follow one another, as in gzip. A model that
members behind it need can stand among them: a member that holds no text.

    magic 3 | version and codec 1 | the codec's settings | frames

    settings of `words`: predictor 1 | flags 1 | model hash 8 | name of the model if it is
    not a shipped one; of `mix`: start 1 | hash of the model 8 if it is not a shipped one |
    predictor 1, flags 1, hash 8 of a model of words if one takes part | names of these two;
    of stored data and of a model: none

    frame: varint 2 * raw length + last | varint coded length (not when stored, nor of a model) |
    CRC-32 of the raw bytes 4 | payload

Every setting that the decoder needs is here; notes/format.md says what each byte buys.
Called by coding.py; needs neither numpy nor numba.
"""

import struct
import zlib
from dataclasses import dataclass, field, replace

from ..errors import ArchiveError, MemoryLimitError

MAGIC = b"\xfanz"
VERSION = 1
SUFFIX = ".nlmz"

#: Codecs of format version 1.
STORED, WORDS, MIX, MODEL = 0, 1, 2, 3
CODEC_NAMES = {STORED: "stored", WORDS: "words", MIX: "mix", MODEL: "model"}
#: Of these the payload is what it stands for.
_AS_IT_IS = (STORED, MODEL)

#: Networks and counts that a mixture can name, each a bit of the predictor byte.
PREDICTOR_BITS = {"kn": 1, "nplm": 2, "rnn": 4, "lstm": 8, "gru": 16}
#: Parts that dynamic evaluation can move, in the order in which a mixture weighs them.
NETWORKS = tuple(name for name in PREDICTOR_BITS if name != "kn")

#: Memory that a member and a frame take when they are read, beside their bytes.
MEMBER_BYTES, FRAME_BYTES = 256, 160

HASH_BYTES = 8

_MOST_STARTS = 31
# Bits of the byte that holds a start: what follows it.
_NAMES, _MODEL, _MIXED_WORDS = 32, 64, 128
_DYNAMIC, _LIGHT = 1, 2

_FLAGS = {"dynamic": 1, "spelling_cache": 2}
_FORMS = {"plain": 0, "general": 4, "bytes": 16}
_NAMED = 8
_MAXIMUM_NAME_BYTES = 255
_MAXIMUM_VARINT_BYTES = 9
_FEW_PARTS = 1 << 20


@dataclass(frozen=True)
class WordSettings:
    """Everything that changes the bits of a `words` archive.

    predictor: "uniform", "kn", "kn+rnn", ...; text_form: "plain", "general" or "bytes";
    model_hash: the first 8 bytes of the model's SHA-256; model_name: "" unless the archive
    carries it.
    """

    predictor: str
    dynamic: bool
    spelling_cache: bool
    text_form: str
    model_hash: bytes
    model_name: str = ""


@dataclass(frozen=True)
class ModelReference:
    """A model that an archive needs: the first 8 bytes of its SHA-256, and "" or its name."""

    model_hash: bytes
    model_name: str = ""


@dataclass(frozen=True)
class MixedWords:
    """A model of words whose predictor takes part in a `mix` archive.

    light: whether it begins with little weight, as suits an engine that has a model itself.
    """

    predictor: str
    dynamic: bool
    model: ModelReference
    light: bool = False


@dataclass(frozen=True)
class MixSettings:
    """Everything that changes the bits of a `mix` archive.

    start: number of what the engine starts from, 1 to 31: of a shipped start, or, where a
    model is referred to, of the level among those of the model.
    """

    start: int
    model: ModelReference | None = None
    words: MixedWords | None = None

    @property
    def references(self) -> list[ModelReference]:
        """All models that are needed, in the archive's order."""
        words = self.words.model if self.words else None
        return [reference for reference in (self.model, words) if reference]


Settings = WordSettings | MixSettings | None


@dataclass(frozen=True, slots=True)
class Frame:
    """A stretch of the original: its length, its CRC-32, and what it was coded to."""

    raw_length: int
    checksum: int
    payload: bytes

    @classmethod
    def of(cls, raw: bytes, payload: bytes) -> "Frame":
        return cls(len(raw), zlib.crc32(raw), payload)

    def check(self, raw: bytes) -> bytes:
        """`raw`, if it is what the frame was made of. Raises ArchiveError."""
        if len(raw) != self.raw_length or zlib.crc32(raw) != self.checksum:
            raise ArchiveError("damaged archive (its checksum does not hold); get a good copy")
        return raw


@dataclass(frozen=True, slots=True)
class Member:
    """One header with its frames; `settings` is None for stored data."""

    codec: int
    settings: Settings
    frames: list[Frame] = field(default_factory=list)
    n_bytes: int = 0

    @property
    def raw_length(self) -> int:
        """Bytes of text."""
        return 0 if self.codec == MODEL else sum(frame.raw_length for frame in self.frames)

    @property
    def model(self) -> bytes:
        """The model file that a member of the codec MODEL is. Raises ArchiveError."""
        return b"".join(frame.check(frame.payload) for frame in self.frames)


def predictor_byte(predictor: str) -> int:
    """The header's byte for a predictor's name. Raises ValueError for an unknown one."""
    if predictor == "uniform":
        return 0
    parts = predictor.split("+")
    if any(part not in PREDICTOR_BITS for part in parts) or len(set(parts)) != len(parts):
        raise ValueError(predictor)
    return sum(PREDICTOR_BITS[part] for part in parts)


def predictor_name(byte: int) -> str:
    """The name of a predictor byte. Raises ArchiveError for bits that mean nothing yet."""
    if byte >> len(PREDICTOR_BITS):
        raise _damaged("unknown predictor")
    return "+".join(name for name, bit in PREDICTOR_BITS.items() if byte & bit) or "uniform"


def write(codec: int, settings: Settings, frames: list[Frame]) -> bytes:
    """The bytes of one member."""
    parts = [MAGIC, bytes([VERSION << 4 | codec])]
    if codec == WORDS:
        parts.append(_word_settings(settings))
    elif codec == MIX:
        parts.append(_mix_settings(settings))
    for number, frame in enumerate(frames, 1):
        parts.append(_varint(2 * frame.raw_length + (number == len(frames))))
        if codec not in _AS_IT_IS:
            parts.append(_varint(len(frame.payload)))
        parts += [struct.pack("<I", frame.checksum), frame.payload]
    return b"".join(parts)


def _word_settings(settings: WordSettings) -> bytes:
    flags = sum(bit for name, bit in _FLAGS.items() if getattr(settings, name))
    flags |= _FORMS[settings.text_form]
    name = _name(settings.model_name)
    flags |= _NAMED if settings.model_name else 0
    fixed = bytes([predictor_byte(settings.predictor), flags]) + settings.model_hash
    return fixed + (name if settings.model_name else b"")


def _mix_settings(settings: MixSettings) -> bytes:
    if not 1 <= settings.start <= _MOST_STARTS:
        raise ValueError(f"engine start {settings.start}")
    named = any(reference.model_name for reference in settings.references)
    first = settings.start | (_NAMES if named else 0)
    parts = []
    if settings.model:
        first |= _MODEL
        parts.append(settings.model.model_hash)
    if settings.words:
        first |= _MIXED_WORDS
        flags = (_DYNAMIC if settings.words.dynamic else 0) | (_LIGHT if settings.words.light else 0)
        parts.append(bytes([predictor_byte(settings.words.predictor), flags]))
        parts.append(settings.words.model.model_hash)
    if named:
        parts += [_name(reference.model_name) for reference in settings.references]
    return bytes([first]) + b"".join(parts)


def _name(name: str) -> bytes:
    """A model's name in UTF-8 behind its length in one byte."""
    encoded = name.encode()[:_MAXIMUM_NAME_BYTES]
    encoded = encoded.decode(errors="ignore").encode()  # no half of a character
    return bytes([len(encoded)]) + encoded


def write_model(data: bytes) -> bytes:
    """A member that is a model file, for the members behind it."""
    return write(MODEL, None, [Frame.of(data, data)])


def write_stored(data: bytes) -> bytes:
    """An archive that keeps `data` as it is, at most 12 bytes longer below 128 MiB."""
    return write(STORED, None, [Frame.of(data, data)])


def read(data: bytes, memory_limit: int | None = None) -> list[Member]:
    """Parse an archive into its members, without decoding them.

    memory_limit: bytes that members and frames may take, each of which can be many times as
    large as what stands for it in the archive.

    Raises ArchiveError for bytes that are no archive, are cut short, are followed by
    something else, or come from a newer version; MemoryLimitError.
    """
    if not data:
        raise ArchiveError("empty input, not an nlmzip archive; nothing to decode")
    if not data.startswith(MAGIC[: len(data)]):
        raise ArchiveError("not an nlmzip archive; nothing to decode")
    members = []
    reader = _Reader(data, memory_limit)
    while reader.offset < len(data):
        if members and not data.startswith(MAGIC, reader.offset):
            raise ArchiveError(
                f"trailing garbage after the archive's end at byte {reader.offset}; "
                "cut it off or get a good copy"
            )
        members.append(_read_member(reader))
    if members[-1].codec == MODEL:  # for a member that is not there
        raise TruncatedError(len(data), len(data) + 1)
    return members


def first_end(data: bytes) -> int:
    """The number of bytes of the first member with a text, and of the models before it.

    Raises ArchiveError, TruncatedError where more bytes are needed to tell.
    """
    if data and not data.startswith(MAGIC[: len(data)]):
        raise ArchiveError("not an nlmzip archive; nothing to decode")
    reader = _Reader(data)
    while _read_member(reader).codec == MODEL:
        pass
    return reader.offset


def _read_member(reader: "_Reader") -> Member:
    first = reader.offset
    reader.take(len(MAGIC))
    version, codec = divmod(reader.byte(), 16)
    if version > VERSION:
        raise ArchiveError(f"archive format {version} is newer than this nlmzip; upgrade nlmzip")
    if version != VERSION or codec not in CODEC_NAMES:
        raise _damaged("unknown format")
    settings = None
    if codec == WORDS:
        settings = _read_word_settings(reader)
    elif codec == MIX:
        settings = _read_mix_settings(reader)
    reader.take_memory(MEMBER_BYTES)
    frames, last = [], False
    while not last:
        reader.take_memory(FRAME_BYTES)
        raw_length, last = divmod(reader.varint(), 2)
        if codec != STORED and not raw_length:
            raise _damaged("a coded frame of nothing")
        coded_length = raw_length if codec in _AS_IT_IS else reader.varint()
        (checksum,) = struct.unpack("<I", reader.take(4))
        frames.append(Frame(raw_length, checksum, reader.take(coded_length)))
    return Member(codec, settings, frames, reader.offset - first)


def _read_word_settings(reader: "_Reader") -> WordSettings:
    predictor = predictor_name(reader.byte())
    flags = reader.byte()
    switches = {switch: bool(flags & bit) for switch, bit in _FLAGS.items()}
    of_form = flags & ~(_NAMED | sum(_FLAGS.values()))
    forms = [form for form, bit in _FORMS.items() if bit == of_form]
    if not forms:
        raise _damaged("unknown flags")
    model_hash = reader.take(HASH_BYTES)
    name = _read_name(reader) if flags & _NAMED else ""
    return WordSettings(
        predictor, text_form=forms[0], model_hash=model_hash, model_name=name, **switches
    )


def _read_mix_settings(reader: "_Reader") -> MixSettings:
    first = reader.byte()
    start = first & _MOST_STARTS
    if not start:
        raise _damaged("engine start 0")
    model, words = None, None
    if first & _MODEL:
        model = ModelReference(reader.take(HASH_BYTES))
    if first & _MIXED_WORDS:
        predictor, flags = predictor_name(reader.byte()), reader.byte()
        if flags > _DYNAMIC | _LIGHT:
            raise _damaged("unknown flags")
        reference = ModelReference(reader.take(HASH_BYTES))
        words = MixedWords(predictor, bool(flags & _DYNAMIC), reference, bool(flags & _LIGHT))
    if first & _NAMES:
        if model:
            model = replace(model, model_name=_read_name(reader))
        if words:
            named = replace(words.model, model_name=_read_name(reader))
            words = replace(words, model=named)
        if not (model or words):
            raise _damaged("a name of no model")
    return MixSettings(start, model, words)


def _read_name(reader: "_Reader") -> str:
    return reader.take(reader.byte()).decode(errors="replace")


def _damaged(what: str) -> ArchiveError:
    return ArchiveError(f"damaged archive ({what}); get a good copy")


def _varint(number: int) -> bytes:
    """Seven bits a byte, lowest first; the high bit says that more follow (LEB128)."""
    parts = bytearray()
    while number >= 128:
        parts.append(number & 127 | 128)
        number >>= 7
    parts.append(number)
    return bytes(parts)


class TruncatedError(ArchiveError):
    """The bytes end before the archive does; n_expected: bytes that it has at least."""

    def __init__(self, n_bytes: int, n_expected: int):
        super().__init__(
            f"truncated archive ({n_bytes} bytes, at least {n_expected} expected); get a complete copy"
        )
        self.n_expected = n_expected


class _Reader:
    """Takes fields off the front of an archive; running out of bytes is truncation."""

    def __init__(self, data: bytes, memory_limit: int | None = None):
        self._data = data
        self._limit = memory_limit
        # A few parts take next to nothing: what an archive needs in all is for others to say.
        self._left = None if memory_limit is None else max(memory_limit, _FEW_PARTS)
        self.offset = 0

    def take_memory(self, n_bytes: int) -> None:
        if self._left is None:
            return
        self._left -= n_bytes
        if self._left < 0:
            raise MemoryLimitError(
                f"has so many parts that they need more than the limit of {self._limit >> 20:,} MiB of"
                " memory; allow more with -M"
            )

    def take(self, n_bytes: int) -> bytes:
        end = self.offset + n_bytes
        if end > len(self._data):
            raise TruncatedError(len(self._data), end)
        taken = self._data[self.offset : end]
        self.offset = end
        return taken

    def byte(self) -> int:
        return self.take(1)[0]

    def varint(self) -> int:
        number = 0
        for position in range(_MAXIMUM_VARINT_BYTES):
            byte = self.byte()
            number |= (byte & 127) << 7 * position
            if byte < 128:
                if position and not byte:
                    break  # a shorter spelling exists: nobody writes this
                return number
        raise _damaged("malformed length")
