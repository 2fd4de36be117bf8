//! Verilog export.

/// A comment in the generated Verilog; nothing in Rust. `comment!("module: lsa")` names the module in the export.
#[macro_export]
macro_rules! comment {
    ($text:literal) => {};
}
