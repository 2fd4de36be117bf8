//! What SPIRV-Tools say of a module, where they are installed.

use std::io::Write;
use std::process::{Command, Stdio};

/// Whether the module is valid; the errors are spirv-val's. `None` without spirv-val.
pub fn valid(module: &[u32]) -> Option<Result<(), String>> {
    let mut child = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.2", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let bytes: Vec<u8> = module.iter().flat_map(|w| w.to_le_bytes()).collect();
    child.stdin.take().expect("piped above").write_all(&bytes).ok()?;
    let out = child.wait_with_output().ok()?;
    let text = String::from_utf8_lossy(&out.stderr).into_owned() + &String::from_utf8_lossy(&out.stdout);
    Some(if out.status.success() { Ok(()) } else { Err(text) })
}
