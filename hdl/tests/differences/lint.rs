//! A lint over the kernels (`#[kernel]` and `#[parts]`) for text that means one thing to rust-hdl's
//! engine and another as Verilog. Syntactic: it knows no types, so a rule may refuse what would be
//! right; it can miss a pattern that goes through a macro. Each rule has a planted sample that it
//! must find (in `mod.rs`) and a pinned test of the difference itself (in `pins.rs`). The table is
//! in docs/export.md.

use std::collections::BTreeMap;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, Pat, UnOp};

/// The rules: name and what is wrong.
pub const RULES: &[(&str, &str)] = &[
    ("bare-literal", "a literal without width makes Verilog calculate in 32 bits: write bits::<N>(x)"),
    ("widened-arithmetic", "a widening bit_cast of arithmetic keeps the carry in Verilog: name the result first"),
    ("narrow-operand", "a truncating bit_cast is as wide as its operand in Verilog: name the truncated value first"),
    ("precedence", "== and < bind tighter than & | ^ in Verilog: write parentheses"),
    ("not-operand", "! of a flag in a wider sum or in replace_bit inverts the bits above it too: name the flag first"),
    ("dynamic-index", "an index out of range panics or reads 0 in Rust and reads x in Verilog: use a literal, a loop index or a shift"),
    ("two-indices", "only the first index of a path is translated, but of numbers and loops"),
    ("match-arm", "a guard is dropped; a binding or a literal is not what it was: plain constants or enum states only"),
    ("signed", "Signed values shift, widen and compare differently"),
    ("multiply", "a product is as wide as its context in Verilog: use the cell Mul32"),
    ("read-back", "Verilog reads a part's input as assigned so far, Rust as settled: read the value that is assigned"),
    ("read-first", "Verilog reads an output before its assignment as it was: assign first"),
    ("sliced-expression", "Verilog can take bits of a name only: name the expression first"),
    ("bare-name", "a Rust constant has no name in Verilog outside of a cast: write bits::<N>(NAME)"),
];

/// Something that a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub rule: &'static str,
    pub line: usize,
}

/// Runs every rule over the kernels of a source.
pub fn check(source: &str) -> Result<Vec<Finding>, syn::Error> {
    Ok(check_all(&[source])?.into_iter().map(|(_, finding)| finding).collect())
}

/// As [`check`], over several files, whose blocks have parts in each other: file and finding.
pub fn check_all(sources: &[&str]) -> Result<Vec<(usize, Finding)>, syn::Error> {
    let mut lint = Lint { known: Blocks::of(sources)?, ..Lint::default() };
    for (number, source) in sources.iter().enumerate() {
        lint.file = number;
        lint.visit_file(&super::super::kernel_text::parse(source)?);
    }
    lint.order();
    lint.findings.sort_by_key(|(file, finding)| (*file, finding.line));
    lint.findings.dedup();
    Ok(lint.findings)
}

/// What the lint has to know of blocks whose parts stand in several files.
#[derive(Default)]
struct Blocks {
    /// Names of the parts of a kernel, in order.
    parts: BTreeMap<String, Vec<String>>,
    /// Blocks that are unrolled as a whole: `#[kernel(wired)]`, `wired! { Block: .. }`.
    wired: Vec<String>,
    /// Fields of a block that are bundles of its own ports.
    bundles: BTreeMap<String, Vec<String>>,
}

impl Blocks {
    /// Those of these sources.
    fn of(sources: &[&str]) -> Result<Self, syn::Error> {
        let mut found = Self::default();
        for source in sources {
            for (macro_name, wired) in [("kernel_of! { ", false), ("wired! { ", true)] {
                for list in source.split(macro_name).skip(1) {
                    let Some((block, list)) = list.split_once(':') else { continue };
                    let names = list.lines().map(str::trim).take_while(|l| *l != "}");
                    let names =
                        names.filter_map(|l| l.strip_suffix(',').filter(|n| n.chars().all(char::is_alphanumeric)));
                    found.parts.insert(block.to_owned(), names.map(part_function).collect());
                    found.wired.extend(wired.then(|| block.to_owned()));
                }
            }
            for item in super::super::kernel_text::parse(source)?.items {
                if let syn::Item::Impl(item) = &item {
                    found.parts_of(item);
                }
                let syn::Item::Struct(block) = item else { continue };
                let bundles = block
                    .fields
                    .iter()
                    .filter(|f| is_bundle(&f.ty))
                    .filter_map(|f| Some(f.ident.as_ref()?.to_string()));
                found.bundles.insert(block.ident.to_string(), bundles.collect());
            }
        }
        Ok(found)
    }

    /// A kernel whose parts stand together, `#[kernel] impl Block { .. }`.
    fn parts_of(&mut self, item: &syn::ItemImpl) {
        let Some(attribute) = item.attrs.iter().find(|a| a.path().is_ident("kernel")) else { return };
        let functions = item.items.iter().filter_map(|item| match item {
            syn::ImplItem::Fn(function) => Some(function.sig.ident.to_string()),
            _ => None,
        });
        let block = block_name(item);
        self.wired.extend(matches!(&attribute.meta, syn::Meta::List(_)).then(|| block.clone()));
        self.parts.insert(block, functions.collect());
    }
}

/// Whose `impl` it is.
fn block_name(item: &syn::ItemImpl) -> String {
    match &*item.self_ty {
        syn::Type::Path(p) => p.path.segments.last().map_or(String::new(), |s| s.ident.to_string()),
        _ => String::new(),
    }
}

/// The function that is the part of that name in a list: `late_hi_z` of `LateHiZ`.
fn part_function(name: &str) -> String {
    let mut function = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !function.is_empty() {
            function.push('_');
        }
        function.extend(c.to_lowercase());
    }
    function
}

/// Whether a field is a bundle of ports, or one for each unit.
fn is_bundle(ty: &syn::Type) -> bool {
    let syn::Type::Path(path) = ty else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    let name = last.ident.to_string();
    name == "Each" || name != "Signal" && (name.ends_with("Out") || name.ends_with("In"))
}

/// Ports of a stream that go against the others end so: `ready`, `visible_ready`.
const READY: &str = "ready";

#[derive(Default)]
struct Lint {
    findings: Vec<(usize, Finding)>,
    /// Number of the file.
    file: usize,
    /// Whose kernel it is.
    block: String,
    in_kernel: bool,
    /// In a kernel that is unrolled before it becomes Verilog: any number of
    /// indices, sizes (fields with `_`) in them.
    in_wiring: bool,
    known: Blocks,
    /// The functions of the `impl` are parts of a kernel.
    in_parts: bool,
    loop_indices: Vec<String>,
    /// What a kernel writes and reads, in order.
    events: Vec<Event>,
    /// The same of whole blocks: of their parts, by their places.
    blocks: BTreeMap<String, BTreeMap<usize, Vec<Event>>>,
}

/// Path, is a write, file and line.
type Event = (String, bool, (usize, usize));

impl Lint {
    fn find(&mut self, rule: &'static str, span: Span) {
        debug_assert!(RULES.iter().any(|r| r.0 == rule));
        self.findings.push((self.file, Finding { rule, line: span.start().line }));
    }

    fn is_loop_index(&self, expr: &Expr) -> bool {
        matches!(bare(expr), Expr::Path(p) if p.path.get_ident().is_some_and(|i| self.loop_indices.contains(&i.to_string())))
    }

    /// A literal or a loop index, which Verilog sees as 32 bits wide.
    fn is_wide_leaf(&self, expr: &Expr) -> bool {
        match bare(expr) {
            Expr::Lit(l) => matches!(l.lit, syn::Lit::Int(_)),
            Expr::MethodCall(m) if m.method == "to_bits" || m.method == "into" => self.is_static_index(&m.receiver),
            other => self.is_loop_index(other),
        }
    }

    fn is_static_index(&self, expr: &Expr) -> bool {
        match bare(expr) {
            Expr::Lit(_) => true,
            Expr::Field(f) if self.in_wiring => {
                matches!(&f.member, syn::Member::Named(n) if n.to_string().starts_with('_'))
            }
            Expr::Binary(b) => self.is_static_index(&b.left) && self.is_static_index(&b.right),
            other => self.is_loop_index(other),
        }
    }

    /// A path has two indices, and one of them is no number and no index of a loop. The export
    /// writes loops out, and then it translates both (`pins.rs`).
    fn has_two_indices(&self, expr: &Expr) -> bool {
        indices(expr) > 1 && !self.in_wiring && !self.has_static_indices(expr)
    }

    fn has_static_indices(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Index(i) => self.is_static_index(&i.index) && self.has_static_indices(&i.expr),
            Expr::Field(f) => self.has_static_indices(&f.base),
            Expr::MethodCall(m) => self.has_static_indices(&m.receiver),
            _ => true,
        }
    }

    /// What is looked at in all its bits: a comparison's side, the left of a right shift, the
    /// receiver of any, all, xor.
    fn examined(&mut self, expr: &Expr) {
        if carries(expr) && has_truncation(expr) {
            self.find("narrow-operand", expr.span());
        }
    }

    fn binary(&mut self, b: &syn::ExprBinary) {
        use BinOp::{Add, BitAnd, BitOr, BitXor, Eq, Ge, Gt, Le, Lt, Mul, Ne, Shr, Sub};
        let sides: [&Expr; 2] = [&b.left, &b.right];
        match b.op {
            Add(_) | Sub(_) | Mul(_) => {
                if sides.iter().any(|s| self.is_wide_leaf(s)) {
                    self.find("bare-literal", b.span());
                }
                if sides.iter().any(|s| is_not(s)) {
                    self.find("not-operand", b.span());
                }
                if matches!(b.op, Mul(_)) {
                    self.find("multiply", b.span());
                }
            }
            Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_) => {
                if sides.iter().any(|s| self.is_wide_leaf(s)) && sides.iter().any(|s| carries(s)) {
                    self.find("bare-literal", b.span());
                }
                let loose =
                    |s: &&Expr| matches!(s, Expr::Binary(i) if matches!(i.op, BitAnd(_) | BitOr(_) | BitXor(_)));
                if sides.iter().any(loose) {
                    self.find("precedence", b.span());
                }
                self.examined(&b.left);
                self.examined(&b.right);
            }
            Shr(_) => self.examined(&b.left),
            _ => {}
        }
    }

    fn method(&mut self, m: &syn::ExprMethodCall) {
        match m.method.to_string().as_str() {
            "any" | "xor" => self.examined(&m.receiver),
            "all" if has_truncation(&m.receiver) => self.find("narrow-operand", m.span()),
            name @ ("get_bit" | "get_bits" | "replace_bit" | "set_bit") => {
                if m.args.first().is_some_and(|index| !self.is_static_index(index)) {
                    self.find("dynamic-index", m.span());
                }
                if name.starts_with("get") && !is_name(&m.receiver) {
                    self.find("sliced-expression", m.span());
                }
                if name == "replace_bit" && m.args.iter().nth(1).is_some_and(is_not) {
                    self.find("not-operand", m.span());
                }
            }
            "to_signed_bits" => self.find("signed", m.span()),
            _ => {}
        }
    }

    fn call(&mut self, c: &syn::ExprCall) {
        let Expr::Path(function) = &*c.func else { return };
        let Some(name) = function.path.segments.last() else { return };
        if name.ident.to_string().contains("signed") {
            self.find("signed", c.span());
        }
        if name.ident == "bit_cast" && cast(c).is_none_or(|(to, from)| to > from) && c.args.iter().any(carries) {
            self.find("widened-arithmetic", c.span());
        }
    }

    /// The order rules, over the whole kernel.
    fn order(&mut self) {
        for (block, parts) in std::mem::take(&mut self.blocks) {
            let events: Vec<_> = parts.into_values().flatten().collect();
            self.order_of(&block, &events);
        }
    }

    fn order_of(&mut self, block: &str, events: &[Event]) {
        // A port of the block itself is a signal like others, though it stands in a bundle.
        let bundles = self.known.bundles.get(block).cloned().unwrap_or_default();
        let inside = |path: &str| {
            path.split_once('.')
                .is_some_and(|(first, rest)| rest.contains('.') || !bundles.iter().any(|bundle| bundle == first))
        };
        for (at, (path, write, line)) in events.iter().enumerate() {
            let same = |written: &str| match written.strip_suffix('*') {
                Some(bundle) => {
                    path.strip_prefix(bundle).is_some_and(|port| port != READY && !port.ends_with("_ready"))
                }
                None => written == path,
            };
            let other = |slice: &[Event]| slice.iter().any(|e| e.1 && same(&e.0));
            let (before, after) = (other(&events[..at]), other(&events[at + 1..]));
            let rule = match inside(path) {
                true if before || after => "read-back",
                false if after && !before => "read-first",
                _ => continue,
            };
            if !*write {
                self.findings.push((line.0, Finding { rule, line: line.1 }));
            }
        }
    }
}

impl<'a> Visit<'a> for Lint {
    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        self.in_parts = item.attrs.iter().any(|a| a.path().is_ident("kernel") || a.path().is_ident("parts"));
        self.block = block_name(item);
        self.in_wiring = self.known.wired.contains(&self.block);
        visit::visit_item_impl(self, item);
        self.in_wiring = false;
    }

    fn visit_impl_item_fn(&mut self, function: &'a syn::ImplItemFn) {
        if self.in_parts || function.attrs.iter().any(|a| a.path().is_ident("kernel")) {
            self.in_kernel = true;
            visit::visit_block(self, &function.block);
            self.in_kernel = false;
            let events = std::mem::take(&mut self.events);
            let parts = self.known.parts.get(&self.block);
            let place = parts.and_then(|parts| parts.iter().position(|part| function.sig.ident == part));
            let place = place.unwrap_or(usize::MAX);
            self.blocks.entry(self.block.clone()).or_default().entry(place).or_default().extend(events);
        }
    }

    fn visit_type_path(&mut self, path: &'a syn::TypePath) {
        if path.path.segments.last().is_some_and(|s| s.ident == "Signed") {
            self.find("signed", path.span());
        }
        visit::visit_type_path(self, path);
    }

    /// A fan-out reads its source and drives its targets, as the assignments do that it stands for.
    fn visit_macro(&mut self, mac: &'a syn::Macro) {
        if !self.in_kernel || !mac.path.is_ident("fan_out") {
            return;
        }
        let Ok(fan) = mac.parse_body::<Fan>() else { return };
        let line = (self.file, mac.path.span().start().line);
        let source = path(&fan.from);
        if fan.joins {
            self.events.push((format!("{source}.{READY}"), true, line));
        } else {
            self.events.push((source, false, line));
        }
        for target in &fan.to {
            if self.has_two_indices(target) {
                self.find("two-indices", target.span());
            }
            self.events.push((path(target) + if fan.joins { ".*" } else { "" }, true, line));
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if !self.in_kernel {
            return visit::visit_expr(self, expr);
        }
        if self.has_two_indices(expr) {
            return self.find("two-indices", expr.span());
        }
        match expr {
            Expr::Binary(b) => self.binary(b),
            Expr::MethodCall(m) => {
                self.method(m);
                if self.is_wide_leaf(expr) {
                    return;
                }
                if m.method.to_string().starts_with("get_bit") {
                    // The index is Rust's.
                    return self.visit_expr(&m.receiver);
                }
                if m.method == "val" {
                    let path = path(&m.receiver);
                    self.events.push((path, false, (self.file, m.span().start().line)));
                    return;
                }
            }
            Expr::Call(c) => {
                if let Some((target, source)) = connected(c) {
                    let line = (self.file, c.span().start().line);
                    self.events.push((format!("{}.*", path(target)), true, line));
                    // A stream is told back whether it goes on.
                    self.events.push((format!("{}.{READY}", path(source)), true, line));
                    return;
                }
                self.call(c);
                // Constants in a cast become a number.
                if c.args.len() == 1 && function(c).is_some_and(|f| f == "bits") && names_constant(&c.args[0]) {
                    return;
                }
                // The function's name is no name of the kernel.
                return c.args.iter().for_each(|a| self.visit_expr(a));
            }
            Expr::Match(m) => {
                for arm in &m.arms {
                    if arm.guard.is_some() || !matches!(arm.pat, Pat::Wild(_) | Pat::Path(_)) {
                        self.find("match-arm", arm.span());
                    }
                }
            }
            Expr::ForLoop(f) => {
                let Pat::Ident(index) = &*f.pat else { return };
                self.loop_indices.push(index.ident.to_string());
                visit::visit_block(self, &f.body);
                self.loop_indices.pop();
                return;
            }
            Expr::Assign(a) => {
                self.visit_expr(&a.right);
                if self.has_two_indices(&a.left) {
                    self.find("two-indices", a.left.span());
                }
                self.events.push((path(&a.left), true, (self.file, a.span().start().line)));
                return;
            }
            Expr::Path(p) => {
                let name = p.path.get_ident().map(ToString::to_string);
                if name.is_some_and(|n| n != "self" && !self.loop_indices.contains(&n)) || names_constant(expr) {
                    self.find("bare-name", p.span());
                }
            }
            Expr::Index(i) => return self.visit_expr(&i.expr),
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}

/// `fan_out!(source => target, ...)`, or of bundles, `fan_out!(Bundle: source => target, ...)`.
struct Fan {
    joins: bool,
    from: Expr,
    to: Vec<Expr>,
}

impl syn::parse::Parse for Fan {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
        let joins = input.peek(syn::Ident) && input.peek2(syn::Token![:]);
        if joins {
            input.parse::<syn::Ident>()?;
            input.parse::<syn::Token![:]>()?;
        }
        let from = input.parse()?;
        input.parse::<syn::Token![=>]>()?;
        let to = input.parse_terminated(Expr::parse, syn::Token![,])?.into_iter().collect();
        Ok(Self { joins, from, to })
    }
}

/// The bundle that a connection drives, `RetireOut::link(&mut self.ret, &mut self.pipe.ret)`: its
/// own for `Out::link` and for a quiet one, else the second. The other one is told back.
fn connected(call: &syn::ExprCall) -> Option<(&Expr, &Expr)> {
    let Expr::Path(function) = &*call.func else { return None };
    let names: Vec<String> = function.path.segments.iter().map(|s| s.ident.to_string()).collect();
    let [.., ty, name] = names.as_slice() else { return None };
    let first = match name.as_str() {
        "link" => ty.ends_with("Out"),
        "join" => ty == "Quiet",
        _ => return None,
    };
    let side = |at: usize| match call.args.get(at)? {
        Expr::Reference(side) => Some(&*side.expr),
        _ => None,
    };
    Some((side(usize::from(!first))?, side(usize::from(first))?))
}

/// The expression without its parentheses.
fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(p) => bare(&p.expr),
        other => other,
    }
}

fn is_not(expr: &Expr) -> bool {
    match bare(expr) {
        Expr::Unary(u) => matches!(u.op, UnOp::Not(_)),
        Expr::MethodCall(m) if m.method == "into" => is_not(&m.receiver),
        _ => false,
    }
}

/// A signal or constant: what Verilog can select bits of.
fn is_name(expr: &Expr) -> bool {
    match expr {
        Expr::MethodCall(m) => m.method == "val" && is_name(&m.receiver),
        Expr::Field(f) => is_name(&f.base),
        Expr::Index(i) => is_name(&i.expr),
        Expr::Path(_) => true,
        _ => false,
    }
}

/// To and from of `bit_cast::<TO, FROM>`, if they are literals.
fn cast(call: &syn::ExprCall) -> Option<(u64, u64)> {
    let Expr::Path(function) = &*call.func else { return None };
    let syn::PathArguments::AngleBracketed(arguments) = &function.path.segments.last()?.arguments else { return None };
    let mut widths = arguments.args.iter().map(|a| match a {
        syn::GenericArgument::Const(Expr::Lit(l)) => match &l.lit {
            syn::Lit::Int(i) => i.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    });
    Some((widths.next()??, widths.next()??))
}

/// The value can have bits above its Rust width if Verilog calculates it in a wider context.
fn carries(expr: &Expr) -> bool {
    match bare(expr) {
        Expr::Binary(b) => match b.op {
            BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Shl(_) => true,
            BinOp::Shr(_) => carries(&b.left),
            BinOp::BitAnd(_) | BinOp::BitOr(_) | BinOp::BitXor(_) => carries(&b.left) || carries(&b.right),
            _ => false,
        },
        Expr::Unary(_) => true,
        Expr::MethodCall(m) if m.method == "into" || m.method == "replace_bit" => carries(&m.receiver),
        _ => false,
    }
}

/// An operand is a bit_cast to fewer bits, which Verilog calculates in the wider ones.
fn has_truncation(expr: &Expr) -> bool {
    match bare(expr) {
        Expr::Binary(b) => has_truncation(&b.left) || has_truncation(&b.right),
        Expr::Unary(u) => has_truncation(&u.expr),
        Expr::Call(c) => {
            matches!(&*c.func, Expr::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "bit_cast"))
                && cast(c).is_none_or(|(to, from)| to < from)
        }
        _ => false,
    }
}

/// The last name of the function that is called.
fn function(call: &syn::ExprCall) -> Option<String> {
    match &*call.func {
        Expr::Path(p) => p.path.segments.last().map(|s| s.ident.to_string()),
        _ => None,
    }
}

/// A constant, or a sum and the like of constants and numbers, as `#[kernel]` takes it.
fn names_constant(expr: &Expr) -> bool {
    let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    match expr {
        Expr::Path(p) => p.path.segments.last().is_some_and(|s| s.ident.to_string().chars().all(upper)),
        Expr::Paren(p) => names_constant(&p.expr),
        Expr::Binary(b) => {
            let (left, right) = (names_constant(&b.left), names_constant(&b.right));
            let number = |e: &Expr| matches!(e, Expr::Lit(_));
            left && (right || number(&b.right)) || right && number(&b.left)
        }
        _ => false,
    }
}

/// Indices along a path.
fn indices(expr: &Expr) -> usize {
    match expr {
        Expr::Index(i) => 1 + indices(&i.expr),
        Expr::Field(f) => indices(&f.base),
        Expr::MethodCall(m) => indices(&m.receiver),
        _ => 0,
    }
}

/// A path as text, without `self`, indices and a final `next`.
fn path(expr: &Expr) -> String {
    match expr {
        Expr::Field(f) => {
            let base = path(&f.base);
            match &f.member {
                syn::Member::Named(n) if n == "next" => base,
                syn::Member::Named(n) if base.is_empty() => n.to_string(),
                syn::Member::Named(n) => format!("{base}.{n}"),
                syn::Member::Unnamed(n) => format!("{base}.{}", n.index),
            }
        }
        // Literal and loop indices of one vector are not told apart.
        Expr::Index(i) => format!("{}[]", path(&i.expr)),
        _ => String::new(),
    }
}
