//! The port list of the exported top module, read from its text. Only what `quadlock export` writes
//! is understood: one declaration per line, `input wire` or `output reg`, with an optional range
//! down to 0. It can be wrong by skipping a port, which would leave that port out of the checksum:
//! a port of the header without a declaration is an error.

/// A port of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    pub name: String,
    /// Bits.
    pub width: u32,
    pub output: bool,
}

/// The ports of module `top`, in the order of its port list.
///
/// # Errors
/// The module is not there, or a port has no declaration that can be read, in words.
pub fn ports(verilog: &str, top: &str) -> Result<Vec<Port>, String> {
    let head = format!("module {top}(");
    let body = verilog.split(&head).nth(1).ok_or_else(|| format!("there is no module {top} in the Verilog text"))?;
    let (list, body) = body.split_once(");").ok_or_else(|| format!("the port list of module {top} does not end"))?;
    let body = body.split("endmodule").next().unwrap_or_default();
    let declared: Vec<Port> = body.lines().filter_map(declaration).collect();
    list.split(',')
        .map(str::trim)
        .map(|name| {
            let port = declared.iter().find(|p| p.name == name);
            port.cloned().ok_or_else(|| format!("port {name} of module {top} has no declaration on a line of its own"))
        })
        .collect()
}

/// `output reg  [15:0] name;`
fn declaration(line: &str) -> Option<Port> {
    let line = line.trim().strip_suffix(';')?;
    let (output, rest) = match line.strip_prefix("input wire") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("output reg").or_else(|| line.strip_prefix("output wire"))?),
    };
    let rest = rest.trim();
    let Some(range) = rest.strip_prefix('[') else {
        return Some(Port { name: rest.to_owned(), width: 1, output });
    };
    let (range, name) = range.split_once(']')?;
    let high: u32 = range.strip_suffix(":0")?.trim().parse().ok()?;
    Some(Port { name: name.trim().to_owned(), width: high + 1, output })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_come_in_the_order_of_the_header() {
        let text = "module a(x);\n input wire x;\nendmodule\nmodule top(clock,b_0,y);\n    output reg  [31:0] y;\n    input wire  clock;\n    input wire  [2:0] b_0;\nendmodule\n";
        let port = |name: &str, width, output| Port { name: name.to_owned(), width, output };
        assert_eq!(ports(text, "top").unwrap(), [port("clock", 1, false), port("b_0", 3, false), port("y", 32, true)]);
    }

    #[test]
    fn a_port_without_declaration_is_an_error() {
        assert!(ports("module top(a,b);\n input wire a;\nendmodule\n", "top").unwrap_err().contains("port b"));
        assert!(ports("module other(a);\nendmodule\n", "top").is_err());
    }
}
