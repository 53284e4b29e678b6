"""Recipes and frames of every kind, for hypothesis."""

from hypothesis import strategies as st

from nlmzip.container.format import MAGIC, MOST_CODINGS, TEXT_FORMS
from nlmzip.container.frame import Frame, pack_lengths
from nlmzip.container.recipe import (
    BY_LENGTHS,
    MixCoding,
    ModelReference,
    Recipe,
    WordsCoding,
    WordsInMix,
)

PREDICTORS = ["uniform", "kn", "rnn", "kn+nplm", "kn+nplm+rnn+lstm+gru+mgu"]

names = st.text(st.characters(codec="utf-8"), max_size=60)
references = st.builds(ModelReference, st.binary(min_size=8, max_size=8), names)
words_in_mix = st.builds(WordsInMix, st.sampled_from(PREDICTORS), st.booleans(), references, st.booleans())
mix_codings = st.builds(
    MixCoding, st.integers(1, 30) | st.integers(1, 1 << 20), st.none() | references, st.none() | words_in_mix
)
words_codings = st.builds(
    WordsCoding, st.sampled_from(PREDICTORS), st.booleans(), st.booleans(), st.sampled_from(sorted(TEXT_FORMS)),
    references,
)  # fmt: skip
codings = mix_codings | words_codings
delimiters = st.none() | st.integers(BY_LENGTHS, 255)
recipes = st.builds(Recipe, st.lists(codings, max_size=MOST_CODINGS).map(tuple), delimiters)


@st.composite
def frames_of(draw, recipe: Recipe, number: int = 0):
    """A frame of a member with this recipe; its text is made up of its records, if it has any."""
    about = {"number": number}
    if recipe.has_records:
        records = draw(st.lists(st.binary(max_size=20), min_size=1, max_size=4))
        if not recipe.by_length:
            records = [record + bytes([recipe.delimiter]) for record in records]
        raw = b"".join(records)
        lengths = pack_lengths(list(map(len, records))) if recipe.by_length else b""
        about |= {"n_records": len(records), "lengths": lengths}
    else:
        # Some texts look like archives.
        raw = draw(st.binary(min_size=1, max_size=200)) + draw(st.sampled_from([b"", MAGIC + b" "]))
    if recipe.codings and raw and draw(st.booleans()):
        payload = draw(st.binary(min_size=1, max_size=max(len(raw) - 1, 1)))
        return Frame.of(raw, payload, draw(st.integers(0, len(recipe.codings) - 1)), **about)
    return Frame.of(raw, **about)


@st.composite
def members(draw, most_frames: int = 4) -> tuple[Recipe, list[Frame]]:
    recipe = draw(recipes)
    n_frames = draw(st.integers(1, most_frames))
    return recipe, [draw(frames_of(recipe, number)) for number in range(n_frames)]
