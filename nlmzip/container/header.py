"""A recipe as the bytes of a header, and back."""

from dataclasses import replace

from ..errors import ArchiveError
from ..models.networks import predictor_name, predictor_number
from .format import (
    BY_LENGTH,
    DELIMITED,
    DYNAMIC,
    ESCAPED,
    HASH_BYTES,
    LIGHT,
    MAGIC,
    MODEL_MEMBER,
    MOST_CODINGS,
    MOST_REFERRING,
    NAMED,
    OF_WORDS,
    PREDICTOR,
    RECORDS,
    REFERENCES,
    REFERRING,
    SPELLING_CACHE,
    TEXT_FORMS,
    VERSION,
)
from .numbers import Fields, damaged, short_name, varint
from .recipe import (
    BY_LENGTHS,
    MODEL,
    Coding,
    MixCoding,
    ModelReference,
    Recipe,
    WordsCoding,
    WordsInMix,
)


def write_header(recipe: Recipe) -> bytes:
    """The bytes of a header. Raises ValueError for a recipe that none can say."""
    if len(recipe.codings) > MOST_CODINGS:
        raise ValueError(f"{len(recipe.codings)} codings")
    contents = MODEL_MEMBER if recipe.is_model else len(recipe.codings)
    parts = [MAGIC, bytes([VERSION << 4 | contents | (RECORDS if recipe.has_records else 0)])]
    if recipe.has_records:
        parts.append(varint(BY_LENGTH if recipe.by_length else DELIMITED + recipe.delimiter))
    parts += map(_coding, recipe.codings)
    return b"".join(parts)


def coding_bytes(coding: Coding) -> int:
    """How much of a header a coding takes."""
    return len(_coding(coding))


def _coding(coding: Coding) -> bytes:
    if isinstance(coding, WordsCoding):
        flags = TEXT_FORMS[coding.text_form] | (DYNAMIC if coding.dynamic else 0)
        flags |= SPELLING_CACHE if coding.spelling_cache else 0
        flags |= NAMED if coding.model.model_name else 0
        name = short_name(coding.model.model_name) if coding.model.model_name else b""
        predictor = predictor_number(coding.predictor)
        short = predictor < REFERRING - OF_WORDS
        first = bytes([OF_WORDS + predictor]) if short else bytes([PREDICTOR]) + varint(predictor)
        return first + bytes([flags]) + coding.model.model_hash + name
    if coding.profile < 1:
        raise ValueError(f"profile {coding.profile}")
    named = any(reference.model_name for reference in coding.references)
    parts = [_profile(coding, (coding.model is not None, coding.words is not None, named))]
    if coding.model:
        parts.append(coding.model.model_hash)
    if coding.words:
        settings = (DYNAMIC if coding.words.dynamic else 0) | (LIGHT if coding.words.light else 0)
        parts.append(varint(predictor_number(coding.words.predictor)) + bytes([settings]))
        parts.append(coding.words.model.model_hash)
    if named:
        parts += [short_name(reference.model_name) for reference in coding.references]
    return b"".join(parts)


def _profile(coding: MixCoding, refers: tuple[bool, bool, bool]) -> bytes:
    """A profile, and what stands behind it."""
    if refers not in REFERENCES:
        if coding.profile < OF_WORDS:
            return bytes([coding.profile])
        return bytes([ESCAPED]) + varint(coding.profile) + bytes([len(REFERENCES)])
    number = REFERENCES.index(refers)
    if coding.profile < MOST_REFERRING:
        return bytes([REFERRING + len(REFERENCES) * coding.profile + number])
    return bytes([ESCAPED]) + varint(coding.profile) + bytes([number])


def read_header(fields: Fields) -> Recipe:
    """The recipe of a header.

    Raises ArchiveError for bytes that are no archive, or of another version; TruncatedError.
    """
    if fields.take(len(MAGIC)) != MAGIC:
        raise ArchiveError("not an nlmzip archive; nothing to decode")
    version, contents = divmod(fields.byte(), 16)
    if version > VERSION:
        raise ArchiveError(f"archive format {version} is newer than this nlmzip; upgrade nlmzip")
    if version == 1:
        raise ArchiveError(
            "archive format 1, which only development versions of nlmzip 0.1.0 wrote;"
            " decode it with one of these, and encode it anew"
        )
    if version != VERSION:
        raise damaged("unknown format")
    if contents == MODEL_MEMBER:
        return MODEL
    n_codings = contents & ~RECORDS
    if n_codings > MOST_CODINGS:
        raise damaged("unknown format")
    delimiter = None
    if contents & RECORDS:
        told_apart = fields.varint()
        if told_apart > DELIMITED + 255:
            raise damaged("unknown records")
        delimiter = BY_LENGTHS if told_apart == BY_LENGTH else told_apart - DELIMITED
    return Recipe(tuple(_read_coding(fields) for _ in range(n_codings)), delimiter)


def _read_coding(fields: Fields) -> Coding:
    first = fields.byte()
    if first < OF_WORDS:
        profile, number = first, len(REFERENCES)
    elif first < REFERRING:
        return _read_words(first - OF_WORDS, fields)
    elif first < ESCAPED:
        profile, number = divmod(first - REFERRING, len(REFERENCES))
    elif first == ESCAPED:
        profile, number = fields.varint(), fields.byte()
    elif first == PREDICTOR:
        return _read_words(fields.varint(), fields)
    else:
        raise damaged("unknown coding")
    if not profile or number > len(REFERENCES):
        raise damaged("unknown coding")
    of_bytes, of_words, named = REFERENCES[number] if number < len(REFERENCES) else (False,) * 3
    model = words = None
    if of_bytes:
        model = ModelReference(fields.take(HASH_BYTES))
    if of_words:
        predictor, settings = _predictor(fields.varint()), fields.byte()
        if settings > DYNAMIC | LIGHT:
            raise damaged("unknown flags")
        reference = ModelReference(fields.take(HASH_BYTES))
        words = WordsInMix(predictor, bool(settings & DYNAMIC), reference, bool(settings & LIGHT))
    if named and model:
        model = replace(model, model_name=fields.name())
    if named and words:
        words = replace(words, model=replace(words.model, model_name=fields.name()))
    return MixCoding(profile, model, words)


def _read_words(predictor: int, fields: Fields) -> WordsCoding:
    flags = fields.byte()
    of_form = flags & ~(NAMED | DYNAMIC | SPELLING_CACHE)
    forms = [form for form, bit in TEXT_FORMS.items() if bit == of_form]
    if not forms:
        raise damaged("unknown flags")
    reference = ModelReference(fields.take(HASH_BYTES))
    if flags & NAMED:
        reference = replace(reference, model_name=fields.name())
    return WordsCoding(
        _predictor(predictor), bool(flags & DYNAMIC), bool(flags & SPELLING_CACHE), forms[0], reference
    )


def _predictor(number: int) -> str:
    try:
        return predictor_name(number)
    except ValueError:
        raise damaged("unknown predictor") from None
