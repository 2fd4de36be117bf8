#!/bin/sh
# The exported Verilog through the lints that ship with real tools. Checks of a machine:
#   verilator   verilator --lint-only -Wall of the whole machine (waivers, each with its reason: scripts/lint-rtl.vlt)
#   loops       yosys: no latch, no combinational loop
#   ecp5        yosys: synth_ecp5 -nowidelut of the whole machine, with a resource table (out/lint/resources.txt)
#   ice40       yosys: synth_ice40 of the blocks that fit an iCE40 HX8K (out/lint/ice40.txt)
#
# usage: lint-rtl.sh                        all checks of the five machines below; writes lint/hashes and lint/blocks
#        lint-rtl.sh --known                the same, but what lint/hashes says has passed is not run again; writes nothing
#        lint-rtl.sh --missing              as --known, with the lints of blocks; writes what has passed, as without an option
#        lint-rtl.sh --changed              which modules have another text than in lint/blocks; a report, never a failure
#        lint-rtl.sh --set KEY=VALUE ...    all checks of one other machine; nothing is written
#
# Every block and other machines are linted by tests of the hdl crate, hdl/tests/export_lint.rs, whose lines are in lint/hashes too.
# lint/hashes has a line for each check that passed: the hash of everything that decides its result (exported text, waivers, the
# tool's script), check, tool and version, machine. It can be wrong by a hash of too little: then --known passes what would fail.
# A line is written only after its check has passed, and lines of other versions of a tool stay.
# QUADLOCK_LINT_OUT is the folder of its files (out/lint), QUADLOCK_LINT_HASHES that of the hashes (lint). Exit status 1 on the first
# finding, 2 for a missing tool or a wrong option.
set -eu
cd "$(dirname "$0")/.."
profile=${PROFILE:-checked}
out=${QUADLOCK_LINT_OUT:-out/lint}
hashes=${QUADLOCK_LINT_HASHES:-lint}/hashes
blocks=${QUADLOCK_LINT_HASHES:-lint}/blocks

# The machines that are linted: a name for folder and hash, whether it is synthesised too, and its parameters.
machines="default synth
graphics lint graphics=on
merge lint graphics=on merge=on
split lint graphics=on split=on
both lint graphics=on merge=on split=on warps=8"
# Blocks small enough for 7,680 LUTs, and the LUTs that there are.
ice40_blocks="warp_scheduler unit_arbiter memory_arbiter grid_walker row_controller message_bus decoder integer_alu float_round"
ice40_luts=7680

mode=write
one=no
case "${1:-}" in
--known | --missing | --changed)
    mode=${1#--}
    shift
    [ $# = 0 ] || { echo "lint-rtl: --$mode takes no other option: $*" >&2; exit 2; }
    ;;
--set)
    mode=other
    machines="other synth"
    while [ $# -gt 0 ]; do
        [ "$1" = --set ] && [ $# -gt 1 ] || { echo "lint-rtl: $1: write --set KEY=VALUE" >&2; exit 2; }
        machines="$machines $2"
        shift 2
    done
    ;;
--one)
    # A machine of a run with several at once: the run's mode, and the machine as it is listed.
    mode=$2
    one=yes
    shift 2
    ;;
"") ;;
*)
    sed -n 's/^# usage: /usage: /p; s/^#        lint/       lint/p' scripts/lint-rtl.sh >&2
    exit 2
    ;;
esac

# Text of the tools' scripts; FILES stands for the files and is not hashed with a folder's name.
loops_script="read_verilog FILES
    hierarchy -check -top quadlock
    proc
    select -assert-none t:\$dlatch t:\$dlatchsr
    flatten
    opt_clean
    check -assert"
# -nowidelut: else functions of five to seven inputs take 2 to 8 LUT4 each, and the table twice as many. Without flattening: each
# unique module is synthesised once (the core has eight lanes), and the resource table follows the hierarchy.
ecp5_script="read_verilog FILES
    synth_ecp5 -nowidelut -noflatten -top quadlock
    select -assert-none t:\$_DLATCH_* t:PFUMX t:L6MUX21
    tee -o TABLE stat -top quadlock"
ice40_script="read_verilog FILES
    synth_ice40 -top BLOCK
    select -assert-none t:\$_DLATCH_*
    tee -o TABLE stat -top BLOCK"
verilator_options="--lint-only -Wall --top-module quadlock"

# export_rtl FOLDER TOP [KEY=VALUE...]: by the exporter of the hdl crate, which builds without the rest, or by EXPORTER.
export_rtl() {
    folder=$1
    top=$2
    shift 2
    sets=""
    for set in "$@"; do sets="$sets --set $set"; done
    # shellcheck disable=SC2086
    case "${EXPORTER:-}" in
    "") "target/$profile/examples/export" "$folder" --top "$top" $sets ;;
    *) "$EXPORTER" export --out "$folder" --top "$top" $sets >/dev/null ;;
    esac
}

# sources FOLDER: the files of an export, as one line for yosys.
sources() {
    sed "s|^|$1/|" "$1/files.f" | tr '\n' ' '
}

# text FOLDER...: everything of these exports that a tool reads.
text() {
    for folder in "$@"; do
        cat "$folder/files.f"
        while read -r file; do cat "$folder/$file"; done <"$folder/files.f"
    done
}

hash() {
    sha256sum | cut -d' ' -f1
}

# yosys_script SCRIPT FOLDER [TABLE [BLOCK]]: with its files; no name has a | in it.
yosys_script() {
    printf '%s\n' "$1" | sed "s|FILES|$(sources "$2")|; s|TABLE|${3:-}|; s|BLOCK|${4:-}|g"
}

lint_verilator() {
    # shellcheck disable=SC2086
    verilator $verilator_options scripts/lint-rtl.vlt -F "$dir/rtl/files.f" >"$dir/verilator.log" 2>&1 || { cat "$dir/verilator.log"; return 1; }
}

lint_loops() {
    yosys -q -l "$dir/loops.log" -p "$(yosys_script "$loops_script" "$dir/rtl")" >"$dir/loops.err" 2>&1 || { tail -n 20 "$dir/loops.log"; return 1; }
    ! grep "Latch inferred" "$dir/loops.log"
}

lint_ecp5() {
    yosys -q -l "$dir/synth.log" -p "$(yosys_script "$ecp5_script" "$dir/rtl" "$dir/resources.txt")" >"$dir/synth.err" 2>&1 || { tail -n 20 "$dir/synth.log"; return 1; }
    echo "$name: cells by module are in $dir/resources.txt"
}

lint_ice40() {
    : >"$dir/ice40.txt"
    for block in $ice40_blocks; do
        yosys -q -l "$dir/ice40.log" -p "$(yosys_script "$ice40_script" "$dir/ice40-$block" "$dir/ice40-stat.txt" "$block")" >"$dir/ice40.err" 2>&1 || { tail -n 20 "$dir/ice40.log"; return 1; }
        luts=$(awk '$1 == "SB_LUT4" { n = $2 } END { print n + 0 }' "$dir/ice40-stat.txt")
        printf '%-20s%6d LUTs\n' "$block" "$luts" | tee -a "$dir/ice40.txt"
        [ "$luts" -le "$ice40_luts" ] || { echo "lint-rtl: $block does not fit an iCE40 HX8K ($ice40_luts LUTs)" >&2; return 1; }
    done
}

# check NAME MACHINE TOOL HASH: runs a check of a machine unless its hash is known, and notes that it has passed.
check() {
    line="$4 $1 $3 $2 passed"
    if { [ "$mode" = known ] || [ "$mode" = missing ]; } && grep -qxF "$line" "$hashes" 2>/dev/null; then
        echo "$2: $1 passed before, hash $4"
        return
    fi
    [ "$mode" != known ] || echo "$2: $1 with $3 is not in $hashes; it runs now (make lint-rtl notes it)"
    begin=$(date +%s)
    # 255: xargs begins nothing more.
    "lint_$1" || { echo "lint-rtl: $2: $1 fails" >&2; exit 255; }
    echo "$2: $1 passed in $(($(date +%s) - begin)) s"
    echo "$line" >>"$out/passed"
}

# lint_machine NAME SYNTH [KEY=VALUE...]
lint_machine() {
    name=$1
    synth=$2
    shift 2
    dir=$out/$name
    mkdir -p "$dir"
    export_rtl "$dir/rtl" quadlock "$@"
    own=$(text "$dir/rtl" | hash)
    check verilator "$name" "$verilator" "$({ echo "$own $verilator_options"; cat scripts/lint-rtl.vlt; } | hash)"
    check loops "$name" "$yosys" "$(echo "$own $loops_script" | hash)"
    [ "$synth" = synth ] || return 0
    check ecp5 "$name" "$yosys" "$(echo "$own $ecp5_script" | hash)"
    for block in $ice40_blocks; do export_rtl "$dir/ice40-$block" "$block" "$@"; done
    # shellcheck disable=SC2046
    check ice40 "$name" "$yosys" "$({ echo "$ice40_luts $ice40_blocks $ice40_script"; text $(for block in $ice40_blocks; do echo "$dir/ice40-$block"; done); } | hash)"
}

# module_hashes: a line for each text that a module has in any of the machines, without the head that names the machine.
module_hashes() {
    # shellcheck disable=SC2046
    python3 -c '
import hashlib, itertools, pathlib, sys
found = set()
for folder in map(pathlib.Path, sys.argv[1:]):
    for file in (folder / "files.f").read_text().split():
        lines = itertools.dropwhile(lambda line: line.startswith("//"), (folder / file).read_text().splitlines())
        found.add((file.removesuffix(".v"), hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]))
for module, digest in sorted(found):
    print(digest, module)' $(for name in $(echo "$machines" | cut -d' ' -f1); do echo "$out/$name/rtl"; done)
}

# changed: modules with a text that lint/blocks does not have, and those that are gone.
changed() {
    [ -e "$blocks" ] || { echo "$blocks is not there, so nothing can be listed; make lint-rtl writes it"; return; }
    module_hashes >"$out/blocks"
    grep -v '^#' "$blocks" >"$out/blocks.before"
    awk 'NR == FNR { text[$0] = 1; module[$2] = 1; next }
        { now[$2] = 1 } !($0 in text) { print ($2 in module ? "changed" : "new"), $2 }
        END { for (m in module) if (!(m in now)) print "gone", m }' "$out/blocks.before" "$out/blocks" | LC_ALL=C sort -u >"$out/changed"
    count=$(wc -l <"$out/changed")
    echo "blocks whose exported text is not that of $blocks: $count of $(cut -d' ' -f2 "$out/blocks" | uniq | wc -l)"
    sed 's/^/  /' "$out/changed"
}

# write: the hashes of what has passed, in place of those of the same check, version and machine.
write() {
    mkdir -p "$(dirname "$hashes")"
    {
        echo "# Checks that passed, written by make lint-rtl (scripts/lint-rtl.sh): hash, check, tool, machine."
        { grep -v '^#' "$hashes" 2>/dev/null || true; cat "$out/passed"; } |
            awk '{ key = $2 " " $3 " " $4; last[key] = $0 } END { for (k in last) print last[k] }' | LC_ALL=C sort -k4,4 -k2,3
    } >"$out/hashes"
    mv "$out/hashes" "$hashes"
    {
        echo "# Texts of the exported modules of five machines, written by make lint-rtl: hash, module. make smoke lists what differs."
        module_hashes
    } >"$out/blocks"
    mv "$out/blocks" "$blocks"
    echo "lint-rtl: passed; $hashes and $blocks are those of this design"
}

for tool in verilator yosys; do
    [ "$mode" = changed ] || command -v "$tool" >/dev/null || { echo "lint-rtl: $tool is not installed; run scripts/install-tools.sh" >&2; exit 2; }
done
if [ $one = yes ]; then
    verilator=verilator-$(verilator --version | cut -d' ' -f2)
    yosys=yosys-$(yosys -V | cut -d' ' -f2)
    lint_machine "$@"
    exit
fi

# Each area has one place, and one command that measures it.
if grep -rnE '[0-9] (LUT4|CCU2C)' hdl/src; then
    echo "lint-rtl: areas belong to docs/area.md, which \`make area\` makes" >&2
    exit 1
fi
[ -n "${BUILT:-}${EXPORTER:-}" ] || cargo build --quiet --profile "$profile" -p quadlock-hdl --example export
mkdir -p "$out"
: >"$out/passed"
if [ "$mode" = changed ]; then
    echo "$machines" | while read -r name _ sets; do
        # shellcheck disable=SC2086
        export_rtl "$out/$name/rtl" quadlock $sets
    done
    changed
    exit
fi
# The tools use one processor each.
echo "$machines" | xargs -P "$(nproc)" -L 1 sh scripts/lint-rtl.sh --one "$mode" || exit 1
case $mode in
write | missing)
    # Tests of the hdl crate lint each block, and machines with other options.
    [ "$mode" = write ] || export QUADLOCK_LINT_KNOWN=1
    [ -n "${EXPORTER:-}" ] || QUADLOCK_LINT_PASSED=$(realpath "$out/passed") cargo nextest run --workspace --cargo-profile "$profile" -E 'test(/lint_clean/)' || exit 1
    write
    ;;
*) echo "lint-rtl: passed" ;;
esac
