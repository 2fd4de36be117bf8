#!/usr/bin/env bash
# Makes the streams of examples/mpeg2-intra and the pictures that ffmpeg decodes from them. Neither is made by this
# repository: encoder and reference decoder are ffmpeg's (the files in git: version 9.0.2). Needed only to make them
# anew; another version may code the photograph differently. FFMPEG names another binary.
set -euo pipefail
cd "$(dirname "$0")/.."
ffmpeg=${FFMPEG:-ffmpeg}
folder=examples/mpeg2-intra

# NAME CROP OPTIONS: one intra picture, 4:2:0, slices of about `ps` bytes (1: a slice for each macroblock).
make() {
  local name=$1 crop=$2
  shift 2
  "$ffmpeg" -v error -y -i examples/histogram/photo.png -vf "crop=$crop,format=yuv420p" -frames:v 1 \
    -c:v mpeg2video "$@" -bitexact -f mpeg2video "$folder/$name.m2v"
  # The sequence end code, and zeros for a decoder that looks ahead.
  printf '\0\0\1\xb7\0\0\0\0\0\0\0\0' >>"$folder/$name.m2v"
  truncate -s %4 "$folder/$name.m2v"
  "$ffmpeg" -v error -y -i "$folder/$name.m2v" -frames:v 1 -f rawvideo -pix_fmt yuv420p "$folder/ffmpeg-$name.yuv"
}

# Table B-15, DC in 9 bits, quantiser scale that changes between macroblocks.
make full 96:64:16:16 -intra_vlc 1 -dc 9 -b:v 600k -scplx_mask 0.5 -qmin 2 -qmax 20 -ps 100
# Table B-14, DC in 8 bits.
make small 32:32:40:24 -intra_vlc 0 -dc 8 -qscale:v 2 -ps 1
