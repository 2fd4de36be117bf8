//! Who waits for whom in a machine that stands still: of each block that offers something that
//! nobody takes, the blocks that would have to take it. Which block's `ready` it is stands in the
//! exported Verilog, in the module where both are, however the wires are called and whatever gates
//! them there. So nothing is listed here that would have to be kept.
//!
//! A block is named that decides about `ready` in its own module. What is before it in a chain
//! waits in turn, and the last one of a chain is refused nothing: there to look begins. Wrong would
//! be a `ready` that a register of the wiring holds back: then the chain ends early.

use std::collections::{BTreeMap, BTreeSet};

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::export_named;
use quadlock_rtlsim::ast::{Ast, Connection, Direction, Expr, ExprKind, Item, Module, Sensitivity, Stmt, StmtKind};
use quadlock_rtlsim::parse::parse;
use quadlock_rtlsim::Source;

use super::stalled::Stalled;
use crate::engine::top::TOP;

/// A block that waits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wait {
    /// Its path.
    pub block: String,
    /// What it offers.
    pub stream: String,
    /// Paths of the blocks that do not take it.
    pub on: Vec<String>,
}

/// Who waits for whom among streams that stand still in the machine of that configuration.
pub fn waits(stalled: &[Stalled], config: &GpuConfig) -> Vec<Wait> {
    if stalled.is_empty() {
        return vec![];
    }
    let ast = export_named(TOP, config).ok().map(|text| Source::new("machine.v", text));
    let ast = ast.and_then(|source| parse(&[source]).ok());
    ast.map_or_else(Vec::new, |ast| in_modules(stalled, &ast))
}

fn in_modules(stalled: &[Stalled], ast: &Ast) -> Vec<Wait> {
    let modules: BTreeMap<&str, &Module> = ast.modules.iter().map(|m| (m.name.as_str(), m)).collect();
    let mut wirings: BTreeMap<&str, Wiring<'_>> = BTreeMap::new();
    let mut out = vec![];
    for Stalled { block, stream } in stalled {
        let Some((parent, instance)) = block.rsplit_once('.') else { continue };
        let Some(outside) = module_at(parent, &modules) else { continue };
        let wiring = wirings.entry(outside.name.as_str()).or_insert_with(|| Wiring::of(outside, &modules));
        let port = |end: &str| if stream.is_empty() { end.to_owned() } else { format!("{stream}_{end}") };
        if wiring.is_output(instance, &port("valid")) {
            let on = wiring.behind(instance, &port("ready"));
            if !on.is_empty() {
                let on = on.into_iter().map(|name| format!("{parent}.{name}")).collect();
                out.push(Wait { block: block.clone(), stream: stream.clone(), on });
            }
        }
    }
    out
}

/// The module of a path that begins with the top.
fn module_at<'a>(path: &str, modules: &BTreeMap<&str, &'a Module>) -> Option<&'a Module> {
    let mut names = path.split('.');
    let mut at = *modules.get(names.next()?)?;
    for name in names {
        let found = at.items.iter().find_map(|i| match i {
            Item::Instance(i) if i.name == name => Some(i.module.as_str()),
            _ => None,
        });
        at = *modules.get(found?)?;
    }
    Some(at)
}

/// What is connected in a module, and what its wires depend on within a cycle.
#[derive(Default)]
struct Wiring<'a> {
    /// Net of each instance's port, and whether the port is an output.
    ports: BTreeMap<(&'a str, &'a str), (&'a str, bool)>,
    /// Instance that drives a net.
    driver: BTreeMap<&'a str, &'a str>,
    /// Nets that a net is made of, where no register is between.
    from: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Wiring<'a> {
    fn of(module: &'a Module, modules: &BTreeMap<&str, &'a Module>) -> Self {
        let mut wiring = Self::default();
        for item in &module.items {
            match item {
                Item::Instance(instance) => {
                    let Some(inner) = modules.get(instance.module.as_str()) else { continue };
                    for Connection { name, value, .. } in &instance.ports {
                        let (Some(name), Some(net)) = (name.as_deref(), value.as_ref().and_then(base)) else {
                            continue;
                        };
                        let is = |i: &Item| matches!(i, Item::Net(n) if n.name == name && n.direction == Some(Direction::Output));
                        let output = inner.items.iter().any(is) && !is_register(&inner.name);
                        wiring.ports.insert((instance.name.as_str(), name), (net, output));
                        if output {
                            wiring.driver.insert(net, &instance.name);
                        }
                    }
                }
                Item::Assign { target, value, .. } => wiring.assign(target, value, &[]),
                Item::Always { sensitivity: Sensitivity::Combinational | Sensitivity::Levels(_), body, .. } => {
                    wiring.statement(body, &mut vec![]);
                }
                _ => {}
            }
        }
        wiring
    }

    fn assign(&mut self, target: &'a Expr, value: &'a Expr, conditions: &[&'a Expr]) {
        let Some(net) = base(target) else { return };
        let from = self.from.entry(net).or_default();
        for e in conditions.iter().copied().chain([value]) {
            names(e, from);
        }
    }

    fn statement(&mut self, s: &'a Stmt, conditions: &mut Vec<&'a Expr>) {
        match &s.kind {
            StmtKind::Block { body, .. } => body.iter().for_each(|s| self.statement(s, conditions)),
            StmtKind::Assign { target, value, .. } => self.assign(target, value, conditions),
            StmtKind::If { condition, then, otherwise } => {
                conditions.push(condition);
                self.statement(then, conditions);
                if let Some(otherwise) = otherwise {
                    self.statement(otherwise, conditions);
                }
                conditions.pop();
            }
            StmtKind::Case { subject, arms, .. } => {
                conditions.push(subject);
                arms.iter().for_each(|arm| self.statement(&arm.body, conditions));
                conditions.pop();
            }
            StmtKind::Null | StmtKind::For { .. } | StmtKind::Task { .. } => {}
        }
    }

    fn is_output(&self, instance: &str, port: &str) -> bool {
        self.ports.get(&(instance, port)).is_some_and(|p| p.1)
    }

    /// Instances that decide about an input of one. Those whose own `ready` it is come before
    /// others that only gate it.
    fn behind(&self, instance: &str, port: &str) -> Vec<&'a str> {
        let Some(&(net, _)) = self.ports.get(&(instance, port)) else { return vec![] };
        let (mut seen, mut open) = (BTreeSet::from([net]), vec![net]);
        let mut found = vec![];
        while let Some(net) = open.pop() {
            match self.driver.get(net) {
                Some(&driver) => found.push((driver, net)),
                None => {
                    let more = self.from.get(net).into_iter().flatten().copied();
                    open.extend(more.filter(|&n| seen.insert(n)));
                }
            }
        }
        let is_ready = |net: &str| net.ends_with("ready");
        let any_ready = found.iter().any(|(_, net)| is_ready(net));
        let kept = found.into_iter().filter(|(driver, net)| *driver != instance && (!any_ready || is_ready(net)));
        kept.map(|(driver, _)| driver).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// A register of the wiring: what it holds back is not seen.
fn is_register(module: &str) -> bool {
    module.starts_with("dff_")
}

/// The net of a name or of a part of one.
fn base(e: &Expr) -> Option<&str> {
    match &e.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Index(of, _) | ExprKind::Part(of, ..) | ExprKind::Indexed { base: of, .. } => base(of),
        _ => None,
    }
}

/// Every name in an expression.
fn names<'a>(e: &'a Expr, out: &mut BTreeSet<&'a str>) {
    match &e.kind {
        ExprKind::Name(name) => {
            out.insert(name);
        }
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| names(e, out)),
        ExprKind::Part(a, b, c) | ExprKind::Conditional(a, b, c) => {
            [a, b, c].into_iter().for_each(|e| names(e, out));
        }
        ExprKind::Indexed { base, start, .. } => [base, start].into_iter().for_each(|e| names(e, out)),
        ExprKind::Unary(_, a) => names(a, out),
        ExprKind::Concat(all) | ExprKind::Repeat(_, all) | ExprKind::Call(_, all) => {
            all.iter().for_each(|e| names(e, out));
        }
        ExprKind::Literal(_) | ExprKind::Str(_) | ExprKind::Null => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source, a gate in the wiring, a sink behind a multiplexer.
    const TEXT: &str = "
        module source(clock, quad_valid, quad_ready); input clock; output quad_valid; input quad_ready; endmodule
        module sink(clock, told_valid, told_ready); input clock; input told_valid; output told_ready; endmodule
        module watch(clock, open); input clock; output open; endmodule
        module inner(clock, done_ready); input clock; input done_ready;
            wire a_quad_valid; reg a_quad_ready; reg b_told_valid; wire b_told_ready; wire w_open; reg held;
            wire c_quad_valid; wire d_quad_valid;
            source a(.clock(clock), .quad_valid(a_quad_valid), .quad_ready(a_quad_ready));
            sink b(.clock(clock), .told_valid(b_told_valid), .told_ready(b_told_ready));
            watch w(.clock(clock), .open(w_open));
            source c(.clock(clock), .quad_valid(c_quad_valid), .quad_ready(held));
            source d(.clock(clock), .quad_valid(d_quad_valid), .quad_ready(done_ready));
            always @(*) begin
                held = 1'b0;
                b_told_valid = a_quad_valid;
                a_quad_ready = 1'b0;
                if (w_open) begin a_quad_ready = b_told_ready && ~held; end
                if (w_open) begin held = 1'b1; end
            end
        endmodule
        module top(clock); input clock; inner i(.clock(clock), .done_ready(clock)); endmodule";

    #[test]
    fn a_block_waits_for_who_decides_about_its_ready() {
        let ast = parse(&[Source::new("t.v", TEXT)]).unwrap();
        let at = |block: &str, stream: &str| Stalled { block: block.into(), stream: stream.into() };
        let all = [
            at("top.i.a", "quad"),
            // The same wires, seen from the sink and in the module around: nobody's own stream.
            at("top.i.b", "told"),
            at("top.i", "a_quad"),
            // No `ready` decides here, but a block does.
            at("top.i.c", "quad"),
            // What decides is outside of the module: another row has it.
            at("top.i.d", "quad"),
            at("top.i.nobody", "quad"),
        ];
        let wait = |block: &str, on: &str| Wait { block: block.into(), stream: "quad".into(), on: vec![on.into()] };
        assert_eq!(in_modules(&all, &ast), [wait("top.i.a", "top.i.b"), wait("top.i.c", "top.i.w")]);
    }
}
