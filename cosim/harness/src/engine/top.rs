//! Name of the machine in Verilog and in waves.

/// Name of the exported core's top module.
pub const TOP: &str = "quadlock";
