#!/bin/sh
# The exported Verilog of the whole core through the two lints that ship with real tools:
#   verilator --lint-only -Wall   (waivers, each with its reason: scripts/lint-rtl.vlt)
#   yosys: no latch, no combinational loop, synth_ecp5, resource table (out/lint/resources.txt)
# Arguments go to the exporter, e.g. --set units=1 --set warps=2. QUADLOCK_LINT_SYNTH=0 leaves the synthesis out (latch and loop checks stay).
# Exit status 1 on the first finding; a missing tool is an error (scripts/install-tools.sh installs them).
set -eu
cd "$(dirname "$0")/.."
profile=${PROFILE:-checked}
out=out/lint
mkdir -p "$out"

for tool in verilator yosys; do
    command -v "$tool" >/dev/null || { echo "lint-rtl: $tool is not installed; run scripts/install-tools.sh" >&2; exit 1; }
done

echo "export: $out/quadlock.v"
cargo run --quiet --profile "$profile" -p quadlock-hdl --example export -- "$out/quadlock.v" "$@"

echo "verilator --lint-only -Wall"
if ! verilator --lint-only -Wall --top-module quadlock scripts/lint-rtl.vlt "$out/quadlock.v" >"$out/verilator.log" 2>&1; then
    cat "$out/verilator.log"
    exit 1
fi

echo "yosys: latches and combinational loops"
yosys -q -l "$out/loops.log" -p "
    read_verilog $out/quadlock.v
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

[ "${QUADLOCK_LINT_SYNTH:-1}" = 1 ] || exit 0
# Without flattening: each unique module is synthesised once (the core has eight lanes), and the resource table follows the hierarchy.
echo "yosys: synth_ecp5"
yosys -q -l "$out/synth.log" -p "
    read_verilog $out/quadlock.v
    synth_ecp5 -top quadlock -noflatten
    select -assert-none t:\$_DLATCH_*
    tee -o $out/resources.txt stat -top quadlock" >"$out/synth.err" 2>&1 || { tail -n 20 "$out/synth.log"; exit 1; }
sed -n '/=== design hierarchy ===/,$p' "$out/resources.txt"
echo "lint-rtl: passed"
