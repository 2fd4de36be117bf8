#!/usr/bin/env python3
"""Makes folders of public shaders for `quadlock shader-check` and `scripts/shader-share.py`.

Nothing of it is copied into the project. The shaders are read from packages, versions pinned: Debian's
sources (apt-get), PyPI (pip) and crates (cargo), through these clients as they are set up. Modules that
`spirv-val` refuses are dropped and counted. The folder gets:

  spirv/glslang      the GLSL of glslang's and SPIRV-Cross's tests, by glslangValidator
  spirv/asm          SPIRV-Cross's assembly and the modules of SPIRV-Tools, by spirv-as: of many compilers
  spirv/slang        the GLSL and HLSL of the same, by slangc
  spirv/naga         the WGSL of crates, by naga
  spirv/packages     modules that packages carry: rust-gpu's, naga's, glslc's
  glsl, wgsl         texts as they are
  wgsl-made          WGSL that slangc writes from GLSL, and naga from spirv/asm

Wrong would be a corpus that shrinks unseen: the number of each folder is printed, and a package or tool
that is missing is an error. Wanted: glslang-tools, spirv-tools, dpkg-dev; naga (crate naga-cli).
"""

import argparse
import array
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

DEBIAN = {"glslang": "12.0.0-2", "spirv-cross": "2021.01.15+1.3.239.0-1", "spirv-tools": "2023.1-2"}
PYPI = {"slangtorch": "1.3.22", "grilly": "0.3.0.20260207103851"}
CRATES = {
    "blade-render": "0.6.0", "bevy_egui": "0.38.0", "comfy-wgpu": "0.4.0", "egui-wgpu": "0.37.0", "fj-viewer": "0.49.0",
    "forma-render": "0.1.3", "ggez": "0.10.0", "glyphon": "0.12.0", "iced_wgpu": "0.14.0", "inox2d-wgpu": "0.1.0",
    "kiss3d": "0.47.0", "librashader-runtime-vk": "0.12.1", "naga_oil": "0.23.0", "nannou_wgpu": "0.20.0",
    "pixels": "0.17.2", "re_renderer": "0.36.3", "rend3-routine": "0.3.0", "renderling": "0.4.9", "three-d": "0.19.0",
    "vello_shaders": "0.11.0", "vger": "0.4.0", "vulkano-shaders": "0.35.0", "wgpu_glyph": "0.28.0",
    "wgpu_sort": "0.1.0", "wgpu_text": "30.0.1", "wonnx": "0.5.1",
}
TOOLS = ["glslangValidator", "spirv-as", "spirv-val", "naga", "apt-get", "cargo"]
STAGES = {".comp": "compute", ".vert": "vertex", ".frag": "fragment"}
HLSL_ENTRIES = ["main", "PixelShaderFunction", "VertexShaderFunction"]


def run(*command, cwd=None, seconds=30):
    """Whether a program ends well in time."""
    try:
        return subprocess.run(command, cwd=cwd, capture_output=True, timeout=seconds, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def must(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"shader-corpora: {' '.join(command)} ended with {done.returncode}\n{done.stderr[-2000:]}")


def debian(sources):
    """Debian's sources. The machine's own list of packages is read for its sources, in a list of ours."""
    lists = sources / "apt"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    text = ""
    for file in sorted(pathlib.Path("/etc/apt").rglob("*.sources")):
        text += re.sub(r"^Types:.*$", "Types: deb-src", file.read_text(), flags=re.M) + "\n"
    own = sources / "deb.sources"
    own.write_text(text)
    options = ["-o", f"Dir::Etc::sourcelist={own}", "-o", "Dir::Etc::sourceparts=/dev/null", "-o", f"Dir::State::lists={lists}"]
    for name, version in DEBIAN.items():
        folder = sources / f"{name}_{version}"
        if folder.exists():
            continue
        if not any(lists.glob("*Sources*")):
            must("apt-get", *options, "update")
        loading = sources / "loading"
        shutil.rmtree(loading, ignore_errors=True)
        loading.mkdir()
        must("apt-get", *options, "source", "--download-only", "-y", f"{name}={version}", cwd=loading)
        with tarfile.open(next(loading.glob("*.orig.tar.*"))) as archive:
            archive.extractall(loading, filter="data")
        loading.rename(folder)


def pypi(sources):
    for name, version in PYPI.items():
        folder = sources / f"{name}_{version}"
        if folder.exists():
            continue
        loading = sources / "loading"
        shutil.rmtree(loading, ignore_errors=True)
        must(sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "-d", str(loading), f"{name}=={version}")
        with zipfile.ZipFile(next(loading.glob("*.whl"))) as archive:
            archive.extractall(loading)
        loading.rename(folder)


def crates(sources):
    """`cargo info` loads one crate and nothing that it depends on."""
    registry = pathlib.Path.home() / ".cargo" / "registry" / "src"
    for name, version in CRATES.items():
        folder = sources / f"{name}_{version}"
        if folder.exists():
            continue
        must("cargo", "info", "--registry", "crates-io", f"{name}@{version}", cwd=sources)
        found = next(registry.glob(f"*/{name}-{version}"), None)
        if not found:
            sys.exit(f"shader-corpora: cargo has no {name} {version} in {registry}")
        shutil.copytree(found, folder)


def files(sources, names, *endings):
    """Files of packages, with a name of their own for the corpus."""
    for name in names:
        folder = next(sources.glob(f"{name}_*"))
        for path in sorted(folder.rglob("*")):
            # SPIRV-Cross keeps what it writes itself in `reference`.
            if path.is_file() and path.suffix.lower() in endings and "reference" not in path.parts:
                yield path, f"{name}_{'_'.join(path.relative_to(folder).parts[1 if name in DEBIAN else 0:])}"


def glsl_of(path):
    """Not HLSL and not assembly, which these projects name alike."""
    return not path.name.startswith("hlsl.") and ".asm." not in path.name


def without_source(path):
    """Debian's SPIRV-Tools do not know Slang's number in OpSource: it becomes 0, unknown."""
    words = array.array("I", path.read_bytes())
    at = 5
    while at < len(words):
        if words[at] & 0xFFFF == 3:
            words[at + 1] = 0
        at += max(words[at] >> 16, 1)
    path.write_bytes(words.tobytes())
    return True


class Corpus:
    """The folder that is being made."""

    def __init__(self, folder, jobs):
        self.folder, self.jobs, self.sources = folder, jobs, folder / "sources"

    def make(self, name, ending, work):
        """`work` is a list of (a name, what writes the file of that path and says whether it did)."""
        into = self.folder / name
        into.mkdir(parents=True, exist_ok=True)

        def one(item):
            path = into / (item[0] + ending)
            if path.exists():
                return 1
            if item[1](path) and path.exists():
                if ending != ".spv" or self.valid(path):
                    return 1
                path.unlink()
                return -1
            path.unlink(missing_ok=True)
            return 0

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            done = list(pool.map(one, work))
        print(f"{name:16} {done.count(1):5} of {len(done)} ({done.count(-1)} not valid)", flush=True)

    @staticmethod
    def valid(path):
        return any(run("spirv-val", "--target-env", f"vulkan1.{n}", str(path)) for n in (0, 1, 2, 3))

    def texts(self, names, *endings):
        return [(p, n) for p, n in files(self.sources, names, *endings) if glsl_of(p)]

    def fill(self):
        khronos, stages = ["glslang", "spirv-cross"], tuple(STAGES)
        glsl = self.texts(khronos + ["three-d", "rend3-routine"], *stages)
        for path, name in glsl:
            (self.folder / "glsl").mkdir(exist_ok=True)
            shutil.copyfile(path, self.folder / "glsl" / name)
        for path, name in files(self.sources, ["grilly"], ".glsl"):
            shutil.copyfile(path, self.folder / "glsl" / name.replace(".glsl", ".comp"))
        print(f"{'glsl':16} {len(list((self.folder / 'glsl').iterdir())):5}")
        (self.folder / "wgsl").mkdir(exist_ok=True)
        wgsl = list(files(self.sources, CRATES, ".wgsl"))
        for path, name in wgsl:
            shutil.copyfile(path, self.folder / "wgsl" / name)
        print(f"{'wgsl':16} {len(wgsl):5}")
        command = ["glslangValidator", "-V", "--target-env", "vulkan1.2", "--quiet"]
        self.make("spirv/glslang", ".spv", [(n, lambda o, p=p: run(*command, str(p), "-o", str(o))) for p, n in glsl])
        asm = [(p, n) for p, n in files(self.sources, ["spirv-cross"], *stages) if ".asm." in p.name]
        asm += list(files(self.sources, ["spirv-tools"], ".spvasm"))

        def assemble(path, out):
            # The text does not say its version, and 1.4 has rules that older texts break.
            environments = (f"vulkan1.{n}" for n in (0, 1, 2, 3))
            return any(
                run("spirv-as", "--target-env", env, str(path), "-o", str(out)) and run("spirv-val", "--target-env", env, str(out))
                for env in environments
            )

        self.make("spirv/asm", ".spv", [(n, lambda o, p=p: assemble(p, o)) for p, n in asm])
        modules = list(files(self.sources, [*CRATES, "grilly", "spirv-tools"], ".spv"))
        self.make("spirv/packages", ".spv", [(n, lambda o, p=p: bool(shutil.copyfile(p, o))) for p, n in modules])
        # The others are parts that their packages put together.
        whole = [(p, n) for p, n in wgsl if re.search(rb"@\s*(compute|vertex|fragment)\b", p.read_bytes())]
        self.make("spirv/naga", ".spv", [(n, lambda o, p=p: run("naga", str(p), str(o))) for p, n in whole])
        # What glslang refuses, slangc refuses too.
        self.slang([(p, n) for p, n in glsl if (self.folder / "spirv" / "glslang" / f"{n}.spv").exists()])
        made = sorted((self.folder / "spirv" / "asm").glob("*.spv"))
        self.make("wgsl-made", ".wgsl", [(f"naga_{p.stem}", lambda o, p=p: run("naga", str(p), str(o))) for p in made])

    def slang(self, glsl):
        slangc = next(self.sources.glob("slangtorch_*")) / "slangtorch" / "bin" / "slangc"
        slangc.chmod(0o755)

        def by(path, out, target, *options):
            # Its optimiser is in another library, which the package lacks.
            stage = ["-stage", STAGES[path.suffix]]
            command = [str(slangc), "-O0", "-emit-spirv-directly", *options, *stage, "-target", target]
            return run(*command, str(path), "-o", str(out)) and (target != "spirv" or without_source(out))

        hlsl = [(p, n) for p, n in files(self.sources, ["glslang"], *STAGES) if p.name.startswith("hlsl.")]
        work = [(n, lambda o, p=p: by(p, o, "spirv", "-lang", "glsl", "-entry", "main")) for p, n in glsl]
        work += [
            (n, lambda o, p=p: any(by(p, o, "spirv", "-lang", "hlsl", "-entry", e) for e in HLSL_ENTRIES)) for p, n in hlsl
        ]
        self.make("spirv/slang", ".spv", work)
        work = [(f"slang_{n}", lambda o, p=p: by(p, o, "wgsl", "-lang", "glsl", "-entry", "main")) for p, n in glsl]
        self.make("wgsl-made", ".wgsl", work)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="where the corpus is made; what is there already is kept")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        sys.exit(f"shader-corpora: missing: {', '.join(missing)}")
    corpus = Corpus(args.folder.resolve(), args.jobs)
    corpus.sources.mkdir(parents=True, exist_ok=True)
    debian(corpus.sources)
    pypi(corpus.sources)
    crates(corpus.sources)
    corpus.fill()


if __name__ == "__main__":
    main()
