//! One module with one set of parameter values, on its way to a [`Template`]: names, nets and what
//! drives each bit of them. Instances of the module share the template; nothing here knows where in
//! the hierarchy it stands. A node's leaf [`Op::Input`] means the net of that number in the
//! template, and `MemRead` its memory. What goes wrong here shows in every instance alike.

use rustc_hash::FxHashMap as HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::builder::{Builder, Map};
use super::cover::Cover;
use super::execution::{Left, Process};
use crate::ast::{self, Module, Span};
use crate::bits::Bits;
use crate::error::{Error, Place};
use crate::graph::{InputId, Node, NodeId, Op, SignalKind, Start, Table};
use crate::source::{self, Source};

/// Widest vector, the least that IEEE 1364-2005 (4.3.1) asks for: the time to compile code for one
/// grows faster than its width.
const MAX_WIDTH: i64 = 1 << 16;
/// Deepest memory; a deeper one is taken for a mistake in the text.
const MAX_DEPTH: i64 = 1 << 24;
/// Most wires of an array: each has a name and a driver of its own.
const MAX_WIRES: u32 = 1 << 12;
/// Most bits of one memory: 256 MiB.
const MAX_MEMORY: i64 = 1 << 31;

pub(super) type Result<T> = std::result::Result<T, Error>;

/// Everything that modules share while they are elaborated.
pub(super) struct Elab<'a> {
    pub sources: &'a [Source],
    pub modules: HashMap<&'a str, &'a Module>,
    pub templates: Vec<Template>,
    /// Module name and parameter values to template.
    pub known: HashMap<String, usize>,
    /// Modules being elaborated, outermost first.
    pub active: Vec<&'a str>,
}

impl Elab<'_> {
    pub fn place(&self, span: Span) -> Place {
        source::place(self.sources, span)
    }

    /// A file named in the source at `span`: relative names are beside that source.
    pub fn beside(&self, span: Span, file: &str) -> PathBuf {
        let folder = self.sources.get(span.source as usize).and_then(|s| Path::new(&s.name).parent());
        folder.unwrap_or(Path::new("")).join(file)
    }
}

/// A function whose names are declared.
pub(super) struct Callee {
    pub names: Map<String, Name>,
    /// Nets of the inputs in order.
    pub inputs: Vec<u32>,
    /// All nets of the function.
    pub nets: std::ops::Range<u32>,
    pub result: u32,
}

/// A finished module.
pub(super) struct Template {
    pub module: String,
    pub nodes: Vec<Node>,
    pub tables: Vec<Table>,
    pub nets: Vec<Net>,
    pub registers: Vec<Register>,
    pub memories: Vec<Memory>,
    pub instances: Vec<Instance>,
    pub constants: Vec<(String, Bits)>,
    /// Nets of the ports, in the order of the header.
    pub ports: Vec<u32>,
    /// Named nets and memories in the order of their declarations.
    pub order: Vec<Declared>,
}

#[derive(Clone, Copy)]
pub(super) enum Declared {
    Net(u32),
    Memory(u32),
}

/// A net, reg, integer or port; or, without a name, what an instance's output drives.
pub(super) struct Net {
    pub name: String,
    pub span: Span,
    pub kind: SignalKind,
    /// Declared reg or integer: assigned by processes, and never continuously.
    pub variable: bool,
    pub width: u32,
    pub signed: bool,
    pub left: i64,
    pub right: i64,
    /// Integers and locals of blocks: no latch is seen in them if nothing reads one
    /// (`loop_variables`).
    pub scratch: bool,
    /// Counts a loop of some process, and may be shared between processes (`loop_variables`).
    pub counter: bool,
    /// Initial value, and which bits of it were given.
    pub init: Option<(Bits, Cover)>,
    /// While elaborating: unsorted. In a template: one after the other, every bit once.
    pub pieces: Vec<Piece>,
}

/// Bits `lo .. lo + width` of a net come from there.
pub(super) struct Piece {
    pub lo: u32,
    pub width: u32,
    pub source: PieceSource,
    pub span: Span,
}

pub(super) enum PieceSource {
    Node(NodeId),
    /// Register of the template, the whole of it.
    Register(u32),
    /// The whole of a net of an instance.
    Child {
        instance: u32,
        net: u32,
    },
    Constant(Bits),
}

pub(super) struct Register {
    pub net: u32,
    pub lo: u32,
    pub width: u32,
    pub start: Start,
    pub clock: NodeId,
    pub rising: bool,
    pub next: NodeId,
    /// Further signals whose edge (rising: true) it waits for.
    pub asynchronous: Rc<[(NodeId, bool)]>,
}

pub(super) struct Memory {
    pub name: String,
    pub width: u32,
    pub depth: u32,
    pub signed: bool,
    pub left: i64,
    pub right: i64,
    /// Lower bound of the addresses.
    pub first: i64,
    /// By word; missing ones and `None`: not given.
    pub init: Vec<Option<Bits>>,
    pub writes: Vec<Write>,
}

pub(super) struct Write {
    pub clock: NodeId,
    pub rising: bool,
    pub enable: NodeId,
    pub addr: NodeId,
    pub data: NodeId,
    pub mask: Option<NodeId>,
    pub asynchronous: Rc<[(NodeId, bool)]>,
}

pub(super) struct Instance {
    pub name: String,
    pub template: usize,
    /// Net of the child (an input port), and the node here that it is; open ones are missing.
    pub inputs: Map<u32, NodeId>,
}

/// A constant with a name.
pub(super) struct Constant {
    pub bits: Bits,
    pub signed: bool,
    pub left: i64,
    pub right: i64,
    /// Bits written x, bits written z.
    pub unknown: Option<(Bits, Bits)>,
}

/// An array of wires: each word is a net.
#[derive(Clone, Copy)]
pub(super) struct Wires {
    /// The net of the word with the lowest index. The others follow it.
    pub net: u32,
    pub depth: u32,
    pub first: i64,
}

#[derive(Clone)]
pub(super) enum Name {
    Net(u32),
    Memory(u32),
    Wires(Wires),
    Constant(Rc<Constant>),
}

/// A register as its process leaves it, before initial values are known.
pub(super) struct RawRegister {
    pub net: u32,
    pub span: Span,
    pub clock: NodeId,
    pub rising: bool,
    pub next: NodeId,
    pub may: Cover,
    /// Further signals whose edge (rising: true) it waits for.
    pub asynchronous: Rc<[(NodeId, bool)]>,
}

/// A module in the making.
pub(super) struct Unit<'e, 'a> {
    pub elab: &'e mut Elab<'a>,
    pub b: Builder,
    /// Innermost block last.
    pub names: Vec<Map<String, Name>>,
    pub nets: Vec<Net>,
    pub memories: Vec<Memory>,
    pub raw: Vec<RawRegister>,
    /// Loop variables and locals as their processes leave them.
    pub left: Vec<Left>,
    pub instances: Vec<Instance>,
    pub order: Vec<Declared>,
    pub constants: Vec<(String, Bits)>,
    /// The process being executed.
    pub process: Option<Process>,
    /// Locals of blocks already declared (a loop's body is executed many times).
    pub blocks: Map<Span, Map<String, Name>>,
    /// Nesting of the expression or statement at hand.
    pub depth: u32,
    /// Nesting of constants in constants: bounds, counts.
    pub constant_depth: u32,
    /// Nesting of loops, and the rounds since the outermost began.
    pub loops: (u32, u32),
    /// Functions of the module, and what is known of those that were called (`None`: it is just
    /// being found out).
    pub functions: Map<String, &'a ast::Function>,
    pub callees: Map<String, Option<Rc<Callee>>>,
    /// Nesting of calls, and how many there were since the outermost began.
    pub calls: (u32, u32),
}

impl<'e, 'a> Unit<'e, 'a> {
    pub fn new(elab: &'e mut Elab<'a>) -> Self {
        Self {
            elab,
            b: Builder::new(),
            names: vec![Map::default()],
            nets: Vec::new(),
            memories: Vec::new(),
            raw: Vec::new(),
            left: Vec::new(),
            instances: Vec::new(),
            order: Vec::new(),
            constants: Vec::new(),
            process: None,
            blocks: Map::default(),
            depth: 0,
            constant_depth: 0,
            loops: (0, 0),
            functions: Map::default(),
            callees: Map::default(),
            calls: (0, 0),
        }
    }

    pub fn error<T>(&self, span: Span, message: impl Into<String>) -> Result<T> {
        Err(Error::Elaborate { place: self.elab.place(span), message: message.into() })
    }

    pub fn unsupported<T>(&self, span: Span, construct: &str, help: &str) -> Result<T> {
        Err(Error::Unsupported { place: self.elab.place(span), construct: construct.into(), help: help.into() })
    }

    pub fn lookup(&self, name: &str) -> Option<Name> {
        self.names.iter().rev().find_map(|scope| scope.get(name)).cloned()
    }

    /// The node that stands for the whole of a net, whatever drives it.
    pub fn leaf(&mut self, net: u32) -> NodeId {
        let width = self.nets[net as usize].width;
        self.b.intern(Op::Input(InputId(net)), width, &[])
    }

    /// Bounds of a range as numbers.
    pub fn range(&mut self, range: &Option<(ast::Expr, ast::Expr)>) -> Result<Option<(i64, i64)>> {
        let Some((left, right)) = range else { return Ok(None) };
        let bounds = (self.integer(left)?, self.integer(right)?);
        if (bounds.0 - bounds.1).abs() >= MAX_WIDTH {
            return self.error(left.span, format!("range [{}:{}] is wider than {MAX_WIDTH} bits", bounds.0, bounds.1));
        }
        Ok(Some(bounds))
    }

    /// Declares a parameter; `given` is an override from outside.
    pub fn parameter(&mut self, p: &ast::Parameter, given: Option<(Bits, bool)>) -> Result<(Bits, bool)> {
        let range = self.range(&p.range)?;
        let mut unknown = None;
        let (value, mut signed) = match given {
            Some(v) => v,
            None => {
                if let ast::ExprKind::Literal(l) = &p.value.kind {
                    if !(l.x.is_zero() && l.z.is_zero()) {
                        unknown = Some((l.x.clone(), l.z.clone()));
                    }
                }
                let (width, signed) = self.size(&p.value)?;
                // a range makes the value's context at least as wide
                let width = range.map_or(width, |(l, r)| width.max((l - r).unsigned_abs() as u32 + 1));
                let node = self.eval(&p.value, width, signed)?;
                match self.b.as_const(node) {
                    Some(v) => (v.clone(), signed),
                    None => return self.error(p.value.span, format!("value of {} is not constant", p.name)),
                }
            }
        };
        let (mut bits, (left, right)) = (value.clone(), (i64::from(value.width()) - 1, 0));
        let mut bounds = (left, right);
        if let Some((l, r)) = range {
            let width = (l - r).unsigned_abs() as u32 + 1;
            bits = if signed { value.sext(width) } else { value.zext(width) };
            bounds = (l, r);
            signed = p.signed;
        } else if p.signed {
            signed = true;
        }
        let unknown = unknown.map(|(x, z)| (x.zext(bits.width()), z.zext(bits.width())));
        let constant = Constant { bits: bits.clone(), signed, left: bounds.0, right: bounds.1, unknown };
        self.declare(&p.name, Name::Constant(Rc::new(constant)), p.span)?;
        self.constants.push((p.name.clone(), bits.clone()));
        Ok((bits, signed))
    }

    pub fn declare(&mut self, name: &str, what: Name, span: Span) -> Result<()> {
        let scope = self.names.last_mut().expect("the module's own scope is never popped");
        if scope.insert(name.to_string(), what).is_some() {
            return self.error(span, format!("{name} is declared twice"));
        }
        Ok(())
    }

    /// Declares a net or memory, or adds a second declaration to a port's first. `block` is the
    /// path of the block it is local to.
    pub fn net(&mut self, n: &ast::Net, block: &str) -> Result<()> {
        let integer = n.kind == Some(ast::NetKind::Integer) || n.kind == Some(ast::NetKind::Genvar);
        let range = if integer { Some((31, 0)) } else { self.range(&n.range)? };
        let signed = n.signed || integer;
        let variable = matches!(n.kind, Some(ast::NetKind::Reg | ast::NetKind::Integer));
        let (left, right) = range.unwrap_or((0, 0));
        let width = (left - right).unsigned_abs() as u32 + 1;
        let known = self.names.last().and_then(|s| s.get(&n.name)).cloned();
        let kind = match (n.direction, n.kind) {
            (Some(ast::Direction::Inout), _) => {
                return self.unsupported(n.span, "inout port", "use an input and an output port")
            }
            (Some(ast::Direction::Input), _) => SignalKind::Input,
            (Some(ast::Direction::Output), _) => SignalKind::Output,
            (None, Some(ast::NetKind::Wire) | None) => SignalKind::Wire,
            (None, Some(_)) => SignalKind::Reg,
        };
        if let Some(Name::Net(id)) = known {
            let old = &mut self.nets[id as usize];
            let port = matches!(old.kind, SignalKind::Input | SignalKind::Output);
            let now = matches!(kind, SignalKind::Input | SignalKind::Output);
            if port == now || n.array.is_some() {
                return self.error(n.span, format!("{} is declared twice", n.name));
            }
            if range.is_some() {
                (old.left, old.right, old.width) = (left, right, width);
            }
            old.signed |= signed;
            old.variable |= variable;
            if now {
                old.kind = kind;
            }
            return self.net_value(id, n);
        }
        if let Some(array) = &n.array {
            return self.memory(n, array, (left, right, width, signed), block);
        }
        let id = self.nets.len() as u32;
        let name = format!("{block}{}", n.name);
        let scratch = integer || !block.is_empty();
        let (span, init, pieces) = (n.span, None, Vec::new());
        let counter = false;
        self.nets.push(Net { name, span, kind, variable, width, signed, left, right, scratch, counter, init, pieces });
        self.order.push(Declared::Net(id));
        self.declare(&n.name, Name::Net(id), n.span)?;
        self.net_value(id, n)
    }

    /// `reg x = e` is an initial value; `wire x = e` is driven later, when every name is known.
    fn net_value(&mut self, id: u32, n: &ast::Net) -> Result<()> {
        let Some(e) = &n.init else { return Ok(()) };
        if !matches!(n.kind, Some(ast::NetKind::Reg | ast::NetKind::Integer)) {
            return Ok(());
        }
        let width = self.nets[id as usize].width;
        let value = self.assigned(e, width)?;
        match self.b.as_const(value) {
            Some(v) => self.nets[id as usize].init = Some((v.clone(), Cover::All)),
            None => return self.error(e.span, format!("initial value of {} is not constant", n.name)),
        }
        Ok(())
    }

    fn memory(
        &mut self,
        n: &ast::Net,
        array: &(ast::Expr, ast::Expr),
        (left, right, width, signed): (i64, i64, u32, bool),
        block: &str,
    ) -> Result<()> {
        let (a, z) = (self.integer(&array.0)?, self.integer(&array.1)?);
        let depth = (a - z).abs() + 1;
        if depth > MAX_DEPTH {
            return self.error(n.span, format!("memory {} has more than {MAX_DEPTH} words", n.name));
        }
        if depth * i64::from(width) > MAX_MEMORY {
            let message =
                format!("memory {} has {depth} words of {width} bits; at most {MAX_MEMORY} bits are supported", n.name);
            return self.error(n.span, message);
        }
        if n.direction.is_some() || n.init.is_some() {
            return self.error(n.span, format!("memory {} cannot be a port or have a value here", n.name));
        }
        let (depth, first) = (depth as u32, a.min(z));
        if !matches!(n.kind, Some(ast::NetKind::Reg | ast::NetKind::Integer)) {
            return self.wires(n, (left, right, width, signed), depth, first);
        }
        let id = self.memories.len() as u32;
        let name = format!("{block}{}", n.name);
        let (init, writes) = (Vec::new(), Vec::new());
        self.memories.push(Memory { name, width, depth, signed, left, right, first, init, writes });
        self.order.push(Declared::Memory(id));
        self.declare(&n.name, Name::Memory(id), n.span)
    }

    /// An array of wires: continuous assignments and instances drive its words, each for itself.
    fn wires(
        &mut self,
        n: &ast::Net,
        (left, right, width, signed): (i64, i64, u32, bool),
        depth: u32,
        first: i64,
    ) -> Result<()> {
        if depth > MAX_WIRES {
            let message =
                format!("array {} has {depth} wires; at most {MAX_WIRES} are supported: use a memory", n.name);
            return self.error(n.span, message);
        }
        let net = self.nets.len() as u32;
        for k in 0..i64::from(depth) {
            let id = self.hidden(&format!("{}[{}]", n.name, first + k), n.span, width, signed);
            (self.nets[id as usize].left, self.nets[id as usize].right) = (left, right);
            self.order.push(Declared::Net(id));
        }
        self.declare(&n.name, Name::Wires(Wires { net, depth, first }), n.span)
    }

    /// A net that is not in the source: one bit for an undeclared name, or without a name for an
    /// instance's output.
    pub fn hidden(&mut self, name: &str, span: Span, width: u32, signed: bool) -> u32 {
        let id = self.nets.len() as u32;
        let (left, right) = (i64::from(width) - 1, 0);
        let (kind, scratch, init, pieces) = (SignalKind::Wire, false, None, Vec::new());
        let name = name.to_string();
        let (variable, counter) = (false, false);
        self.nets.push(Net { name, span, kind, variable, width, signed, left, right, scratch, counter, init, pieces });
        id
    }

    pub fn drive(&mut self, net: u32, lo: u32, width: u32, source: PieceSource, span: Span) {
        self.nets[net as usize].pieces.push(Piece { lo, width, source, span });
    }

    /// Turns processes' results into registers, and tiles every net with its drivers.
    pub fn finish(mut self, module: String, ports: Vec<u32>) -> Result<Template> {
        self.drive_left()?;
        let mut registers = Vec::new();
        for raw in std::mem::take(&mut self.raw) {
            self.register(raw, &mut registers);
        }
        for id in 0..self.nets.len() {
            self.tile(id)?;
        }
        Ok(Template {
            module,
            nodes: self.b.nodes,
            tables: self.b.tables,
            nets: self.nets,
            registers,
            memories: self.memories,
            instances: self.instances,
            constants: self.constants,
            ports,
            order: self.order,
        })
    }

    /// One register for each run of bits that are assigned and started alike.
    fn register(&mut self, raw: RawRegister, out: &mut Vec<Register>) {
        let net = &self.nets[raw.net as usize];
        let init = net.init.clone();
        let width = net.width;
        let signature = |bit: u32| {
            if !raw.may.get(bit) {
                return None;
            }
            Some(init.as_ref().is_some_and(|(_, known)| known.get(bit)))
        };
        let uniform = matches!(raw.may, Cover::All) && !matches!(init, Some((_, Cover::Some(_))));
        let runs = if uniform { vec![(0, width)] } else { super::cover::runs(width, signature) };
        for (lo, w) in runs {
            let start = match &init {
                Some((v, known)) if known.get(lo) => Start::Value(v.slice(lo, w)),
                _ => Start::Unknown,
            };
            let next = self.b.slice(raw.next, lo, w);
            let id = out.len() as u32;
            let (net, clock, rising, asynchronous) = (raw.net, raw.clock, raw.rising, raw.asynchronous.clone());
            out.push(Register { net, lo, width: w, start, clock, rising, next, asynchronous });
            self.drive(raw.net, lo, w, PieceSource::Register(id), raw.span);
        }
    }

    fn tile(&mut self, id: usize) -> Result<()> {
        let mut pieces = std::mem::take(&mut self.nets[id].pieces);
        pieces.sort_by_key(|p| p.lo);
        let net = &self.nets[id];
        if net.kind == SignalKind::Input {
            if let Some(p) = pieces.first() {
                return self.error(p.span, format!("input port {} is driven inside its module", net.name));
            }
            return Ok(());
        }
        for (a, b) in pieces.iter().zip(pieces.iter().skip(1)) {
            if a.lo + a.width > b.lo {
                let (first, second) = if a.span.offset <= b.span.offset { (a, b) } else { (b, a) };
                let message = format!(
                    "{}[{}] has two drivers; the other is at {}",
                    net.name,
                    if net.left >= net.right { net.right + i64::from(b.lo) } else { net.right - i64::from(b.lo) },
                    self.elab.place(first.span)
                );
                return self.error(second.span, message);
            }
        }
        let width = net.width;
        let init = net.init.as_ref().map_or_else(|| Bits::zero(width), |(v, _)| v.clone());
        let mut out = Vec::with_capacity(pieces.len());
        let mut at = 0;
        let span = net.span;
        let gap = |at: u32, to: u32, out: &mut Vec<Piece>| {
            if at < to {
                let source = PieceSource::Constant(init.slice(at, to - at));
                out.push(Piece { lo: at, width: to - at, source, span });
            }
        };
        for p in pieces {
            gap(at, p.lo, &mut out);
            at = p.lo + p.width;
            out.push(p);
        }
        gap(at, width, &mut out);
        self.nets[id].pieces = out;
        Ok(())
    }
}
