//! What stands for no number.

/// The one NaN of the machine.
pub const NAN: u32 = 0x7FC0_0000;

/// The one NaN of half precision.
pub const NAN16: u32 = 0x7E00;
