#!/usr/bin/env bash
# Runs the examples with the quadlock binary given as the first argument: in lockstep, then on the golden model alone. Those of dependent threads run in
# lockstep at their small size, with and without polling side by side; those whose semaphores are the job's (thread-list) have no polling form.
# Each job compares its output with an independent result; the exit status is that of the first job that fails. Of the reports it is checked that semaphores spend no
# issue slot on polling, that polling does, that operations once for the warp save transactions, and that four cores are faster than one: cycles are simulated ones, the same in every run.
set -euo pipefail
bin=${1:?usage: run-examples.sh QUADLOCK}

# A number of a report; of the N-th report of a comparison.
figure() { # FILE KEY [N]
  local values
  values=$(sed -nE "s/^ *\"$2\": ([0-9]+),?$/\1/p" "$1")
  sed -n "${3:-1}p" <<<"$values"
}
demand() { # FILE WHAT A OPERATOR B
  if ! [ "${3:-none}" "$4" "${5:-none}" ]; then
    echo "$1: $2: ${3:-none} $4 ${5:-none} does not hold" >&2
    exit 1
  fi
}

for job in edge-detect matrix-multiply mandelbrot histogram thread-list mpeg2-intra; do
  "$bin" run "examples/$job/job.toml" --out "out/check/$job" --report "out/check/$job.json"
  "$bin" run "examples/$job/job.toml" --engine golden --out "out/check/$job-golden"
done
for job in ray-trace/job ordered-z/job intra-decode/job intra-decode/job-slices wavefront/job bank/job; do
  "$bin" run "examples/$job.toml" --small --compare semaphores=polling --out "out/check/$job" --report "out/check/$job.json"
  report=out/check/$job.json
  demand "$report" "polling_slots with semaphores" "$(figure "$report" polling_slots 1)" -eq 0
  # Independent slices wait for nobody.
  if [ "$job" != intra-decode/job-slices ]; then
    demand "$report" "polling_slots with polling" "$(figure "$report" polling_slots 2)" -gt 0
  fi
  "$bin" run "examples/$job.toml" --engine golden --compare semaphores=polling --out "out/check/$job-golden"
done
# Where waiting dominates, polling takes three times the issue slots at least (4 and 5 when this was written), and half as many cycles again.
for job in wavefront/job bank/job; do
  report=out/check/$job.json
  demand "$report" "issue slots with polling, against 3 times those without" "$(figure "$report" used 2)" -ge $((3 * $(figure "$report" used 1)))
  demand "$report" "2 * cycles with polling, against 3 times those without" $((2 * $(figure "$report" cycles 2))) -ge $((3 * $(figure "$report" cycles 1)))
done
"$bin" run examples/thread-list/job.toml --small --set units=1 --set warps=4 --out out/check/thread-list-small
"$bin" run examples/mpeg2-intra/job.toml --small --out out/check/mpeg2-intra-small
# Atomics on shared words, once for the warp and per lane side by side: at least 3 of 4 transactions are saved where every lane meets every other. The histogram's lanes go to different bins
# and save nothing; the list saves where two bright pixels meet, the table with its counters only.
for job in reduction/job:40 histogram/private:40 compaction/job:25 hash-table/job:18 histogram/job:10; do
  name=${job%:*} tenths=${job#*:}
  report=out/check/wide/$name.json
  "$bin" run "examples/$name.toml" --small --compare warp-wide=off --out "out/check/wide/$name" --report "$report"
  once=$(figure "$report" atomic_transactions 1) per_lane=$(figure "$report" atomic_transactions 2)
  demand "$report" "atomic_transactions per lane, against $tenths/10 of those once for the warp" $((10 * ${per_lane:?none})) -ge $((tenths * ${once:?none}))
  "$bin" run "examples/$name.toml" --engine golden --out "out/check/wide/$name-golden"
done
for option in representative scalar; do
  "$bin" run examples/hash-table/job.toml --small --set warp-wide=$option --set warp-wide-result=shared --out "out/check/wide/hash-table-$option"
done
# All six combinations of options (WW-36): a quarter of the transactions that the reduction has per lane, for each the same; the warp's lock goes from warp to warp; the jobs of the cross-check.
per_lane=$(figure out/check/wide/reduction/job.json atomic_transactions 2)
for option in {representative,collective,scalar}/{per-lane,shared}; do
  run() { # NAME JOB
    report=out/check/wide/$option/$1.json
    "$bin" run "$2" --small --set "warp-wide=${option%/*}" --set "warp-wide-result=${option#*/}" --out "out/check/wide/$option/$1" --report "$report"
  }
  run reduction examples/reduction/job.toml
  once=$(figure "$report" atomic_transactions)
  demand "$report" "4 * atomic_transactions against those per lane" $((4 * ${once:?none})) -eq "$per_lane"
  run warp-lock examples/warp-lock/warp-wide.toml
  demand "$report" "lock_handovers" "$(figure "$report" lock_handovers)" -gt 0
  run crosscheck cosim/harness/jobs/wide.toml
  run late cosim/harness/jobs/late.toml
done
# The lock per lane is a deadlock: verdict HANG, exit status 1, in lockstep and on the model alone. The others end.
for job in warp-wide reordered; do
  "$bin" run examples/warp-lock/$job.toml --small --out out/check/warp-lock-$job
done
for engine in lockstep golden; do
  status=0
  "$bin" run examples/warp-lock/per-lane.toml --small --engine $engine --out out/check/warp-lock --report out/check/warp-lock.json >out/check/warp-lock.txt || status=$?
  demand out/check/warp-lock.json "exit status on $engine" "$status" -eq 1
  grep -q '"verdict": "hang"' out/check/warp-lock.json
done
# Three rows; a machine on which only owners release.
"$bin" run examples/intra-decode/job.toml --small --set rows=3 --set cores=2 --set units=1 --out out/check/intra-decode-3x2
"$bin" run examples/ordered-z/job.toml --small --set semaphore-release=owner --out out/check/ordered-z-owner
# Cores of one unit each: four need at most 1/2.5 of the cycles of one (1/3.1 when this was written; the small picture does not fill four cores to its end).
for cores in 1 2; do
  "$bin" run examples/ray-trace/job.toml --small --set rows=$cores --set cores=$cores --set units=1 \
    --out "out/check/ray-trace-$cores" --report "out/check/ray-trace-$cores.json"
done
one=$(figure out/check/ray-trace-1.json cycles) four=$(figure out/check/ray-trace-2.json cycles)
demand out/check/ray-trace-2.json "25 * cycles against 10 * those of one core" $((25 * ${four:?no cycles})) -le $((10 * ${one:?no cycles}))
