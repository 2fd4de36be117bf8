//! The driver's messages and options.

use crate::common::{compiled, run};
use quadlock_shader::{compile, CompileRequest, Options, ShaderBinary};

fn message(path: &str, source: &str) -> String {
    compile(&CompileRequest::new(path, source.as_bytes())).unwrap_err().to_string()
}

const FILL: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { out[i] = i + 1u; }";

#[test]
fn vertex_and_fragment_shaders_are_refused_by_name() {
    let vertex =
        "@vertex fn shape(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> { return vec4(f32(i)); }";
    let e = message("a.wgsl", vertex);
    assert!(e.starts_with("a.wgsl:1:12: entry point shape is a vertex shader"), "{e}");
    let e = message("b.frag", "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1.0); }");
    assert!(e.starts_with("b.frag:3:11: entry point main is a fragment shader"), "{e}");
}

#[test]
fn errors_have_a_position() {
    let e = message("a.wgsl", "@compute @workgroup_size(1)\nfn main() { let x: u32 = y; }");
    assert!(e.starts_with("a.wgsl:2:26: "), "{e}");
    assert!(message("a.hlsl", FILL).contains("known extensions"));
    let options = Options { max_registers: 40, ..Options::default() };
    let e = compile(&CompileRequest { options, ..CompileRequest::new("a.wgsl", FILL.as_bytes()) }).unwrap_err();
    assert!(e.to_string().contains("at most 32"), "{e}");
}

#[test]
fn a_work_group_that_no_machine_has_is_refused() {
    let glsl = "#version 450\nlayout(local_size_x = 1024, local_size_y = 2) in;\nvoid main() {}";
    for (path, source) in
        [("a.wgsl", FILL.replace("workgroup_size(4)", "workgroup_size(32, 33)")), ("a.comp", glsl.into())]
    {
        let e = message(path, &source);
        assert!(e.contains("invocations: not 1 to 1024"), "{e}");
    }
    compiled("a.wgsl", &FILL.replace("workgroup_size(4)", "workgroup_size(32, 32)"), Options::default());
}

#[test]
fn the_binary_survives_its_file() {
    let mut c = compiled("fill.wgsl", FILL, Options::default());
    assert_eq!(c.binary.position(0).as_deref().map(|p| p.starts_with("fill.wgsl:2:")), Some(true));
    assert!(c.asm.contains("; fill.wgsl:2: @compute") && c.asm.contains("ST.32"), "{}", c.asm);
    assert!(c.report.to_string().contains("public below"));
    assert!(c.ir_before.contains("store") && c.ir_after.contains("store"));
    c.binary = ShaderBinary::read(&c.binary.write()).unwrap();
    assert_eq!(run(&c, [1, 1, 1], &[(0, vec![0; 4])]).buffer(0), [1, 2, 3, 4]);
}

/// The listing is assembly: assembled again it is the same program.
#[test]
fn the_listing_assembles_to_the_same_code() {
    let c = compiled("sobel.comp", &crate::common::example("edge-detect/sobel.comp"), Options::default());
    let again = quadlock_isa::assemble("listing", &c.asm).unwrap_or_else(|e| panic!("{e:?}\n{}", c.asm));
    assert_eq!(again.code, c.binary.code);
}
