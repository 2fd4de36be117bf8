//! The items of a module in the order that lets every name be used before its declaration:
//! parameters, nets, implicit nets, initial blocks, then assignments, processes and instances. Port
//! connections stand alone in width and sign, and are then cut or extended by the sign of the
//! source (as Icarus and Verilator do): a sum of two 4-bit wires does not grow a carry by being
//! connected to an 8-bit port.

use super::builder::Map;
use super::select::{clip, Base, Reference, Select};
use super::unit::{Elab, Instance, Name, PieceSource, Result, Unit};
use crate::ast::{self, Expr, ExprKind, Item, Module, NetKind, Span};
use crate::bits::Bits;
use crate::graph::{NodeId, SignalKind};

/// A parameter override: name (none: by position), value, sign, where.
pub(super) type Override = (Option<String>, Bits, bool, Span);

/// Deepest hierarchy.
const MAX_HIERARCHY: usize = 200;

impl<'a> Elab<'a> {
    /// The template of a module with these parameters.
    pub fn template(&mut self, module: &'a Module, overrides: &[Override]) -> Result<usize> {
        if self.active.len() >= MAX_HIERARCHY || self.active.contains(&module.name.as_str()) {
            let message = format!("module {} contains itself: {}", module.name, self.active.join(" > "));
            return Err(crate::Error::Elaborate { place: self.place(module.span), message });
        }
        self.active.push(&module.name);
        let mut unit = Unit::new(self);
        let key = unit.parameters(module, overrides)?;
        if let Some(&id) = unit.elab.known.get(&key) {
            self.active.pop();
            return Ok(id);
        }
        let ports = unit.declarations(module)?;
        unit.behaviour(module)?;
        let template = unit.finish(module.name.clone(), ports)?;
        self.active.pop();
        self.templates.push(template);
        self.known.insert(key, self.templates.len() - 1);
        Ok(self.templates.len() - 1)
    }
}

impl<'a> Unit<'_, 'a> {
    /// Parameter values, and the key of this set of them.
    fn parameters(&mut self, module: &'a Module, overrides: &[Override]) -> Result<String> {
        self.know_functions(module)?;
        let mut key = module.name.clone();
        let mut position = 0;
        let mut used = vec![false; overrides.len()];
        for item in &module.items {
            let Item::Parameter(p) = item else { continue };
            let mut given = None;
            if !p.local {
                for (i, (name, value, signed, _)) in overrides.iter().enumerate() {
                    let hit = match name {
                        Some(n) => *n == p.name,
                        None => i == position,
                    };
                    if hit {
                        used[i] = true;
                        given = Some((value.clone(), *signed));
                    }
                }
                position += 1;
            }
            let (value, signed) = self.parameter(p, given)?;
            key.push_str(&format!("#{value}{}", if signed { "s" } else { "" }));
        }
        if let Some(i) = used.iter().position(|u| !u) {
            let (name, _, _, span) = &overrides[i];
            let name = name.as_deref().unwrap_or("at this position");
            return self.error(*span, format!("module {} has no parameter {name}", module.name));
        }
        Ok(key)
    }

    /// Nets, memories and implicit nets; the nets of the ports.
    fn declarations(&mut self, module: &Module) -> Result<Vec<u32>> {
        for item in &module.items {
            if let Item::Net(n) = item {
                self.net(n, "")?;
            }
        }
        for f in module.items.iter().filter_map(|i| if let Item::Function(f) = i { Some(f) } else { None }) {
            if self.lookup(&f.name).is_some() {
                return self.error(f.span, format!("{} is declared twice", f.name));
            }
        }
        for item in module.items.iter().filter(|_| module.implicit_nets) {
            match item {
                Item::Assign { target, .. } => self.implicit(target)?,
                Item::Instance(i) => {
                    for c in i.ports.iter().filter_map(|c| c.value.as_ref()) {
                        self.implicit(c)?;
                    }
                }
                _ => {}
            }
        }
        let mut ports = Vec::new();
        for p in &module.ports {
            match self.lookup(p) {
                Some(Name::Net(id))
                    if matches!(self.nets[id as usize].kind, SignalKind::Input | SignalKind::Output) =>
                {
                    ports.push(id)
                }
                _ => return self.error(module.span, format!("port {p} is not declared input or output")),
            }
        }
        for net in &self.nets {
            let port = matches!(net.kind, SignalKind::Input | SignalKind::Output);
            if port && !module.ports.contains(&net.name) {
                return self.error(net.span, format!("{} is not in the module's list of ports", net.name));
            }
        }
        Ok(ports)
    }

    /// An undeclared name that is connected or assigned is one bit.
    fn implicit(&mut self, e: &Expr) -> Result<()> {
        match &e.kind {
            ExprKind::Name(n) if self.lookup(n).is_none() => {
                let id = self.hidden(n, e.span, 1, false);
                self.order.push(super::unit::Declared::Net(id));
                self.declare(n, Name::Net(id), e.span)
            }
            ExprKind::Concat(parts) => parts.iter().try_for_each(|p| self.implicit(p)),
            _ => Ok(()),
        }
    }

    fn behaviour(&mut self, module: &'a Module) -> Result<()> {
        for item in &module.items {
            if let Item::Initial { body, .. } = item {
                self.initial(body)?;
            }
        }
        for item in &module.items {
            match item {
                Item::Net(ast::Net { init: Some(e), kind, name, span, .. })
                    if !matches!(kind, Some(NetKind::Reg | NetKind::Integer)) =>
                {
                    let Some(Name::Net(id)) = self.lookup(name) else { continue };
                    let width = self.nets[id as usize].width;
                    let value = self.assigned(e, width)?;
                    self.drive(id, 0, width, PieceSource::Node(value), *span);
                }
                Item::Assign { target, value, .. } => {
                    let mut targets = Vec::new();
                    self.targets(target, &mut targets)?;
                    let width = targets.iter().map(|t| t.0.width).sum();
                    let value = self.assigned(value, width)?;
                    self.drive_targets(targets, value)?;
                }
                Item::Always { sensitivity, body, span } => self.always(sensitivity, body, *span)?,
                Item::Instance(i) => self.instance(i)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Drives wires continuously; `value` is as wide as all of them.
    fn drive_targets(&mut self, targets: Vec<(Reference, Span)>, value: NodeId) -> Result<()> {
        let mut at = self.b.width(value);
        for (t, span) in targets {
            at -= t.width;
            let Base::Net(net) = t.base else {
                return self.error(span, "a word of a memory cannot be driven continuously: declare the array as wire");
            };
            if self.nets[net as usize].variable {
                let name = &self.nets[net as usize].name;
                let message = format!(
                    "{name} is declared reg, which only processes assign: declare it without reg, or assign it in an always block"
                );
                return self.error(span, message);
            }
            let total = self.nets[net as usize].width;
            let lo = match t.select {
                Select::Whole => 0,
                Select::Fixed { lo } => lo,
                Select::Moving { .. } => {
                    return self.error(span, "the target of a continuous assignment needs constant selects")
                }
            };
            let (from, len) = clip(lo, t.width, total);
            if len > 0 {
                let node = self.b.slice(value, at + (i64::from(from) - lo) as u32, len);
                self.drive(net, from, len, PieceSource::Node(node), span);
            }
        }
        Ok(())
    }

    fn instance(&mut self, i: &'a ast::Instance) -> Result<()> {
        let Some(&module) = self.elab.modules.get(i.module.as_str()) else {
            return self.error(i.span, format!("there is no module {}", i.module));
        };
        let mut overrides = Vec::new();
        for p in &i.parameters {
            let Some(e) = &p.value else { continue };
            let (_, signed) = self.size(e)?;
            let node = self.alone(e)?;
            let Some(value) = self.b.as_const(node).cloned() else {
                return self.error(e.span, "parameter values must be constant");
            };
            overrides.push((p.name.clone(), value, signed, p.span));
        }
        let template = self.elab.template(module, &overrides)?;
        let number = self.instances.len() as u32;
        let mut inputs = Map::default();
        let mut seen = vec![false; module.ports.len()];
        for (position, c) in i.ports.iter().enumerate() {
            let at = match &c.name {
                Some(n) => module.ports.iter().position(|p| p == n),
                None => Some(position).filter(|&p| p < module.ports.len()),
            };
            let Some(at) = at else {
                let what = c.name.clone().unwrap_or_else(|| format!("number {}", position + 1));
                return self.error(c.span, format!("module {} has no port {what}", i.module));
            };
            if std::mem::replace(&mut seen[at], true) {
                return self.error(c.span, format!("port {} is connected twice", module.ports[at]));
            }
            let Some(e) = &c.value else { continue };
            let t = &self.elab.templates[template];
            let port = t.ports[at];
            let net = &t.nets[port as usize];
            let (kind, width, signed) = (net.kind, net.width, net.signed);
            if kind == SignalKind::Input {
                let (_, own) = self.size(e)?;
                let value = self.alone(e)?;
                inputs.insert(port, self.b.resize(value, width, own));
            } else {
                let hidden = self.hidden("", c.span, width, signed);
                self.drive(hidden, 0, width, PieceSource::Child { instance: number, net: port }, c.span);
                let mut targets = Vec::new();
                self.targets(e, &mut targets)?;
                let total = targets.iter().map(|t| t.0.width).sum();
                let leaf = self.leaf(hidden);
                let value = self.b.resize(leaf, total, signed);
                self.drive_targets(targets, value)?;
            }
        }
        self.instances.push(Instance { name: i.name.clone(), template, inputs });
        Ok(())
    }
}
