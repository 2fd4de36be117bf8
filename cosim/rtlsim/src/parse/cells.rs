//! Yosys's simple cells (`$_AND_`, `$_DFF_P_`, `$_SDFFE_PN0P_`, ...) as Verilog, made from the
//! cell's name: netlists written with `-noexpr` instantiate them. Ports and polarities are those of
//! yosys's own simcells.v. Latches and cells with set and reset at once are not provided.

use rustc_hash::FxHashSet as HashSet;

use super::fail::{Fail, Res};
use super::lexer::Lexer;
use super::parser::Parser;
use super::spans::set_spans;
use crate::ast::{Ast, Item};
use crate::source::Source;

/// Adds the cells that are instantiated but not defined. Spans in them are those of their first
/// instance.
pub(super) fn add_missing(ast: &mut Ast) -> Res<()> {
    let defined: HashSet<&str> = ast.modules.iter().map(|m| m.name.as_str()).collect();
    let mut added = HashSet::default();
    let mut modules = Vec::new();
    for item in ast.modules.iter().flat_map(|m| &m.items) {
        let Item::Instance(instance) = item else { continue };
        let name = instance.module.as_str();
        if !name.starts_with("$_") || defined.contains(name) || !added.insert(name) {
            continue;
        }
        let Some(text) = cell(name).map(|text| Source::new(name, text)) else {
            let help = "map to cells without latches and without set and reset together, or define it as a module";
            return Err(Fail::unsupported(instance.span, format!("yosys cell {name}"), help));
        };
        let mut lexer = Lexer::default();
        lexer.source(0, &text)?;
        for mut module in Parser::new(lexer).file()?.modules {
            set_spans(&mut module, instance.span);
            modules.push(module);
        }
    }
    ast.modules.append(&mut modules);
    Ok(())
}

/// Verilog of a cell.
fn cell(name: &str) -> Option<String> {
    let parts: Vec<&str> = name.strip_prefix("$_")?.strip_suffix('_')?.split('_').collect();
    if let [gate] = parts[..] {
        let (inputs, value) = gate_function(gate)?;
        return Some(format!("module \\{name} ({}, Y); input {0}; output Y; assign Y = {value}; endmodule", inputs));
    }
    let [kind, letters] = parts[..] else { return None };
    if kind == "MUX" || kind == "DFFSR" || kind == "DFFSRE" {
        return None;
    }
    flip_flop(name, kind, letters)
}

fn gate_function(gate: &str) -> Option<(&'static str, &'static str)> {
    Some(match gate {
        "BUF" => ("A", "A"),
        "NOT" => ("A", "~A"),
        "AND" => ("A, B", "A & B"),
        "NAND" => ("A, B", "~(A & B)"),
        "OR" => ("A, B", "A | B"),
        "NOR" => ("A, B", "~(A | B)"),
        "XOR" => ("A, B", "A ^ B"),
        "XNOR" => ("A, B", "~(A ^ B)"),
        "ANDNOT" => ("A, B", "A & ~B"),
        "ORNOT" => ("A, B", "A | ~B"),
        "MUX" => ("A, B, S", "S ? B : A"),
        "NMUX" => ("A, B, S", "S ? ~B : ~A"),
        "AOI3" => ("A, B, C", "~((A & B) | C)"),
        "OAI3" => ("A, B, C", "~((A | B) & C)"),
        "AOI4" => ("A, B, C, D", "~((A & B) | (C & D))"),
        "OAI4" => ("A, B, C, D", "~((A | B) & (C | D))"),
        "MUX4" => ("A, B, C, D, S, T", "T ? (S ? D : C) : (S ? B : A)"),
        _ => return None,
    })
}

/// `letters` are polarity of the clock, polarity and value of the reset, polarity of the enable, as
/// far as `kind` has them.
fn flip_flop(name: &str, kind: &str, letters: &str) -> Option<String> {
    let plain = matches!((kind, letters.len()), ("DFF", 1) | ("DFFE", 2));
    let mut letters = letters.chars();
    let mut edge = || match letters.next()? {
        'P' => Some(true),
        'N' => Some(false),
        _ => None,
    };
    let word = |rising| if rising { "posedge" } else { "negedge" };
    let is = |signal: &str, high: bool| if high { signal.to_string() } else { format!("!{signal}") };
    let clock = edge()?;
    let (text, ports) = match kind {
        "DFF" | "DFFE" if plain => {
            let enable = if kind == "DFFE" { format!("if ({}) ", is("E", edge()?)) } else { String::new() };
            let ports = if kind == "DFFE" { "C, E, D" } else { "C, D" };
            (format!("always @({} C) {enable}Q <= D;", word(clock)), ports)
        }
        "DFF" | "DFFE" | "SDFF" | "SDFFE" | "SDFFCE" => {
            let reset = edge()?;
            let value = letters.next().filter(|c| matches!(c, '0' | '1'))?;
            let enable = kind.ends_with('E');
            let enabled = match (enable, letters.next()) {
                (false, _) => String::new(),
                (true, Some('P')) => "if (E) ".into(),
                (true, Some('N')) => "if (!E) ".into(),
                _ => return None,
            };
            let list = match kind.starts_with('S') {
                true => format!("{} C", word(clock)),
                false => format!("{} C or {} R", word(clock), word(reset)),
            };
            let outer = if kind == "SDFFCE" { enabled.clone() } else { String::new() };
            let inner = if kind == "SDFFCE" { String::new() } else { enabled };
            let body = format!("{outer}begin if ({}) Q <= 1'b{value}; else {inner}Q <= D; end", is("R", reset));
            (format!("always @({list}) {body}"), if enable { "C, R, E, D" } else { "C, R, D" })
        }
        "ALDFF" | "ALDFFE" => {
            let load = edge()?;
            let (enable, ports) = match kind {
                "ALDFFE" => (format!("if ({}) ", is("E", edge()?)), "C, L, AD, E, D"),
                _ => (String::new(), "C, L, AD, D"),
            };
            let list = format!("{} C or {} L", word(clock), word(load));
            (format!("always @({list}) if ({}) Q <= AD; else {enable}Q <= D;", is("L", load)), ports)
        }
        _ => return None,
    };
    Some(format!("module \\{name} ({ports}, Q); input {ports}; output reg Q; {text} endmodule"))
}
