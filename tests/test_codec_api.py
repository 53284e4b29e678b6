"""nlmzip.Codec: many small texts by one warm engine, as archives and as bare payloads."""

import copy
import pickle
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

import nlmzip
from nlmzip.container.numbers import varint
from nlmzip.plan.choose import Choice
from nlmzip.plan.known import Known

TEXTS = [b"", b"x", b"to be or not to be", b"the cow ate the grass\n" * 40, bytes(range(256)), b"\0" * 3000]
FAST = {"model": "none", "level": 1}


def settings(tiny_model) -> "list[dict]":
    return [
        {"model": "none"},
        FAST,
        {"model": "none", "level": 7},
        {"model": tiny_model},
        {"model": tiny_model, "codec": "words"},
        {"model": tiny_model, "codec": "words", "predictor": "kn", "store_name": False},
    ]


@pytest.fixture(scope="module", params=range(6))
def options(request, tiny_model) -> dict:
    return settings(tiny_model)[request.param]


def test_an_archive_is_that_of_compress(options):
    codec = nlmzip.Codec(**options)
    for text in TEXTS:
        archive = codec.compress(text)
        assert archive == nlmzip.compress(text, **options)
        assert codec.decompress(archive) == text


def test_bare_payloads_come_back_and_are_shorter(options):
    codec, bare = nlmzip.Codec(**options), nlmzip.Codec(**options, bare=True)
    unchecked = nlmzip.Codec(**options, bare=True, checksum=False)
    for text in TEXTS:
        archive, payload, least = (each.compress(text) for each in (codec, bare, unchecked))
        assert bare.decompress(payload) == unchecked.decompress(least) == text
        assert len(payload) == len(least) + 4 and len(payload) <= len(archive) - 4
        assert len(least) <= len(text) + 2


def test_a_text_that_takes_several_frames_is_that_of_compress(monkeypatch):
    from nlmzip.plan import choose

    monkeypatch.setattr(choose, "FRAME", 1000)
    text = random.Random(1).randbytes(300) * 9
    codec = nlmzip.Codec(**FAST)
    assert codec.compress(text) == nlmzip.compress(text, **FAST)
    assert codec.decompress(codec.compress(text)) == text
    bare = nlmzip.Codec(**FAST, bare=True)
    assert bare.decompress(bare.compress(text)) == text


def test_any_archive_is_decompressed(tiny_model):
    codec = nlmzip.Codec(**FAST)
    text = TEXTS[3]
    for archive in (
        nlmzip.compress(text, model="none", level=3),
        nlmzip.compress(text[:300], **FAST) + nlmzip.compress(text[300:], **FAST),
        nlmzip.compress(text, frame=100, **FAST),
        nlmzip.compress(text, model=tiny_model, embed_model=True),
    ):
        assert codec.decompress(archive) == text
    with pytest.raises(nlmzip.ModelNotFoundError):
        codec.decompress(nlmzip.compress(text, model=tiny_model))
    assert nlmzip.Codec(model=tiny_model).decompress(nlmzip.compress(text, model=tiny_model)) == text


def test_several_codings_are_told_apart(monkeypatch, tiny_model):
    """As with the default model, which not every frame makes use of."""
    levels = [nlmzip.Codec(model="none", level=level, bare=True, checksum=False) for level in (1, 7)]

    def of_two(options):
        codings = tuple(codec._choice.codings[0] for codec in levels)
        return Choice(codings, (1 << 20, 1 << 20), Known())

    monkeypatch.setattr(nlmzip.api.codec, "choose", of_two)
    both = nlmzip.Codec(bare=True, checksum=False)
    chosen = set()
    for text in TEXTS:
        payload, each = both.compress(text), [codec.compress(text) for codec in levels]
        assert both.decompress(payload) == text
        head = len(varint(3 * len(text)))
        told = sum((byte & 127) << 7 * place for place, byte in enumerate(payload[:head])) % 3
        chosen.add(told)
        if told:
            assert len(payload) - head == min(len(each[number]) - head for number in range(2))
            assert payload[head:] == each[told - 1][head:]
    assert {0} < chosen


def test_a_bare_payload_is_laid_out_as_documented():
    bare = nlmzip.Codec(**FAST, bare=True, checksum=False)
    archive = nlmzip.compress(TEXTS[3], **FAST)
    payload = bare.compress(TEXTS[3])
    assert payload == varint(2 * len(TEXTS[3]) + 1) + archive[-len(payload) + 2 :]
    assert bare.compress(b"x") == varint(2) + b"x"
    assert bare.compress(b"") == varint(0)


# --- what is damaged or foreign


def told(codec: nlmzip.Codec, payload: bytes) -> "bytes | None":
    """The text, None where it was told that there is none; anything else that is raised is raised."""
    try:
        return codec.decompress(payload)
    except nlmzip.ArchiveError:
        return None


def test_no_damage_to_a_bare_payload_gives_another_text(options):
    codec = nlmzip.Codec(**options, bare=True)
    text = b"the cow ate the zebra near the river\n"
    payload, found = codec.compress(text), []
    for place in range(8 * len(payload)):
        flipped = bytearray(payload)
        flipped[place // 8] ^= 1 << place % 8
        found.append(told(codec, bytes(flipped)))
    assert set(found) <= {None, text}  # the last bits of a payload do not all matter
    assert found[: 8 * (len(payload) - 2)].count(None) == 8 * (len(payload) - 2)
    for n_bytes in range(len(payload)):
        assert told(codec, payload[:n_bytes]) is None, n_bytes
    assert told(codec, payload + b"x") is None


def test_payloads_of_other_settings_are_told(tiny_model):
    codecs = [nlmzip.Codec(**each, bare=True) for each in settings(tiny_model)]
    for text in (b"x", TEXTS[3]):  # one that is stored, and one that is coded
        for number, codec in enumerate(codecs):
            payload = codec.compress(text)
            assert [told(other, payload) for other in codecs].count(text) == 1
            assert told(codecs[number], payload) == text


@pytest.mark.parametrize("checksum", [True, False])
def test_any_bytes_are_an_archive_error_or_a_text(options, checksum):
    codec = nlmzip.Codec(**options, bare=True, checksum=checksum)
    generator = random.Random(7)
    for _ in range(60):
        payload = generator.randbytes(generator.randrange(40))
        found = told(codec, payload)
        assert found is None or not checksum
    for payload in (b"", b"\xff" * 9, varint(1 << 60) + b"1234567", varint(1), varint(3), b"\x80\0"):
        assert told(codec, payload) is None


def test_an_archive_is_no_bare_payload_and_the_other_way_round():
    bare, codec = nlmzip.Codec(**FAST, bare=True), nlmzip.Codec(**FAST)
    with pytest.raises(nlmzip.ArchiveError, match="settings or models"):
        bare.decompress(codec.compress(TEXTS[2]))
    with pytest.raises(nlmzip.ArchiveError, match="not an nlmzip archive"):
        codec.decompress(bare.compress(TEXTS[2]))
    with pytest.raises(nlmzip.ArchiveError, match="empty input"):
        codec.decompress(b"")
    archive = codec.compress(TEXTS[3])
    for n_bytes in range(len(archive)):
        assert told(codec, archive[:n_bytes]) is None
    assert told(codec, archive + b"x") is None


def test_what_is_no_bytes_is_a_type_error():
    codec = nlmzip.Codec(**FAST)
    for call in (codec.compress, codec.decompress):
        with pytest.raises(TypeError):
            call("text")
    assert codec.decompress(bytearray(codec.compress(memoryview(b"text")))) == b"text"


def test_options_are_checked_at_once():
    for wrong in ({"level": 10}, {"codec": "zip"}, {"codec": "words", "model": "none"}, {"predictor": "kn"}):
        with pytest.raises(nlmzip.OptionError):
            nlmzip.Codec(**{"model": "none"} | wrong)
    with pytest.raises(nlmzip.ModelNotFoundError):
        nlmzip.Codec(model="no such model")


@pytest.mark.parametrize("bare", [True, False])
def test_a_memory_limit_holds_for_each_call(bare):
    codec = nlmzip.Codec(**FAST, bare=bare, memory_limit=1 << 20)
    with pytest.raises(nlmzip.MemoryLimitError):
        codec.compress(TEXTS[3])
    with pytest.raises(nlmzip.MemoryLimitError):
        codec.decompress(nlmzip.Codec(**FAST, bare=bare).compress(TEXTS[3]))
    roomy = nlmzip.Codec(**FAST, bare=bare, memory_limit=1 << 40)
    assert roomy.decompress(roomy.compress(TEXTS[3])) == TEXTS[3]


# --- sharing


@pytest.mark.parametrize("bare", [True, False])
def test_threads_share_a_codec(bare):
    codec = nlmzip.Codec(model="none", bare=bare)
    texts = [b"record %d of some kind, " % number * (1 + number % 9) for number in range(100)]
    alone = [codec.compress(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(codec.compress, texts)) == alone
        assert list(pool.map(lambda text: codec.decompress(codec.compress(text)), texts)) == texts


def test_one_engine_does_all(monkeypatch):
    from nlmzip.codec import mix

    made, own = [], mix.Prepared.state
    monkeypatch.setattr(mix.Prepared, "state", lambda *arguments: made.append(1) or own(*arguments))
    codec = nlmzip.Codec(**FAST)
    for text in TEXTS:
        assert codec.decompress(codec.compress(text)) == text
    assert len(made) == 1


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda codec: pickle.loads(pickle.dumps(codec))])
def test_a_codec_is_pickled_and_copied_by_its_settings(again, tiny_model):
    of_model = {"model": tiny_model, "bare": True, "checksum": False}
    for options in ({**FAST, "bare": True}, of_model, {"model": "none"}):
        codec = nlmzip.Codec(**options)
        other = again(codec)
        assert other.compress(TEXTS[2]) == codec.compress(TEXTS[2])
        assert other.decompress(codec.compress(TEXTS[2])) == TEXTS[2]


def test_it_says_what_its_settings_are():
    assert repr(nlmzip.Codec(model="none", bare=True)) == "Codec(model='none', bare=True)"
