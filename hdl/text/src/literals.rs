//! Literals of their own width. rust-hdl writes a literal of a kernel as a masked 32-bit or 64-bit
//! one, which makes Verilog carry arithmetic on in that width; the Rust kernel wraps at the
//! operands' width. Can be wrong where a literal is used at a width other than its mask's, which
//! rust-hdl's types exclude.

/// `((32'h5) & 8'hff)` to `8'h5` and `x[(32'h3)+:(1)]` to `x[32'h3]`, everywhere in a line.
pub(crate) fn sized_literals(line: String) -> String {
    // Most lines have neither, and a search for a text is dear to begin.
    let line = if line.as_bytes().windows(2).any(|two| two == b"((") { masked_literals(&line) } else { line };
    if line.contains('+') && line.contains(")+:(1)]") {
        return single_bits(&line);
    }
    line
}

/// A slice of one bit, as a field of one bit gives it, to that bit.
fn single_bits(line: &str) -> String {
    let mut parts = line.split(")+:(1)]");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match out.rfind("[(") {
            Some(open) if !out[open + 2..].contains(['(', ')', '[', ']']) => {
                out.remove(open + 1);
                out.push(']');
            }
            _ => out += ")+:(1)]",
        }
        out += part;
    }
    out
}

fn masked_literals(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("((") {
        let (before, candidate) = rest.split_at(at);
        out += before;
        match masked_literal(candidate) {
            Some((literal, used)) => {
                out += &literal;
                rest = &candidate[used..];
            }
            None => {
                out.push('(');
                rest = &candidate[1..];
            }
        }
    }
    out + rest
}

/// A masked literal at the beginning of `text`: its sized form and the length of what it replaces.
fn masked_literal(text: &str) -> Option<(String, usize)> {
    let inner = text.strip_prefix("((")?;
    let (literal, tail) = inner.split_once(") & ")?;
    let (mask, after) = tail.split_once(')')?;
    let (_, value) = hex_literal(literal)?;
    let (width, mask) = hex_literal(mask)?;
    Some((format!("{width}'h{:x}", value & mask), text.len() - after.len()))
}

/// Width and value of `32'h1f`.
fn hex_literal(text: &str) -> Option<(u32, u128)> {
    let (width, digits) = text.split_once("'h")?;
    Some((width.parse().ok()?, u128::from_str_radix(digits, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_literals_get_their_width() {
        let sized_literals = |line: &str| sized_literals(line.to_owned());
        assert_eq!(
            sized_literals("q = ((32'h5) & 8'hff) + (a & ((64'hfffffff0) & 32'hffffffff));"),
            "q = 8'h5 + (a & 32'hfffffff0);"
        );
        assert_eq!(sized_literals("q = ((x) & 8'hff) << 32'h2;"), "q = ((x) & 8'hff) << 32'h2;");
        assert_eq!(sized_literals("q = x[(32'h3)+:(1)] & y[(32'h3)+:(2)];"), "q = x[32'h3] & y[(32'h3)+:(2)];");
        assert_eq!(sized_literals("q = x[(f(i))+:(1)];"), "q = x[(f(i))+:(1)];");
        assert_eq!(sized_literals("if (((((32'h1) & 4'hf)))) "), "if (((4'h1))) ");
    }
}
