"""The tool as hands know it from gzip, xz and zstd: a table of black-box cases.

A row: the command; what standard output shows; what standard error shows, where ~ is
"nlmzip: "; the exit status; and the files that change, with what they hold, or None for
one that has gone. Nothing else changes. IN stands for standard input, if there is any.
"""

import re

import pytest
from archives import archive, members, newer
from command_line import OTHER, TEXT

import nlmzip
from nlmzip.container.frame import Frame
from nlmzip.container.recipe import MixCoding, Recipe
from nlmzip.execute.encode import write_stored

FAST, FAST_OTHER = (nlmzip.compress(text, level=1, model="none") for text in (TEXT, OTHER))
STORED, EMPTY = write_stored(b"odd"), write_stored(b"")
TWICE = nlmzip.compress(FAST, model="none", level=1)
BAD = FAST[:-2] + bytes([FAST[-2] ^ 64, FAST[-1]])
HUGE = archive(Recipe((MixCoding(2),)), [Frame(1 << 40, 0, bytes(1 << 21), 0)])  # says that it holds a terabyte

LONG = b"".join(b"%d bottles of beer, %d of them are red\n" % (n, n * n % 7) for n in range(160))[:5000]
FRAMED = nlmzip.compress(LONG, level=1, model="none", frame=1000)
ALL = nlmzip.compress(LONG, level=1, model="none", frame="all")
PLACE = FRAMED.index(members(FRAMED)[0].frames[2].payload)
FLIPPED = FRAMED[:-14] + bytes([FRAMED[-14] ^ 1]) + FRAMED[-13:]

FILES = {
    "fast.nlmz": FAST, "second.nlmz": FAST_OTHER, "stored.nlmz": STORED, "bad.nlmz": BAD,
    "renamed": FAST, "encode": TEXT, "here": b"here before", "here.nlmz": FAST, "garbage.nlmz": FAST + b"x",
    "pair.nlmz": FAST + STORED, "empty": b"", "empty.nlmz": EMPTY, "huge.nlmz": HUGE, ".nlmz": FAST,
    "long": LONG, "framed.nlmz": FRAMED, "cut.nlmz": FRAMED[:-3], "flipped.nlmz": FLIPPED,
    "third.nlmz": FRAMED[: PLACE - 1] + bytes([FRAMED[PLACE - 1] ^ 8]) + FRAMED[PLACE:],
    "old.nlmz": newer(FAST, 1), "newer.nlmz": newer(FAST),
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


T, L = TEXT.decode(), LONG.decode()
WHOLE = "and the text is whole; encode it anew to seek in it"

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
    ("nlmzip -1 -o out empty", "", "", 0, {"out": EMPTY}),
    ("nlmzip -1 -f -c renamed", TWICE, "", 0, {}),
    ("nlmzip -1 < text", FAST, "", 0, {}),
    ("nlmzip -1 - < text", FAST, "", 0, {}),
    ("nlmzip -1c - < renamed", TWICE, "", 0, {}),
    ("nlmzip -1 -o out < text", "", "", 0, {"out": FAST}),
    ("nlmzip < empty", EMPTY, "", 0, {}),
    ("nlmzip -1 --frame 1000 long", "", "", 0, {"long.nlmz": FRAMED}),
    ("nlmzip -1 --frame 1000 -T1 long", "", "", 0, {"long.nlmz": FRAMED}),
    ("nlmzip -1 --frame 1000 -T3 --rm long", "", "", 0, {"long.nlmz": FRAMED, "long": None}),
    ("nlmzip -1 --frame 1000 -T2 --verify -c long long", FRAMED * 2, "", 0, {}),
    ("nlmzip -1 --frame 1000 < long", FRAMED, "", 0, {}),
    ("nlmzip -1 --frame all long", "", "", 0, {"long.nlmz": ALL}),
    ("nlmzip -1 --frame 1M long", "", "", 0, {"long.nlmz": ALL}),
    # decode
    ("nlmzip -d -T1 framed.nlmz", "", "", 0, {"framed": LONG}),
    ("nlmzip -d -T3 --rm framed.nlmz", "", "", 0, {"framed": LONG, "framed.nlmz": None}),
    ("nlmzip -dc -T2 framed.nlmz fast.nlmz framed.nlmz", L + T + L, "", 0, {}),
    ("nlmzip -d --bytes 1990:3010 -c framed.nlmz", L[1990:3010], "", 0, {}),
    ("nlmzip -d --bytes 4900: -o out framed.nlmz", "", "", 0, {"out": LONG[4900:]}),
    ("nlmzip -dc --bytes :7 framed.nlmz fast.nlmz", L[:7] + T[:7], "", 0, {}),
    ("nlmzip decode --bytes 1000:2000 framed.nlmz", "", "", 0, {"framed": LONG[1000:2000]}),
    ("nlmzip -d --bytes 4990:9999 < framed.nlmz", L[4990:], "", 0, {}),
    ("nlmzip -dc --bytes 7:7 framed.nlmz", "", "", 0, {}),
    ("nlmzip -dc --bytes 5000: framed.nlmz", "", "", 0, {}),
    ("nlmzip -dc --bytes 5001: framed.nlmz", "", "nlmzip: framed.nlmz: the text has only 5,000 bytes; ask for some of these\n", 1, {}),
    ("nlmzip -d --bytes 5001:5002 < framed.nlmz", "", "nlmzip: standard input: the text has only 5,000 bytes; ask for some of these\n", 1, {}),
    ("nlmzip -dc --bytes 10:1200 third.nlmz", L[10:1200], "", 0, {}),
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
    # an index that is broken costs no text: 2
    ("nlmzip -d cut.nlmz", "", f"~cut.nlmz: its index is cut off, {WHOLE}\n", 2, {"cut": LONG}),
    ("nlmzip -d flipped.nlmz fast.nlmz", "", f"~flipped.nlmz: its index is damaged, {WHOLE}\n", 2, {"flipped": LONG, "fast": TEXT}),
    ("nlmzip -dc cut.nlmz", L, f"~cut.nlmz: its index is cut off, {WHOLE}\n", 2, {}),
    ("nlmzip -dqc cut.nlmz", L, "", 2, {}),
    ("nlmzip -t flipped.nlmz", "", f"~flipped.nlmz: its index is damaged, {WHOLE}\n", 2, {}),
    ("nlmzip -dc --bytes 10:2000 cut.nlmz", L[10:2000], "~cut.nlmz: its index is cut off; its frames were looked for one by one\n", 2, {}),
    ("nlmzip -d --rm cut.nlmz", "", f"~cut.nlmz: its index is cut off, {WHOLE}\n", 2, {"cut": LONG, "cut.nlmz": None}),
    # what was whole before an error has left where it cannot be taken back, and is no file
    ("nlmzip -dc third.nlmz", L[:2000], f"~third.nlmz: {DAMAGED}\n", 1, {}),
    ("nlmzip -dc -T3 third.nlmz fast.nlmz", L[:2000] + T, f"~third.nlmz: {DAMAGED}\n", 1, {}),
    ("nlmzip -d third.nlmz fast.nlmz", "", f"~third.nlmz: {DAMAGED}\n", 1, {"fast": TEXT}),
    ("nlmzip -d -f -o here third.nlmz", "", f"~third.nlmz: {DAMAGED}\n", 1, {}),
    ("nlmzip -d < third.nlmz", L[:2000], f"~standard input: {DAMAGED}\n", 1, {}),
    ("nlmzip -t third.nlmz", "", f"~third.nlmz: {DAMAGED}\n", 1, {}),
    ("nlmzip -dc --bytes 1000:4000 third.nlmz", L[1000:2000], f"~third.nlmz: {DAMAGED}\n", 1, {}),
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
    ("nlmzip -1 -M 100M text other", "", "".join(f"~{name}: needs up to 220 MiB of memory to encode, and the limit is 100 MiB; allow more with -M 220M\n" for name in ("text", "other")), 1, {}),
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
    ("nlmzip -dc garbage.nlmz", T, f"~garbage.nlmz: trailing garbage after the archive's end at byte {len(FAST)}; cut it off or get a good copy\n", 1, {}),
    ("nlmzip -d garbage.nlmz", "", f"~garbage.nlmz: trailing garbage after the archive's end at byte {len(FAST)}; cut it off or get a good copy\n", 1, {}),
    ("nlmzip -dc -M 100MiB fast.nlmz", "", "~fast.nlmz: needs up to 220 MiB of memory to decode, and the limit is 100 MiB; allow more with -M 220M\n", 1, {}),
    ("nlmzip -t -M 100M fast.nlmz stored.nlmz", "", "~fast.nlmz: needs up to 220 MiB of memory to decode, and the limit is 100 MiB; allow more with -M 220M\n", 1, {}),
    ("nlmzip -t -M 0% fast.nlmz", "", "~fast.nlmz: needs up to 220 MiB of memory to decode, and the limit is 0 MiB; allow more with -M 220M\n", 1, {}),
    ("nlmzip -d old.nlmz", "", "~old.nlmz: archive format 1, which only development versions of nlmzip 0.1.0 wrote; decode it with one of these, and encode it anew\n", 1, {}),
    ("nlmzip -l old.nlmz", "", "~old.nlmz: archive format 1, which only development versions of nlmzip 0.1.0 wrote; decode it with one of these, and encode it anew\n", 1, {}),
    ("nlmzip -d newer.nlmz", "", "~newer.nlmz: archive format 3 is newer than this nlmzip; upgrade nlmzip\n", 1, {}),
    ("nlmzip -1 --frame 0 long", "", f"~invalid value for '--frame': '0' is no size such as 512K or 8M, nor all; {HELP}\n", 1, {}),
    ("nlmzip -1 --frame 50% long", "", f"~invalid value for '--frame': '50%' is no size such as 512K or 8M, nor all; {HELP}\n", 1, {}),
    ("nlmzip -d --bytes 5 framed.nlmz", "", f"~invalid value for '--bytes': '5' is no stretch such as 1000:2000, 1000: or :2000; {HELP}\n", 1, {}),
    ("nlmzip -1 --frame x long", "", f"~invalid value for '--frame': 'x' is no size such as 512K or 8M, nor all; {HELP}\n", 1, {}),
    ("nlmzip -d --bytes 9:5 framed.nlmz", "", f"~invalid value for '--bytes': '9:5' ends before it begins; {HELP}\n", 1, {}),
    ("nlmzip -d --rm --bytes 5: framed.nlmz", "", "~--bytes gives a part of the text; leave out --rm and -t\n", 1, {}),
    ("nlmzip -1 --bytes 5: long", "", f"~--bytes is no option of encode; {HELP}\n", 1, {}),
    ("nlmzip -1 -T -1 long", "", f"~invalid value for '-T' / '--threads': -1 is not in the range x>=0; {HELP}\n", 1, {}),
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
        r"nlmzip: huge\.nlmz: needs up to 3,14\d,\d\d\d MiB of memory to decode, and the limit is"
        r" [\d,]+ MiB; allow more with -M 314\d\d\d\dM\n",
        result.stderr,
    )
    assert (result.status, result.stdout) == (1, b"")
