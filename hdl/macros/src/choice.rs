//! What a kernel says once, written out before it is read.
//!
//! `for unit in one_of!(self.a, self.b if condition) { .. }`: statements for each of several blocks
//! with the same ports, of which at most one is built. It becomes an `if` for each, with the block
//! in place of `unit`: `if self.a.is_built() { .. } if condition { .. }`. A block that is not a
//! `Fitted`, or that is built for something else, too, has its condition.
//!
//! `for unit in each_of!(self.a, self.b if true) { .. }`: the same where any number is built. In
//! `for (i, unit) in each_of!(..)`, `i` is the number of the block in the list.
//!
//! `copy_fields!(self.a => self.b: x, y[i] as z)`: ports, with the name on the other side where it
//! differs. It becomes `self.b.x.next = self.a.x.val(); self.b.z.next = self.a.y[i].val();`. In
//! `y[i] as _` and `y as _[i]`, `_` is the name `y`; of `a.y` it is `y`, too.
//! `copy_fields!(for i in 0..self._n; self.a => self.b: x[i])` is that in a loop.
//!
//! `unpack_fields!(self.a.x => self.b: y, z as w)`: fields of a word go to ports, as in
//! `self.b.y.next = self.a.x.val().get_value_y();`.
//!
//! `let unit = &mut self.a[i];`: a short name of a block or of its ports, to the end of the braces.
//!
//! A name is replaced as text, wherever it is no field. A loop or a `let` that binds it again, or
//! an index of its block, is an error. `hdl` checks of each `one_of!` that at most one block is
//! built, if it does not stand within other braces. It can be wrong about a nested one: the last
//! block that is built holds.

use proc_macro2::{Delimiter, Group, Spacing, TokenStream as Code, TokenTree};
use quote::{format_ident, quote, ToTokens};
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Ident, Result, Token};

use super::condition::known;

/// One of the blocks, and when it is the one.
struct Candidate {
    block: Expr,
    condition: Code,
}

impl Parse for Candidate {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let block: Expr = input.parse()?;
        if !matches!(block, Expr::Field(_) | Expr::Index(_)) {
            return Err(syn::Error::new_spanned(block, "a block stands here, `self.name`"));
        }
        let condition = match input.parse::<Option<Token![if]>>()? {
            Some(_) => known(&input.parse()?)?,
            None => quote!(#block.is_built()),
        };
        Ok(Self { block, condition })
    }
}

/// All that `one_of!` or `each_of!` has.
struct Candidates(Vec<Candidate>);

impl Parse for Candidates {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let all: Vec<_> = input.parse_terminated(Candidate::parse, Token![,])?.into_iter().collect();
        match all.len() {
            0 | 1 => Err(input.error("`one_of!` and `each_of!` have two blocks at least")),
            _ => Ok(Self(all)),
        }
    }
}

/// A port or a field of a word, and its name on the other side.
struct Field {
    from: Expr,
    to: Expr,
}

impl Parse for Field {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let (name, from) = port(input, None)?;
        let renamed = input.parse::<Option<Token![as]>>()?.is_some();
        let to = if renamed { port(input, Some(&name))?.1 } else { from.clone() };
        Ok(Self { from, to })
    }
}

/// `name`, `name[i]` or `name.name`, and the last name in it; what stands behind, as `as`, is no
/// part of it. `_` stands for the given name.
fn port(input: ParseStream<'_>, given: Option<&Ident>) -> Result<(Ident, Expr)> {
    let mut name = match given {
        Some(given) if input.parse::<Option<Token![_]>>()?.is_some() => given.clone(),
        _ => input.parse::<Ident>()?,
    };
    let mut code = name.to_token_stream();
    loop {
        if input.peek(syn::token::Bracket) {
            code.extend([input.parse::<TokenTree>()?]);
        } else if input.peek(Token![.]) {
            let dot = input.parse::<Token![.]>()?;
            name = input.parse()?;
            code.extend(quote!(#dot #name));
        } else {
            return Ok((name, syn::parse2(code)?));
        }
    }
}

/// The arguments of `copy_fields!` and `unpack_fields!`: a loop or none, from, to, fields.
struct Fields {
    repeated: Option<(Ident, Expr)>,
    from: Expr,
    to: Expr,
    fields: Vec<Field>,
}

impl Parse for Fields {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let repeated = if input.parse::<Option<Token![for]>>()?.is_some() {
            let index = input.parse()?;
            input.parse::<Token![in]>()?;
            let range = input.parse()?;
            input.parse::<Token![;]>()?;
            Some((index, range))
        } else {
            None
        };
        let from = input.parse()?;
        input.parse::<Token![=>]>()?;
        let to = input.parse()?;
        input.parse::<Token![:]>()?;
        let fields: Vec<_> = input.parse_terminated(Field::parse, Token![,])?.into_iter().collect();
        match (fields.len(), &repeated) {
            (0, _) => return Err(input.error("the fields stand here")),
            (1, None) => return Err(input.error("two fields at least stand here; one is an assignment")),
            _ => {}
        }
        let all = Self { repeated, from, to, fields };
        all.targets().map(|()| all)
    }
}

impl Fields {
    /// Every assignment has its own target.
    fn targets(&self) -> Result<()> {
        for (k, Field { to, .. }) in self.fields.iter().enumerate() {
            let text = to.to_token_stream().to_string();
            if self.fields[..k].iter().any(|f| f.to.to_token_stream().to_string() == text) {
                return Err(syn::Error::new_spanned(to, "two fields go to this one"));
            }
            if let Some((index, _)) = &self.repeated {
                let used = mentions(to.to_token_stream(), index) || mentions(self.to.to_token_stream(), index);
                if !used && !index.to_string().starts_with('_') {
                    return Err(syn::Error::new_spanned(
                        to,
                        format!("every pass goes to this one: index it by `{index}`"),
                    ));
                }
            }
        }
        Ok(())
    }

    /// The assignments, of fields of a word or of ports.
    fn statements(self, of_word: bool) -> Result<Code> {
        let Self { repeated, from, to, fields } = self;
        let mut all = Code::new();
        for Field { from: source, to: target } in fields {
            let value = match (of_word, &source) {
                (false, _) => quote!(#from.#source.val()),
                (true, Expr::Path(name)) if name.path.get_ident().is_some() => {
                    let get = format_ident!("get_value_{}", name.path.segments[0].ident);
                    quote!(#from.val().#get())
                }
                _ => return Err(syn::Error::new_spanned(source, "a field of a word is a name")),
            };
            all.extend(quote!(#to.#target.next = #value;));
        }
        Ok(match repeated {
            None => all,
            Some((index, range)) => quote!(for #index in #range { #all }),
        })
    }
}

/// The text with every such statement written out, and of each `one_of!` that stands in the braces
/// of the text's function, when each of its blocks is the one.
pub fn written_out(code: Code) -> Result<(Code, Vec<Vec<Code>>)> {
    let mut choices = Vec::new();
    let code = inside(code, 0, &mut choices)?;
    Ok((code, choices))
}

/// The same within so many braces.
fn inside(code: Code, depth: usize, choices: &mut Vec<Vec<Code>>) -> Result<Code> {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    let mut out = Code::new();
    let mut at = 0;
    while at < tokens.len() {
        if let [TokenTree::Ident(name), TokenTree::Punct(bang), TokenTree::Group(list), rest @ ..] = &tokens[at..] {
            if (name == "copy_fields" || name == "unpack_fields") && bang.as_char() == '!' {
                if !matches!(rest.first(), Some(TokenTree::Punct(end)) if end.as_char() == ';') {
                    return Err(syn::Error::new(name.span(), format!("`{name}!(..);` ends with a semicolon")));
                }
                out.extend(syn::parse2::<Fields>(list.stream())?.statements(name == "unpack_fields")?);
                at += 4;
                continue;
            }
        }
        if let Some((name, block, length)) = short_name(&tokens[at..]) {
            // The name holds to the end of the braces, which is the end of these tokens.
            let first = choices.len();
            let rest = inside(tokens[at + length..].iter().cloned().collect(), depth, choices)?;
            for condition in choices[first..].iter_mut().flatten() {
                *condition = named(condition.clone(), name, &block)?;
            }
            if !mentions(rest.clone(), name) {
                return Err(syn::Error::new_spanned(name, "this short name is not used"));
            }
            out.extend(named(rest, name, &block)?);
            return Ok(out);
        }
        if let Some(Head { one, number, name, list, body }) = head(&tokens[at..])? {
            let body = inside(body.stream(), depth + 1, choices)?;
            let all = syn::parse2::<Candidates>(list.stream())?.0;
            if one && depth == 1 {
                choices.push(all.iter().map(|candidate| candidate.condition.clone()).collect());
            }
            for (place, Candidate { block, condition }) in all.into_iter().enumerate() {
                let mut statements = body.clone();
                if let Some(number) = &number {
                    statements = named(statements, number, &proc_macro2::Literal::usize_unsuffixed(place))?;
                }
                let statements = named(statements, &name, &block)?;
                out.extend(quote!(if #condition { #statements }));
            }
            at += 7;
            continue;
        }
        out.extend([match &tokens[at] {
            TokenTree::Group(group) => {
                let within = depth + usize::from(group.delimiter() == Delimiter::Brace);
                around(group, inside(group.stream(), within, choices)?)
            }
            other => other.clone(),
        }]);
        at += 1;
    }
    Ok(out)
}

/// A loop over blocks: whether at most one is built, names of the number and of the block, list and
/// body.
struct Head<'a> {
    one: bool,
    number: Option<Ident>,
    name: Ident,
    list: &'a Group,
    body: &'a Group,
}

/// `for NAME in one_of ! (LIST) { BODY }` or `for (NUMBER, NAME) in each_of ! (LIST) { BODY }`:
/// seven tokens.
fn head(tokens: &[TokenTree]) -> Result<Option<Head<'_>>> {
    let [TokenTree::Ident(f), names, TokenTree::Ident(i), TokenTree::Ident(which), TokenTree::Punct(bang), TokenTree::Group(list), TokenTree::Group(body), ..] =
        tokens
    else {
        return Ok(None);
    };
    if f != "for" || i != "in" || bang.as_char() != '!' || body.delimiter() != Delimiter::Brace {
        return Ok(None);
    }
    if which != "one_of" && which != "each_of" {
        return Ok(None);
    }
    let (number, name) = match names {
        TokenTree::Ident(name) => (None, name.clone()),
        other => {
            let both = |input: ParseStream<'_>| {
                let inside;
                syn::parenthesized!(inside in input);
                let number = inside.parse::<Ident>()?;
                inside.parse::<Token![,]>()?;
                Ok((Some(number), inside.parse::<Ident>()?))
            };
            syn::parse::Parser::parse2(both, other.to_token_stream()).map_err(|e| {
                syn::Error::new(e.span(), format!("`for name in {which}!(..)`, or `for (number, name) in`"))
            })?
        }
    };
    if name == "_" {
        return Err(syn::Error::new(name.span(), "the block has a name"));
    }
    Ok(Some(Head { one: which == "one_of", number, name, list, body }))
}

/// `let NAME = &mut self.BLOCK;`: the name, the block, and how many tokens that is.
fn short_name(tokens: &[TokenTree]) -> Option<(&Ident, Expr, usize)> {
    let [TokenTree::Ident(l), TokenTree::Ident(name), TokenTree::Punct(is), TokenTree::Punct(and), TokenTree::Ident(m), TokenTree::Ident(_), ..] =
        tokens
    else {
        return None;
    };
    if l != "let" || name == "_" || is.as_char() != '=' || and.as_char() != '&' || m != "mut" {
        return None;
    }
    let end = tokens.iter().position(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == ';'))?;
    let block: Expr = syn::parse2(tokens[5..end].iter().cloned().collect()).ok()?;
    matches!(block, Expr::Field(_) | Expr::Index(_)).then_some((name, block, end + 1))
}

/// Whether a name that is no field stands in the text.
fn mentions(code: Code, name: &Ident) -> bool {
    let mut field = Dots::default();
    code.into_iter().any(|token| {
        let found = match &token {
            TokenTree::Ident(found) => found == name && !field.open,
            TokenTree::Group(group) => mentions(group.stream(), name),
            _ => false,
        };
        field.pass(&token);
        found
    })
}

/// Whether the next name is a field: behind one dot. Two are a range.
#[derive(Default)]
struct Dots {
    open: bool,
    joint: bool,
}

impl Dots {
    fn pass(&mut self, token: &TokenTree) {
        let dot = matches!(token, TokenTree::Punct(p) if p.as_char() == '.');
        let joint = matches!(token, TokenTree::Punct(p) if p.spacing() == Spacing::Joint);
        (self.open, self.joint) = (dot && !joint && !self.joint, dot && joint);
    }
}

/// The text with the block, or the number, in place of the name.
fn named(code: Code, name: &Ident, block: &impl ToTokens) -> Result<Code> {
    let mut out = Code::new();
    let mut field = Dots::default();
    let mut binds = false;
    for token in code {
        let next = Dots { ..field };
        field.pass(&token);
        match token {
            TokenTree::Ident(found) if binds && (found == *name || mentions(block.to_token_stream(), &found)) => {
                let what = format!("`{found}` is bound again here, and `{name}` stands for a text with it or is it");
                return Err(syn::Error::new(found.span(), what));
            }
            TokenTree::Ident(found) if found == *name && !next.open => block.to_tokens(&mut out),
            TokenTree::Group(group) => out.extend([around(&group, named(group.stream(), name, block)?)]),
            other => {
                binds = matches!(&other, TokenTree::Ident(word) if word == "for" || word == "let");
                out.extend([other]);
                continue;
            }
        }
        binds = false;
    }
    Ok(out)
}

fn around(group: &Group, inside: Code) -> TokenTree {
    let mut out = Group::new(group.delimiter(), inside);
    out.set_span(group.span());
    TokenTree::Group(out)
}
