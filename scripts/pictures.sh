#!/usr/bin/env bash
# Makes the pictures of waves in docs, each from a fresh run, in GTKWave on a virtual screen, and docs/pictures.json, which says of what tree they are and which
# signals they show. A test compares those names with the design. Makes the reference traces in traces/ too. Usage: scripts/pictures.sh BINARY [NAME ...]; without
# names, all of them; `traces` is the name of the traces, which alone need nothing but the binary.
# Needs gtkwave, Xvfb and ImageMagick (Debian: gtkwave xvfb imagemagick). It can be wrong by taking a picture before GTKWave has drawn it all: it waits until two
# pictures in a row are equal. Look at what it made.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=${1:?usage: scripts/pictures.sh BINARY [NAME ...]}
shift
out=out/pictures
mkdir -p "$out"

# The reference traces: cycles 3000 to 3060 of a small machine. They are made apart and then take the place of the old ones, so that names which are gone go too.
traces() {
  local fresh=$out/traces job=(examples/mandelbrot/job.toml --set warps=2 --set semaphores=16 --set semaphore-pool=16 --from 3000 --to 3060)
  rm -rf "$fresh"
  mkdir -p "$fresh"
  # A text that can be read: events and one operand stage.
  "$binary" run "${job[@]}" --out "$fresh/run" --vcd "$fresh/mandelbrot.vcd" --scope quadlock.events --scope quadlock.cores_0.units_0.operands >"$out/traces.txt"
  # Every scope; its view and names replace those of the first.
  "$binary" run "${job[@]}" --out "$fresh/run" --fst "$fresh/mandelbrot.fst" >>"$out/traces.txt"
  rm -rf "$fresh/run"
  find traces -type f ! -name README.md -delete
  cp -R "$fresh/." traces/
  echo traces
}

if [ "$#" = 0 ] || [[ " $* " == *" traces "* ]]; then
  traces
  [ "$*" != traces ] || exit 0
fi
for tool in gtkwave Xvfb import convert; do
  command -v "$tool" >/dev/null || { echo "missing: $tool; apt-get install gtkwave xvfb imagemagick" >&2; exit 2; }
done

# Name, height of the picture in pixels, job with its options.
pictures=(
  "waves 560 examples/mandelbrot/job.toml --from 3000 --to 3060"
  "semaphores 760 examples/ordered-z/job.toml --small --from 20000 --to 32000"
  "warp-wide 620 examples/warp-lock/warp-wide.toml --small --from 300 --to 1500"
  "first-debug 560 examples/mandelbrot/job.toml --small --set fault=rtl:branch-mask"
)
width=1600

screen=$(mktemp)
Xvfb -displayfd 3 -screen 0 ${width}x900x24 3>"$screen" >/dev/null 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null; rm -f "$screen"' EXIT
for _ in $(seq 50); do
  [ -s "$screen" ] && break
  sleep 0.2
done
DISPLAY=:$(cat "$screen")
export DISPLAY

# The picture of a view, when it does not change any more.
shoot() {
  gtkwave --nomenus --rcvar 'hide_sst on' --rcvar 'splash_disable on' "$1" >"$out/gtkwave.log" 2>&1 &
  local viewer=$! before="" now=""
  for _ in $(seq 60); do
    sleep 1
    import -window root "$out/shot.png"
    now=$(convert "$out/shot.png" rgba:- | sha256sum)
    [ "$(convert "$out/shot.png" -format %k info:)" -gt 20 ] && [ "$now" = "$before" ] && break
    before=$now
  done
  kill "$viewer" 2>/dev/null || true
  wait "$viewer" 2>/dev/null || true
  convert "$out/shot.png" -crop "${width}x$3+0+0" +repage -colors 64 -strip -define png:exclude-chunks=date,time "$2"
}

# Paths of the rows that a picture can show: those in open groups, to the height of the window.
rows() {
  awk '/^@c00200$/ { closed++ } /^@14[0-9a-f]*200$/ { closed-- } !closed' "$1" |
    sed -nE 's/^(\+\{[^}]*\} |#\{[^}]*\} \([0-9]+\))?(quadlock\.[^[ ]*).*/\2/p' | awk '!seen[$0]++' | head -40
}

entry() {
  printf '    {\n      "file": "docs/%s.png",\n      "run": "quadlock run %s",\n      "bytes": %s,\n      "signals": [\n' \
    "$1" "$2" "$(stat -c %s "docs/$1.png")"
  rows "$out/$1/$1.gtkw" | sed 's/.*/        "&"/' | sed '$!s/$/,/'
  printf '      ]\n    }'
}

for picture in "${pictures[@]}"; do
  read -r name height job <<<"$picture"
  if [ "$#" = 0 ] || [[ " $* " == *" $name "* ]]; then
    mkdir -p "$out/$name"
    # shellcheck disable=SC2086 # options are words
    case $job in
      *fault=*)
        # A planted bug: the status is 1, and the view is the one that the failure leaves.
        "$binary" run $job --out "$out/$name" >"$out/$name/report.txt" && exit 1
        mv "$out/$name/failure.gtkw" "$out/$name/$name.gtkw"
        ;;
      *) "$binary" run $job --fst "$out/$name/$name.fst" --out "$out/$name" >"$out/$name/report.txt" ;;
    esac
    shoot "$out/$name/$name.gtkw" "docs/$name.png" "$height"
    entry "$name" "$job" >"$out/$name/entry.json"
    echo "docs/$name.png"
  fi
done

{
  printf '{\n  "tree": {\n    "date": "%s",\n    "hdl": "%s",\n    "views": "%s",\n    "gtkwave": "%s"\n  },\n  "pictures": [\n' \
    "$(git log -1 --format=%cs)" "$(git rev-parse --short=12 HEAD:hdl)" \
    "$(git rev-parse --short=12 HEAD:cosim/harness/src/observe/gtkw)" "$(gtkwave --version 2>/dev/null | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -1)"
  first=yes
  for picture in "${pictures[@]}"; do
    [ "$first" = yes ] || printf ',\n'
    cat "$out/${picture%% *}/entry.json"
    first=no
  done
  printf '\n  ]\n}\n'
} >docs/pictures.json
