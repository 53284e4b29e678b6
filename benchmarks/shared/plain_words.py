"""Any text as plain words; called by filings_table.py and word_dropout.py."""

import re


def plain_words(raw: bytes) -> bytes:
    """Lower-case words of a-z and 0-9 with single spaces between, a sentence a line."""
    sentences = re.split(rb"[.!?]\s|[\r\n]", raw.lower())
    lines = (b" ".join(re.findall(rb"[a-z0-9]+", sentence)) for sentence in sentences)
    return b"".join(line + b"\n" for line in lines if line)
