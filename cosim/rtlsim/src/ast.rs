//! Syntax tree of the accepted Verilog subset, exactly as written: no widths, no names resolved. Made by [`crate::parse`], read by [`crate::elaborate`].
//! Every node that an error can be about carries the byte offset where it starts.

use crate::bits::Bits;
use crate::source::Source;
pub use crate::source::Span;

/// A parsed file set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ast {
    pub modules: Vec<Module>,
    /// Texts that `` `include `` brought in, one for each time; spans number them after the sources
    /// that were given.
    pub included: Vec<Source>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    pub name: String,
    pub span: Span,
    /// Port names in the order of the header (for connection by position).
    pub ports: Vec<String>,
    /// In source order; ANSI port declarations come first, as [`Item::Net`] with a direction.
    pub items: Vec<Item>,
    /// Undeclared names that are assigned or connected are wires of one bit: there is no
    /// `` `default_nettype none `` before the module.
    pub implicit_nets: bool,
}

#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // a syntax tree is read once
pub enum Item {
    Net(Net),
    Parameter(Parameter),
    Function(Function),
    /// `assign target = value;`
    Assign {
        target: Expr,
        value: Expr,
        span: Span,
    },
    Always {
        sensitivity: Sensitivity,
        body: Stmt,
        span: Span,
    },
    Initial {
        body: Stmt,
        span: Span,
    },
    Instance(Instance),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Input,
    Output,
    Inout,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetKind {
    Wire,
    Reg,
    /// 32 bits, signed.
    Integer,
    Genvar,
}

/// One declared name (`wire [3:0] a, b;` is two). A port declared twice (`input a; wire a;`, `output q; reg q;`) is two items of one name, to be merged.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    pub name: String,
    pub span: Span,
    pub direction: Option<Direction>,
    /// `None` for a bare port declaration (`output q;`), which is a wire unless another declaration says reg.
    pub kind: Option<NetKind>,
    pub signed: bool,
    /// `[left:right]`
    pub range: Option<(Expr, Expr)>,
    /// `[first:last]` after the name: a memory.
    pub array: Option<(Expr, Expr)>,
    /// `wire x = e;` (continuous) or `reg x = e;` (initial value).
    pub init: Option<Expr>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub span: Span,
    pub local: bool,
    pub signed: bool,
    pub range: Option<(Expr, Expr)>,
    pub value: Expr,
}

/// `function [range] name; ... endfunction`
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub name: String,
    pub span: Span,
    pub signed: bool,
    /// Of the result.
    pub range: Option<(Expr, Expr)>,
    /// Arguments in order, as input nets.
    pub inputs: Vec<Net>,
    /// Local variables.
    pub nets: Vec<Net>,
    pub body: Stmt,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    pub module: String,
    pub name: String,
    pub span: Span,
    pub parameters: Vec<Connection>,
    pub ports: Vec<Connection>,
}

/// `.name(value)`, or a positional `value` with `name` empty; an open port has no value.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    pub name: Option<String>,
    pub value: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Sensitivity {
    /// `@(*)` or `@*`.
    Combinational,
    /// `@(a or b)`, a list of plain signals, which is taken for `*`, as synthesis does.
    Levels(Vec<Expr>),
    /// `@(posedge a or negedge b)`
    Edges(Vec<EdgeOf>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct EdgeOf {
    pub rising: bool,
    pub signal: Expr,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    Null,
    /// `begin : name ... end` with local declarations.
    Block {
        name: Option<String>,
        nets: Vec<Net>,
        body: Vec<Stmt>,
    },
    Assign {
        target: Expr,
        value: Expr,
        blocking: bool,
    },
    If {
        condition: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    Case {
        kind: CaseKind,
        subject: Expr,
        arms: Vec<CaseArm>,
    },
    /// `for (init; condition; step) body`; init and step are blocking assignments.
    For {
        init: Box<Stmt>,
        condition: Expr,
        step: Box<Stmt>,
        body: Box<Stmt>,
    },
    /// `$readmemh("file", mem);`, `$display(...)` (ignored by elaboration in processes), ...
    Task {
        name: String,
        arguments: Vec<Expr>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseKind {
    Case,
    Casez,
    Casex,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CaseArm {
    /// Empty: `default`.
    pub labels: Vec<Expr>,
    pub body: Stmt,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    Literal(Literal),
    Str(String),
    /// A simple name; escaped identifiers come without backslash and trailing space.
    Name(String),
    /// `base[index]`: bit of a vector or word of a memory.
    Index(Box<Expr>, Box<Expr>),
    /// `base[left:right]`
    Part(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `base[start +: width]` (`up`) or `base[start -: width]`.
    Indexed {
        base: Box<Expr>,
        start: Box<Expr>,
        width: Box<Expr>,
        up: bool,
    },
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Most significant first.
    Concat(Vec<Expr>),
    Repeat(Box<Expr>, Vec<Expr>),
    /// `$signed`, `$unsigned`, `$clog2`, `$bits`, or a function of the module.
    Call(String, Vec<Expr>),
    /// An argument of a system task that is left out.
    Null,
}

/// A number. Plain decimal is signed and `width` is `None` (32 bits at least).
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    pub width: Option<u32>,
    pub signed: bool,
    /// x and z digits are zero here. As wide as the literal (32 or as needed if unsized).
    pub value: Bits,
    /// Bits written x.
    pub x: Bits,
    /// Bits written z or ?.
    pub z: Bits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Plus,
    Minus,
    Not,
    LogicalNot,
    And,
    Nand,
    Or,
    Nor,
    Xor,
    Xnor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Power,
    And,
    Or,
    Xor,
    Xnor,
    LogicalAnd,
    LogicalOr,
    Eq,
    Ne,
    CaseEq,
    CaseNe,
    Lt,
    Le,
    Gt,
    Ge,
    Shl,
    Shr,
    /// `<<<`, the same as `<<`.
    ShlA,
    /// `>>>`, arithmetic when the expression is signed.
    ShrA,
}
