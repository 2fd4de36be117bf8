//! Names of opcodes for wave viewers. The tables that viewers load are made of them elsewhere.

use crate::table::TABLE;

/// Mnemonic, or what an undefined number is. Bit 30 is not in the number: a warp-wide atomic of
/// shared storage has the name of that of global memory.
pub fn opcode_name(code: u8) -> &'static str {
    if let Some(row) = TABLE.iter().find(|r| r.code == code) {
        return row.name;
    }
    "undefined"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_name() {
        let names = [(0x10, "IADD"), (0xd0, "ACS"), (0x08, "MERGE"), (0x09, "SPLIT"), (0x0f, "undefined")];
        names.into_iter().for_each(|(code, name)| assert_eq!(opcode_name(code), name));
    }
}
