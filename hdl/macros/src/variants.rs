//! Derives of enumerations from their variants: the word of a state, the name of an option. The
//! variants are listed once, in the enumeration. Failure modes: an order or a name other than that
//! of the declaration; so both derives refuse variants with fields or numbers of their own.

use proc_macro2::TokenStream as Code;
use quote::quote;
use syn::{Data, DeriveInput, Expr, ExprLit, Fields, Ident, Lit, Meta, Variant};

/// The variants of an enumeration that is numbered from 0 in order.
fn variants(input: &DeriveInput) -> syn::Result<Vec<&Variant>> {
    let Data::Enum(data) = &input.data else {
        return Err(syn::Error::new_spanned(&input.ident, "only an enumeration has variants"));
    };
    let odd = data.variants.iter().find(|v| v.discriminant.is_some() || !matches!(v.fields, Fields::Unit));
    match odd {
        Some(odd) => Err(syn::Error::new_spanned(odd, "a variant has neither fields nor a number of its own")),
        None => Ok(data.variants.iter().collect()),
    }
}

/// `impl Word`.
pub fn state_word(input: &DeriveInput) -> syn::Result<Code> {
    let name = &input.ident;
    let states: Vec<&Ident> = variants(input)?.iter().map(|v| &v.ident).collect();
    let count = states.len() as u64;
    Ok(quote! {
        impl ::quadlock_hdl::base::drive::Word for #name {
            fn word(self) -> u64 {
                self as u64
            }
            fn from_word(word: u64) -> Self {
                [#(Self::#states),*].get(word as usize).copied().unwrap_or_default()
            }
            const STATES: Option<u64> = Some(#count);
        }
    })
}

/// The name of an option: `#[name = ".."]`, or the variant in small letters with dashes.
fn option_name(variant: &Variant) -> syn::Result<String> {
    if let Some(attribute) = variant.attrs.iter().find(|a| a.path().is_ident("name")) {
        if let Meta::NameValue(given) = &attribute.meta {
            if let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &given.value {
                return Ok(text.value());
            }
        }
        return Err(syn::Error::new_spanned(attribute, "write #[name = \"...\"]"));
    }
    let mut name = String::new();
    for letter in variant.ident.to_string().chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.extend(letter.to_lowercase());
    }
    Ok(name)
}

/// `ALL` and `name`.
pub fn options(input: &DeriveInput) -> syn::Result<Code> {
    let (name, variants) = (&input.ident, variants(input)?);
    let idents = variants.iter().map(|v| &v.ident);
    let names = variants.iter().map(|v| option_name(v)).collect::<syn::Result<Vec<_>>>()?;
    let count = names.len();
    Ok(quote! {
        impl #name {
            /// Every option with its name in job files and on the command line.
            pub const ALL: [(Self, &'static str); #count] = [#((Self::#idents, #names)),*];

            /// The name in job files and on the command line.
            pub fn name(self) -> &'static str {
                Self::ALL[self as usize].1
            }
        }
    })
}
