//! Syntax tree of the accepted Verilog subset, exactly as written: no widths, no names resolved.
//! Made by [`crate::parse`], read by [`crate::elaborate`]. Every node that an error can be about
//! carries the byte offset where it starts.

use crate::bits::Bits;
use crate::source::Source;
pub use crate::source::Span;

/// A parsed file set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ast {
    /// In the order of the texts; elaboration refuses two of one name.
    pub modules: Vec<Module>,
    /// Texts that `` `include `` brought in, one for each time; spans number them after the sources
    /// that were given.
    pub included: Vec<Source>,
}

/// `module name(...); ... endmodule`
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// Without the backslash of an escaped identifier.
    pub name: String,
    /// Of the name.
    pub span: Span,
    /// Port names in the order of the header (for connection by position).
    pub ports: Vec<String>,
    /// In source order; ANSI port declarations come first, as [`Item::Net`] with a direction.
    pub items: Vec<Item>,
    /// Undeclared names that are assigned or connected are wires of one bit: there is no
    /// `` `default_nettype none `` before the module.
    pub implicit_nets: bool,
}

/// What stands in a module beside its ports.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // a syntax tree is read once
pub enum Item {
    /// A port, net, variable, memory or `genvar`.
    Net(Net),
    /// `parameter` or `localparam`.
    Parameter(Parameter),
    /// A function, which elaboration puts in place of each call.
    Function(Function),
    /// `assign target = value;`
    Assign {
        /// A name, a part of one, or a concatenation of those.
        target: Expr,
        /// Any expression; it is extended or cut to the width of the target.
        value: Expr,
        /// Of the target.
        span: Span,
    },
    /// `always @(...) body`
    Always {
        /// When the body runs.
        sensitivity: Sensitivity,
        /// One statement, mostly a block.
        body: Stmt,
        /// Of the keyword.
        span: Span,
    },
    /// `initial body`: start values of registers and memories.
    Initial {
        /// One statement; only constants may be assigned.
        body: Stmt,
        /// Of the keyword.
        span: Span,
    },
    /// A module inside this one.
    Instance(Instance),
}

/// Where a port leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into the module.
    Input,
    /// Out of the module.
    Output,
    /// Parsed, but refused: a net with two drivers is outside the subset.
    Inout,
}

/// What kind of name a declaration makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetKind {
    /// Driven from outside its process: by `assign`, an instance or a port.
    Wire,
    /// Written by processes; a register only if an edge writes it.
    Reg,
    /// 32 bits, signed.
    Integer,
    /// A number that exists during elaboration only.
    Genvar,
}

/// One declared name (`wire [3:0] a, b;` is two). A port declared twice (`input a; wire a;`,
/// `output q; reg q;`) is two items of one name, to be merged.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    /// Without the backslash of an escaped identifier.
    pub name: String,
    /// Of the name.
    pub span: Span,
    /// `None` if it is not a port.
    pub direction: Option<Direction>,
    /// `None` for a bare port declaration (`output q;`), which is a wire unless another declaration
    /// says reg.
    pub kind: Option<NetKind>,
    /// `signed` is written, or the kind is signed by itself.
    pub signed: bool,
    /// `[left:right]`
    pub range: Option<(Expr, Expr)>,
    /// `[first:last]` after the name: a memory.
    pub array: Option<(Expr, Expr)>,
    /// `wire x = e;` (continuous) or `reg x = e;` (initial value).
    pub init: Option<Expr>,
}

/// One declared parameter (`parameter A = 1, B = 2;` is two).
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// As instances name it.
    pub name: String,
    /// Of the name.
    pub span: Span,
    /// `localparam`: instances cannot set it.
    pub local: bool,
    /// `signed` is written.
    pub signed: bool,
    /// `[left:right]`; without it, the value tells the width.
    pub range: Option<(Expr, Expr)>,
    /// The default, a constant expression.
    pub value: Expr,
}

/// `function [range] name; ... endfunction`
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// As calls name it.
    pub name: String,
    /// Of the name.
    pub span: Span,
    /// The result is signed.
    pub signed: bool,
    /// Of the result.
    pub range: Option<(Expr, Expr)>,
    /// Arguments in order, as input nets.
    pub inputs: Vec<Net>,
    /// Local variables.
    pub nets: Vec<Net>,
    /// Assigns the function's own name.
    pub body: Stmt,
}

/// `module #(parameters) name(ports);`
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Name of the module that is instantiated.
    pub module: String,
    /// Name of the instance, which is that of its scope.
    pub name: String,
    /// Of the instance's name.
    pub span: Span,
    /// Overridden parameters, by name or by position.
    pub parameters: Vec<Connection>,
    /// Connected ports, by name or by position.
    pub ports: Vec<Connection>,
}

/// `.name(value)`, or a positional `value` with `name` empty; an open port has no value.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// `None` if connected by position.
    pub name: Option<String>,
    /// `None` for an open port, which reads as 0.
    pub value: Option<Expr>,
    /// Of the name or of the value.
    pub span: Span,
}

/// When a process runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Sensitivity {
    /// `@(*)` or `@*`.
    Combinational,
    /// `@(a or b)`, a list of plain signals, which is taken for `*`, as synthesis does.
    Levels(Vec<Expr>),
    /// `@(posedge a or negedge b)`
    Edges(Vec<EdgeOf>),
}

/// One term of `@(posedge a or negedge b)`.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeOf {
    /// `posedge`.
    pub rising: bool,
    /// One bit.
    pub signal: Expr,
}

/// A statement and where it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Of its first token.
    pub span: Span,
}

/// The statements of the subset.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// A lone `;`.
    Null,
    /// `begin : name ... end` with local declarations.
    Block {
        /// Its scope, if it has one: `begin : name`.
        name: Option<String>,
        /// Declared inside the block.
        nets: Vec<Net>,
        /// In order.
        body: Vec<Stmt>,
    },
    /// `target = value;` or `target <= value;`
    Assign {
        /// A name, a part of one, or a concatenation of those.
        target: Expr,
        /// Extended or cut to the width of the target.
        value: Expr,
        /// `=`: what follows reads the new value.
        blocking: bool,
    },
    /// `if (condition) then else otherwise`
    If {
        /// True if any bit is 1.
        condition: Expr,
        /// What is done if it is true.
        then: Box<Stmt>,
        /// `None` without an `else`.
        otherwise: Option<Box<Stmt>>,
    },
    /// `case (subject) arms endcase`
    Case {
        /// Which digits of labels match anything.
        kind: CaseKind,
        /// Compared with each label.
        subject: Expr,
        /// Tried in order; the first match is taken.
        arms: Vec<CaseArm>,
        /// `(* full_case *)`: the text promises that a label always matches.
        full: bool,
    },
    /// `for (init; condition; step) body`; init and step are blocking assignments.
    For {
        /// A blocking assignment of the loop variable.
        init: Box<Stmt>,
        /// Constant once the variable is known: the loop is unrolled.
        condition: Expr,
        /// A blocking assignment of the loop variable.
        step: Box<Stmt>,
        /// Once for each value.
        body: Box<Stmt>,
    },
    /// `$readmemh("file", mem);`, `$display(...)` (ignored by elaboration in processes), ...
    Task {
        /// With its `$`.
        name: String,
        /// [`ExprKind::Null`] for one that is left out.
        arguments: Vec<Expr>,
    },
}

/// The three `case` statements of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseKind {
    /// Every digit is compared.
    Case,
    /// z and ? digits of labels match anything.
    Casez,
    /// x, z and ? digits of labels match anything.
    Casex,
}

/// `labels: body`
#[derive(Clone, Debug, PartialEq)]
pub struct CaseArm {
    /// Empty: `default`.
    pub labels: Vec<Expr>,
    /// One statement.
    pub body: Stmt,
}

/// An expression and where it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Of its first token.
    pub span: Span,
}

/// The expressions of the subset.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A number.
    Literal(Literal),
    /// Text in quotes, without them: an argument of a system task or a parameter.
    Str(String),
    /// A simple name; escaped identifiers come without backslash and trailing space.
    Name(String),
    /// `base[index]`: bit of a vector or word of a memory.
    Index(Box<Expr>, Box<Expr>),
    /// `base[left:right]`
    Part(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `base[start +: width]` (`up`) or `base[start -: width]`.
    Indexed {
        /// A name of a vector.
        base: Box<Expr>,
        /// Bit number from which the part goes up or down; need not be constant.
        start: Box<Expr>,
        /// In bits, constant.
        width: Box<Expr>,
        /// `+:`, from the start upwards.
        up: bool,
    },
    /// Operator and operand.
    Unary(UnaryOp, Box<Expr>),
    /// Operator, left and right operand.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`, in this order.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Most significant first.
    Concat(Vec<Expr>),
    /// `{count{parts}}`: a constant count, then the parts, most significant first.
    Repeat(Box<Expr>, Vec<Expr>),
    /// `$signed`, `$unsigned`, `$clog2`, `$bits`, or a function of the module.
    Call(String, Vec<Expr>),
    /// An argument of a system task that is left out.
    Null,
}

/// A number. Plain decimal is signed and `width` is `None` (32 bits at least).
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// In bits, as written before the quote.
    pub width: Option<u32>,
    /// `'s`, or plain decimal.
    pub signed: bool,
    /// x and z digits are zero here. As wide as the literal (32 or as needed if unsized).
    pub value: Bits,
    /// Bits written x.
    pub x: Bits,
    /// Bits written z or ?.
    pub z: Bits,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `~`
    Not,
    /// `!`
    LogicalNot,
    /// `&`, all bits of the operand.
    And,
    /// `~&`, all bits of the operand.
    Nand,
    /// `|`, all bits of the operand.
    Or,
    /// `~|`, all bits of the operand.
    Nor,
    /// `^`, all bits of the operand.
    Xor,
    /// `~^` or `^~`, all bits of the operand.
    Xnor,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`; by zero: zero.
    Div,
    /// `%`; by zero: zero.
    Rem,
    /// `**`
    Power,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `~^` or `^~`
    Xnor,
    /// `&&`
    LogicalAnd,
    /// `||`
    LogicalOr,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `===`, the same as `==` with two states.
    CaseEq,
    /// `!==`, the same as `!=` with two states.
    CaseNe,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `<<<`, the same as `<<`.
    ShlA,
    /// `>>>`, arithmetic when the expression is signed.
    ShrA,
}
