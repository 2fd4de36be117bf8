#!/usr/bin/env bash
# Runs the four examples with the quadlock binary given as the first argument: in lockstep at the small size and on the golden model at the full size.
# Each job compares its output with an independent result; the exit status is that of the first job that fails.
set -euo pipefail
bin=${1:?usage: run-examples.sh QUADLOCK}
for job in edge-detect matrix-multiply mandelbrot histogram; do
  "$bin" run "examples/$job/job.toml" --engine golden --full
done
# Two jobs at a time: the RTL engine of this release is single-threaded.
printf '%s\n' edge-detect mandelbrot matrix-multiply histogram |
  xargs -P 2 -I{} sh -c '"$0" run "examples/{}/job.toml" --out "out/check/{}" --report "out/check/{}.json" > "out/check-{}.log" 2>&1 || { cat "out/check-{}.log"; exit 255; }' "$bin"
for job in edge-detect matrix-multiply mandelbrot histogram; do cat "out/check-$job.log"; done
