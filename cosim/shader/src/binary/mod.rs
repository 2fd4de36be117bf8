//! The shader binary: an ELF32 little-endian file (LP-30, docs/shader-binary.md).
//!
//! What and why: ELF with DWARF, so that `readelf`, `objdump`, `objcopy`, `addr2line` and the like
//! can look into it. No segments and no relocations: the host reads `.text` into memory at any
//! multiple of 16 and branch targets are instruction indices. `e_machine` is [`MACHINE`], a number
//! the ELF registry has not assigned. It can be wrong by writing something `read` does not give
//! back (a test compares), and by `read` trusting a damaged file (a test flips and cuts bytes).
//!
//! | file | what |
//! |---|---|
//! | `file` | what a binary holds |
//! | `parts` | the sections by name ([`SECTIONS`]), parts of the interface |
//! | `dwarf` | the debug sections, both ways |
//! | `write`, `read` | the ELF file |
//! | `check` | whether what is read can be true |
//! | `text` | the whole for people, as `quadlock disasm` prints it |

mod check;
#[cfg(test)]
mod check_tests;
mod dwarf;
mod file;
mod parts;
mod read;
#[cfg(test)]
mod tests;
mod text;
mod write;

pub(crate) use check::check;
pub(crate) use file::moved;
pub use file::{BinaryError, ShaderBinary, MACHINE};
pub use parts::SECTIONS;
pub use text::{disassembly, listing};
