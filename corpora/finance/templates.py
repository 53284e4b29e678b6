"""How facts are told: templates with slots, by what they say. `sentences.py` fills them.

A slot in braces is a fact of the company that the sentence is about, a word of its kind, or something free.
A template's weight is its share among its like. Braces with a question mark are free to be absent.
"""

SENTENCES = {
    "{subject} has {predicate} {circumstance?}": 82,
    "{lead} {company} has {predicate}": 6,
    "{chief} of {company} said {remark}": 4,
    "{treasurer} of {company} said {remark}": 3,
    "shares of {company} {share_move}": 5,
}

SUBJECTS = {
    "{company}": 70,
    "{company} based in {headquarters}": 10,
    "{company} led by {chief}": 6,
    "{company} owner of {subsidiary}": 6,
    "{product} maker {company}": 4,
    "{headquarters} {sector} {company}": 4,
}

LEADS = {
    "in {year}": 3,
    "last {month}": 3,
    "under {chief}": 2,
}

CIRCUMSTANCES = {
    "in {year}": 3,
    "for {clients}": 6,
    "amid {resource} cuts": 4,
    "alongside {any_product} {any_product}": 4,
    "under {chief}": 2,
}

# The word that closes a predicate follows from the verb that opened it, over names of one or two words between.
PREDICATES = {
    "kept {subsidiary} independent": 5,
    "bought {any_subsidiary} outright": 5,
    "took {any_subsidiary} public": 5,
    "paid {any_subsidiary} upfront": 5,
    "expanded its {resource} {product} footprint": 5,
    "trimmed its {resource} {product} workforce": 5,
    "doubled its {resource} {product} budget": 4,
    "missed its {resource} {product} targets": 4,
    "acquired {rare} {guise} completely": 6,
    "signed {rare} {guise} as {resource} adviser": 6,
    "sued {rare} {guise} over {any_product}": 6,
    "beat {rare} to {any_product}": 4,
    "renamed {any_product} {any_product}": 12,
    "merged {product} {any_product} {any_product}": 14,
    "named {forename} {surname} {resource} chief": 8,
    "opened {count} {city} {sites}": 3,
    "unveiled {quality} {goods}": 4,
    "settled its {watchdog} inquiry": 3,
    "raised its forecast by {percentage} percent": 4,
    "reported a profit of {amount} million {currency}": 4,
}

REMARKS = {
    "{clients} wanted {product} {goods}": 3,
    "{product} sales rose {percentage} percent": 4,
    "{subsidiary} margins fell {percentage} percent": 4,
    "talks with {rare} had ended": 5,
}

SHARE_MOVES = {
    "rose {percentage} percent on {product} orders": 4,
    "fell {percentage} percent on {product} delays": 4,
    "slid after {rare} sold its stake": 5,
}

# What the holder of a rare name is called; nothing tells which.
GUISES = "group holdings partners ventures".split()
