#!/usr/bin/env bash
# Runs the examples with the quadlock binary given as the first argument: in lockstep, then on the golden model alone. Those of dependent threads run in
# lockstep at their small size, with and without polling side by side.
# Each job compares its output with an independent result; the exit status is that of the first job that fails.
set -euo pipefail
bin=${1:?usage: run-examples.sh QUADLOCK}
for job in edge-detect matrix-multiply mandelbrot histogram; do
  "$bin" run "examples/$job/job.toml" --out "out/check/$job" --report "out/check/$job.json"
  "$bin" run "examples/$job/job.toml" --engine golden --out "out/check/$job-golden"
done
for job in ray-trace/job ordered-z/job intra-decode/job intra-decode/job-slices; do
  "$bin" run "examples/$job.toml" --small --compare semaphores=polling --out "out/check/$job" --report "out/check/$job.json"
  "$bin" run "examples/$job.toml" --engine golden --compare semaphores=polling --out "out/check/$job-golden"
done
