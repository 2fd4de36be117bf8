//! What a port carries. The doc comment of its field says it; a field without one has the meaning
//! of the documented field above it that differs in trailing digits only (`z1` below `z0`), or that
//! of its bundle: the ready/valid bundles between the blocks are named by one scheme, PREFIX_FIELD,
//! and their fields mean the same everywhere. Reads Rust with a few string operations, enough for
//! structs of one field per line and for `leaf_cell!`; what it cannot read has no meaning, and a
//! test asks for one for every port of every block.

use crate::ports;

/// Bundles of ports: prefix and what the bundle is. The first that fits counts.
const BUNDLES: &[(&str, &str)] = &[
    ("mem_req_", "memory request"),
    ("mem_rsp_", "memory response"),
    ("m_req_", "memory request"),
    ("m_rsp_", "memory response"),
    ("l_req_", "memory request of the load/store/atomic pipeline"),
    ("l_rsp_", "memory response for the load/store/atomic pipeline"),
    ("f_req_", "instruction fetch, request"),
    ("f_rsp_", "instruction fetch, response"),
    ("greq_", "global memory instruction"),
    ("grsp_", "completion of a global memory instruction"),
    ("req_", "memory instruction"),
    ("rsp_", "completion of a memory instruction"),
    ("mret_", "event, completed memory instruction"),
    ("ret_", "event, retired instruction"),
    ("shw_", "event, write to shared storage"),
    ("launch_", "warp launch"),
    ("l_", "warp launch"),
    ("fill_", "fetched instruction"),
    ("trap_", "trap"),
    ("host_", "write of a host register"),
    ("cw_", "write to the constant bank"),
];

/// Fields of bundles. `#` stands for a number.
const FIELDS: &[(&str, &str)] = &[
    ("valid", "the bundle holds one in this cycle"),
    ("ready", "it is taken in this cycle if valid"),
    ("write", "a line write, else a line read"),
    ("unit", "number of the warp unit"),
    ("warp", "warp slot in the unit"),
    ("seq", "sequence number of the instruction in its warp, modulo 256"),
    ("dst", "destination register, the first of several"),
    ("op", "opcode, bits 7:0 of the instruction word"),
    ("addr#", "byte address of lane #"),
    ("w#_#", "data word # of lane #; of an atomic, words 0 and 1 are the operand and 2 and 3 the expected value"),
    ("wen", "a register is written"),
    ("last", "last beat of the instruction"),
    ("value#", "value of lane #"),
    ("next#", "program counter of lane # afterwards"),
    ("pc", "program counter, an instruction index"),
    ("lo", "instruction word, bits 31:0"),
    ("hi", "instruction word, bits 63:32"),
    ("trap", "the instruction trapped"),
    ("mem", "a memory instruction: values are addresses, completion follows"),
    ("shared", "from the shared storage, else from global memory"),
    ("function", "from the function unit"),
    ("data#", "data, word # of the 16-byte line"),
    ("group_x", "work group's number in x"),
    ("group_y", "work group's number in y"),
    ("group_z", "work group's number in z"),
    ("warp_in_group", "number of the warp in its work group"),
    ("group_slot", "group slot of a pinned group, warp slot of a free warp"),
    ("first", "first warp slot of the work group"),
    ("warps", "warp slots of the work group"),
    ("shared_base", "byte address of the work group's window of shared storage"),
    ("local_id#", "local invocation number of lane #: x in 9:0, y in 19:10, z in 29:20"),
    ("index#", "linear local invocation number of lane #"),
    ("need", "registers that must not be pending, one bit each"),
    ("sets", "registers it makes pending, one bit each"),
    ("kind", "decoded kind, bits as listed in hdl/src/warp/mod.rs"),
];

/// Fields that mean something else in some bundles.
const SPECIAL: &[(&str, &str, &str)] = &[
    ("host_", "addr", "register number, listed in docs/machine.md"),
    ("host_", "data", "value"),
    ("cw_", "addr", "word of the constant bank"),
    ("cw_", "data", "value"),
    ("shw_", "addr", "byte address of the line"),
    ("shw_", "mask", "byte enables"),
    ("mem_req_", "mask", "byte enables of a write"),
    ("m_req_", "mask", "byte enables of a write"),
    ("l_req_", "mask", "byte enables of a write"),
    ("mem_req_", "addr", "byte address of the line, a multiple of 16"),
    ("m_req_", "addr", "byte address of the line, a multiple of 16"),
    ("l_req_", "addr", "byte address of the line, a multiple of 16"),
    ("f_req_", "addr", "byte address of the line, a multiple of 16"),
    ("mem_req_", "data", "data of a write, element i is word i of the line"),
    ("mem_rsp_", "data", "data of a read, element i is word i of the line"),
    ("launch_", "mask", "lanes that start; the others are ended"),
    ("l_", "mask", "lanes that start; the others are ended"),
    ("rsp_", "mask", "lanes delivered by this beat"),
    ("grsp_", "mask", "lanes delivered by this beat"),
    ("mret_", "mask", "lanes delivered by this beat"),
    ("ret_", "mask", "active lanes"),
    ("req_", "mask", "active lanes"),
    ("greq_", "mask", "active lanes"),
];

/// The meaning of a field of a struct in a Rust source. `element` is its index in a vector of
/// ports, or the port of a `#[bundle]` with its index.
pub fn meaning(source: &str, rust: &str, field: &str, element: &str) -> Option<String> {
    let fields = fields(source, rust);
    let at = fields.iter().position(|f| f.name == field)?;
    if let Some(bundle) = ports::of_type(&fields[at].ty) {
        let (port, element) = element.split_once('$').unwrap_or((element, ""));
        return Some(of_element(bundle.meaning(port)?, element));
    }
    let stem = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_').to_string();
    let above = || {
        let earlier = fields[..at].iter().rev().take_while(|f| stem(&f.name) == stem(field));
        earlier.filter_map(|f| f.doc.clone()).next()
    };
    Some(of_element(fields[at].doc.clone().or_else(|| conventional(field)).or_else(above)?, element))
}

fn of_element(text: String, element: &str) -> String {
    if element.is_empty() {
        text
    } else {
        format!("{text} [element {element}]")
    }
}

/// The meaning of a bundle's field.
fn conventional(name: &str) -> Option<String> {
    if name == "clock" {
        return Some("Clock; everything happens at its rising edge.".into());
    }
    let (prefix, bundle) = BUNDLES.iter().find(|b| name.starts_with(b.0))?;
    let field = &name[prefix.len()..];
    let special = SPECIAL.iter().find(|s| s.0 == *prefix && s.1 == field).map(|s| s.2.to_string());
    let meaning = special.or_else(|| FIELDS.iter().find_map(|(pattern, text)| matches(pattern, field, text)))?;
    let mut bundle = (*bundle).to_string();
    bundle[..1].make_ascii_uppercase();
    Some(format!("{bundle}: {meaning}."))
}

/// `text` with the numbers that `#` stands for in `pattern`, if the name fits.
fn matches(pattern: &str, name: &str, text: &str) -> Option<String> {
    let digits: Vec<&str> = name.split(|c: char| !c.is_ascii_digit()).filter(|d| !d.is_empty()).collect();
    let shape: String = name.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect();
    (shape == pattern).then(|| {
        let mut text = text.to_string();
        for digit in digits {
            text = text.replacen('#', digit, 1);
        }
        text
    })
}

/// A field of a struct: its name, its type as far as the first comma, its doc comment as one line.
pub struct Field {
    pub name: String,
    ty: String,
    doc: Option<String>,
}

/// The fields of a struct, or of a `leaf_cell!`, in order.
pub fn fields(source: &str, rust: &str) -> Vec<Field> {
    let heads = [format!("pub struct {rust} {{"), format!("pub struct {rust}<"), format!("    {rust} {{")];
    let mut lines = source.lines().skip_while(|l| !heads.iter().any(|h| l.starts_with(h.as_str()))).skip(1);
    let mut found = Vec::new();
    let mut doc: Vec<&str> = Vec::new();
    for line in lines.by_ref().map(str::trim).take_while(|l| *l != "}") {
        if let Some(text) = line.strip_prefix("///") {
            doc.push(text.trim());
            continue;
        }
        if line.starts_with("//") {
            continue;
        }
        for part in line.split([',', ';']) {
            let part = part.trim();
            let part = ["pub ", "in ", "out "].iter().find_map(|p| part.strip_prefix(p)).unwrap_or(part);
            let Some((name, ty)) = part.split_once(": ") else { continue };
            if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                let doc_line = (!doc.is_empty()).then(|| plain(&doc.join(" ")));
                found.push(Field { name: name.to_string(), ty: ty.to_string(), doc: doc_line });
                doc.clear();
            }
        }
    }
    found
}

/// A doc comment without the marks of rustdoc links.
fn plain(doc: &str) -> String {
    doc.replace("[`", "`").replace("`]", "`")
}
