//! The data flow of a chain as a picture for Graphviz: `quadlock link --emit dot`.
//!
//! A program is a box of its operations, edges are values; outputs and inputs of two programs are
//! joined. Nothing is decided here; a picture that shows something else than the programs would be
//! wrong, so it is drawn from their instructions alone.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::chain::Chain;
use super::operations;
use super::uniform::Node;
use crate::interface::Numbers;
use crate::ssa::{Kind, Value};

/// The picture of a chain after an iteration; `pair` is its number where there are several chains.
pub fn draw(chain: &Chain, pair: Option<usize>, iteration: usize) -> String {
    let (name, label) = match pair {
        None => (String::new(), String::new()),
        Some(pair) => (format!("pair{pair}_"), format!("pair {pair}, ")),
    };
    let label = format!("{label}iteration {iteration}");
    let mut out = format!("digraph {name}iteration{iteration} {{\n  label=\"{label}\";\n  node [shape=box];\n");
    for (p, program) in chain.programs.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{p} {{\n    label=\"{}\";", program.name);
        let mut of: BTreeMap<Value, String> = BTreeMap::new();
        let mut arrows = vec![];
        let fetched = operations::fetches(program);
        for (n, inst) in program.insts().enumerate() {
            let node = format!("p{p}_{n}");
            let text = match &inst.kind {
                Kind::Const(c) => Numbers::text(None, *c),
                Kind::ConstWord(w) => match Node::of_word(*w) {
                    Some(node) => chain.uniforms.text(node, p, None),
                    None => format!("constant word {w}"),
                },
                Kind::Input { word, .. } => {
                    let from = chain.feeder(p).map(|f| (f, &chain.programs[f]));
                    if let Some((f, _)) = from {
                        arrows.push(format!("  out{f}_{word} -> {node};"));
                    }
                    format!("input {}", from.map_or_else(|| word.to_string(), |(_, f)| f.output_name(*word)))
                }
                Kind::Output { word, .. } => {
                    let _ = writeln!(out, "    out{p}_{word} [label=\"{}\", shape=oval];", program.output_name(*word));
                    arrows.extend(
                        inst.kind
                            .uses()
                            .iter()
                            .filter_map(|v| of.get(v))
                            .map(|from| format!("  {from} -> out{p}_{word};")),
                    );
                    continue;
                }
                Kind::Alu(op, _) => format!("{op:?}"),
                Kind::Load { .. } => match fetched.iter().find(|f| std::ptr::eq(f.1, inst)) {
                    Some((name, _)) => format!("attribute {name}"),
                    None => "load".into(),
                },
                Kind::Jump(_) | Kind::Return(_) => continue,
                other => other.to_string().split(' ').next().unwrap_or_default().to_string(),
            };
            let _ = writeln!(out, "    {node} [label=\"{}\"];", text.replace('"', "'"));
            arrows.extend(inst.kind.uses().iter().filter_map(|v| of.get(v)).map(|from| format!("  {from} -> {node};")));
            for t in inst.kind.targets() {
                for (param, _) in program.func.blocks[t.block.index()].params.iter().zip(&t.args) {
                    of.entry(*param).or_insert_with(|| node.clone());
                }
            }
            for r in &inst.results {
                of.insert(*r, node.clone());
            }
        }
        out.push_str("  }\n");
        arrows.iter().for_each(|a| {
            let _ = writeln!(out, "{a}");
        });
    }
    out.push_str("}\n");
    out
}
