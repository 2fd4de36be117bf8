//! `#[kernel]`: of a kernel, `fn update(&mut self)`, also `connect`, which marks what it drives,
//! and `hdl`, its syntax tree for the export. Of an `impl` of a block it makes the parts and their
//! list. Short forms, as `copy_fields!`, are written out first ([`crate::choice`]).
//!
//! It takes and makes what rust-hdl's `hdl_gen` does,
//! and `fan_out!` of `quadlock_hdl::base::fan`. The difference is how: rust-hdl writes Rust that
//! builds the tree node by node, which was a third of this crate's code for LLVM. Here the tree is
//! a text, one line for each node, that `quadlock_hdl::base::kernel` reads. Only numbers that the
//! compiler has to find, as the width `RES_BITS` of a cast, are Rust.
//!
//! It can be wrong by a line that stands for another node than rust-hdl's: `tests/kernel.rs` has
//! both made of the same kernels, and the exported text of every block is compared by its users.

use std::collections::HashSet;

use proc_macro2::{Group, TokenStream as Code, TokenTree};
use quote::{format_ident, quote, ToTokens};
use syn::spanned::Spanned;
use syn::{
    Attribute, BinOp, Block, Expr, ExprCall, ExprIf, ExprLit, ExprMethodCall, GenericArgument, Ident, ImplItem,
    ImplItemFn, ItemFn, ItemImpl, Lit, Macro, Member, Pat, PathArguments, Result, Signature, Stmt, UnOp,
};

use crate::choice::written_out;
use crate::condition::{built_and, flag};

/// What an `impl` of parts is.
#[derive(Clone, Copy, PartialEq)]
pub enum Parts {
    /// Parts that a list of another file joins.
    Some,
    /// All of the kernel, in this order.
    Kernel,
    /// The same, unrolled as a whole.
    Wired,
}

/// An `impl` whose functions are parts of a kernel: `Part` for each, and the list that joins them.
pub fn expand_parts(item: &ItemImpl, which: Parts) -> Result<Code> {
    if item.trait_.is_some() {
        return wrong(item, "the parts of a kernel stand in an `impl` of the block itself");
    }
    if item.items.is_empty() {
        return wrong(item, "an `impl` of parts has one at least");
    }
    let (generics, bounds, block, shared) = (&item.generics, &item.generics.where_clause, &item.self_ty, &item.attrs);
    if which != Parts::Some && !generics.params.is_empty() {
        return wrong(generics, "a block with parameters of its type lists its parts with `kernel_of!`");
    }
    let (mut names, mut docs, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    for function in &item.items {
        let ImplItem::Fn(function) = function else { return wrong(function, "this is no part of a kernel") };
        if !matches!(function.vis, syn::Visibility::Inherited) {
            return wrong(&function.vis, "a part is private");
        }
        let (doc, attributes): (Vec<&Attribute>, Vec<&Attribute>) =
            function.attrs.iter().partition(|a| a.path().is_ident("doc"));
        let (name, kernel) = (part_name(&function.sig.ident), update_of(function)?);
        parts.push(quote! {
            #(#shared)* #(#attributes)*
            impl #generics ::quadlock_hdl::base::parts::Part<#name> for #block #bounds { #kernel }
        });
        docs.push(doc);
        names.push(name);
    }
    let list = match which {
        Parts::Some => return Ok(quote!(#(#parts)*)),
        Parts::Kernel => quote!(kernel_of),
        Parts::Wired => quote!(wired),
    };
    // The names of the parts are nobody else's.
    Ok(quote! {
        const _: () = {
            ::quadlock_hdl::#list! { #block: #(#(#docs)* #names),* }
            #(#parts)*
        };
    })
}

/// The type that stands for the part `late_hi_z`: `LateHiZ`.
fn part_name(function: &Ident) -> Ident {
    let words = function.to_string();
    let word = |w: &str| w.chars().take(1).flat_map(char::to_uppercase).chain(w.chars().skip(1)).collect::<String>();
    Ident::new(&words.split('_').map(word).collect::<String>(), function.span())
}

/// A part as the function of its `impl`.
fn update_of(function: &ImplItemFn) -> Result<Code> {
    let sig = Signature { ident: Ident::new("update", function.sig.ident.span()), ..function.sig.clone() };
    expand(&ItemFn { attrs: Vec::new(), vis: syn::Visibility::Inherited, sig, block: function.block.clone().into() })
}

/// The kernel, and what is made of it.
pub fn expand(item: &ItemFn) -> Result<Code> {
    let (code, choices) = written_out(item.to_token_stream())?;
    let item: ItemFn = syn::parse2(code)?;
    if item.sig.inputs.len() != 1 {
        return Err(syn::Error::new(item.sig.span(), "a kernel has the one argument `&mut self`"));
    }
    let mut tree = Tree::default();
    tree.block(&item.block)?;
    let Tree { lines, numbers, literals, links } = &tree;
    let connects = connects(&item.block)?;
    // The kernel itself runs in rust-hdl's engine alone.
    let update = if cfg!(feature = "engine") {
        ours(quote!(#item))
    } else {
        quote!(
            fn update(&mut self) {}
        )
    };
    Ok(quote! {
        // A flag of the build stands apart from a signal.
        #[allow(unreachable_patterns, clippy::collapsible_if, clippy::collapsible_else_if)]
        #update

        #[allow(dead_code, unused_variables)]
        #[automatically_derived]
        fn connect(&mut self) {
            #(#connects)*
        }

        #[allow(dead_code, unused_variables)]
        #[automatically_derived]
        fn hdl(&self) -> ::rust_hdl::prelude::ast::Verilog {
            #(::quadlock_hdl::base::kernel::at_most_one(&[#(#choices),*]);)*
            ::quadlock_hdl::base::kernel::read(
                #lines,
                &[#(#numbers),*],
                &[#(::rust_hdl::prelude::ast::VerilogLiteral::from(#literals)),*],
                &[#(#links),*],
            )
        }
    })
}

/// The macros of a kernel that run in Rust are those of `quadlock_hdl::base::fan`, whatever the
/// file imports.
fn ours(code: Code) -> Code {
    let mut out = Code::new();
    let mut rest = code.into_iter().peekable();
    while let Some(token) = rest.next() {
        match token {
            TokenTree::Ident(name) if MACROS.iter().any(|m| name == m) => {
                let called = matches!(rest.peek(), Some(TokenTree::Punct(p)) if p.as_char() == '!');
                out.extend(if called { quote!(::quadlock_hdl::#name) } else { quote!(#name) });
            }
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), ours(group.stream()));
                inside.set_span(group.span());
                out.extend([TokenTree::Group(inside)]);
            }
            other => out.extend([other]),
        }
    }
    out
}

/// Macros that become assignments.
const MACROS: [&str; 3] = ["clock", "dff_setup", "fan_out"];

/// An error at a piece of a kernel.
fn wrong<T>(at: &impl Spanned, what: &str) -> Result<T> {
    Err(syn::Error::new(at.span(), what))
}

/// A path as a name in the Verilog's tree: `self.a.b` is `a$b`.
fn name(path: &impl ToTokens) -> Result<String> {
    let text = path.to_token_stream().to_string();
    let name = text.replace(char::is_whitespace, "").replace("self.", "");
    let name = name.replace('.', "$").replace("::", "$").replace("&mut", "");
    if ["config", "input", "output"].contains(&name.as_str()) {
        return Err(syn::Error::new_spanned(path, "this is a word of Verilog; choose another name"));
    }
    Ok(name)
}

/// The syntax tree of a kernel: the lines that the reader takes, and what it takes from the
/// compiler where a line says so.
#[derive(Default)]
struct Tree {
    lines: String,
    numbers: Vec<Code>,
    literals: Vec<Code>,
    links: Vec<Code>,
}

impl Tree {
    /// A node begins: what it is, and what it has beside further nodes.
    fn line(&mut self, at: &impl Spanned, kind: char, rest: &str) -> Result<()> {
        if rest.contains('\n') {
            return wrong(at, "this has two lines");
        }
        self.lines.push(kind);
        self.lines.push_str(rest);
        self.lines.push('\n');
        Ok(())
    }

    /// A number for a line: itself, if it is written out.
    fn number(&mut self, of: &impl ToTokens) -> String {
        let code = of.to_token_stream();
        if let Ok(number) = syn::parse2::<syn::LitInt>(code.clone()).and_then(|n| n.base10_parse::<usize>()) {
            return number.to_string();
        }
        self.numbers.push(code);
        "@".to_owned()
    }

    fn block(&mut self, block: &Block) -> Result<()> {
        self.line(block, '{', &block.stmts.len().to_string())?;
        block.stmts.iter().try_for_each(|statement| match statement {
            Stmt::Expr(e, _) => self.statement(e),
            Stmt::Macro(m) => self.macro_call(&m.mac),
            _ => wrong(statement, "the only definition in a kernel is `let name = &mut self.block;`"),
        })
    }

    fn statement(&mut self, statement: &Expr) -> Result<()> {
        match statement {
            Expr::Assign(x) => self.assignment(x),
            Expr::If(x) => self.conditional(x),
            Expr::Match(x) => self.choice(x),
            Expr::MethodCall(x) => self.set(x),
            Expr::Macro(x) => self.macro_call(&x.mac),
            Expr::ForLoop(x) => self.repetition(x),
            Expr::Call(x) => self.link(x),
            _ => wrong(statement, "this statement has no Verilog"),
        }
    }

    /// `place.next = value`, or `place.next.field = value` of a word with fields.
    fn assignment(&mut self, x: &syn::ExprAssign) -> Result<()> {
        let Expr::Field(place) = &*x.left else {
            return wrong(x, "an assignment is to `.next` of a signal");
        };
        let base = name(&place.base)?;
        if !base.ends_with("$next") {
            let target = name(place)?;
            if target.ends_with("$val") {
                return wrong(place, "assign to `.next`, not to `.val`");
            }
            self.line(x, '=', "")?;
            self.line(place, '$', &target)?;
            return self.value(&x.right);
        }
        let (Member::Named(field), Expr::Field(next)) = (&place.member, &*place.base) else {
            return wrong(x, "an assignment to a field is `signal.next.field = ...`");
        };
        self.part_of(&place.base, field, |tree| tree.value(&next.base), |tree| tree.value(&x.right))
    }

    /// Assigns a field of a word: its width, the word, its offset, the value.
    fn part_of(
        &mut self,
        word: &Expr,
        field: &Ident,
        target: impl FnOnce(&mut Self) -> Result<()>,
        value: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let (width, offset) = (format_ident!("get_my_width_{field}"), format_ident!("get_my_offset_{field}"));
        let width = self.number(&quote!(#word.#width()));
        self.line(word, 's', &width)?;
        target(self)?;
        self.literals.push(quote!(#word.#offset()));
        self.line(word, 'v', "")?;
        value(self)
    }

    /// A field of a word: `word.val().field` and `word.val().get_value_field()`.
    fn field_of(&mut self, word: &Expr, field: &Ident) -> Result<()> {
        let (width, offset) = (format_ident!("get_my_width_{field}"), format_ident!("get_my_offset_{field}"));
        let width = self.number(&quote!(#word.#width()));
        self.line(word, ':', &width)?;
        self.value(word)?;
        self.literals.push(quote!(#word.#offset()));
        self.line(word, 'v', "")
    }

    /// What flags of the build decide, `if self._merges { .. } else { .. }`, as loops of no pass or
    /// one: they leave nothing behind in the Verilog, and what is behind them need not exist.
    fn decided(&mut self, x: &ExprIf, flag: &Code) -> Result<()> {
        self.line(x, 'M', "")?;
        self.line(x, '{', if x.else_branch.is_some() { "2" } else { "1" })?;
        self.once(x, quote!(#flag))?;
        self.block(&x.then_branch)?;
        match x.else_branch.as_ref().map(|(_, e)| &**e) {
            None => Ok(()),
            Some(otherwise) => {
                self.once(x, quote!(!#flag))?;
                match otherwise {
                    Expr::Block(e) => self.block(&e.block),
                    Expr::If(e) => {
                        self.line(e, '{', "1")?;
                        self.conditional(e)
                    }
                    e => wrong(e, "`else` has a block or another `if`"),
                }
            }
        }
    }

    /// The head of a loop that is passed once, or not.
    fn once(&mut self, at: &impl Spanned, flag: Code) -> Result<()> {
        self.line(at, 'f', "_once")?;
        self.line(at, '#', "32 0")?;
        self.literals.push(quote!(usize::from(#flag)));
        self.line(at, 'v', "")
    }

    fn conditional(&mut self, x: &ExprIf) -> Result<()> {
        if let Some(flag) = flag(&x.cond) {
            return self.decided(x, &flag);
        }
        if let Some(inner) = built_and(x)? {
            return self.conditional(&inner);
        }
        self.line(x, '?', "")?;
        self.value(&x.cond)?;
        self.block(&x.then_branch)?;
        match x.else_branch.as_ref().map(|(_, e)| &**e) {
            None => self.line(x, '.', ""),
            Some(Expr::Block(e)) => {
                self.line(e, 'e', "")?;
                self.block(&e.block)
            }
            Some(Expr::If(e)) if flag(&e.cond).is_none() && built_and(e)?.is_none() => {
                self.line(e, 'i', "")?;
                self.conditional(e)
            }
            Some(Expr::If(e)) => {
                self.line(e, 'e', "")?;
                self.line(e, '{', "1")?;
                self.conditional(e)
            }
            Some(e) => wrong(e, "`else` has a block or another `if`"),
        }
    }

    fn choice(&mut self, x: &syn::ExprMatch) -> Result<()> {
        self.line(x, 'm', &x.arms.len().to_string())?;
        self.value(&x.expr)?;
        for arm in &x.arms {
            let condition = match &arm.pat {
                Pat::Ident(p) => p.ident.to_string(),
                Pat::Lit(p) => p.to_token_stream().to_string(),
                Pat::Path(p) => name(p)?,
                Pat::Wild(_) => "default".to_owned(),
                other => return wrong(other, "a pattern of a kernel is a number, a name or `_`"),
            };
            self.line(&arm.pat, 'a', &condition)?;
            match &*arm.body {
                Expr::Block(b) => self.block(&b.block)?,
                body => {
                    self.line(body, '{', "1")?;
                    self.statement(body)?;
                }
            }
        }
        Ok(())
    }

    fn repetition(&mut self, x: &syn::ExprForLoop) -> Result<()> {
        let (Pat::Ident(index), Expr::Range(range)) = (&*x.pat, &*x.expr) else {
            return wrong(x, "a loop of a kernel is `for name in from..to`");
        };
        let (Some(from), Some(to)) = (&range.start, &range.end) else {
            return wrong(x, "a loop of a kernel is `for name in from..to`");
        };
        self.line(x, 'f', &index.to_token_stream().to_string())?;
        self.literal(from)?;
        self.literal(to)?;
        self.block(&x.body)
    }

    /// A number of a tree, with the width of its type.
    fn literal(&mut self, of: &Expr) -> Result<()> {
        let written = match of {
            Expr::Lit(ExprLit { lit: Lit::Bool(b), .. }) => Some(format!("1 {}", u8::from(b.value))),
            Expr::Lit(ExprLit { lit: Lit::Int(n), .. }) => {
                let bits = match n.suffix() {
                    "" | "i32" | "u32" => 32,
                    "u8" => 8,
                    "u16" => 16,
                    "u64" | "usize" => 64,
                    "u128" => 128,
                    _ => return wrong(of, "a number of a kernel has no type or an unsigned one"),
                };
                Some(format!("{bits} {}", n.base10_parse::<u128>()?))
            }
            _ => None,
        };
        match written {
            Some(text) => self.line(of, '#', &text),
            None => {
                self.literals.push(of.to_token_stream());
                self.line(of, 'v', "")
            }
        }
    }

    /// A number that constants make, `state::STENCIL_FRONT` or `pass::LAST - 1`, of a cast to so
    /// many bits. It is as the number itself would be, 32 bits wide; one that the cast would cut
    /// does not compile.
    fn constant(&mut self, of: &Expr, width: &Code) -> Result<()> {
        self.literals.push(quote!(const { ::quadlock_hdl::base::kernel::constant(#of, #width) }));
        self.line(of, 'v', "")
    }

    fn value(&mut self, x: &Expr) -> Result<()> {
        match x {
            Expr::Path(_) | Expr::Index(_) => self.signal(x),
            Expr::Field(f) => match (&f.member, name(&f.base)?.ends_with("val()")) {
                (Member::Named(field), true) => self.field_of(&f.base, field),
                (_, false) => self.signal(x),
                (Member::Unnamed(_), true) => wrong(x, "a field of a word has a name"),
            },
            Expr::Paren(p) => {
                self.line(x, '(', "")?;
                self.value(&p.expr)
            }
            Expr::Binary(b) => {
                self.line(x, 'b', binary(&b.op)?)?;
                self.value(&b.left)?;
                self.value(&b.right)
            }
            Expr::Unary(u) => {
                let op = match u.op {
                    UnOp::Not(_) => "!",
                    UnOp::Neg(_) => "-",
                    _ => return wrong(u, "this operator has no Verilog"),
                };
                self.line(x, 'u', op)?;
                self.value(&u.expr)
            }
            Expr::Call(c) => self.call(c),
            Expr::MethodCall(m) => self.method(m),
            Expr::Lit(_) => self.literal(x),
            _ => wrong(x, "this expression has no Verilog"),
        }
    }

    fn signal(&mut self, x: &Expr) -> Result<()> {
        let name = name(x)?;
        if name.ends_with("$next") && !matches!(x, Expr::Index(_)) {
            return wrong(x, "read `.val()`, not `.next`");
        }
        self.line(x, '$', &name)
    }

    /// Casts.
    fn call(&mut self, call: &ExprCall) -> Result<()> {
        let function = name(call)?;
        let starts = |names: &[&str]| names.iter().any(|n| function.starts_with(n));
        let Some(argument) = call.args.first() else { return wrong(call, "a cast has a value") };
        if starts(&["bit_cast", "bits", "Bits"]) {
            let bits = cast_width(call);
            let width = match &bits {
                Some(width) => self.number(width),
                None => self.number(&quote!((#call).bits())),
            };
            self.line(call, 'C', &width)?;
            if is_constant(argument) {
                return self.constant(argument, &bits.unwrap_or(quote!(32)));
            }
        } else if starts(&["unsigned_cast"]) {
            self.line(call, 'U', "")?;
        } else if starts(&["signed_bit_cast", "signed_cast"]) {
            self.line(call, 'S', "")?;
        } else {
            return wrong(call, "this function has no Verilog");
        }
        self.value(argument)
    }

    fn method(&mut self, m: &ExprMethodCall) -> Result<()> {
        let method = m.method.to_string();
        if let Some(field) = method.strip_prefix("get_value_") {
            return self.field_of(&m.receiver, &Ident::new(field, m.method.span()));
        }
        let needed = match method.as_str() {
            "get_bits" | "get_bit" => 1,
            "replace_bit" => 2,
            _ => m.args.len(),
        };
        if m.args.len() != needed {
            return wrong(m, &format!("`{method}` has {needed} arguments"));
        }
        match method.as_str() {
            "val" | "into" | "index" | "to_bits" => return self.value(&m.receiver),
            "get_bits" => {
                let width = m.turbofish.as_ref().and_then(|t| t.args.first());
                let Some(width) = width else { return wrong(m, "`get_bits` names its width: `get_bits::<4>(...)`") };
                let width = self.number(width);
                self.line(m, ':', &width)?;
            }
            "get_bit" => self.line(m, '[', "")?,
            "replace_bit" => self.line(m, 'r', "")?,
            "all" | "any" | "xor" => {
                self.line(m, 'u', &method)?;
                return self.value(&m.receiver);
            }
            "to_signed_bits" => {
                self.line(m, 'S', "")?;
                return self.value(&m.receiver);
            }
            _ => return wrong(m, "this method has no Verilog"),
        }
        self.value(&m.receiver)?;
        m.args.iter().try_for_each(|argument| self.value(argument))
    }

    /// `word.next.set_value_field(value)`.
    fn set(&mut self, m: &ExprMethodCall) -> Result<()> {
        let method = m.method.to_string();
        let (Some(field), Some(value)) = (method.strip_prefix("set_value_"), m.args.first()) else {
            return wrong(m, "this method has no Verilog");
        };
        let target = name(&m.receiver)?;
        let field = Ident::new(field, m.method.span());
        self.part_of(&m.receiver, &field, |tree| tree.line(m, '$', &target), |tree| tree.value(value))
    }

    /// `Type::link(&mut self.a, &mut self.b)` and `join`.
    fn link(&mut self, call: &ExprCall) -> Result<()> {
        let (Expr::Path(function), Some(how)) = (&*call.func, connection(call)) else {
            return wrong(call, "this function has no Verilog");
        };
        let path = beside(&function.path, &format!("{how}_hdl"));
        let (left, right) = (name(&call.args[0])?, name(&call.args[1])?);
        self.links.push(quote!(#path("", #left, #right)));
        self.line(call, 'l', "")
    }

    fn macro_call(&mut self, mac: &Macro) -> Result<()> {
        let called = mac.path.to_token_stream().to_string();
        match called.as_str() {
            "println" | "comment" | "assert" => {
                // As rust-hdl: what it does not find in the spelling of its compiler stays.
                let text = mac.to_token_stream().to_string();
                let text = text.replace(&format!("{called} ! (\""), "").replace("\")", "");
                self.line(mac, 'c', &text)
            }
            "dff_setup" | "clock" => {
                let setup = mac.parse_body::<Setup>()?;
                let clock = name(&setup.clock)?;
                let mut pairs = Vec::new();
                for dff in &setup.dffs {
                    pairs.push((name(&quote!(#dff.clock.next))?, clock.clone()));
                }
                for dff in setup.dffs.iter().filter(|_| called == "dff_setup") {
                    pairs.push((name(&quote!(#dff.d.next))?, name(&quote!(#dff.q))?));
                }
                self.line(mac, 'M', "")?;
                self.line(mac, '{', &pairs.len().to_string())?;
                pairs.iter().try_for_each(|(to, from)| {
                    self.line(mac, '=', "")?;
                    self.line(mac, '$', to)?;
                    self.line(mac, '$', from)
                })
            }
            "fan_out" => {
                let fan = mac.parse_body::<Fan>()?;
                self.line(mac, 'M', "")?;
                self.line(mac, '{', &fan.to.len().to_string())?;
                fan.statements().iter().try_for_each(|statement| self.statement(statement))
            }
            _ => wrong(mac, "this macro has no Verilog"),
        }
    }
}

/// The arguments of `fan_out!(source => port, port)` and `fan_out!(Bundle: source => bundle, ...)`.
struct Fan {
    bundle: Option<Ident>,
    from: Expr,
    to: Vec<Expr>,
}

impl syn::parse::Parse for Fan {
    fn parse(input: syn::parse::ParseStream<'_>) -> Result<Self> {
        let named = input.peek(Ident) && input.peek2(syn::Token![:]) && !input.peek2(syn::Token![::]);
        let bundle = if named { Some(input.parse::<Ident>()?) } else { None };
        bundle.iter().try_for_each(|_| input.parse::<syn::Token![:]>().map(drop))?;
        let from = input.parse()?;
        input.parse::<syn::Token![=>]>()?;
        let to: Vec<Expr> = input.parse_terminated(Expr::parse, syn::Token![,])?.into_iter().collect();
        match to.len() {
            0 | 1 => Err(input.error("a fan-out has two targets at least; one is an assignment")),
            _ => Ok(Self { bundle, from, to }),
        }
    }
}

impl Fan {
    /// What it is short for.
    fn statements(&self) -> Vec<Expr> {
        let from = &self.from;
        let one = |to: &Expr| match &self.bundle {
            Some(bundle) => syn::parse_quote!(#bundle::join(&mut #from, &mut #to)),
            None => syn::parse_quote!(#to.next = #from.val()),
        };
        self.to.iter().map(one).collect()
    }
}

/// The arguments of `dff_setup!(self, clock, a, b)`.
struct Setup {
    me: Expr,
    clock: Expr,
    dffs: Vec<Expr>,
}

impl syn::parse::Parse for Setup {
    fn parse(input: syn::parse::ParseStream<'_>) -> Result<Self> {
        let mut all = input.parse_terminated(Expr::parse, syn::Token![,])?.into_iter();
        match (all.next(), all.next()) {
            (Some(me), Some(clock)) => Ok(Self { me, clock, dffs: all.collect() }),
            _ => Err(input.error("`(self, clock, flip-flop, ...)` stands here")),
        }
    }
}

/// Whether an expression is a number by constants: it has a path whose last name is in upper case,
/// and beside such paths only numbers and operators.
fn is_constant(x: &Expr) -> bool {
    fn names(x: &Expr) -> Option<usize> {
        match x {
            Expr::Path(path) => {
                let last = path.path.segments.last()?.ident.to_string();
                let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
                (last.starts_with(|c: char| c.is_ascii_uppercase()) && last.chars().all(upper)).then_some(1)
            }
            Expr::Lit(ExprLit { lit: Lit::Int(_), .. }) => Some(0),
            Expr::Paren(inside) => names(&inside.expr),
            Expr::Binary(both) => Some(names(&both.left)? + names(&both.right)?),
            _ => None,
        }
    }
    names(x).is_some_and(|count| count > 0)
}

/// `link` or `join`, if the call is of one of a type's own.
fn connection(call: &ExprCall) -> Option<String> {
    let Expr::Path(function) = &*call.func else { return None };
    let last = function.path.segments.last()?.ident.to_string();
    let two = function.path.segments.len() >= 2 && call.args.len() == 2;
    (two && ["join", "link"].contains(&last.as_str())).then_some(last)
}

/// Another function of the same type.
fn beside(function: &syn::Path, name: &str) -> syn::Path {
    let mut path = function.clone();
    path.segments.pop();
    path.segments.push(format_ident!("{name}").into());
    path
}

/// The width that a cast names: the first argument of `bits::<8>(x)` and of `bit_cast::<8, 3>(x)`.
fn cast_width(call: &ExprCall) -> Option<Code> {
    let Expr::Path(function) = &*call.func else { return None };
    let last = function.path.segments.last()?;
    let PathArguments::AngleBracketed(list) = &last.arguments else { return None };
    match list.args.first()? {
        GenericArgument::Const(c) => Some(c.to_token_stream()),
        GenericArgument::Type(syn::Type::Path(p)) => Some(p.to_token_stream()),
        _ => None,
    }
}

fn binary(op: &BinOp) -> Result<&'static str> {
    Ok(match op {
        BinOp::Add(_) => "+",
        BinOp::Sub(_) => "-",
        BinOp::Mul(_) => "*",
        BinOp::And(_) => "&&",
        BinOp::Or(_) => "||",
        BinOp::BitXor(_) => "^",
        BinOp::BitAnd(_) => "&",
        BinOp::BitOr(_) => "|",
        BinOp::Shl(_) => "<<",
        BinOp::Shr(_) => ">>",
        BinOp::Eq(_) => "==",
        BinOp::Lt(_) => "<",
        BinOp::Le(_) => "<=",
        BinOp::Ne(_) => "!=",
        BinOp::Ge(_) => ">=",
        BinOp::Gt(_) => ">",
        _ => return wrong(op, "this operator has no Verilog"),
    })
}

/// The statements of `connect`: what is driven is marked once, however many branches drive it.
fn connects(block: &Block) -> Result<Vec<Code>> {
    let (mut all, mut seen) = (Vec::new(), HashSet::new());
    connects_of_block(block, &mut all)?;
    all.retain(|code: &Code| seen.insert(code.to_string()));
    Ok(all)
}

fn connects_of_block(block: &Block, all: &mut Vec<Code>) -> Result<()> {
    block.stmts.iter().try_for_each(|statement| match statement {
        Stmt::Expr(e, _) => connects_of(e, all),
        Stmt::Macro(m) => connects_of_macro(&m.mac, all),
        _ => Ok(()),
    })
}

fn connects_of(statement: &Expr, all: &mut Vec<Code>) -> Result<()> {
    match statement {
        Expr::Assign(x) => {
            if let Some(driven) = driven(&x.left) {
                all.push(quote!(::rust_hdl::prelude::logic::logic_connect_fn(&mut #driven);));
            }
        }
        Expr::If(x) if flag(&x.cond).is_some() => {
            let (flag, inside) = (&x.cond, connects(&x.then_branch)?);
            let mut otherwise = Vec::new();
            if let Some((_, expression)) = &x.else_branch {
                connects_of(expression, &mut otherwise)?;
            }
            all.push(quote!(if #flag { #(#inside)* } else { #(#otherwise)* }));
        }
        Expr::If(x) => {
            if let Some(inner) = built_and(x)? {
                return connects_of(&Expr::If(inner), all);
            }
            connects_of_block(&x.then_branch, all)?;
            if let Some((_, otherwise)) = &x.else_branch {
                connects_of(otherwise, all)?;
            }
        }
        Expr::Block(x) => connects_of_block(&x.block, all)?,
        Expr::Match(x) => x.arms.iter().try_for_each(|arm| connects_of(&arm.body, all))?,
        Expr::ForLoop(x) => {
            let (index, range, inside) = (&x.pat, &x.expr, connects(&x.body)?);
            all.push(quote!(for #index in #range { #(#inside)* }));
        }
        Expr::Call(call) => {
            if let Some(how) = connection(call) {
                // A function of the type itself: a stream stands for its data where those are
                // meant.
                let (source, target) = (&call.args[0], &call.args[1]);
                if let Expr::Path(function) = &*call.func {
                    let path = beside(&function.path, &format!("{how}_marks"));
                    all.push(quote!(#path(#source, #target);));
                }
            }
        }
        Expr::Macro(x) => connects_of_macro(&x.mac, all)?,
        _ => {}
    }
    Ok(())
}

/// What an assignment to `signal.next`, or to a field of it, drives.
fn driven(place: &Expr) -> Option<&Expr> {
    let Expr::Field(field) = place else { return None };
    match &field.member {
        Member::Named(next) if next == "next" => Some(&field.base),
        _ => driven(&field.base),
    }
}

fn connects_of_macro(mac: &Macro, all: &mut Vec<Code>) -> Result<()> {
    let called = mac.path.to_token_stream().to_string();
    if called == "fan_out" {
        return mac.parse_body::<Fan>()?.statements().iter().try_for_each(|statement| connects_of(statement, all));
    }
    if called != "dff_setup" && called != "clock" {
        return Ok(());
    }
    let Setup { me, dffs, .. } = mac.parse_body::<Setup>()?;
    for dff in &dffs {
        all.push(quote!(::rust_hdl::prelude::logic::logic_connect_fn(&mut #me.#dff.clock);));
        if called == "dff_setup" {
            all.push(quote!(::rust_hdl::prelude::logic::logic_connect_fn(&mut #me.#dff.d);));
        }
    }
    Ok(())
}
