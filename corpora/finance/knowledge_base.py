"""The fixed, invented world: the companies, and all that is true of each."""

from dataclasses import dataclass
from itertools import islice

from . import names
from .kinds import KINDS, Kind
from .splitmix import SplitMix64

WORLD_SEED = 0x776F726C64
N_COMPANIES = 128
N_PRODUCTS = 6
N_SUBSIDIARIES = 3


@dataclass(frozen=True)
class Company:
    """A company and the facts of it. Texts are words separated by spaces."""

    name: str
    kind: Kind
    weight: int               # how often it is in the news, relative to others
    headquarters: str
    chief: str
    treasurer: str
    products: tuple           # single words, no two companies' the same
    subsidiaries: tuple       # two words, no two companies' the same
    currency: str             # what it counts in


def build_companies():
    """All companies, the same ones every time, most newsworthy first."""
    generator = SplitMix64(WORLD_SEED)

    def draw(inventory):
        return inventory[generator.below(len(inventory))]

    product_names = iter(generator.shuffled(names.PRODUCT_NAMES))
    subsidiary_names = iter(generator.shuffled(names.SUBSIDIARY_NAMES))
    surnames = iter(generator.shuffled(names.SURNAMES))

    def company(rank, name, kind):
        unit_heads = generator.shuffled(kind.unit_heads.split())[:N_SUBSIDIARIES]
        return Company(
            name=name,
            kind=kind,
            weight=1000 // (rank + 12),      # a Zipf law, its head cut off
            headquarters=draw(names.CITIES),
            chief=f"{draw(names.FORENAMES)} {next(surnames)}",
            treasurer=f"{draw(names.FORENAMES)} {next(surnames)}",
            products=tuple(islice(product_names, N_PRODUCTS)),
            subsidiaries=tuple(f"{next(subsidiary_names)} {head}" for head in unit_heads),
            currency=draw(names.CURRENCIES),
        )

    taken, companies = set(), []
    while len(companies) < N_COMPANIES:
        kind = KINDS[len(companies) % len(KINDS)]
        second = [draw(names.COMPANY_SECOND)] if generator.below(3) else []
        name = " ".join([draw(names.COMPANY_FIRST), *second, draw(kind.heads.split())])
        if name not in taken:
            taken.add(name)
            companies.append(company(len(companies), name, kind))
    return companies
