//! What a kernel says once, written out before it is read.
//!
//! `for unit in one_of!(self.a, self.b if condition) { .. }`: statements for each of several blocks
//! with the same ports, of which at most one is built. It becomes an `if` for each, with the block
//! in place of `unit`: `if self.a.is_built() { .. } if condition { .. }`. A block that is not a
//! `Fitted`, or that is built for something else, too, has its condition.
//!
//! `copy_fields!(self.a => self.b: x, y[i])`: ports that have the same names on both sides. It
//! becomes `self.b.x.next = self.a.x.val();` and so on.
//!
//! It can be wrong if two are built: the last one holds, and nothing checks that. So can a name
//! that is `unit` by chance: fields are not touched, and everything else by that name is meant.

use proc_macro2::{Delimiter, Group, TokenStream as Code, TokenTree};
use quote::{quote, ToTokens};
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Ident, Result, Token};

/// One of the blocks, and when it is the one.
struct Candidate {
    block: Expr,
    condition: Option<Expr>,
}

impl Parse for Candidate {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let block: Expr = input.parse()?;
        if !matches!(block, Expr::Field(_) | Expr::Index(_)) {
            return Err(syn::Error::new_spanned(block, "a block stands here, `self.name`"));
        }
        let conditional = input.peek(Token![if]);
        let condition = if conditional { Some(input.parse::<Token![if]>().and_then(|_| input.parse())?) } else { None };
        Ok(Self { block, condition })
    }
}

/// All that `one_of!` has.
struct Candidates(Vec<Candidate>);

impl Parse for Candidates {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let all: Vec<_> = input.parse_terminated(Candidate::parse, Token![,])?.into_iter().collect();
        match all.len() {
            0 | 1 => Err(input.error("`one_of!` has two blocks at least")),
            _ => Ok(Self(all)),
        }
    }
}

/// The arguments of `copy_fields!`: from, to, fields.
struct Fields {
    from: Expr,
    to: Expr,
    fields: Vec<Expr>,
}

impl Parse for Fields {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let from = input.parse()?;
        input.parse::<Token![=>]>()?;
        let to = input.parse()?;
        input.parse::<Token![:]>()?;
        let fields: Vec<_> = input.parse_terminated(Expr::parse, Token![,])?.into_iter().collect();
        match fields.len() {
            0 | 1 => Err(input.error("`copy_fields!` has two fields at least; one is an assignment")),
            _ => Ok(Self { from, to, fields }),
        }
    }
}

/// The text with every such statement written out.
pub fn written_out(code: Code) -> Result<Code> {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    let mut out = Code::new();
    let mut at = 0;
    while at < tokens.len() {
        if let [TokenTree::Ident(name), TokenTree::Punct(bang), TokenTree::Group(list), rest @ ..] = &tokens[at..] {
            if name == "copy_fields" && bang.as_char() == '!' {
                if !matches!(rest.first(), Some(TokenTree::Punct(end)) if end.as_char() == ';') {
                    return Err(syn::Error::new(name.span(), "`copy_fields!(..);` ends with a semicolon"));
                }
                let Fields { from, to, fields } = syn::parse2(list.stream())?;
                out.extend(quote!(#(#to.#fields.next = #from.#fields.val();)*));
                at += 4;
                continue;
            }
        }
        if let Some((name, list, body)) = head(&tokens[at..]) {
            let body = written_out(body.stream())?;
            for Candidate { block, condition } in syn::parse2::<Candidates>(list.stream())?.0 {
                let condition = condition.map_or_else(|| quote!(#block.is_built()), ToTokens::into_token_stream);
                let statements = named(body.clone(), name, &block);
                out.extend(quote!(if #condition { #statements }));
            }
            at += 7;
            continue;
        }
        out.extend([match &tokens[at] {
            TokenTree::Group(group) => around(group, written_out(group.stream())?),
            other => other.clone(),
        }]);
        at += 1;
    }
    Ok(out)
}

/// `for NAME in one_of ! (LIST) { BODY }`, seven tokens.
fn head(tokens: &[TokenTree]) -> Option<(&Ident, &Group, &Group)> {
    match tokens {
        [TokenTree::Ident(f), TokenTree::Ident(name), TokenTree::Ident(i), TokenTree::Ident(one), TokenTree::Punct(bang), TokenTree::Group(list), TokenTree::Group(body), ..]
            if f == "for"
                && i == "in"
                && one == "one_of"
                && bang.as_char() == '!'
                && body.delimiter() == Delimiter::Brace =>
        {
            Some((name, list, body))
        }
        _ => None,
    }
}

/// The text with the block in place of the name.
fn named(code: Code, name: &Ident, block: &Expr) -> Code {
    let mut out = Code::new();
    let mut field = false;
    for token in code {
        let is_dot = matches!(&token, TokenTree::Punct(p) if p.as_char() == '.');
        match token {
            TokenTree::Ident(found) if found == *name && !field => block.to_tokens(&mut out),
            TokenTree::Group(group) => out.extend([around(&group, named(group.stream(), name, block))]),
            other => out.extend([other]),
        }
        field = is_dot;
    }
    out
}

fn around(group: &Group, inside: Code) -> TokenTree {
    let mut out = Group::new(group.delimiter(), inside);
    out.set_span(group.span());
    TokenTree::Group(out)
}
