#!/usr/bin/env bash
# Prints the table of areas of docs/verification.md: yosys synth_ecp5 of a small machine without trace ports, hierarchy kept, on every execution and result option of warp-wide operations, with the
# LUTs of the blocks that the options concern. The first argument is the quadlock binary, those behind it go to every export (`--set warps=8`). Differences are against `off`.
# With the hierarchy kept a module is synthesised by itself, so a module that options share is synthesised once: all options are one design, in which the name of a module has a checksum of its text
# behind it. It fails with the first export or with the synthesis; the log is out/area/yosys.log.
set -euo pipefail
bin=${1:?usage: warp-wide-area.sh QUADLOCK [ARGUMENTS OF quadlock export]}
shift
out=out/area
command -v yosys >/dev/null || { echo "warp-wide-area: yosys is not installed; run scripts/install-tools.sh" >&2; exit 1; }
rm -rf "$out"
mkdir -p "$out/modules"
options=(off/per-lane {representative,collective,scalar}/{per-lane,shared})

# distinct FOLDER: its modules under their new names in out/area/modules; FOLDER/names has both names of each.
distinct() {
  local file name text new names=""
  while read -r file; do
    name=${file%.v}
    text=$(sed '/^\/\//d' "$1/$file" | sed -E "$names")
    new=${name}__$(md5sum <<<"$text" | cut -c 1-8)
    sed "s/^module $name(/module $new(/" <<<"$text" >"$out/modules/$new.v"
    names+="s/^( +)$name ([A-Za-z0-9_]+\()/\1$new \2/;"
    echo "$name $new"
  done <"$1/files.f" >"$1/names"
}
# blocks OPTION: what the table has a column for, and its module. The pipeline is that of the core: shared storage has another, which does without warp-wide operations.
blocks() {
  local lsa
  lsa=$(sed -nE 's/^ *(lsa[_0-9]*) lsa\(.*/\1/p' "$out/$1/core.v")
  awk -v lsa="${lsa:?no lsa in core.v}" '$1 == lsa { print "lsa", $2 } $1 ~ /^(quadlock|scalar_unit|shared_result|warp_unit)$/ { print $1, $2 }' "$out/$1/names"
}
# count STAT TYPE...: cells of these types below the top of a `stat -top`; without a type all cells.
count() {
  awk -v types=" ${*:2} " '/=== design hierarchy ===/ { found = 1 }
    found && (types == "  " ? /Number of cells:/ : index(types, " " $1 " ")) { n += $NF }
    END { print n + 0 }' "$1"
}

instances="" stats=""
for option in "${options[@]}"; do
  "$bin" export --set units=1 --set warps=4 --set trace=off "$@" --set "warp-wide=${option%/*}" --set "warp-wide-result=${option#*/}" --out "$out/$option" >/dev/null
  distinct "$out/$option"
  while read -r block module; do
    stats+="tee -q -o $out/$option/$block.txt stat -top $module; "
    [ "$block" != quadlock ] || instances+="(* keep *) $module ${option//[\/-]/_}();"
  done < <(blocks "$option")
done
echo "module options(); $instances endmodule" >"$out/options.v"
yosys -q -l "$out/yosys.log" -p "read_verilog $out/options.v $out/modules/*.v; synth_ecp5 -top options -noflatten; $stats" >"$out/yosys.err" 2>&1 || { tail -n 20 "$out/yosys.log" >&2; exit 1; }

echo "| warp-wide | result | LUT4 | flip-flops | carry (CCU2C) | DP16KD | TRELLIS_DPR16X4 | cells | LUT4 against off | cells against off | LUT4 of lsa | scalar_unit | shared_result | warp_unit |"
echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
for option in "${options[@]}"; do
  of() { count "$out/$option/quadlock.txt" "$@"; }
  luts_of() { if [ -f "$out/$option/$1.txt" ]; then count "$out/$option/$1.txt" LUT4; else echo ""; fi; }
  luts=$(of LUT4) cells=$(of)
  [ "$luts" -gt 0 ] || { echo "warp-wide-area: no LUTs in $out/$option/quadlock.txt" >&2; exit 1; }
  : "${luts_off:=$luts}" "${cells_off:=$cells}"
  change=$(printf '%+d | %+d' $((luts - luts_off)) $((cells - cells_off)))
  echo "| ${option%/*} | ${option#*/} | $luts | $(of TRELLIS_FF) | $(of CCU2C) | $(of DP16KD) | $(of TRELLIS_DPR16X4) | $cells | $change |" \
    "$(luts_of lsa) | $(luts_of scalar_unit) | $(luts_of shared_result) | $(luts_of warp_unit) |"
done | sed -E ':a; s/([0-9])([0-9]{3})($|[^0-9])/\1,\2\3/; ta; s/\+0 /0 /g'
