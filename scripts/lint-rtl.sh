#!/bin/sh
# The exported Verilog through the lints that ship with real tools:
#   verilator --lint-only -Wall   the whole core (waivers, each with its reason: scripts/lint-rtl.vlt)
#   yosys                         no latch, no combinational loop; synth_ecp5 -nowidelut of the whole core with a resource table (out/lint/resources.txt);
#                                 synth_ice40 of the blocks that fit an iCE40 HX8K (out/lint/ice40.txt)
# Arguments go to the exporter, e.g. --set units=1 --set warps=2. QUADLOCK_LINT_SYNTH=0 leaves the synthesis out (latch and loop checks stay).
# QUADLOCK_LINT_OUT is the folder of its files (out/lint).
# Exit status 1 on the first finding; a missing tool is an error (scripts/install-tools.sh installs them).
set -eu
cd "$(dirname "$0")/.."
profile=${PROFILE:-checked}
out=${QUADLOCK_LINT_OUT:-out/lint}
mkdir -p "$out"

# Blocks small enough for 7,680 LUTs, and the LUTs that there are.
ice40_blocks="warp_scheduler unit_arbiter memory_arbiter grid_walker row_controller message_bus decoder integer_alu float_round"
ice40_luts=7680

for tool in verilator yosys; do
    command -v "$tool" >/dev/null || { echo "lint-rtl: $tool is not installed; run scripts/install-tools.sh" >&2; exit 1; }
done

# BUILT: the caller has built it.
[ -n "${BUILT:-}" ] || cargo build --quiet --profile "$profile" -p quadlock-hdl --example export

# export TOP FOLDER [ARGUMENT...]: the exporter of the hdl crate, which builds without the rest.
export_rtl() {
    top=$1
    folder=$2
    shift 2
    "target/$profile/examples/export" "$folder" --top "$top" "$@"
}

# sources FOLDER: the files of an export, as one line for yosys.
sources() {
    sed "s|^|$1/|" "$1/files.f" | tr '\n' ' '
}

# Each area has one place, and one command that measures it.
if grep -rnE '[0-9] (LUT4|CCU2C)' hdl/src; then
    echo "lint-rtl: areas belong to docs/area.md, which \`make area\` makes" >&2
    exit 1
fi

echo "export: $out/rtl"
export_rtl quadlock "$out/rtl" "$@"

echo "verilator --lint-only -Wall"
if ! verilator --lint-only -Wall --top-module quadlock scripts/lint-rtl.vlt -F "$out/rtl/files.f" >"$out/verilator.log" 2>&1; then
    cat "$out/verilator.log"
    exit 1
fi

echo "yosys: latches and combinational loops"
yosys -q -l "$out/loops.log" -p "
    read_verilog $(sources "$out/rtl")
    hierarchy -check -top quadlock
    proc
    select -assert-none t:\$dlatch t:\$dlatchsr
    flatten
    opt_clean
    check -assert" >"$out/loops.err" 2>&1 || { tail -n 20 "$out/loops.log"; exit 1; }
if grep -q "Latch inferred" "$out/loops.log"; then
    grep "Latch inferred" "$out/loops.log"
    exit 1
fi

[ "${QUADLOCK_LINT_SYNTH:-1}" = 1 ] || { echo "lint-rtl: passed without synthesis"; exit 0; }
# -nowidelut: else functions of five to seven inputs take 2 to 8 LUT4 each, and the table twice as many. Without flattening: each unique module is synthesised once (the core has eight lanes), and the resource table follows the hierarchy.
echo "yosys: synth_ecp5 -nowidelut"
yosys -q -l "$out/synth.log" -p "
    read_verilog $(sources "$out/rtl")
    synth_ecp5 -nowidelut -noflatten -top quadlock
    select -assert-none t:\$_DLATCH_* t:PFUMX t:L6MUX21
    tee -o $out/resources.txt stat -top quadlock" >"$out/synth.err" 2>&1 || { tail -n 20 "$out/synth.log"; exit 1; }
sed -n '/=== design hierarchy ===/,$p' "$out/resources.txt"

echo "yosys: synth_ice40"
: >"$out/ice40.txt"
for block in $ice40_blocks; do
    export_rtl "$block" "$out/ice40-$block" "$@"
    yosys -q -l "$out/ice40.log" -p "
        read_verilog $(sources "$out/ice40-$block")
        synth_ice40 -top $block
        select -assert-none t:\$_DLATCH_*
        tee -o $out/ice40-stat.txt stat -top $block" >"$out/ice40.err" 2>&1 || { tail -n 20 "$out/ice40.log"; exit 1; }
    luts=$(awk '$1 == "SB_LUT4" { n = $2 } END { print n + 0 }' "$out/ice40-stat.txt")
    printf '%-20s%6d LUTs\n' "$block" "$luts" | tee -a "$out/ice40.txt"
    if [ "$luts" -gt "$ice40_luts" ]; then
        echo "lint-rtl: $block does not fit an iCE40 HX8K ($ice40_luts LUTs)" >&2
        exit 1
    fi
done
echo "lint-rtl: passed"
