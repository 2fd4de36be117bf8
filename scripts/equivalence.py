#!/usr/bin/env python3
"""Compares two exports of the Verilog, block by block: is the hardware the same?

    scripts/equivalence.py OLD NEW [--jobs N] [--only REGEX] [--keep FOLDER]
                           [--names TABLE]

OLD and NEW are two `.v` files, or two folders with files of the same relative names: for example
one folder for each configuration, with one file for each block and all its modules (`quadlock
export --top BLOCK`). Each file of OLD gives one line:

    text        its modules are equal as text; comments and blank lines do not matter, nor does order:
                of modules, of ports and declarations, and of assignments with no read between
    equivalent  yosys proves for every module that differs that outputs and next state are equal
    DIFFERENT   it is not proved; the lines below say which module and why
    gone        NEW has no such file

Files that only NEW has are listed as `added`. The exit status is 0 when every line is text,
equivalent or added. It is 1 when any is DIFFERENT or gone, and 2 when there is nothing to compare.

Method. A pair of modules that differ is compared with every instance inside as a black box: what
comes out of an instance is a free input, what goes in is an output to compare. Registers are
instances too (`dff_N`), so what remains is combinational and `sat` decides it without a bound.
Each module below is compared in its own right. A module that only one side has, or that has other
ports, is dissolved into its owner first. Where the instances still differ, both sides are
flattened, registers are matched by name, and the proof is by induction (`equiv_*`): minutes.
A pair of texts is proved once, whatever number of files has it. Planted faults are constants in
the text, so an export without a fault is compared without it.

Names. What NEW calls otherwise is a line of TABLE: module, old and new name, and a reason if you
like, with tabs between. `#` begins a comment. The old name is a port, bundle, signal or instance of
the module, and of its variants (`hi_z_2`). It covers the names that begin with it (`told_valid`
with `told`), up to a longer old name; a line with the same name twice is such an exception. The
table is applied to OLD, to modules and to the places that use them, before the comparison. It has
to be injective in each module: two old names must not become one new name, and a new name must not
be there already. Else the exit status is 2, with the line. So the table cannot make two signals
one, and a pair that is swapped by mistake is DIFFERENT.

It can be wrong by calling equal hardware DIFFERENT, where registers were renamed or the solver runs
out of time. It would be wrong the other way if yosys read both texts wrongly in the same way.
Power-up values are compared because the register modules state them."""

import argparse
import collections
import concurrent.futures
import functools
import hashlib
import heapq
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

# Seconds for one proof.
LIMIT = 600

PORT = re.compile(r"^\s*(?:input|output|inout)\b.*?;\s*$", re.M)
INSTANCE = re.compile(r"^\s*(\w+)\s+(?:#\(.*?\)\s*)?(\w+)\s*\(\s*\.", re.M)
DECLARED = re.compile(r"^\s*(?:input|output|inout|wire|reg)\b[^;=]*?(\w+)\s*(?:\[[^;]*\]\s*)?(?:=[^;]*)?;", re.M)
NAMES = re.compile(r"(?<![\w'.])[A-Za-z_]\w*")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)

Module = collections.namedtuple("Module", "name text ports instances")
Proof = collections.namedtuple("Proof", "equal how words boxes")


class BadTable(Exception):
    """A line of the table of names that cannot be applied."""


class Names:
    """The table of --names. A name covers those that begin with it and `_`; the longest one counts."""

    def __init__(self, file):
        self.file, self.rows, lines = file, collections.defaultdict(dict), {}
        for number, line in enumerate(file.read_text().splitlines(), 1):
            columns = line.split("\t")
            if not line.strip() or line.startswith("#") or columns[:3] == ["module", "old", "new"]:
                continue
            if len(columns) < 3 or not all(re.fullmatch(r"[A-Za-z_]\w*", c) for c in columns[:3]):
                self.refuse(number, "a line is MODULE, OLD and NEW with tabs between")
            module, old, new = columns[:3]
            for name, what in ((("old", old), f"`{old}` has a new name"), (("new", new), f"`{new}` is the new name of another one")):
                before = lines.setdefault((module, *name), number)
                if before != number:
                    self.refuse(number, f"{what} already, in line {before}, in module {module}")
            self.rows[module][old] = (new, number)

    def refuse(self, number, why):
        raise BadTable(f"{self.file}:{number}: {why}")

    def of(self, module):
        """The rows of a module, which may be a variant with a number."""
        return self.rows.get(module) or self.rows.get(re.sub(r"_\d+$", "", module), {})

    def new(self, module, name):
        """The new name and the number of the line that says so."""
        rows, old = self.of(module), name
        while old:
            if old in rows:
                return rows[old][0] + name[len(old) :], rows[old][1]
            old = old.rpartition("_")[0]
        return name, None

    def applied(self, parts):
        """The texts of modules by name, with the new names."""
        ports = {name: {p.split()[-1].rstrip(";") for p in PORT.findall(text)} for name, text in parts.items()}
        return {name: self.module(name, text, ports) for name, text in parts.items()}

    def module(self, name, text, ports):
        """The text of one module. `ports`: those of all modules."""
        # `bins` is a word of SystemVerilog, so an instance of that name is `bins_`, and its wires `bins_clock`.
        kinds = {i[2].rstrip("_"): i[1] for i in INSTANCE.finditer(text)}
        if not self.of(name) and not any(self.of(kind) for kind in kinds.values()):
            return text

        def new(word):
            """A wire of an instance has the instance's name in front of the port's, and a variable `__next` behind it."""
            word, tail = re.fullmatch(r"(\w+?)(__\w+)?", word).groups("")
            instance = word.rpartition("_")[0]
            while instance and word not in kinds:
                kind, port = kinds.get(instance), word[len(instance) + 1 :]
                if port in ports.get(kind, ()):
                    (front, a), (back, b) = self.new(name, instance), self.new(kind, port)
                    return f"{front}_{back}{tail}", a or b
                instance = instance.rpartition("_")[0]
            to, line = self.new(name, word.rstrip("_"))
            return (to + tail, line) if line else (word + tail, None)

        declared = {i[1] for i in DECLARED.finditer(text)} | {i[2] for i in INSTANCE.finditer(text)}
        # An instance may be named after its module.
        others = set(NAMES.findall(text)) - declared - set(kinds.values()) - {name}
        known, lines = {}, {}
        for word in sorted(declared):
            known[word], lines[word] = new(word)
        back = collections.defaultdict(list)
        for word in [*sorted(others), *known]:
            back[known.get(word, word)].append(word)
        for to, words in back.items():
            if len(words) > 1:
                number = next(lines[w] for w in reversed(words) if lines.get(w))
                self.refuse(number, f"`{words[0]}` and `{words[1]}` of module {name} would both be `{to}`")

        def of_instance(match):
            return re.sub(r"(?<=\.)\w+(?=\s*\()", lambda p: self.new(match[1], p[0])[0], match[0])

        text = re.sub(r"^\s*(\w+)\s+\w+\s*\(\s*\..*?\);", of_instance, text, flags=re.M | re.S)
        return NAMES.sub(lambda w: known.get(w[0], w[0]), text)


@functools.lru_cache(maxsize=None)
def modules(file, names=None):
    """The modules of a file by name, without comments and blank lines, with the new names of a table."""
    text = COMMENT.sub("", file.read_text())
    parts = {}
    for part in re.split(r"^(?=module\s)", text, flags=re.M):
        if part.startswith("module"):
            lines = "\n".join(line.rstrip() for line in part.splitlines() if line.strip()) + "\n"
            parts[re.match(r"module\s+(\w+)", lines)[1]] = lines
    found = {}
    for name, lines in (names.applied(parts) if names else parts).items():
        ports = tuple(sorted(" ".join(p.split()).replace(" reg ", " wire ") for p in PORT.findall(lines)))
        found[name] = Module(name, lines, ports, ())
    return {
        name: m._replace(instances=tuple(sorted((i[2], i[1]) for i in INSTANCE.finditer(m.text) if i[1] in found)))
        for name, m in found.items()
    }


ASSIGNMENT = re.compile(r"^(\w+)(\[.*?\])?\s*(?:<=|=)\s*(.*);$")
# Words of the language that look like names.
WORDS = {"if", "else", "begin", "end", "case", "endcase", "default"}


def block(lines, at):
    """The statements from line `at` to the `end` or `endcase` that closes them, and the line behind it.

    A statement is (text, reads, writes). What one that holds others reads and writes is what these do."""
    found = []
    while at < len(lines) and not re.match(r"end(case)?\b", lines[at]):
        line = lines[at]
        if not re.search(r"(\bbegin|^case\b.*)$", line):
            if simple := ASSIGNMENT.match(line):
                reads = set(NAMES.findall(simple[3])) | ({simple[1], *NAMES.findall(simple[2])} if simple[2] else set())
                found.append((line, reads, {simple[1]}))
            else:
                # Nothing is known of it, so it stays where it is.
                found.append((line, {"*"}, {"*"}))
            at += 1
            continue
        text, reads, writes = [line], set(NAMES.findall(line)) - WORDS, set()
        while True:
            inner, at = block(lines, at + 1)
            # Of arms the first that fits counts, so they stay where they are.
            text += [s[0] for s in (inner if line.startswith("case") else ordered(inner))]
            reads |= {n for s in inner for n in s[1]}
            writes |= {n for s in inner for n in s[2]}
            closing = lines[at] if at < len(lines) else ""
            text.append(closing)
            if not re.match(r"end\s+else\b.*\bbegin$", closing):
                break
            reads |= set(NAMES.findall(closing)) - WORDS
        at += 1
        # `else` on a line of its own belongs to what is before it.
        if found and re.match(r"else\b", line):
            before = found.pop()
            text, reads, writes = [before[0], *text], reads | before[1], writes | before[2]
        found.append(("\n".join(text), reads, writes))
    return found, at


def ordered(statements):
    """The statements in an order that only depends on what must stay in order: a read behind the write before it, and so on."""
    after, waits = collections.defaultdict(set), [0] * len(statements)
    writers, readers, everywhere = collections.defaultdict(list), collections.defaultdict(list), []

    def keep(first, second):
        if second not in after[first]:
            after[first].add(second)
            waits[second] += 1

    for i, (_, reads, writes) in enumerate(statements):
        if "*" in writes:
            for k in range(i):
                keep(k, i)
            everywhere.append(i)
            continue
        for k in everywhere:
            keep(k, i)
        for name in reads | writes:
            for k in writers[name]:
                keep(k, i)
        for name in writes:
            for k in readers[name]:
                keep(k, i)
        # Who is before a write is before what comes behind the write.
        for name in writes:
            writers[name], readers[name] = [i], []
        for name in reads - writes:
            readers[name].append(i)
    ready = [(s[0], i) for i, s in enumerate(statements) if not waits[i]]
    heapq.heapify(ready)
    done = []
    while ready:
        _, i = heapq.heappop(ready)
        done.append(statements[i])
        for k in after[i]:
            waits[k] -= 1
            if not waits[k]:
                heapq.heappush(ready, (statements[k][0], k))
    return done


@functools.lru_cache(maxsize=None)
def canonical(text):
    """The module without what order does not decide: two modules with the same are the same hardware."""
    lines = [line.strip() for line in text.splitlines()]
    head, at = "", 0
    while not head.endswith(";"):
        head += lines[at]
        at += 1
    name, ports = re.fullmatch(r"module\s+(\w+)\s*\((.*)\);", head).groups()
    items = []
    while at < len(lines) and lines[at] != "endmodule":
        if lines[at] == "always @(*) begin":
            statements, at = block(lines, at + 1)
            items.append("\n".join(["always @(*)", *(s[0] for s in ordered(statements))]))
        elif re.match(r"(input|output|wire|reg)\b.*;$", lines[at]):
            items.append(lines[at])
        else:
            # An instance, a register, a memory: as it is, to the next of the above.
            begin = at
            while at + 1 < len(lines) and not re.match(r"(always @\(\*\) begin$|endmodule$|(input|output|wire|reg)\b.*;$)", lines[at + 1]):
                at += 1
            part = "\n".join(lines[begin : at + 1])
            items.append(re.sub(r"\((\s*\.\w+\([^()]*\)\s*,?)+\)", lambda i: "".join(sorted(re.findall(r"\.\w+\([^()]*\)", i[0]))), part))
        at += 1
    return name, tuple(sorted(ports.replace(" ", "").split(","))), tuple(sorted(items))


def starts(module):
    """Whether a register of the module may be other than 0 at power-up."""
    literals = re.findall(r"=\s*([^;<=)]+)[;)]", "".join(re.findall(r"^\s*initial\b.*?^\s*end\b", module.text, re.M | re.S)))
    return any(not re.fullmatch(r"\d+'[bdh]0+|0|\w+ \+ 1", v.strip()) for v in literals)


def renamed(module, name):
    return re.sub(r"^module\s+\w+", f"module {name}", module.text, count=1)


def stub(module):
    """Ports alone."""
    head = module.text[: module.text.index(";") + 1]
    return f"(* blackbox, keep *)\n{head}\n" + "\n".join(p.replace(" reg ", " wire ") for p in module.ports) + "\nendmodule\n"


def below(tree, name):
    """The names of the modules inside, directly or not."""
    found, todo = set(), [name]
    while todo:
        for _, kind in tree[todo.pop()].instances:
            if kind not in found:
                found.add(kind)
                todo.append(kind)
    return sorted(found)


def boxes(tree, name, opened):
    """What stays an instance when those of `opened` are dissolved: name to kind, and name to the name after dissolving."""
    found, todo = [], [("", name)]
    while todo:
        path, kind = todo.pop()
        for instance, inner in tree[kind].instances:
            if inner in opened:
                todo.append((f"{path}{instance}.", inner))
            else:
                found.append((path, instance, inner))
    count = collections.Counter(instance for _, instance, _ in found)
    short = [(instance if count[instance] == 1 else path + instance, path + instance, kind) for path, instance, kind in found]
    return {s: kind for s, _, kind in short}, {s: path for s, path, _ in short}


def boxed(old, new, name):
    """Script with black boxes, its Verilog and the kinds of the boxes; None if the instances do not agree.

    Modules that only one side has, or that have other ports, are dissolved into their owners first."""
    kinds = set(below(old, name)) | set(below(new, name))
    opened = {k for k in kinds if k not in old or k not in new or old[k].ports != new[k].ports}
    (a, a_paths), (b, b_paths) = boxes(old, name, opened), boxes(new, name, opened)
    if a != b:
        return None
    inside = {side: sorted(k for k in below(tree, name) if k in opened) for side, tree in (("gold", old), ("gate", new))}

    def side(tree, word):
        text = renamed(tree[name], word) + "".join(tree[k].text for k in inside[word])
        for k in inside[word]:
            text = re.sub(rf"^(module\s+|\s+){k}\b(?=\s*\(|\s+\w+\s*\()", rf"\1{word}_{k}", text, flags=re.M)
        return text

    texts = {"gold.v": side(old, "gold"), "gate.v": side(new, "gate")}
    registers = bool(re.search(r"\bposedge\b", "".join(texts.values())))
    dissolve = [f"flatten {word}" for word in ("gold", "gate") if inside[word]]
    for word, paths in (("gold", a_paths), ("gate", b_paths)):
        moved = [f"rename {path} {short}" for short, path in sorted(paths.items()) if path != short]
        dissolve += [f"cd {word}", *moved, "cd .."] if moved else []
    script = "\n".join(
        [
            "read_verilog boxes.v gold.v gate.v",
            "proc",
            *dissolve,
            "memory -nomap",
            "memory_map",
            "opt -full",
            "select -assert-none t:$dlatch t:$adlatch t:$dlatchsr",
            *(["expose -evert gold/c:* gate/c:*"] if a else []),
            "miter -equiv -flatten -make_assert gold gate miter",
            "hierarchy -top miter",
            "opt -full",
            "opt -full -share_all",
            *(["async2sync"] if registers else []),
            # A module with registers of its own: by induction, from the stated power-up values.
            f"sat -verify -prove-asserts -set-def-inputs -timeout {LIMIT} {'-tempinduct -set-init-undef' if registers else ''} miter",
            "",
        ]
    )
    stubs = "".join(stub(old[k]) for k in sorted(set(a.values())))
    return script, {"boxes.v": stubs, **texts}, sorted(set(a.values()))


def flat(old, new, name):
    """Script that flattens both sides, and its Verilog."""

    def side(tree, word):
        parts = below(tree, name)
        text = renamed(tree[name], word) + "".join(tree[k].text for k in parts)
        for k in parts:
            text = re.sub(rf"\b{k}\b(?=\s+(?:#|\w+\s*\())", f"{word}_{k}", text)
            text = re.sub(rf"^module\s+{k}\b", f"module {word}_{k}", text, flags=re.M)
        return text

    script = f"""
read_verilog gold.v gate.v
hierarchy
proc
flatten gold gate
memory -nomap
memory_map
opt -full
select -assert-none t:$dlatch t:$adlatch t:$dlatchsr
equiv_make gold gate equal
hierarchy -top equal
opt -purge
equiv_struct
opt -purge
equiv_simple -undef
equiv_induct -undef
equiv_status -assert
"""
    return script, {"gold.v": side(old, "gold"), "gate.v": side(new, "gate")}, []


class Prover:
    """Proofs, each made once, however many threads ask for it."""

    def __init__(self, keep):
        self.keep, self.made, self.lock = keep, {}, threading.Lock()

    def __call__(self, old, new, name):
        """Whether `name` is the same on both sides, what is inside being looked at elsewhere."""
        a, b = old[name], new[name]
        if a.ports != b.ports:
            odd = sorted(set(a.ports) ^ set(b.ports))
            return Proof(False, "", "ports differ: " + "; ".join(odd)[:400], [])
        job, how = boxed(old, new, name), "boxes"
        if job is None:
            # Induction by `equiv_induct` says nothing about the first state.
            if odd := [k for tree in (old, new) for k in [name, *below(tree, name)] if starts(tree[k])]:
                return Proof(False, "flat", f"power-up values other than 0 are not compared: {odd[0]}", [])
            job, how = flat(old, new, name), "flat"
        key = hashlib.sha256(repr(job).encode()).hexdigest()
        with self.lock:
            mine = key not in self.made
            if mine:
                self.made[key] = concurrent.futures.Future()
            future = self.made[key]
        if mine:
            try:
                future.set_result(self.run(name, how, *job))
            except Exception as e:  # handed to whoever waits
                future.set_exception(e)
        return future.result()

    def run(self, name, how, script, files, kinds):
        with tempfile.TemporaryDirectory(prefix="equivalence-") as scratch:
            folder = pathlib.Path(scratch)
            if self.keep:
                folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.keep))
            for file, text in files.items():
                (folder / file).write_text(text)
            (folder / "prove.ys").write_text(script)
            try:
                done = subprocess.run(
                    ["yosys", "-q", "-l", "prove.log", "prove.ys"], cwd=folder, capture_output=True, text=True, timeout=LIMIT * 2
                )
            except subprocess.TimeoutExpired:
                return Proof(False, how, f"no answer in {LIMIT * 2} s", [])
            words = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
            return Proof(done.returncode == 0, how, " ".join(words[-3:])[-400:], kinds)


def compare(prover, old_file, new_file, names):
    """(verdict, lines to print below it) of a file."""
    if not new_file.exists():
        return "gone", []
    old, new = modules(old_file, names), modules(new_file)
    inside = {kind for m in new.values() for _, kind in m.instances}
    tops = [name for name in new if name not in inside]
    if not old or not new:
        return "DIFFERENT", ["no module in the file"]
    verdict, lines = "text", []
    todo, seen = [t for t in old if t not in {k for m in old.values() for _, k in m.instances}], set()
    if sorted(todo) != sorted(tops):
        return "DIFFERENT", [f"the top modules are {todo} and {tops}"]
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        proof = None
        if canonical(old[name].text) != canonical(new[name].text):
            proof = prover(old, new, name)
            if verdict == "text":
                verdict = "equivalent"
            if not proof.equal:
                verdict = "DIFFERENT"
                lines.append(f"{name} ({proof.how or 'ports'}): {proof.words}")
        # What was dissolved has been compared with its owner.
        todo += [kind for _, kind in old[name].instances] if proof is None else proof.boxes
    return verdict, lines


def pairs(old, new):
    """(name, file, file) of what is compared, and the names of what NEW adds."""
    if old.is_file() and new.is_file():
        return [(old.name, old, new)], []
    if not (old.is_dir() and new.is_dir()):
        sys.exit(f"equivalence: {old} and {new} have to be two files or two folders")
    names = {side: {str(f.relative_to(side)) for f in side.rglob("*.v")} for side in (old, new)}
    return [(n, old / n, new / n) for n in sorted(names[old])], sorted(names[new] - names[old])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="proofs at the same time")
    parser.add_argument("--only", default="", metavar="REGEX", help="files whose relative name matches")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="leave the scripts and logs of the proofs here")
    parser.add_argument("--names", type=pathlib.Path, metavar="TABLE", help="what NEW calls otherwise: module, old and new name")
    args = parser.parse_args()
    for side in (args.old, args.new):
        if not side.exists():
            print(f"equivalence: {side} does not exist", file=sys.stderr)
            return 2
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
    work, added = pairs(args.old, args.new)
    work = [w for w in work if re.search(args.only, w[0])]
    if not work:
        print(f"equivalence: nothing to compare in {args.old}", file=sys.stderr)
        return 2
    try:
        names = args.names and Names(args.names)
        for _, old, _ in work:
            modules(old, names)
    except (BadTable, OSError) as e:
        print(f"equivalence: {e}", file=sys.stderr)
        return 2
    begin, prover, count = time.monotonic(), Prover(args.keep), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for (name, *_), (verdict, lines) in zip(work, pool.map(lambda w: compare(prover, w[1], w[2], names), work)):
            count[verdict] += 1
            print(f"{verdict:11} {name}", *(f"            {line}" for line in lines), sep="\n", flush=True)
    for name in added:
        print(f"added       {name}")
    made = [f.result() for f in prover.made.values()]
    ways = collections.Counter(p.how for p in made)
    print(
        f"\n{len(work)} files: " + ", ".join(f"{n} {v}" for v, n in sorted(count.items())) + f", {len(added)} added; "
        f"{len(made)} proofs ({', '.join(f'{n} {w}' for w, n in sorted(ways.items())) or 'none'}), {time.monotonic() - begin:.0f} s"
    )
    return 1 if count["DIFFERENT"] or count["gone"] else 0


if __name__ == "__main__":
    sys.exit(main())
