"""One engine kept warm for many small payloads: `Codec`."""

import io
from dataclasses import replace

from ..container.bare import no_payload, read_bare, write_bare
from ..container.format import checksum as checksum_of
from ..container.frame import Frame, read_head
from ..container.header import read_header, write_header
from ..container.numbers import Fields
from ..container.recipe import Recipe
from ..errors import ArchiveError
from ..execute.encode import MemberWriter, as_first
from ..execute.session import Session
from ..plan import memory
from ..plan.choose import choose
from ..plan.known import Known
from ..plan.options import Options
from . import streams


class Codec:
    """Compresses and decompresses many small texts with the same settings, each by itself, at
    little more cost than coding its bytes: nothing is loaded, planned or made again.

        >>> codec = Codec(model="none", bare=True)
        >>> coded = codec.compress(b"to be or not to be, that is the question")
        >>> codec.decompress(coded)
        b'to be or not to be, that is the question'

    level, model, codec, predictor, dynamic, spelling_cache, store_name: as of nlmzip.compress;
    memory_limit: bytes that a single call may bring the process to. What `compress` gives is the
    archive of nlmzip.compress, byte for byte, and `decompress` takes any archive.

    bare: leave out all that these settings say, so that only a Codec with the same settings and
    models decompresses it, which suits a column of a database: name level and model, since
    what is taken without them is a matter of the environment, too. Such a payload is

        varint raw length * (1 + number of codings) + coding | CRC-32 4 | what it was coded to

    coding: 0 where the text is kept as it is, otherwise the number of the coding that made least
    of it; a Codec has one, two with the default model, and with codec "words" one for each form
    of text. checksum: whether there is a CRC-32, which runs over the header that an archive would
    have and over the text, so that payloads of other settings are told from those of these.
    Without it damage can give another text.

    Threads may share it; there come to be as many engines as they code at once. It is pickled
    and copied by its settings. Raises OptionError, ModelNotFoundError, ModelError, OSError at once.
    """

    def __init__(
        self, *, model=None, level: int | None = None, codec: str = "mix", predictor: str | None = None,
        dynamic: bool | None = None, spelling_cache: bool | None = None, store_name: bool = True,
        bare: bool = False, checksum: bool = True, memory_limit: int | None = None,
    ):  # fmt: skip
        options = Options(level, model, codec, predictor, dynamic, spelling_cache, store_name and not bare)
        self._settings = {
            "model": model, "level": level, "codec": codec, "predictor": predictor, "dynamic": dynamic,
            "spelling_cache": spelling_cache, "store_name": store_name, "bare": bare,
            "checksum": checksum, "memory_limit": memory_limit,
        }  # fmt: skip
        self._bare, self._has_checksum = bare, checksum
        self._choice = choose(options)
        self._recipe = Recipe(self._choice.codings)
        self._header = write_header(self._recipe)
        self._session = Session(1, memory_limit)
        self._coder = self._session.coder(self._recipe.codings, self._choice.known, self._choice.thorough)

    def compress(self, data: bytes) -> bytes:
        """The archive, or the bare payload, of a text. Raises MemoryLimitError."""
        data = memoryview(data).tobytes()
        if not self._bare and len(data) > self._choice.frame_bytes:
            with streams.encoder(self._session, self._choice, n_bytes=len(data)) as encoding:
                return b"".join([*encoding.feed(data), *encoding.finish()])
        frame = self._encoded(data)
        if self._bare:
            frame = replace(frame, checksum=checksum_of(self._header, data))
            return write_bare(frame, len(self._recipe.codings), self._has_checksum)
        writer = MemberWriter(self._recipe)
        return writer.add(as_first(frame, data, self._recipe.codings)) + writer.finish()

    def decompress(self, data: bytes) -> bytes:
        """The text of an archive, or of a bare payload of a Codec with the same settings.

        Raises ArchiveError for anything else; MemoryLimitError, and, of foreign archives,
        ModelNotFoundError, ModelError and OSError.
        """
        data = memoryview(data).tobytes()
        if self._bare:
            return self._of_bare(read_bare(data, len(self._recipe.codings), self._has_checksum))
        frame = self._frame_of(data)
        if frame:
            return self._decoded(frame)
        known = Known(self._choice.known.offered)
        return b"".join(streams.decode(self._session, io.BytesIO(data).read, known))

    def __reduce__(self):
        return _with, (self._settings,)

    def __repr__(self) -> str:
        told = (f"{name}={value!r}" for name, value in self._settings.items() if value != _DEFAULTS[name])
        return f"Codec({', '.join(told)})"

    def _encoded(self, data: bytes) -> Frame:
        codings = self._recipe.codings
        if self._session.memory_limit is not None:
            need = memory.of_frames(codings, len(data), self._choice.known)
            memory.require(need.total, self._session.memory_limit, "encode")
        return self._coder.encode(data, 0 if len(codings) == 1 else None, False, {}, _nothing)

    def _decoded(self, frame: Frame) -> bytes:
        if self._session.memory_limit is not None:
            need = memory.of_decoding(self._recipe, frame, self._choice.known)
            memory.require(need.total, self._session.memory_limit, "decode")
        return self._coder.decode(frame, _nothing)

    def _of_bare(self, frame: Frame) -> bytes:
        try:
            text = self._decoded(replace(frame, checksum=None))
        except ArchiveError as error:
            raise no_payload(str(error)) from None
        if self._has_checksum and checksum_of(self._header, text) != frame.checksum:
            raise no_payload("its checksum does not hold")
        return text

    def _frame_of(self, archive: bytes) -> Frame | None:
        """The frame of an archive that holds nothing else, as `compress` writes them, by the
        codings of this codec; None for any other, and for damage, which others tell."""
        fields, own = Fields(archive), self._recipe.codings
        try:
            recipe = read_header(fields)
            if recipe.is_model or recipe.has_records or not set(recipe.codings) <= set(own):
                return None
            head = read_head(recipe, fields)
            frame = head.frame(fields.take(head.coded_length))
        except ArchiveError:
            return None
        if not head.is_last or not fields.at_end:
            return None
        coding = None if head.coding is None else own.index(recipe.codings[head.coding])
        return replace(frame, coding=coding)


def _nothing(n_done: int) -> None:
    """A report that nobody reads."""


def _with(settings: dict) -> Codec:
    return Codec(**settings)


_DEFAULTS = Codec.__init__.__kwdefaults__
