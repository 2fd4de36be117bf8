//! What SPIRV-Tools say of a module, and make of it, where they are installed.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs a program with the module as its input. `None` if it is not installed.
fn tool(name: &str, arguments: &[&str], module: &[u32]) -> Option<Output> {
    let piped = Stdio::piped;
    let mut child = Command::new(name).args(arguments).stdin(piped()).stdout(piped()).stderr(piped()).spawn().ok()?;
    let bytes: Vec<u8> = module.iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut input = child.stdin.take().expect("piped above");
    // On a thread of its own: the program may write before it has read everything.
    let writer = std::thread::spawn(move || input.write_all(&bytes));
    let out = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    Some(out)
}

/// Whether the module is valid; the errors are spirv-val's. `None` without spirv-val.
pub fn valid(module: &[u32]) -> Option<Result<(), String>> {
    let out = tool("spirv-val", &["--target-env", "vulkan1.2", "-"], module)?;
    let text = String::from_utf8_lossy(&out.stderr).into_owned() + &String::from_utf8_lossy(&out.stdout);
    Some(if out.status.success() { Ok(()) } else { Err(text) })
}

/// What spirv-opt makes of a module by some of its passes; `None` without spirv-opt, or if it
/// fails.
pub fn optimised(module: &[u32], passes: &[&str]) -> Option<Vec<u32>> {
    let out = tool("spirv-opt", &[&["--target-env=vulkan1.2"], passes, &["-", "-o", "-"]].concat(), module)?;
    let word = |c: &[u8]| u32::from_le_bytes([c[0], c[1], c[2], c[3]]);
    let words: Vec<u32> = out.stdout.chunks_exact(4).map(word).collect();
    // It may print before the module, too.
    (out.status.success() && words.first() == Some(&0x0723_0203)).then_some(words)
}
