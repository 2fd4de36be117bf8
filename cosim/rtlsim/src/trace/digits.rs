//! Binary digits of a value by table: eight at a time.

const fn table() -> [[u8; 8]; 256] {
    let mut out = [[b'0'; 8]; 256];
    let mut value = 0;
    while value < 256 {
        let mut bit = 0;
        while bit < 8 {
            out[value][7 - bit] = b'0' + (value >> bit & 1) as u8;
            bit += 1;
        }
        value += 1;
    }
    out
}

static DIGITS: [[u8; 8]; 256] = table();

/// Appends the `width` binary digits of a value, most significant first.
pub(super) fn push_digits(out: &mut Vec<u8>, width: u32, limbs: &[u64]) {
    let bytes = width.div_ceil(8);
    let byte = |k: u32| (limbs.get((k / 8) as usize).copied().unwrap_or(0) >> (8 * (k % 8))) as u8;
    let skip = (8 * bytes - width) as usize;
    out.extend_from_slice(&DIGITS[byte(bytes - 1) as usize][skip..]);
    for k in (0..bytes - 1).rev() {
        out.extend_from_slice(&DIGITS[byte(k) as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_values() {
        for (width, limbs, expected) in [
            (1, vec![1], "1".to_owned()),
            (3, vec![5], "101".to_owned()),
            (8, vec![0x81], "10000001".to_owned()),
            (9, vec![0x81], "010000001".to_owned()),
            (65, vec![3, 1], format!("1{:064b}", 3)),
            (130, vec![u64::MAX, 0, 2], format!("10{:064b}{:064b}", 0, u64::MAX)),
        ] {
            let mut out = Vec::new();
            push_digits(&mut out, width, &limbs);
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
    }
}
