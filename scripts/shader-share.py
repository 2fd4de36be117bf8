#!/usr/bin/env python3
"""The share of public shaders that the compiler takes, of those that the machine could run.

A SPIR-V module is left out of the count only by what `spirv-dis` prints of it: a capability that the
machine does not have, a type of another width, or an image instruction that is reachable from an entry
point. A text is left out if the reference compiler of its language refuses it (glslangValidator, tint or
naga), or if it was made into SPIR-V by that compiler and the module is left out. What is left out is
printed by cause. The others are given to `quadlock shader-check`; every refusal is printed by reason.

Wrong would be to leave out a shader because the compiler refuses it: this script decides before it asks.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Capabilities of SPIR-V that the machine can do, or that say only how images are used: images are left
# out by their instructions. A module that declares another one is left out.
CAPABILITIES = set(
    """Matrix Shader Linkage
    Int8 Int16 Int64 Int64Atomics
    StorageBuffer8BitAccess UniformAndStorageBuffer8BitAccess StoragePushConstant8
    StorageBuffer16BitAccess UniformAndStorageBuffer16BitAccess StoragePushConstant16 StorageInputOutput16
    WorkgroupMemoryExplicitLayoutKHR WorkgroupMemoryExplicitLayout8BitAccessKHR WorkgroupMemoryExplicitLayout16BitAccessKHR
    VariablePointers VariablePointersStorageBuffer VulkanMemoryModel VulkanMemoryModelDeviceScope
    GroupNonUniform GroupNonUniformVote GroupNonUniformArithmetic GroupNonUniformBallot GroupNonUniformShuffle
    GroupNonUniformShuffleRelative GroupNonUniformClustered GroupNonUniformQuad GroupNonUniformRotateKHR
    SubgroupBallotKHR SubgroupVoteKHR
    DemoteToHelperInvocation DerivativeControl InterpolationFunction SampleRateShading ClipDistance CullDistance
    DrawParameters DeviceGroup MultiView ShaderLayer ShaderViewportIndex ShaderViewportIndexLayerEXT
    DenormPreserve SignedZeroInfNanPreserve RoundingModeRTE
    DotProduct DotProductInputAll DotProductInput4x8Bit DotProductInput4x8BitPacked ExpectAssumeKHR BitInstructions
    ShaderNonUniform UniformBufferArrayDynamicIndexing StorageBufferArrayDynamicIndexing
    UniformBufferArrayNonUniformIndexing StorageBufferArrayNonUniformIndexing
    Sampled1D SampledBuffer SampledRect SampledCubeArray SampledImageArrayDynamicIndexing
    SampledImageArrayNonUniformIndexing Image1D ImageBuffer ImageRect ImageCubeArray ImageMSArray ImageQuery
    ImageGatherExtended StorageImageMultisample StorageImageExtendedFormats StorageImageReadWithoutFormat
    StorageImageWriteWithoutFormat StorageImageArrayDynamicIndexing StorageImageArrayNonUniformIndexing
    UniformTexelBufferArrayDynamicIndexing StorageTexelBufferArrayDynamicIndexing
    UniformTexelBufferArrayNonUniformIndexing StorageTexelBufferArrayNonUniformIndexing
    InputAttachment InputAttachmentArrayDynamicIndexing InputAttachmentArrayNonUniformIndexing
    SparseResidency MinLod""".split()
)

# Types of numbers that the machine can compute with.
WIDTHS = {("OpTypeInt", "8"), ("OpTypeInt", "16"), ("OpTypeInt", "32"), ("OpTypeFloat", "32")}


def excluded(text):
    """Why a module is left out, by the text of `spirv-dis --raw-id`; None if it is not."""
    entries, calls, images, here = set(), collections.defaultdict(set), set(), None
    cause = None
    for line in text.splitlines():
        words = line.split(";")[0].split() if '"' not in line else line.split()
        if len(words) > 2 and words[1] == "=":
            result, op, rest = words[0], words[2], words[3:]
        else:
            result, op, rest = None, words[0] if words else "", words[1:]
        if op == "OpCapability" and rest[0] not in CAPABILITIES:
            cause = cause or f"capability {rest[0]}"
        elif op in ("OpTypeInt", "OpTypeFloat") and (op, rest[0]) not in WIDTHS:
            cause = cause or f"{op} {rest[0]}"
        elif op == "OpEntryPoint":
            entries.add(rest[1])
        elif op == "OpFunction":
            here = result
        elif op == "OpFunctionCall":
            calls[here].add(rest[1])
        elif here and (op.startswith("OpImage") or op == "OpSampledImage"):
            images.add(here)
    if not entries:
        return "no entry point: a part of others"
    seen, todo = set(), list(entries)
    while todo:
        function = todo.pop()
        if function not in seen:
            seen.add(function)
            todo.extend(calls[function])
    return cause or ("image instruction" if seen & images else None)


def run(*command):
    """Output and success of a program."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return b"", False
    return done.stdout, done.returncode == 0


def of_module(path):
    out, good = run("spirv-dis", "--raw-id", str(path))
    return excluded(out.decode("utf-8", "replace")) if good else "spirv-dis cannot read it"


def of_glsl(path):
    with tempfile.NamedTemporaryFile(suffix=".spv") as module:
        command = ["glslangValidator", "-V", "--target-env", "vulkan1.2", "--quiet", str(path), "-o", module.name]
        return of_module(module.name) if run(*command)[1] else "glslangValidator refuses it"


def of_wgsl(path):
    if not re.search(rb"@\s*(compute|vertex|fragment)\b", path.read_bytes()):
        return "no entry point: a part of others"
    if shutil.which("tint") and not run("tint", "--format", "wgsl", str(path), "-o", "/dev/null")[1]:
        return "tint refuses it"
    with tempfile.NamedTemporaryFile(suffix=".spv") as module:
        # naga's module says what is reachable. What only tint takes is left in.
        made = run("naga", str(path), module.name)[1]
        if not made and not shutil.which("tint"):
            return "naga refuses it"
        return of_module(module.name) if made else None


KINDS = {".spv": ("spirv", of_module), ".wgsl": ("wgsl", of_wgsl)}
KINDS.update({ending: ("glsl", of_glsl) for ending in (".comp", ".vert", ".frag")})
MUST = {"spirv": 0.97, "glsl": 0.95, "wgsl": 0.99}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="folder of shaders")
    parser.add_argument("--quadlock", default="target/release/quadlock", help="the program (default: %(default)s)")
    parser.add_argument("--json", type=pathlib.Path, help="write the shares and the refusals as JSON")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    for tool in ["spirv-dis", args.quadlock]:
        if not shutil.which(tool):
            sys.exit(f"{tool} is missing")
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        done = subprocess.run(
            [args.quadlock, "shader-check", str(args.folder), "--jobs", str(args.jobs), "--json", out.name],
            stdout=subprocess.DEVNULL, check=False,
        )
        if done.returncode not in (0, 1):
            sys.exit("shader-check failed")
        report = json.load(open(out.name, encoding="utf-8"))
    files = [f for f in report["files"] if pathlib.Path(f["path"]).suffix.lower() in KINDS]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        path = lambda f: args.folder / f["path"]
        causes = list(pool.map(lambda f: KINDS[path(f).suffix.lower()][1](path(f)), files))
    good, results = True, {}
    for kind, must in MUST.items():
        mine = [(f, c) for f, c in zip(files, causes) if KINDS[pathlib.Path(f["path"]).suffix.lower()][0] == kind]
        if not mine:
            continue
        left = collections.Counter(c for _, c in mine if c)
        counted = [f for f, c in mine if not c]
        taken = [f for f in counted if f["outcome"] == "accepted"]
        refused = [f for f in counted if f["outcome"] != "accepted"]
        share = len(taken) / max(len(counted), 1)
        good &= share >= must
        print(f"{kind}: {len(mine)} shaders, {len(mine) - len(counted)} left out:")
        for cause, n in left.most_common():
            print(f"  {n:5} {n / len(mine):6.1%}  {cause}")
        print(f"{kind}: {len(taken)} of {len(counted)} accepted: {share:.4f} (must be {must})")
        by_reason = collections.defaultdict(list)
        for f in refused:
            by_reason[f["reason"] or f["outcome"]].append(f)
        for reason, all_of in sorted(by_reason.items(), key=lambda r: -len(r[1])):
            print(f"  {len(all_of):5}  {reason}")
            for f in all_of:
                print(f"         {f['path']}: {(f['message'] or '').splitlines()[0]}")
        results[kind] = {
            "shaders": len(mine), "left_out": left, "counted": len(counted), "accepted": len(taken), "share": share,
            "refused": [{k: f[k] for k in ("path", "reason", "outcome", "message")} for f in refused],
        }
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
