//! Syntax tree to Verilog text. Operands that are operators themselves are put in parentheses, so
//! that precedence cannot be wrong; ports are declared behind the header. Parsing what is printed
//! gives the same tree (spans aside), which is tested.

use std::fmt::Write as _;

use super::keywords::is_keyword;
use crate::ast::{
    Ast, BinaryOp, CaseKind, Connection, Direction, Expr, ExprKind, Function, Item, Literal, Module, Net, NetKind,
    Sensitivity, Stmt, StmtKind, UnaryOp,
};

/// The whole tree as text.
pub fn print(ast: &Ast) -> String {
    let mut out = String::new();
    for module in &ast.modules {
        out.push_str(&print_module(module));
        out.push('\n');
    }
    out
}

/// One module as text.
pub fn print_module(module: &Module) -> String {
    let ports: Vec<String> = module.ports.iter().map(|p| name(p)).collect();
    let mut out = format!("module {}({});\n", name(&module.name), ports.join(", "));
    for item in &module.items {
        let text = match item {
            Item::Net(n) => format!("{};", net(n)),
            Item::Parameter(p) => format!(
                "{} {}{}{} = {};",
                if p.local { "localparam" } else { "parameter" },
                if p.signed { "signed " } else { "" },
                range(&p.range),
                name(&p.name),
                print_expr(&p.value)
            ),
            Item::Assign { target, value, .. } => format!("assign {} = {};", print_expr(target), print_expr(value)),
            Item::Always { sensitivity, body, .. } => format!("always {} {}", events(sensitivity), print_stmt(body, 1)),
            Item::Initial { body, .. } => format!("initial {}", print_stmt(body, 1)),
            Item::Function(f) => function(f),
            Item::Instance(i) => {
                let parameters =
                    if i.parameters.is_empty() { String::new() } else { format!("#({}) ", connections(&i.parameters)) };
                format!("{} {parameters}{}({});", name(&i.module), name(&i.name), connections(&i.ports))
            }
        };
        let _ = writeln!(out, "  {text}");
    }
    out.push_str("endmodule\n");
    out
}

fn function(f: &Function) -> String {
    let signed = if f.signed { "signed " } else { "" };
    let mut out = format!("function {signed}{}{};\n", range(&f.range), name(&f.name));
    for n in f.inputs.iter().chain(&f.nets) {
        let _ = writeln!(out, "    {};", net(n));
    }
    out + &format!("    {}\n  endfunction", print_stmt(&f.body, 2))
}

/// A name, escaped if it must be.
fn name(n: &str) -> String {
    let mut chars = n.chars();
    let simple = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
        && !is_keyword(n);
    if simple {
        n.to_string()
    } else {
        format!("\\{n} ")
    }
}

fn range(r: &Option<(Expr, Expr)>) -> String {
    r.as_ref().map_or(String::new(), |(a, b)| format!("[{}:{}] ", print_expr(a), print_expr(b)))
}

fn net(n: &Net) -> String {
    let mut words = Vec::new();
    match n.direction {
        Some(Direction::Input) => words.push("input"),
        Some(Direction::Output) => words.push("output"),
        Some(Direction::Inout) => words.push("inout"),
        None => {}
    }
    match n.kind {
        Some(NetKind::Wire) => words.push("wire"),
        Some(NetKind::Reg) => words.push("reg"),
        Some(NetKind::Integer) => words.push("integer"),
        Some(NetKind::Genvar) => words.push("genvar"),
        None => {}
    }
    if n.signed && n.kind != Some(NetKind::Integer) {
        words.push("signed");
    }
    let mut out = format!("{} {}{}", words.join(" "), range(&n.range), name(&n.name));
    if n.array.is_some() {
        let _ = write!(out, " {}", range(&n.array).trim_end());
    }
    if let Some(init) = &n.init {
        let _ = write!(out, " = {}", print_expr(init));
    }
    out
}

fn connections(list: &[Connection]) -> String {
    let one = |c: &Connection| {
        let value = c.value.as_ref().map_or(String::new(), print_expr);
        match &c.name {
            Some(n) => format!(".{}({value})", name(n)),
            None => value,
        }
    };
    list.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn events(s: &Sensitivity) -> String {
    match s {
        Sensitivity::Combinational => "@(*)".into(),
        Sensitivity::Levels(signals) => {
            format!("@({})", signals.iter().map(print_expr).collect::<Vec<_>>().join(" or "))
        }
        Sensitivity::Edges(edges) => {
            let one = |e: &crate::ast::EdgeOf| {
                format!("{} {}", if e.rising { "posedge" } else { "negedge" }, print_expr(&e.signal))
            };
            format!("@({})", edges.iter().map(one).collect::<Vec<_>>().join(" or "))
        }
    }
}

/// A statement, its further lines indented by `depth` + 1 levels of two spaces.
pub fn print_stmt(stmt: &Stmt, depth: usize) -> String {
    let pad = "  ".repeat(depth + 1);
    let end = "  ".repeat(depth);
    match &stmt.kind {
        StmtKind::Null => ";".into(),
        StmtKind::Block { name: label, nets, body } => {
            let mut out = String::from("begin");
            if let Some(l) = label {
                let _ = write!(out, " : {}", name(l));
            }
            out.push('\n');
            for n in nets {
                let _ = writeln!(out, "{pad}{};", net(n));
            }
            for s in body {
                let _ = writeln!(out, "{pad}{}", print_stmt(s, depth + 1));
            }
            out + &end + "end"
        }
        StmtKind::Assign { .. } => assignment(stmt) + ";",
        StmtKind::If { condition, then, otherwise } => {
            // An if without else in front of an else would take it: it goes into a block. The
            // parser does not make such trees.
            let mut out = format!("if ({}) {}", print_expr(condition), print_stmt(then, depth));
            if let Some(o) = otherwise {
                let _ = write!(out, "\n{end}else {}", print_stmt(o, depth));
            }
            out
        }
        StmtKind::Case { kind, subject, arms, full } => {
            let word = match kind {
                CaseKind::Case => "case",
                CaseKind::Casez => "casez",
                CaseKind::Casex => "casex",
            };
            let promise = if *full { "(* full_case *) " } else { "" };
            let mut out = format!("{promise}{word} ({})\n", print_expr(subject));
            for arm in arms {
                let labels: Vec<String> = arm.labels.iter().map(print_expr).collect();
                let label = if labels.is_empty() { "default".into() } else { labels.join(", ") };
                let _ = writeln!(out, "{pad}{label}: {}", print_stmt(&arm.body, depth + 1));
            }
            out + &end + "endcase"
        }
        StmtKind::For { init, condition, step, body } => format!(
            "for ({}; {}; {}) {}",
            assignment(init),
            print_expr(condition),
            assignment(step),
            print_stmt(body, depth)
        ),
        StmtKind::Task { name, arguments } if arguments.is_empty() => format!("{name};"),
        StmtKind::Task { name, arguments } => format!("{name}({});", list(arguments)),
    }
}

fn assignment(stmt: &Stmt) -> String {
    match &stmt.kind {
        StmtKind::Assign { target, value, blocking } => {
            format!("{} {} {}", print_expr(target), if *blocking { "=" } else { "<=" }, print_expr(value))
        }
        _ => String::new(),
    }
}

fn list(exprs: &[Expr]) -> String {
    exprs.iter().map(print_expr).collect::<Vec<_>>().join(", ")
}

/// An operand: in parentheses unless it is a primary.
fn operand(e: &Expr) -> String {
    match e.kind {
        ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Conditional(..) => format!("({})", print_expr(e)),
        _ => print_expr(e),
    }
}

/// An expression.
pub fn print_expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Literal(l) => literal(l),
        ExprKind::Str(s) => format!("\"{}\"", escape(s)),
        ExprKind::Name(n) => name(n),
        ExprKind::Index(a, b) => format!("{}[{}]", print_expr(a), print_expr(b)),
        ExprKind::Part(a, l, r) => format!("{}[{}:{}]", print_expr(a), print_expr(l), print_expr(r)),
        ExprKind::Indexed { base, start, width, up } => {
            let sign = if *up { "+:" } else { "-:" };
            format!("{}[{} {sign} {}]", print_expr(base), print_expr(start), print_expr(width))
        }
        ExprKind::Unary(op, a) => format!("{}{}", unary(*op), operand(a)),
        ExprKind::Binary(op, a, b) => format!("{} {} {}", operand(a), binary(*op), operand(b)),
        ExprKind::Conditional(c, a, b) => {
            // No parentheses around the last: a chain stays flat, as the parser's limit on nesting
            // wants it.
            let last = if matches!(b.kind, ExprKind::Conditional(..)) { print_expr(b) } else { operand(b) };
            format!("{} ? {} : {last}", operand(c), operand(a))
        }
        ExprKind::Concat(l) => format!("{{{}}}", list(l)),
        ExprKind::Repeat(n, l) => format!("{{{}{{{}}}}}", operand(n), list(l)),
        ExprKind::Call(n, l) if l.is_empty() => n.clone(),
        ExprKind::Call(n, l) if n.starts_with('$') => format!("{n}({})", list(l)),
        ExprKind::Call(n, l) => format!("{}({})", name(n), list(l)),
        ExprKind::Null => String::new(),
    }
}

fn literal(l: &Literal) -> String {
    let size = l.width.map_or(String::new(), |w| w.to_string());
    let sign = if l.signed { "s" } else { "" };
    if l.width.is_none() && l.signed && l.x.is_zero() && l.z.is_zero() {
        if let Some(v) = l.value.small() {
            return v.to_string();
        }
    }
    if l.x.is_zero() && l.z.is_zero() {
        let hex = l.value.to_string();
        return format!("{size}'{sign}h{}", &hex[hex.find('h').map_or(0, |i| i + 1)..]);
    }
    let digit = |i| match (l.x.get(i), l.z.get(i), l.value.get(i)) {
        (true, ..) => 'x',
        (_, true, _) => '?',
        (_, _, v) => char::from(b'0' + u8::from(v)),
    };
    format!("{size}'{sign}b{}", (0..l.value.width()).rev().map(digit).collect::<String>())
}

fn escape(s: &str) -> String {
    let mut out = String::new();
    for c in s.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(out, "\\{:03o}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Plus => "+",
        UnaryOp::Minus => "-",
        UnaryOp::Not => "~",
        UnaryOp::LogicalNot => "!",
        UnaryOp::And => "&",
        UnaryOp::Nand => "~&",
        UnaryOp::Or => "|",
        UnaryOp::Nor => "~|",
        UnaryOp::Xor => "^",
        UnaryOp::Xnor => "~^",
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Power => "**",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Xnor => "~^",
        BinaryOp::LogicalAnd => "&&",
        BinaryOp::LogicalOr => "||",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::CaseEq => "===",
        BinaryOp::CaseNe => "!==",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::ShlA => "<<<",
        BinaryOp::ShrA => ">>>",
    }
}
