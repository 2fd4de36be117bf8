#!/usr/bin/env bash
# Prints the table of docs/verification.md: the workloads of atomics on shared words in lockstep, on every execution and result option of warp-wide operations. The first argument is the quadlock
# binary, those behind it go to every run (`--small`). It fails with the first run that does.
set -euo pipefail
bin=${1:?usage: warp-wide-table.sh QUADLOCK [ARGUMENTS OF quadlock run]}
shift
out=out/warp-wide
mkdir -p "$out"
echo "| job | warp-wide | result | atomic transactions | cycles | memory transactions |"
echo "|---|---|---|---|---|---|"
for job in ${JOBS:-reduction/job histogram/private compaction/job hash-table/job histogram/job}; do
  for option in off/per-lane {representative,collective,scalar}/{per-lane,shared}; do
    report=$out/report.json
    "$bin" run "examples/$job.toml" "$@" --set "warp-wide=${option%/*}" --set "warp-wide-result=${option#*/}" --out "$out/job" --report "$report" >"$out/text" ||
      { cat "$out/text"; exit 1; }
    figure() { sed -nE "s/^ *\"$1\": ([0-9]+),?$/\1/p" "$report" | head -1; }
    memory=$(sed -nE '/"memory_transactions"/,/}/s/^ *"total": ([0-9]+),?$/\1/p' "$report")
    echo "| $job | ${option%/*} | ${option#*/} | $(figure atomic_transactions) | $(figure cycles) | $memory |"
  done
done
