//! Random WGSL: our reading of the text, and of the module that naga writes, beside what lavapipe
//! makes of that module.

use crate::case::{Case, Source};
use crate::vulkan::Buffer;
use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use quadlock_shader::front::Lang;
use quadlock_shader::random::wgsl::generate_exact;

/// The module that naga writes. Indices stay within bounds, as ours do.
pub fn module(wgsl: &str) -> Vec<u32> {
    let module = naga::front::wgsl::parse_str(wgsl).unwrap_or_else(|e| panic!("{e}\n{wgsl}"));
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap();
    let bounds = BoundsCheckPolicies {
        index: BoundsCheckPolicy::Restrict,
        buffer: BoundsCheckPolicy::Restrict,
        ..Default::default()
    };
    let mut options = spv::Options {
        lang_version: (1, 5),
        force_loop_bounding: false,
        bounds_check_policies: bounds,
        ..Default::default()
    };
    options.flags.remove(spv::WriterFlags::ADJUST_COORDINATE_SPACE);
    spv::write_vec(&module, &info, &options, None).unwrap_or_else(|e| panic!("{e}\n{wgsl}"))
}

/// The shader of a seed.
pub fn case(seed: u64) -> Case {
    let shader = generate_exact(seed);
    let words = module(&shader.wgsl);
    let wgsl = Source { lang: Lang::Wgsl, bytes: shader.wgsl.as_bytes().to_vec() };
    let buffers = shader.buffers.iter();
    Case {
        name: format!("wgsl {seed}"),
        ours: vec![wgsl, Source::spirv(&words)],
        module: words,
        entry: "main".into(),
        groups: shader.grid,
        buffers: buffers
            .map(|b| Buffer { set: 0, binding: b.binding, uniform: b.name == "params", words: b.words.clone() })
            .collect(),
        push: vec![],
        text: shader.wgsl,
    }
}
