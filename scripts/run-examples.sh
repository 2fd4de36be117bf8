#!/usr/bin/env bash
# Runs the four examples with the quadlock binary given as the first argument: in lockstep, then on the golden model alone.
# Each job compares its output with an independent result; the exit status is that of the first job that fails.
set -euo pipefail
bin=${1:?usage: run-examples.sh QUADLOCK}
for job in edge-detect matrix-multiply mandelbrot histogram; do
  "$bin" run "examples/$job/job.toml" --out "out/check/$job" --report "out/check/$job.json"
  "$bin" run "examples/$job/job.toml" --engine golden --out "out/check/$job-golden"
done
