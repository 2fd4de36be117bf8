"""And-inverter graphs in binary AIGER 1.9 (bad states and constraints, all latches 0 at power-up), as yosys writes them, and two questions about them for a SAT solver:
does a bad state follow from states without one (induction), and is one reached from power-up within n cycles (bounded). It can be wrong by an unsound encoding: `sound` and the planted bugs
of `prove.py` guard against proofs of nothing. Literals of a frame are solver literals or constants; constants are folded, so that unused widths cost nothing."""
import json

from pysat.solvers import Cadical153

TRUE, FALSE = "T", "F"


def negate(x):
    return FALSE if x is TRUE else TRUE if x is FALSE else -x


class Aig:
    """`path`: the .aig file; `witness`: yosys' map of names beside it."""

    def __init__(self, path, witness):
        data = open(path, "rb").read()
        self.position = 0

        def line():
            end = data.index(b"\n", self.position)
            text, self.position = data[self.position:end], end + 1
            return [int(x) for x in text.split() if x.isdigit()]

        header = line()
        _, self.inputs, latches, outputs, ands = header[:5]
        bads, constraints = (header[5:] + [0, 0])[:2]
        self.next = []
        for _ in range(latches):
            row = line()
            if len(row) > 1 and row[1] != 0:
                raise ValueError(f"{path}: a latch does not start at 0")
            self.next.append(row[0])
        for _ in range(outputs):
            line()
        self.bads = [line()[0] for _ in range(bads)]
        self.constraints = [line()[0] for _ in range(constraints)]

        def delta():
            value = shift = 0
            while True:
                byte = data[self.position]
                self.position += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return value

        self.ands = []
        first = self.inputs + latches + 1
        for i in range(ands):
            left = 2 * (first + i)
            a = left - delta()
            self.ands.append((a, a - delta()))
        named = json.load(open(witness)).get("asserts", [])
        self.names = [".".join(n) if isinstance(n, list) else str(n) for n in named]
        if len(self.names) != len(self.bads):
            self.names = [f"assertion {i}" for i in range(len(self.bads))]


class Frames:
    """The graph unrolled. `free`: the first state is any state, else the one after power-up."""

    def __init__(self, aig, free):
        self.aig, self.solver, self.count, self.shared = aig, Cadical153(), 0, {}
        self.state = [self.new() if free else FALSE for _ in aig.next]
        self.bads = []

    def new(self):
        self.count += 1
        return self.count

    def gate(self, a, b):
        if a is FALSE or b is FALSE or (a is not TRUE and b is not TRUE and a == -b):
            return FALSE
        if a is TRUE or a == b:
            return b
        if b is TRUE:
            return a
        key = (a, b) if a < b else (b, a)
        out = self.shared.get(key)
        if out is None:
            out = self.shared[key] = self.new()
            self.solver.add_clause([-out, a])
            self.solver.add_clause([-out, b])
            self.solver.add_clause([out, -a, -b])
        return out

    def require(self, x):
        if x is FALSE:
            self.solver.add_clause([])
        elif x is not TRUE:
            self.solver.add_clause([x])

    def step(self):
        """One more frame, with its constraints. Its bad literals are `bads[-1]`."""
        aig = self.aig
        values = [FALSE] + [self.new() for _ in range(aig.inputs)] + self.state

        def value(literal):
            x = values[literal >> 1]
            return negate(x) if literal & 1 else x

        for a, b in aig.ands:
            values.append(self.gate(value(a), value(b)))
        for c in aig.constraints:
            self.require(value(c))
        self.bads.append([value(b) for b in aig.bads])
        self.state = [value(n) for n in aig.next]

    def possible(self, x=TRUE):
        if x is FALSE:
            return False
        return self.solver.solve(assumptions=[] if x is TRUE else [x])


def sound(aig):
    """There is a run of three cycles that meets the constraints, from power-up: an environment that allows nothing proves everything."""
    frames = Frames(aig, free=False)
    for _ in range(3):
        frames.step()
    return frames.possible()


def induction(aig):
    """Names of the bad states that follow in one step from a state without any (empty: proved), and those at power-up."""
    base = Frames(aig, free=False)
    base.step()
    at_start = [n for n, b in zip(aig.names, base.bads[0]) if base.possible(b)]
    frames = Frames(aig, free=True)
    frames.step()
    for b in frames.bads[0]:
        frames.require(negate(b))
    frames.step()
    if not frames.possible():
        raise ValueError("the assertions and the constraints contradict each other")
    return at_start, [n for n, b in zip(aig.names, frames.bads[1]) if frames.possible(b)]


def bounded(aig, depth, every):
    """{name: cycle} of the bad states reached in at most `depth` cycles; `every`: search until all are reached, else the first cycle that has one."""
    frames, found = Frames(aig, free=False), {}
    for cycle in range(depth):
        frames.step()
        for name, b in zip(aig.names, frames.bads[-1]):
            if name not in found and frames.possible(b):
                found[name] = cycle
        if len(found) == len(aig.names) or (found and not every):
            break
    return found
