//! Modules, declarations and instances. A declaration of several names becomes one item per name;
//! ports declared in the header become items in front.

use rustc_hash::FxHashMap as HashMap;

use super::fail::{Fail, Res};
use super::keywords;
use super::lexer::Tok;
use super::parser::Parser;
use crate::ast::{
    Ast, Connection, Direction, Expr, ExprKind, Function, Instance, Item, Literal, Module, Net, NetKind, Parameter,
    Span,
};
use crate::bits::Bits;

type Range = Option<(Expr, Expr)>;

/// What the names of one declaration share.
#[derive(Clone)]
struct Shape {
    direction: Option<Direction>,
    kind: Option<NetKind>,
    signed: bool,
    range: Range,
}

/// A plain number.
fn plain(value: u64, span: Span) -> Expr {
    let none = Bits::zero(32);
    let literal = Literal { width: None, signed: true, value: Bits::new(32, value), x: none.clone(), z: none };
    Expr { kind: ExprKind::Literal(literal), span }
}

impl Parser<'_> {
    /// All modules.
    pub(super) fn file(&mut self) -> Res<Ast> {
        let mut ast = Ast::default();
        let mut seen: HashMap<String, ()> = HashMap::default();
        loop {
            match self.peek() {
                Tok::End => return Ok(ast),
                Tok::Word("module" | "macromodule") => {
                    let module = self.module()?;
                    if seen.insert(module.name.clone(), ()).is_some() {
                        return Err(Fail::syntax(module.span, format!("module {} is defined twice", module.name)));
                    }
                    ast.modules.push(module);
                }
                Tok::Word("primitive") => {
                    return Err(self.unsupported("user-defined primitive", "write it as a module"));
                }
                Tok::Word("config" | "library") => return Err(self.unsupported("configuration", "remove it")),
                Tok::Word(w) => match keywords::refused_sv(w) {
                    Some((construct, help)) => return Err(self.unsupported(construct, help)),
                    None => return Err(self.expected("`module`")),
                },
                _ => return Err(self.expected("`module`")),
            }
        }
    }

    fn module(&mut self) -> Res<Module> {
        self.skip();
        let (name, span) = self.name("the module's name")?;
        let implicit_nets = self.implicit_nets();
        let mut module = Module { name, span, ports: Vec::new(), items: Vec::new(), implicit_nets };
        if self.eat_op("#") {
            self.header_parameters(&mut module.items)?;
        }
        if self.eat_op("(") {
            self.header_ports(&mut module)?;
        }
        self.expect_op(";", "the module's header")?;
        while !self.eat_word("endmodule") {
            self.item(&mut module.items)?;
        }
        Ok(module)
    }

    fn header_parameters(&mut self, items: &mut Vec<Item>) -> Res<()> {
        self.expect_op("(", "`#`")?;
        let mut shape = (false, false, None);
        loop {
            if self.is_word("parameter") || self.is_word("localparam") {
                shape = self.parameter_shape()?;
            }
            items.push(Item::Parameter(self.parameter(&shape)?));
            if !self.eat_op(",") {
                return self.expect_op(")", "the parameters");
            }
        }
    }

    fn header_ports(&mut self, module: &mut Module) -> Res<()> {
        if self.eat_op(")") {
            return Ok(());
        }
        let mut shape = None;
        loop {
            if self.is_op(".") {
                return Err(self.unsupported("port expression", "name the port as the signal"));
            }
            match self.peek() {
                Tok::Word("input" | "output" | "inout") => shape = Some(self.port_shape()?),
                Tok::Word(w) if shape.is_none() => self.refuse_item(w)?,
                _ => {}
            }
            match &shape {
                Some(shape) => {
                    let net = self.declared(&shape.clone())?;
                    module.ports.push(net.name.clone());
                    module.items.push(Item::Net(net));
                }
                None => module.ports.push(self.name("a port")?.0),
            }
            if !self.eat_op(",") {
                return self.expect_op(")", "the ports");
            }
        }
    }

    /// `input [wire|reg] [signed] [range]`
    fn port_shape(&mut self) -> Res<Shape> {
        let direction = match self.peek() {
            Tok::Word("input") => Direction::Input,
            Tok::Word("output") => Direction::Output,
            _ => return Err(self.unsupported("inout port", "use an input and an output")),
        };
        self.skip();
        let kind = match self.peek() {
            Tok::Word("wire") => Some(NetKind::Wire),
            Tok::Word("reg") => Some(NetKind::Reg),
            Tok::Word("integer") => Some(NetKind::Integer),
            Tok::Word(w) => {
                if !matches!(self.peek_after(), Tok::Op("," | ")" | ";" | "=")) {
                    self.refuse_item(w)?;
                }
                None
            }
            _ => None,
        };
        if kind.is_some() {
            self.skip();
        }
        let signed = self.eat_word("signed") || kind == Some(NetKind::Integer);
        Ok(Shape { direction: Some(direction), kind, signed, range: self.range()? })
    }

    /// The error for a word that begins something outside the subset.
    fn refuse_item(&self, word: &str) -> Res<()> {
        let sv = || match self.peek_after() {
            Tok::Word(_) | Tok::Escaped(_) | Tok::Op("[" | "@" | "{") => keywords::refused_sv(word),
            _ => None,
        };
        match keywords::refused_item(word).or_else(sv) {
            Some((construct, help)) => Err(self.unsupported(construct, help)),
            None => Ok(()),
        }
    }

    fn range(&mut self) -> Res<Range> {
        if !self.eat_op("[") {
            return Ok(None);
        }
        let left = self.expr()?;
        self.expect_op(":", "the left bound of a range")?;
        let right = self.expr()?;
        self.expect_op("]", "a range")?;
        Ok(Some((left, right)))
    }

    /// A name with array bounds and value.
    fn declared(&mut self, shape: &Shape) -> Res<Net> {
        let (name, span) = self.name(match shape.direction {
            Some(_) => "a name of a port",
            None => "a name of a net",
        })?;
        let array = self.range()?;
        if self.is_op("[") {
            return Err(self.unsupported("array of several dimensions", "use one dimension"));
        }
        let init = if self.eat_op("=") { Some(self.expr()?) } else { None };
        let Shape { direction, kind, signed, range } = shape.clone();
        Ok(Net { name, span, direction, kind, signed, range, array, init })
    }

    fn declared_list(&mut self, shape: &Shape, out: &mut Vec<Net>) -> Res<()> {
        loop {
            out.push(self.declared(shape)?);
            if !self.eat_op(",") {
                return self.expect_op(";", "the declaration");
            }
        }
    }

    /// `wire`, `reg` or `integer` and names. `direction` is that of a port.
    pub(super) fn variables(&mut self, direction: Option<Direction>, out: &mut Vec<Net>) -> Res<()> {
        let kind = match self.peek() {
            Tok::Word("reg") => NetKind::Reg,
            Tok::Word("integer") => NetKind::Integer,
            _ => NetKind::Wire,
        };
        self.skip();
        if self.is_op("(") {
            return Err(self.unsupported("drive strength", "remove it"));
        }
        if self.eat_word("vectored") || self.eat_word("scalared") {
            // They say nothing about values.
        }
        let signed = self.eat_word("signed") || kind == NetKind::Integer;
        let range = self.range()?;
        if self.is_op("#") {
            return Err(self.unsupported("delay", "remove it: time advances by clock edges"));
        }
        self.declared_list(&Shape { direction, kind: Some(kind), signed, range }, out)
    }

    /// `parameter` or `localparam` with type and range: (local, signed, range).
    fn parameter_shape(&mut self) -> Res<(bool, bool, Range)> {
        let local = self.is_word("localparam");
        self.skip();
        let span = self.span();
        match self.peek() {
            Tok::Word("integer") => {
                self.skip();
                return Ok((local, true, Some((plain(31, span), plain(0, span)))));
            }
            Tok::Word("real" | "realtime" | "time") => {
                return Err(self.unsupported("real or time parameter", "use an integer"));
            }
            Tok::Word("logic" | "int" | "bit") if !matches!(self.peek_after(), Tok::Op("=")) => {
                return Err(self.unsupported("SystemVerilog data type", "leave the type out"));
            }
            _ => {}
        }
        let signed = self.eat_word("signed");
        Ok((local, signed, self.range()?))
    }

    fn parameter(&mut self, (local, signed, range): &(bool, bool, Range)) -> Res<Parameter> {
        let (name, span) = self.name("a name of a parameter")?;
        self.expect_op("=", "the parameter's name")?;
        let value = self.expr()?;
        Ok(Parameter { name, span, local: *local, signed: *signed, range: range.clone(), value })
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Res<()> {
        let span = self.span();
        match self.peek() {
            Tok::Op(";") => self.skip(),
            Tok::Word("input" | "output" | "inout") => {
                let shape = self.port_shape()?;
                let mut nets = Vec::new();
                self.declared_list(&shape, &mut nets)?;
                items.extend(nets.into_iter().map(Item::Net));
            }
            Tok::Word("wire" | "reg" | "integer") => {
                let mut nets = Vec::new();
                self.variables(None, &mut nets)?;
                items.extend(nets.into_iter().map(Item::Net));
            }
            Tok::Word("parameter" | "localparam") => {
                let shape = self.parameter_shape()?;
                loop {
                    items.push(Item::Parameter(self.parameter(&shape)?));
                    if !self.eat_op(",") {
                        return self.expect_op(";", "the parameters");
                    }
                }
            }
            Tok::Word("function") => items.push(Item::Function(self.function()?)),
            Tok::Word("assign") => return self.continuous(items),
            Tok::Word("always") => {
                self.skip();
                let sensitivity = self.sensitivity()?;
                items.push(Item::Always { sensitivity, body: self.stmt()?, span });
            }
            Tok::Word("initial") => {
                self.skip();
                items.push(Item::Initial { body: self.stmt()?, span });
            }
            Tok::Word("module") => return Err(self.expected("`endmodule` before the next module")),
            Tok::Word(w) => {
                self.refuse_item(w)?;
                if keywords::is_keyword(w) {
                    return Err(self.expected("a declaration, assign, always, initial, an instance or `endmodule`"));
                }
                return self.instances(items);
            }
            Tok::Escaped(_) => return self.instances(items),
            Tok::System(name) => {
                return Err(self.unsupported(&format!("elaboration task {name}"), "remove it"));
            }
            _ => return Err(self.expected("a declaration, assign, always, initial, an instance or `endmodule`")),
        }
        Ok(())
    }

    /// `function [automatic] [signed] [range] name [(inputs)]; declarations statement endfunction`
    fn function(&mut self) -> Res<Function> {
        self.skip();
        // What differs between the two is what is left from call to call, and nothing here reads
        // that.
        self.eat_word("automatic");
        let integer = self.eat_word("integer");
        if let Tok::Word("real" | "realtime" | "time") = self.peek() {
            return Err(self.unsupported("function of a real or a time", "use a vector"));
        }
        let signed = self.eat_word("signed") || integer;
        let range = if integer { Some((plain(31, self.span()), plain(0, self.span()))) } else { self.range()? };
        let (name, span) = self.name("the function's name")?;
        let (mut inputs, mut nets) = (Vec::new(), Vec::new());
        if self.eat_op("(") {
            self.function_ports(&mut inputs)?;
        }
        self.expect_op(";", "the function's header")?;
        loop {
            match self.peek() {
                Tok::Word("input") => {
                    let shape = self.port_shape()?;
                    self.declared_list(&shape, &mut inputs)?;
                }
                Tok::Word("output" | "inout") => return Err(self.expected("`input`: a function has no other ports")),
                Tok::Word("reg" | "integer") => self.variables(None, &mut nets)?,
                Tok::Word("parameter" | "localparam") => {
                    return Err(self.unsupported("parameter in a function", "declare it in the module"));
                }
                _ => break,
            }
        }
        if inputs.is_empty() {
            return Err(Fail::syntax(span, format!("function {name} has no input")));
        }
        let body = self.stmt()?;
        if !self.eat_word("endfunction") {
            return Err(self.expected("`endfunction` after the function's only statement"));
        }
        Ok(Function { name, span, signed, range, inputs, nets, body })
    }

    fn function_ports(&mut self, inputs: &mut Vec<Net>) -> Res<()> {
        let mut shape = None;
        loop {
            if self.is_word("input") {
                shape = Some(self.port_shape()?);
            }
            let Some(shape) = &shape else { return Err(self.expected("`input`")) };
            inputs.push(self.declared(&shape.clone())?);
            if !self.eat_op(",") {
                return self.expect_op(")", "the function's inputs");
            }
        }
    }

    fn continuous(&mut self, items: &mut Vec<Item>) -> Res<()> {
        self.skip();
        match self.peek() {
            Tok::Op("#") => return Err(self.unsupported("delay", "remove it: time advances by clock edges")),
            Tok::Op("(") => return Err(self.unsupported("drive strength", "remove it")),
            _ => {}
        }
        loop {
            let span = self.span();
            let target = self.target()?;
            self.expect_op("=", "the target of assign")?;
            items.push(Item::Assign { target, value: self.expr()?, span });
            if !self.eat_op(",") {
                return self.expect_op(";", "the assignment");
            }
        }
    }

    /// `module #(...) name (...), name (...);`
    fn instances(&mut self, items: &mut Vec<Item>) -> Res<()> {
        let (module, span) = self.name("a module's name")?;
        let mut parameters = Vec::new();
        if self.eat_op("#") {
            self.expect_op("(", "`#`")?;
            parameters = self.connections()?;
        }
        loop {
            let name_span = self.span();
            if self.is_op("(") {
                return Err(self.unsupported("instance without name", "give it a name"));
            }
            let (name, _) = self.name("an instance's name")?;
            if self.is_op("[") {
                return Err(self.unsupported("array of instances", "write the instances out"));
            }
            if !self.is_op("(") {
                return Err(Fail {
                    span: if matches!(self.peek(), Tok::Op("=" | "[" | "<=")) { span } else { self.span() },
                    ..self.expected("`(` after the instance's name")
                });
            }
            self.skip();
            let ports = self.connections()?;
            items.push(Item::Instance(Instance {
                module: module.clone(),
                name,
                span: name_span,
                parameters: parameters.clone(),
                ports,
            }));
            if !self.eat_op(",") {
                return self.expect_op(";", "the instance");
            }
        }
    }

    /// Behind `(`: connections by name or position, and `)`.
    fn connections(&mut self) -> Res<Vec<Connection>> {
        let mut list = Vec::new();
        if self.eat_op(")") {
            return Ok(list);
        }
        loop {
            list.push(self.connection()?);
            if self.eat_op(",") {
                continue;
            }
            if !self.eat_op(")") {
                return Err(self.expected("`,` or `)` after a connection"));
            }
            if list.iter().any(|c| c.name.is_some()) {
                if let Some(c) = list.iter().find(|c| c.name.is_none()) {
                    return Err(Fail::syntax(c.span, "connections by name and by position are mixed"));
                }
            }
            return Ok(list);
        }
    }

    fn connection(&mut self) -> Res<Connection> {
        let span: Span = self.span();
        if !self.eat_op(".") {
            let open = self.is_op(",") || self.is_op(")");
            let value = if open { None } else { Some(self.expr()?) };
            return Ok(Connection { name: None, value, span });
        }
        if self.is_op("*") {
            return Err(self.unsupported("SystemVerilog connection .*", "name the ports"));
        }
        let (name, _) = self.name("a port's name")?;
        if matches!(self.peek(), Tok::Op("," | ")")) {
            return Err(self.unsupported("SystemVerilog connection .name", "write .name(name)"));
        }
        self.expect_op("(", "the port's name")?;
        let value = if self.is_op(")") { None } else { Some(self.expr()?) };
        self.expect_op(")", "the connected expression")?;
        Ok(Connection { name: Some(name), value, span })
    }
}
