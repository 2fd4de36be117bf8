//! Names for wave viewers: GTKWave translate files and Surfer mapping files, for opcodes and special registers.
//!
//! GTKWave compares the text that it shows, so a translate file has to be used with the hexadecimal format of a signal of
//! the stated width; digits are lower case, as GTKWave prints them.

use crate::table::{RESERVED, SPECIALS, TABLE};

/// GTKWave translate file of the 8-bit `op` field: `10 IADD`. Reserved and unassigned numbers are named too.
pub fn gtkwave_opcodes() -> String {
    let mut out = String::new();
    for code in 0..=255u8 {
        out += &format!("{code:02x} {}\n", opcode_name(code));
    }
    out
}

/// GTKWave translate file of the 4-bit special-register number.
pub fn gtkwave_specials() -> String {
    (0..16).map(|n| format!("{n:x} {}\n", special_name(n))).collect()
}

/// Surfer mapping file of the 8-bit `op` field. Undefined numbers are drawn as errors.
pub fn surfer_opcodes() -> String {
    let mut out = String::from("Name = Quadlock opcode\nBits = 8\n");
    for code in 0..=255u8 {
        let kind = if TABLE.iter().any(|r| r.code == code) { "" } else { "[error]" };
        out += &format!("0x{code:02x}{kind} {}\n", opcode_name(code));
    }
    out
}

/// Surfer mapping file of the 4-bit special-register number.
pub fn surfer_specials() -> String {
    let mut out = String::from("Name = Quadlock special register\nBits = 4\n");
    for n in 0..16 {
        out += &format!("0x{n:x} {}\n", special_name(n));
    }
    out
}

/// Mnemonic, or what an undefined number is. Bit 30 is not in the number: a warp-wide atomic of shared storage has the name of that of global memory.
pub fn opcode_name(code: u8) -> &'static str {
    if let Some(row) = TABLE.iter().find(|r| r.code == code) {
        return row.name;
    }
    match RESERVED.iter().any(|r| (r.first..=r.last).contains(&code)) {
        true => "reserved",
        false => "undefined",
    }
}

fn special_name(n: u8) -> String {
    SPECIALS.iter().find(|s| s.0 as u8 == n).map_or_else(|| format!("sr{n}"), |s| s.1.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_name_once() {
        let text = gtkwave_opcodes();
        assert_eq!(text.lines().count(), 256);
        assert!(
            text.contains("\n10 IADD\n")
                && text.contains("\nd0 ACS\n")
                && text.contains("\n08 reserved\n")
                && text.contains("\n0f undefined\n")
        );
        assert!(surfer_opcodes().contains("\n0x10 IADD\n") && surfer_opcodes().contains("\n0x0f[error] undefined\n"));
        assert_eq!(gtkwave_specials().lines().nth(9), Some("9 shared_base"));
        assert_eq!(surfer_specials().lines().last(), Some("0xf sr15"));
    }
}
