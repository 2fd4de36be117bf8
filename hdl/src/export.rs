//! Verilog export.
