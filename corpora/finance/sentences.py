"""The grammar of the corpus: every sentence template of every company, its slots filled from the knowledge base."""

import re

from . import names, templates
from .grammar import Choice, Sequence, Words

# Out of ten, how often an optional slot is filled.
PRESENT = {"circumstance": 4}


def build_grammar(companies):
    """The whole corpus as one expression: first a company, by how newsworthy it is, then something about it."""
    free = free_slots(companies)
    return Choice([sentence_about(company, free) for company in companies], [company.weight for company in companies])


def free_slots(companies):
    """{slot: expression} of what does not depend on the company that a sentence is about."""
    return {slot: one_of(options) for slot, options in {
        "amount": names.AMOUNTS,
        "any_product": [product for company in companies for product in company.products],
        "any_subsidiary": [subsidiary for company in companies for subsidiary in company.subsidiaries],
        "city": names.CITIES,
        "count": names.COUNTS,
        "forename": names.FORENAMES,
        "guise": templates.GUISES,
        "month": names.MONTHS,
        "percentage": names.PERCENTAGES,
        "quality": names.QUALITIES,
        "rare": names.RARE_NAMES,
        "surname": names.COMMON_SURNAMES,
        "year": names.YEARS,
    }.items()}


def fact_slots(company):
    """{slot: expression} of the facts of a company and of the words for its kind."""
    kind = company.kind
    return {slot: one_of(options) for slot, options in {
        "chief": [company.chief],
        "clients": kind.clients.split(),
        "company": [company.name],
        "currency": [company.currency],
        "goods": kind.goods.split(),
        "headquarters": [company.headquarters],
        "product": company.products,
        "resource": kind.resources.split(),
        "sector": [kind.sector],
        "sites": kind.sites.split(),
        "subsidiary": company.subsidiaries,
        "treasurer": [company.treasurer],
        "watchdog": [kind.watchdog],
    }.items()}


def sentence_about(company, free):
    """All that can be said about one company, as an expression."""
    slots = {**free, **fact_slots(company)}
    for slot, weighted_templates in (
        ("subject", templates.SUBJECTS),
        ("lead", templates.LEADS),
        ("circumstance", templates.CIRCUMSTANCES),
        ("predicate", templates.PREDICATES),
        ("remark", templates.REMARKS),
        ("share_move", templates.SHARE_MOVES),
    ):
        slots[slot] = fill(weighted_templates, slots)
    return fill(templates.SENTENCES, slots)


def one_of(texts):
    """A choice of fixed texts, all equally likely."""
    return Choice([Words(text) for text in texts])


def fill(weighted_templates, slots):
    """A choice of templates {text: weight}, each a sequence of its words and of the expressions in its slots."""
    return Choice([Sequence([_parsed(piece, slots) for piece in re.split(r"(\{.*?\})", text)])
                   for text in weighted_templates], weighted_templates.values())


def _parsed(piece, slots):
    """The expression of a template's piece: words, a slot "{name}" or an optional slot "{name?}"."""
    if not piece.startswith("{"):
        return Words(piece)
    slot = piece.strip("{?}")
    if not piece.endswith("?}"):
        return slots[slot]
    return Choice([slots[slot], Words("")], [PRESENT[slot], 10 - PRESENT[slot]])
