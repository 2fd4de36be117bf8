#!/usr/bin/env python3
"""Counts what is wired by hand in `hdl/src`: the figures of the wiring, by one command.

    scripts/wiring.py [TREE]         the tree of another checkout, to compare

Printed are the copies of a port to a port and nothing else, `self.a.next = self.b.val();`, where
each is one of the block or of a block in it, by file with --files; how many of them stand in
`copy_fields!`, which are several in one statement; how many copy `valid` or `ready`; the statements
that connect bundles; the targets of `fan_out!`; and the lines of the files that are mostly wiring.

A statement may go over several lines. A copy with a cast or a constant is not counted, nor is a
field of a word. One in a loop counts once, and so does one in a `macro_rules!` or under `one_of!`
or `each_of!`. Types come from the structs of the same source text. It can be wrong about a field
whose type it cannot read, and about text in comments that looks like a statement."""

import argparse
import collections
import pathlib
import re

# A path behind `self`; an index may have one itself.
PATH = r"((?:\s*\.\w+(?:\[(?:[^\[\]]|\[[^\]]*\])*\])?)+?)"
COPY = re.compile(rf"\bself{PATH}\s*\.next\s*=\s*self{PATH}\s*\.val\(\)\s*(;|/\* short \*/)")
# The same with a name that a `macro_rules!` fills in, in older trees.
FILLED = re.compile(r"\bself((?:\.\$?\w+(?:\[[^\]]*\])?)+?)\.next\s*=\s*self((?:\.\$?\w+(?:\[[^\]]*\])?)+?)\.val\(\);")
BUNDLE = re.compile(r"\b\w+(?:::<\w+>)?::(?:join|link)\(\s*&mut self\b")
FAN_OUT = re.compile(r"\bfan_out!\(([^;]*?)=>([^;]*)\);")
FIELDS = re.compile(r"\bcopy_fields!\(\s*(?:for [^;]*;)?\s*([^;]*?)\s*=>\s*([^:;]*):([^;]*?),?\s*\);")
ONE_OF = re.compile(r"\bfor\s+(?:\(\w+, (\w+)\)|(\w+))\s+in\s+(?:one|each)_of!\(\s*(self\.\w+)[^{]*\{")
SHORT = re.compile(r"\blet (\w+) = &mut ((?:\w+)(?:\.\w+|\[(?:[^\[\]]|\[[^\]]*\])*\])+);")
STRUCT = re.compile(r"\bstruct (\w+)(?:<[^{;]*?>)?[^{;(]*\{\n(.*?)\n\}", re.S)
FIELD = re.compile(r"^    (?:pub(?:\([a-z]+\))? )?(\w+):\s*(.+?),?$", re.M)
IMPL = re.compile(r"^impl\b(?:<[^{]*?>)?\s*(?:[\w:<>, ]+ for )?(\w+)", re.M)
AROUND = re.compile(r"(?:(?:Fitted|Vec|Box|Each|OneOf|StreamOut|StreamIn|FlowOut|FlowIn)<(.*)>|\[(.*);[^\]]*\])$")
HANDSHAKE = re.compile(r"(?:^|[._])(?:valid|ready)(?:\[|$)")
# Files that are mostly wiring, each with those that hold parts of its kernel.
WIRING = {
    "graphics": ["graphics.rs", "graphics/*.rs"],
    "gpu": ["gpu.rs", "gpu/*.rs"],
    "warp unit kernel": ["warp/unit/kernel.rs", "warp/unit/kernel/*.rs"],
}


def closing(text, at):
    """The place behind the brace that closes what is open at `at`."""
    depth = 1
    while depth and at < len(text):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return at


def named(text, name, block):
    """The text with a block in place of its short name."""
    return re.sub(rf"(?<![.\w]){name}\b(?!\s*[(!:])", lambda _: block, text)


def fields(found):
    """The copies of a `copy_fields!`, each marked."""
    source, target, all_of_it = found[1].strip(), found[2].strip(), []
    for field in re.split(r",\s*", found[3].strip()):
        here, _, there = field.partition(" as ")
        name = re.sub(r"\[.*", "", here).split(".")[-1]
        there = re.sub(r"^_(?!\w)", name, there.strip()) or here
        all_of_it.append(f"{target}.{there}.next = {source}.{here}.val()/* short */")
    return " ".join(all_of_it)


def written_out(text):
    """The text with the copies of each `copy_fields!`, the first block of each `one_of!`, and each block that has a short name, in place of the name."""
    text = FIELDS.sub(fields, text)
    while found := ONE_OF.search(text):
        at = closing(text, found.end())
        body = named(text[found.end() : at], found[1] or found[2], found[3])
        text = text[: found.start()] + "if one {" + body + text[at:]
    at = 0
    while found := SHORT.search(text, at):
        at = found.start()
        if not found[2].startswith("self."):
            at = found.end()
            continue
        end = closing(text, found.end())
        text = text[:at] + named(text[found.end() : end], found[1], found[2]) + text[end:]
    return text


def inside(ty):
    """The type of an element."""
    while found := AROUND.match(ty.strip()):
        ty = found[1] or found[2]
    return ty.strip()


def structs(texts):
    """Fields by struct; those of a bundle are its ports, under the names of both sides."""
    found = {}
    for text in texts:
        for struct in STRUCT.finditer(text):
            fields = dict(FIELD.findall(struct[2]))
            if text[: struct.start()].rstrip().endswith(("pub", ")]")) and "#[bundle(" in text[: struct.start()].rsplit("\n\n", 1)[-1]:
                ports = {name: f"Signal<Out, {ty}>" for name, ty in fields.items()} | {"valid": "Signal<Out, bool>", "ready": "Signal<In, bool>"}
                found |= {f"{struct[1]}{side}": ports for side in ("In", "Out", "DataIn", "DataOut")}
            else:
                found[struct[1]] = fields
    return found


def is_port(path, kind, fields):
    """Whether a path behind `self` of a block of that kind is a port, of it or of a block in it."""
    ty = kind
    for name in re.findall(r"\.(\w+)", re.sub(r"\[[^\]]*\]|\s", "", path)):
        ty = inside(fields.get(ty, {}).get(name, ""))
        if ty.startswith("Signal<"):
            return not ty.startswith("Signal<Local")
        if not ty or ty.startswith("DFF"):
            return False
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--files", action="store_true", help="copies by file, the most first")
    options = parser.parse_args()
    source = options.tree / "hdl" / "src"
    copies, handshakes, bundles, fans, short = collections.Counter(), 0, 0, [], 0
    texts = {f: written_out(re.sub(r"//[^\n]*", "", f.read_text())) for f in sorted(source.rglob("*.rs"))}
    ports = structs(f.read_text() for f in texts)
    for file, text in texts.items():
        places = [(m.start(), m[1]) for m in IMPL.finditer(text)] + [(len(text), "")]
        for (begin, kind), (end, _) in zip(places, places[1:]):
            for found in COPY.finditer(text, begin, end):
                if all(is_port(side, kind, ports) for side in found.groups()[:2]):
                    copies[str(file.relative_to(source))] += 1
                    short += found[3] != ";"
                    handshakes += any(HANDSHAKE.search(re.sub(r"\s", "", side)) is not None for side in found.groups()[:2])
        copies[str(file.relative_to(source))] += sum("$" in found[0] for found in FILLED.finditer(text))
        bundles += len(BUNDLE.findall(text))
        fans += [len(re.findall(r"\bself\.", re.sub(r"\[[^\]]*\]", "", found[2]))) for found in FAN_OUT.finditer(text)]
    print(f"{sum(copies.values()):6} copies of a port to a port, {short} of them in copy_fields!, {handshakes} of valid or ready")
    print(f"{bundles:6} connections of bundles")
    print(f"{len(fans):6} fan-outs, with {sum(fans)} targets")
    for name, patterns in WIRING.items():
        files = [f for pattern in patterns for f in source.glob(pattern)]
        print(f"{sum(len(f.read_text().splitlines()) for f in files):6} lines of {name}")
    if options.files:
        for name, count in copies.most_common():
            print(f"{count:6} {name}")


if __name__ == "__main__":
    main()
