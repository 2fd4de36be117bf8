#!/usr/bin/env bash
# Installs the tools that the checks compare against: cargo-nextest (test runner), and the peers Verilator, Icarus Verilog and yosys.
# The product itself needs cargo and nothing else. It can be wrong by taking an old version for granted: each version is printed.
# Needs: cargo, and for the peers either the tools already on PATH or a Debian-like system where apt-get may be used (root or sudo).
set -euo pipefail

have() { command -v "$1" >/dev/null 2>&1; }

if ! cargo nextest --version >/dev/null 2>&1; then
  echo "installing cargo-nextest"
  cargo install cargo-nextest --locked
fi

missing=()
have verilator || missing+=(verilator)
have iverilog || missing+=(iverilog)
have yosys || missing+=(yosys)
have g++ || missing+=(g++)
if [ "${#missing[@]}" -gt 0 ]; then
  sudo=""
  [ "$(id -u)" = 0 ] || sudo="sudo"
  if ! have apt-get; then
    echo "missing: ${missing[*]}; install them with your system's package manager and run this again" >&2
    exit 1
  fi
  echo "installing: ${missing[*]}"
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

echo "cargo-nextest $(cargo nextest --version | head -1 | cut -d' ' -f2)"
echo "verilator     $(verilator --version | cut -d' ' -f2)"
echo "iverilog      $(iverilog -V 2>/dev/null | head -1 | cut -d' ' -f4)"
echo "yosys         $(yosys -V | cut -d' ' -f2)"
