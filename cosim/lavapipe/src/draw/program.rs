//! SPIR-V of a draw's programs, by naga.

use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// The module of a text of WGSL. Flags are set by name: y of WGSL points up and Vulkan's points
/// down, and WGSL holds the depth of a program.
///
/// # Errors
/// What naga says of a text that it refuses.
pub fn module(wgsl: &str) -> Result<Vec<u32>, String> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|e| e.emit_to_string(wgsl))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).map_err(|e| format!("{e:?}"))?;
    let options = spv::Options {
        lang_version: (1, 5),
        flags: spv::WriterFlags::ADJUST_COORDINATE_SPACE | spv::WriterFlags::CLAMP_FRAG_DEPTH,
        ..Default::default()
    };
    // It panics on some valid texts.
    std::panic::catch_unwind(|| spv::write_vec(&module, &info, &options, None))
        .map_err(|_| "naga's writer of SPIR-V panicked".to_string())?
        .map_err(|e| e.to_string())
}
