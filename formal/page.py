"""The part of docs/formal.md that counts and measures: made from the table of properties and from docs/formal.json, which keeps the last run of each property.

A run of some properties replaces their records and leaves the others, so each row has its date. No solver is needed here. It can be wrong by a record of other Verilog than today's: the
date tells, and the night runs all of them. `--check` compares the page with the table and the records: no property without a record, none that is gone, no depth of another table.

Usage: page.py --check"""
import collections
import json
import re
import sys
import textwrap
import time

from build import OUT, ROOT
from designs import BOUNDED, DESIGNS
from properties import FAULTS

# What is run for each property: its proof, the search for its situations, and that for its planted bug.
KINDS = ("prove", "cover", "bug")
PAGE = ROOT / "docs" / "formal.md"
RECORDS = ROOT / "docs" / "formal.json"
LAST = OUT / "results.json"
FAILED = "FAILED"
MARK = "## Measured\n"


def properties():
    """Each property as design/name, with its row of the table of properties."""
    return {f"{d[0]}/{p[0]}": p for d in DESIGNS for p in d[4]}


def kept(results):
    """The results of a run, by design, property and kind, as records; written for `--page`."""
    today = time.strftime("%Y-%m-%d")
    records = {}
    for name in properties():
        runs = [results.get((*name.split("/"), kind)) for kind in KINDS]
        if all(runs):
            (method, seconds), (situations, _), (bug, _) = runs
            records[name] = {"date": today, "method": method, "seconds": round(seconds), "situations": situations, "bug": bug}
    LAST.write_text(json.dumps(records, indent=1) + "\n")
    return records


def table(records):
    """Rows of the properties that have a record."""
    rows = ["| block | property | method, depth | s | situations reached | planted bug | found | run of |", "|---|---|---|---|---|---|---|---|"]
    for name, prop in properties().items():
        if r := records.get(name):
            what = f"| {name.split('/')[0]} | `{prop[0]}`: {prop[1]} | {r['method']} | {'-' if r['seconds'] is None else r['seconds']} "
            rows.append(f"{what}| {r['situations']} | `{prop[2]}`: {FAULTS[prop[2]]} | {r['bug']} | {r['date']} |")
    return rows


def section(records):
    """The page from its mark on."""
    names = properties()
    methods = collections.Counter(re.split("[, ]", records[n]["method"])[0] for n in names if n in records)
    dates = collections.Counter(records[n]["date"] for n in names if n in records)
    words = (
        f"`make formal` makes {len(KINDS) * len(names)} runs: {len(names)} properties of {len(DESIGNS)} designs, and for each its proof, its situations and its planted bug. "
        f"{methods['induction']} properties are proved by induction and {methods['abc']} by `abc pdr`, without bound. {methods['bounded']} are proved for as many cycles as the table says. "
        f"The table has the last run of each property, and none failed. Properties by the date of that run: {', '.join(f'{n} on {date}' for date, n in sorted(dates.items()))}. "
        + ("A row without a time keeps the outcome of its runs alone. " if any(r["seconds"] is None for r in records.values()) else "")
        + "This part of the page is written by `formal/prove.py --page`."
    )
    return "\n".join([MARK, *textwrap.wrap(words, 100, break_on_hyphens=False), "", *table(records)]) + "\n"


def problems(records, page):
    """What is wrong with the records, and with a page that was made from others."""
    names = properties()
    found = [f"{n} has no record: run `make formal ONLY={n}`, then `formal/prove.py --page`" for n in names if n not in records]
    found += [f"docs/formal.json has {n}, which is no property" for n in records if n not in names]
    for name in names.keys() & records.keys():
        method, own = records[name]["method"], BOUNDED.get(name.split("/")[1])
        if method != f"bounded, {own[2]} cycles" if own else method.startswith("bounded"):
            found.append(f"{name} was run as `{method}`, which is not what formal/designs.py says: run it again")
        if FAILED in records[name].values():
            found.append(f"{name} failed")
    head, mark, rest = page.partition(MARK)
    found += [f"docs/formal.md does not say what {d[0]} is" for d in DESIGNS if f"`{d[0]}`" not in head]
    if mark + rest != section(records):
        found.append("docs/formal.md, from `## Measured` on, is not made from docs/formal.json: run `formal/prove.py --page`")
    return found


def read(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as e:
        sys.exit(f"formal: {path}: {e}")


def write():
    """The records of the last run join those in docs/formal.json, and the page is made from all."""
    last, names = read(LAST), properties()
    if failed := [n for n, r in last.items() if FAILED in r.values()]:
        sys.exit(f"formal: failed in the last run: {', '.join(failed)}")
    records = {n: r for n, r in {**read(RECORDS), **last}.items() if n in names}
    RECORDS.write_text("{\n" + ",\n".join(f" {json.dumps(n)}: {json.dumps(records[n])}" for n in names if n in records) + "\n}\n")
    head, mark, _ = PAGE.read_text().partition(MARK)
    if not mark:
        sys.exit(f"formal: {PAGE} has no line `{MARK.strip()}`")
    PAGE.write_text(head + section(records))


def main():
    if sys.argv[1:] != ["--check"]:
        sys.exit(__doc__)
    if found := problems(read(RECORDS), PAGE.read_text()):
        sys.exit("\n".join(f"formal: {what}" for what in found))


if __name__ == "__main__":
    main()
