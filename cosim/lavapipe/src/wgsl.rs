//! Random WGSL: our reading of the text, and of the module that naga writes, beside what lavapipe
//! makes of that module.

use crate::case::{Case, Judge, Source};
use crate::vulkan::Buffer;
use naga::back::pipeline_constants::process_overrides;
use naga::back::{spv, PipelineConstants};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use quadlock_shader::front::Lang;
use quadlock_shader::random::wgsl::generate_exact;

/// The module that naga writes. Indices stay within bounds, as ours do; overrides have their
/// default values.
///
/// # Errors
/// What naga says of a text that it refuses.
pub fn module(wgsl: &str) -> Result<Vec<u32>, String> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|e| e.to_string())?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).map_err(|e| e.to_string())?;
    let (module, info) =
        process_overrides(&module, &info, None, &PipelineConstants::default()).map_err(|e| e.to_string())?;
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
    // The depth that a program writes is what is compared: naga leaves it alone.
    options.flags.set(spv::WriterFlags::CLAMP_FRAG_DEPTH, false);
    // It panics on some valid texts.
    std::panic::catch_unwind(|| spv::write_vec(&module, &info, &options, None))
        .map_err(|_| "naga's writer of SPIR-V panicked".to_string())?
        .map_err(|e| e.to_string())
}

/// The module that asks for the signs of zeros to be kept, as WGSL's bit casts show them.
fn keeps_zeros(words: &[u32]) -> Vec<u32> {
    const CAPABILITY: [u32; 2] = [2 << 16 | 17, 4466];
    let mut out = [&words[..5], &CAPABILITY].concat();
    let mut at = 5;
    while at < words.len() {
        let next = at + (words[at] >> 16) as usize;
        out.extend(&words[at..next]);
        // OpEntryPoint, then OpExecutionMode SignedZeroInfNanPreserve 32.
        if words[at] & 0xFFFF == 15 {
            out.extend([4 << 16 | 16, words[at + 2], 4461, 32]);
        }
        at = next;
    }
    out
}

/// The shader of a seed.
pub fn case(seed: u64) -> Case {
    let shader = generate_exact(seed);
    let words = module(&shader.wgsl).unwrap_or_else(|e| panic!("{e}\n{}", shader.wgsl));
    let wgsl = Source { lang: Lang::Wgsl, bytes: shader.wgsl.as_bytes().to_vec() };
    let buffers = shader.buffers.iter();
    Case {
        name: format!("wgsl {seed}"),
        ours: vec![wgsl, Source::spirv(&words)],
        module: keeps_zeros(&words),
        entry: "main".into(),
        groups: shader.grid,
        judge: Judge::Nobody,
        buffers: buffers
            .map(|b| Buffer { set: 0, binding: b.binding, uniform: b.name == "params", words: b.words.clone() })
            .collect(),
        push: vec![],
        text: shader.wgsl,
    }
}
