"""The tool as hands know it from gzip, xz and zstd: a table of black-box cases.

A row: the command; what standard output shows; what standard error shows, where ~ is
"nlmzip: "; the exit status; and the files that change, with what they hold, or None for
one that has gone. Nothing else changes. IN stands for standard input, if there is any.
"""

import re

import pytest
from command_line import OTHER, TEXT

import nlmzip

FAST, FAST_OTHER = (nlmzip.compress(text, level=1, model="none") for text in (TEXT, OTHER))
STORED = nlmzip.archive.write_stored(b"odd")
TWICE = nlmzip.compress(FAST, model="none", level=1)
BAD = FAST[:-2] + bytes([FAST[-2] ^ 64, FAST[-1]])
HUGE = nlmzip.archive.write(  # says that it holds a terabyte
    nlmzip.archive.MIX, nlmzip.archive.MixSettings(2), [nlmzip.archive.Frame(1 << 40, 0, bytes(1 << 21))]
)  # fmt: skip

FILES = {
    "fast.nlmz": FAST, "second.nlmz": FAST_OTHER, "stored.nlmz": STORED, "bad.nlmz": BAD,
    "renamed": FAST, "encode": TEXT, "here": b"here before", "here.nlmz": FAST, "garbage.nlmz": FAST + b"x",
    "pair.nlmz": FAST + STORED, "empty": b"", "empty.nlmz": nlmzip.archive.write_stored(b""), "huge.nlmz": HUGE, ".nlmz": FAST,
}  # fmt: skip

SUFFIX = "does not end in .nlmz, skipped; use -o FILE or -c to decode it"
ALREADY = "ends in .nlmz already, skipped; use --force to encode it again"
ARCHIVE = "is an archive already, skipped; use --force to encode it again"
EXISTS = "exists already; use --force to overwrite it"
MISSING = "no such file or folder; check the name"
FOLDER = "is a folder; make one file of it with tar -cf - FOLDER | nlmzip > FOLDER.tar.nlmz"
SAME = "input and output are the same file; use -o with another name"
DAMAGED = "damaged archive (its checksum does not hold); get a good copy"
FOREIGN = "not an nlmzip archive; nothing to decode"
HELP = "see 'nlmzip --help'"
REMOVES = f"--rm needs a file that is written; leave it out, or name one with -o; {HELP}"


def table(rows: str, bpc: str = "  bpc") -> str:
    return f"compressed  original  ratio  {bpc}  codec   model  name\n{rows}\n"


T = TEXT.decode()

# command | standard output | standard error | status | files
ROWS = [
    # encode is what is done where nothing is said
    ("nlmzip -1 text", "", "", 0, {"text.nlmz": FAST}),
    ("nlmzip --fast ./text", "", "", 0, {"text.nlmz": FAST}),
    ("nlmzip text -1", "", "", 0, {"text.nlmz": FAST}),
    ("nlmzip -z -1 text other", "", "", 0, {"text.nlmz": FAST, "other.nlmz": FAST_OTHER}),
    ("nlmzip --compress -1 text", "", "", 0, {"text.nlmz": FAST}),
    ("nlmzip -1k text", "", "", 0, {"text.nlmz": FAST}),
    ("nlmzip -1c text", FAST, "", 0, {}),
    ("nlmzip -1 -c text other", FAST + FAST_OTHER, "", 0, {}),
    ("nlmzip -1 -o out text", "", "", 0, {"out": FAST}),
    ("nlmzip -1oout text", "", "", 0, {"out": FAST}),
    ("nlmzip -1 --output=out text", "", "", 0, {"out": FAST}),
    ("nlmzip -1f here", "", "", 0, {"here.nlmz": nlmzip.compress(b"here before", level=1, model="none")}),
    ("nlmzip -1 -T0 text", "", "", 0, {"text.nlmz": FAST}),
    ("nlmzip -1 --threads 4 --no-progress -q text", "", "", 0, {"text.nlmz": FAST}),
    ("nlmzip -1 --verify text", "", "", 0, {"text.nlmz": FAST}),
    ("nlmzip -1 --verify -c text", FAST, "", 0, {}),
    ("nlmzip -1 --rm text other", "", "", 0, {"text": None, "text.nlmz": FAST, "other": None, "other.nlmz": FAST_OTHER}),
    ("nlmzip -1 --rm -k text", "", "", 0, {"text.nlmz": FAST}),
    ("nlmzip -1 -k --rm -o out text", "", "", 0, {"text": None, "out": FAST}),
    ("nlmzip encode -1 --rm text", "", "", 0, {"text": None, "text.nlmz": FAST}),
    ("nlmzip -1 -M 4G --verify text", "", "", 0, {"text.nlmz": FAST}),
    ("nlmzip -1 ./encode", "", "", 0, {"encode.nlmz": FAST}),
    ("nlmzip -1 encode", "", "", 0, {"encode.nlmz": FAST}),
    ("nlmzip encode -1 encode", "", "", 0, {"encode.nlmz": FAST}),
    ("nlmzip -1 -- text", "", "", 0, {"text.nlmz": FAST}),
    ("nlmzip -1 -o out empty", "", "", 0, {"out": nlmzip.archive.write_stored(b"")}),
    ("nlmzip -1 -f -c renamed", TWICE, "", 0, {}),
    ("nlmzip -1 < text", FAST, "", 0, {}),
    ("nlmzip -1 - < text", FAST, "", 0, {}),
    ("nlmzip -1c - < renamed", TWICE, "", 0, {}),
    ("nlmzip -1 -o out < text", "", "", 0, {"out": FAST}),
    ("nlmzip < empty", nlmzip.archive.write_stored(b""), "", 0, {}),
    # decode
    ("nlmzip -d fast.nlmz", "", "", 0, {"fast": TEXT}),
    ("nlmzip --decompress fast.nlmz second.nlmz", "", "", 0, {"fast": TEXT, "second": OTHER}),
    ("nlmzip fast.nlmz -d", "", "", 0, {"fast": TEXT}),
    ("nlmzip -9 -d fast.nlmz", "", "", 0, {"fast": TEXT}),
    ("nlmzip -dk fast.nlmz", "", "", 0, {"fast": TEXT}),
    ("nlmzip -dc fast.nlmz", T, "", 0, {}),
    ("nlmzip -dco - fast.nlmz", T, "", 0, {}),
    ("nlmzip -dfc pair.nlmz", T + "odd", "", 0, {}),
    ("nlmzip -dc renamed", T, "", 0, {}),
    ("nlmzip -do out renamed", "", "", 0, {"out": TEXT}),
    ("nlmzip -df here.nlmz", "", "", 0, {"here": TEXT}),
    ("nlmzip -d --rm fast.nlmz", "", "", 0, {"fast.nlmz": None, "fast": TEXT}),
    ("nlmzip decode --rm -f here.nlmz stored.nlmz", "", "", 0, {"here.nlmz": None, "here": TEXT, "stored.nlmz": None, "stored": b"odd"}),
    ("nlmzip -d < renamed", T, "", 0, {}),
    ("nlmzip -d -M 300M -c fast.nlmz", T, "", 0, {}),
    ("nlmzip -d -M max -c fast.nlmz", T, "", 0, {}),
    ("nlmzip -d -M 0 -c fast.nlmz", T, "", 0, {}),
    ("nlmzip -d -M 10000% -c fast.nlmz", T, "", 0, {}),
    ("unnlmzip fast.nlmz", "", "", 0, {"fast": TEXT}),
    ("unnlmzip -c fast.nlmz second.nlmz", T + OTHER.decode(), "", 0, {}),
    ("unnlmzip -t fast.nlmz", "", "", 0, {}),
    ("unnlmzip < renamed", T, "", 0, {}),
    ("nlmzcat fast.nlmz second.nlmz", T + OTHER.decode(), "", 0, {}),
    ("nlmzcat < renamed", T, "", 0, {}),
    ("nlmzcat --version", f"nlmzip {nlmzip.__version__}\n", "", 0, {}),
    # test and list
    ("nlmzip -t fast.nlmz second.nlmz", "", "", 0, {}),
    ("nlmzip --test renamed", "", "", 0, {}),
    ("nlmzip -dt fast.nlmz", "", "", 0, {}),
    ("nlmzip test fast.nlmz stored.nlmz", "", "", 0, {}),
    ("nlmzip test < renamed", "", "", 0, {}),
    ("nlmzip -l fast.nlmz", table("        39        55  0.709  5.673  mix -1         fast.nlmz"), "", 0, {}),
    ("nlmzip -lq fast.nlmz", table("        39        55  0.709  5.673  mix -1         fast.nlmz"), "", 0, {}),
    ("nlmzip list < renamed", table("        39        55  0.709  5.673  mix -1         standard input"), "", 0, {}),
    ("nlmzip list held.nlmz", table("        42        55  0.764  6.109  mix -5  tiny   held.nlmz"), "", 0, {}),
    ("nlmzip list empty.nlmz stored.nlmz", table("""\
         9         0      -       -  stored         empty.nlmz
        12         3  4.000  32.000  stored         stored.nlmz
        21         3  7.000  56.000                 2 files""", bpc="   bpc"), "", 0, {}),
    # what goes wrong: 2 where something was left alone, 1 for errors, and the others are done
    ("nlmzip -1 here text", "", f"~here.nlmz: {EXISTS}\n", 1, {"text.nlmz": FAST}),
    ("nlmzip -1 ./missing text", "", f"~./missing: {MISSING}\n", 1, {"text.nlmz": FAST}),
    ("nlmzip -1 missing fast.nlmz text", "", f"~missing: {MISSING}\n~fast.nlmz: {ALREADY}\n", 1, {"text.nlmz": FAST}),
    ("nlmzip -1 fast.nlmz text", "", f"~fast.nlmz: {ALREADY}\n", 2, {"text.nlmz": FAST}),
    ("nlmzip -1q fast.nlmz text", "", "", 2, {"text.nlmz": FAST}),
    ("nlmzip -1 renamed text", "", f"~renamed: {ARCHIVE}\n", 2, {"text.nlmz": FAST}),
    ("nlmzip -1c renamed", "", f"~renamed: {ARCHIVE}\n", 2, {}),
    ("nlmzip -1 --rm renamed", "", f"~renamed: {ARCHIVE}\n", 2, {}),
    ("nlmzip -1 folder text", "", f"~folder: {FOLDER}\n", 1, {"text.nlmz": FAST}),
    ("nlmzip -1 -f -o text text", "", f"~text: {SAME}\n", 1, {}),
    ("nlmzip -1 --rm -f -o text text", "", f"~text: {SAME}\n", 1, {}),
    ("nlmzip -1 -o out text other", "", f"~-o takes only one FILE; {HELP}\n", 1, {}),
    ("nlmzip -1 -o out -c text", "", f"~-o and -c exclude each other; {HELP}\n", 1, {}),
    ("nlmzip -1 --rm -c text", "", f"~{REMOVES}\n", 1, {}),
    ("nlmzip -1 --rm < text", "", f"~{REMOVES}\n", 1, {}),
    ("nlmzip -1 --rm -o out < text", "", "~standard input: is no file that could be removed; leave out --rm\n", 1, {}),
    ("nlmzip -1 --rm -o /dev/null text", "", "~/dev/null: is no file that keeps what is written; leave out --rm\n", 1, {}),
    ("nlmzip -1 -M 100M text other", "", "".join(f"~{name}: needs up to 228 MiB of memory to encode, and the limit is 100 MiB; allow more with -M 228M\n" for name in ("text", "other")), 1, {}),
    ("nlmzip -d text fast.nlmz", "", f"~text: {SUFFIX}\n", 2, {"fast": TEXT}),
    ("nlmzip -dq text", "", "", 2, {}),
    ("nlmzip -d .nlmz", "", f"~.nlmz: {SUFFIX}\n", 2, {}),
    ("nlmzip -d here.nlmz fast.nlmz", "", f"~here: {EXISTS}\n", 1, {"fast": TEXT}),
    ("nlmzip -d --rm here.nlmz", "", f"~here: {EXISTS}\n", 1, {}),
    ("nlmzip -d bad.nlmz fast.nlmz", "", f"~bad.nlmz: {DAMAGED}\n", 1, {"fast": TEXT}),
    ("nlmzip -d --rm bad.nlmz", "", f"~bad.nlmz: {DAMAGED}\n", 1, {}),
    ("nlmzip -dc bad.nlmz", "", f"~bad.nlmz: {DAMAGED}\n", 1, {}),
    ("nlmzip -dc text", "", f"~text: {FOREIGN}\n", 1, {}),
    ("nlmzip -d < text", "", f"~standard input: {FOREIGN}\n", 1, {}),
    ("nlmzip -d < empty", "", "~standard input: empty input, not an nlmzip archive; nothing to decode\n", 1, {}),
    ("nlmzip -dc garbage.nlmz", "", f"~garbage.nlmz: trailing garbage after the archive's end at byte {len(FAST)}; cut it off or get a good copy\n", 1, {}),
    ("nlmzip -dc -M 100MiB fast.nlmz", "", "~fast.nlmz: needs up to 228 MiB of memory to decode, and the limit is 100 MiB; allow more with -M 228M\n", 1, {}),
    ("nlmzip -t -M 100M fast.nlmz stored.nlmz", "", "~fast.nlmz: needs up to 228 MiB of memory to decode, and the limit is 100 MiB; allow more with -M 228M\n", 1, {}),
    ("nlmzip -t -M 0% fast.nlmz", "", "~fast.nlmz: needs up to 228 MiB of memory to decode, and the limit is 0 MiB; allow more with -M 228M\n", 1, {}),
    ("nlmzip -t bad.nlmz fast.nlmz", "", f"~bad.nlmz: {DAMAGED}\n", 1, {}),
    ("nlmzip -tkf fast.nlmz", "", "", 0, {}),
    ("nlmzip -tc fast.nlmz", "", "", 0, {}),
    ("nlmzip -t --rm fast.nlmz", "", f"~--rm is no option of test; {HELP}\n", 1, {}),
    ("nlmzip -l text fast.nlmz", table("        39        55  0.709  5.673  mix -1         fast.nlmz"), "~text: neither an nlmzip archive nor a model; name one\n", 1, {}),
    ("nlmzip list ../models/tiny.nlm", "", "~../models/tiny.nlm: is a model; see nlmzip info, or name an archive\n", 1, {}),
    ("nlmzip -l -o out fast.nlmz", "", f"~--output is no option of list; {HELP}\n", 1, {}),
    ("nlmzip --json text", "", f"~--json is no option of encode; {HELP}\n", 1, {}),
    ("nlmzip -d --codec mix fast.nlmz", "", f"~--codec is no option of decode; {HELP}\n", 1, {}),
    ("nlmzip -d -M lots fast.nlmz", "", f"~invalid value for '-M' / '--memory-limit': 'lots' is no size such as 512M, 50% or max; {HELP}\n", 1, {}),
    ("nlmzip -T many text", "", f"~invalid value for '-T' / '--threads': 'many' is not a valid integer range; {HELP}\n", 1, {}),
    ("nlmzip --forse text", "", f"~no such option --forse, perhaps --force; {HELP}\n", 1, {}),
    ("nlmzip -Q text", "", f"~no such option -Q; {HELP}\n", 1, {}),
    ("unnlmzip text", "", f"~text: {SUFFIX}\n", 2, {}),
    ("unnlmzip -Q text", "", "~no such option -Q; see 'unnlmzip --help'\n", 1, {}),
    ("nlmzcat bad.nlmz", "", f"~bad.nlmz: {DAMAGED}\n", 1, {}),
    ("nlmzip completion csh", "", "~invalid value for '{bash|zsh|fish}': 'csh' is not one of 'bash', 'zsh', 'fish'; see 'nlmzip completion --help'\n", 1, {}),
]  # fmt: skip


@pytest.mark.parametrize("command, stdout, stderr, status, changes", ROWS, ids=[row[0] for row in ROWS])
def test_case(workplace, command, stdout, stderr, status, changes):
    for name, data in FILES.items():
        workplace.write(name, data)
    before = workplace.contents()
    command, _, stdin = command.partition(" < ")
    program, *arguments = command.split()
    result = workplace.run(*arguments, program=program, stdin=FILES.get(stdin) or (TEXT if stdin == "text" else b""))
    assert result.stderr == stderr.replace("~", "nlmzip: ")
    assert result.stdout == (stdout.encode() if isinstance(stdout, str) else stdout)
    assert result.status == status
    after = before | changes
    assert workplace.contents() == {name: data for name, data in after.items() if data is not None or name == "folder"}


def test_an_archive_that_says_it_holds_a_terabyte_is_refused_before_memory_is_taken(workplace):
    workplace.write("huge.nlmz", HUGE)
    result = workplace.run("-t", "-v", "huge.nlmz")
    assert re.fullmatch(
        r"nlmzip: huge\.nlmz: needs up to 2,097,\d\d\d MiB of memory to decode, and the limit is"
        r" [\d,]+ MiB; allow more with -M 2097\d\d\dM\n",
        result.stderr,
    )
    assert (result.status, result.stdout) == (1, b"")
