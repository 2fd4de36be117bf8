//! Memory operations that another thread may watch stay in the source's order in the machine code,
//! past passes, selection and scheduler. Without a fence the scheduler takes the one whose address
//! is there first, which each test demands too: else it could not fail.

use quadlock_isa::Op;
use quadlock_shader::{compile, CompileRequest};

/// Operations on memory with their offsets, in order.
fn accesses(path: &str, source: &str) -> Vec<(Op, u32)> {
    let c = compile(&CompileRequest::new(path, source.as_bytes())).unwrap_or_else(|e| panic!("{e}"));
    let code = c.binary.code.iter().map(|&word| quadlock_isa::decode(word).unwrap());
    code.filter(|i| i.op.is_memory()).map(|i| (i.op, i.imm)).collect()
}

/// The first address takes longer than the second one, at offset 12.
fn wgsl(element: &str, first: &str, second: &str) -> String {
    format!(
        "struct D {{ unused: array<u32, 3>, d: {element} }}
        @group(0) @binding(0) var<storage, read_write> o: array<u32>;
        @group(0) @binding(1) var<storage, read_write> c: array<{element}>;
        @group(0) @binding(2) var<storage, read_write> e: D;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3<u32>) {{
            let f = {first}; let x = {second}; o[0] = f - x;
        }}"
    )
}

#[test]
fn atomic_loads_keep_their_order() {
    let plain = accesses("a.wgsl", &wgsl("u32", "c[g.x * 7u]", "e.d"));
    assert_eq!(plain[..2], [(Op::Ld32, 12), (Op::Ld32, 0)]);
    let atomic = accesses("a.wgsl", &wgsl("atomic<u32>", "atomicLoad(&c[g.x * 7u])", "atomicLoad(&e.d)"));
    assert_eq!(atomic[..2], [(Op::Ld32, 0), (Op::Ld32, 12)]);
}

fn glsl(qualifier: &str, fence: &str) -> String {
    format!(
        "#version 450
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer B {{ uint o[]; }};
        layout(binding = 1) {qualifier} buffer C {{ uint c[]; }};
        layout(binding = 2) {qualifier} buffer D {{ uint unused[3]; uint d; }};
        void main() {{ uint f = c[gl_WorkGroupID.x * 7u]; {fence} uint x = d; o[0] = f - x; }}"
    )
}

#[test]
fn coherent_loads_and_memory_barriers_keep_the_order() {
    let swapped = [(Op::Ld32, 12), (Op::Ld32, 0)];
    let kept = [(Op::Ld32, 0), (Op::Ld32, 12)];
    for (qualifier, fence, order) in [
        ("", "", swapped),
        ("coherent", "", kept),
        ("volatile", "", kept),
        ("", "memoryBarrier();", kept),
        ("", "memoryBarrierBuffer();", kept),
    ] {
        let found = accesses("a.comp", &glsl(qualifier, fence));
        assert_eq!(found[..2], order, "{qualifier} {fence}");
    }
}
