//! `#[derive(QuietBlock)]`: rust-hdl's `Block` for a struct of ports, registers and blocks, written
//! from the struct itself. What it does in a pass, and why, is in `quadlock_hdl::base::quiet`,
//! whose trait `Field` says what each kind of field contributes.
//!
//! A field that begins with `_` is no part of the hardware. `#[state]` marks a field that is a
//! register or memory by itself, as leaf cells have them. Wrong would be a field that is left out;
//! it would be missing in the Verilog.

#![warn(missing_docs)]

mod bundle;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Code;
use quote::quote;
use syn::{parse_macro_input, Data, DeriveInput, Fields, Ident};

/// See the crate's page. The struct has a field `_active: bool`, of either initial value.
#[proc_macro_derive(QuietBlock, attributes(state))]
pub fn quiet_block(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// A bundle of ports; see `quadlock_hdl::base::bundle`. `#[bundle]` of what one block tells
/// another, `#[bundle(event = "ret", what = "retired instruction")]` of what it shows to observers,
/// under that name.
#[proc_macro_attribute]
pub fn bundle(arguments: TokenStream, input: TokenStream) -> TokenStream {
    let arguments = parse_macro_input!(arguments as bundle::Arguments);
    let input = parse_macro_input!(input as DeriveInput);
    bundle::expand(&arguments, &input).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// The fields of the struct that count: those of the hardware, and those marked `#[state]`.
struct Parts {
    fields: Vec<Ident>,
    state: Vec<Ident>,
}

impl Parts {
    fn of(input: &DeriveInput) -> syn::Result<Self> {
        let Data::Struct(data) = &input.data else {
            return Err(syn::Error::new_spanned(&input.ident, "a block is a struct"));
        };
        let Fields::Named(named) = &data.fields else {
            return Err(syn::Error::new_spanned(&input.ident, "the fields of a block have names"));
        };
        let mut parts = Self { fields: Vec::new(), state: Vec::new() };
        let mut active = false;
        for field in &named.named {
            let Some(name) = field.ident.clone() else { continue };
            if field.attrs.iter().any(|a| a.path().is_ident("state")) {
                parts.state.push(name.clone());
            }
            active |= name == "_active";
            if !name.to_string().starts_with('_') {
                parts.fields.push(name);
            }
        }
        if !active {
            return Err(syn::Error::new_spanned(&input.ident, "a quiet block has a field `_active: bool`"));
        }
        Ok(parts)
    }
}

fn expand(input: &DeriveInput) -> syn::Result<Code> {
    let parts = Parts::of(input)?;
    let (block, field, drive) = (block(input, &parts), field(input, &parts), drive(input, &parts));
    Ok(quote! { #block #field #drive })
}

/// `impl Block`.
fn block(input: &DeriveInput, parts: &Parts) -> Code {
    let (name, fields) = (&input.ident, &parts.fields);
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    quote! {
        impl #generics ::rust_hdl::prelude::Block for #name #arguments #bounds {
            fn connect_all(&mut self) {
                ::rust_hdl::prelude::Logic::connect(self);
                #(::quadlock_hdl::base::quiet::Field::connect_all(&mut self.#fields);)*
                // The kernel on the inputs as they are; from now on it runs when something changes.
                ::rust_hdl::prelude::Logic::update(self);
                self._active = true;
            }
            fn update_all(&mut self) {
                use ::quadlock_hdl::base::quiet::Field;
                if !::quadlock_hdl::base::quiet::skipping() {
                    ::rust_hdl::prelude::Logic::update(self);
                    #(Field::step_inputs(&mut self.#fields);)*
                    #(Field::step_inner(&mut self.#fields);)*
                    self._active = false #(|| Field::stirred(&self.#fields))*;
                    return;
                }
                if !self._active #(&& !Field::moved(&self.#fields))* {
                    return;
                }
                let mut dirty = self._active && (false #(|| Field::feeds_kernel(&self.#fields))*);
                #(dirty |= Field::take(&mut self.#fields);)*
                if dirty {
                    ::rust_hdl::prelude::Logic::update(self);
                }
                #(Field::advance(&mut self.#fields);)*
                self._active = false #(|| Field::is_alive(&self.#fields))*;
            }
            fn has_changed(&self) -> bool {
                self._active
            }
            fn accept(&self, name: &str, probe: &mut dyn ::rust_hdl::prelude::Probe) {
                probe.visit_start_scope(name, self);
                #(::quadlock_hdl::base::quiet::Field::accept_inputs(&self.#fields, stringify!(#fields), probe);)*
                #(::quadlock_hdl::base::quiet::Field::accept_inner(&self.#fields, stringify!(#fields), probe);)*
                probe.visit_end_scope(name, self);
            }
        }
    }
}

/// `impl Field`: the block as a part of another one.
fn field(input: &DeriveInput, parts: &Parts) -> Code {
    let (name, fields, state) = (&input.ident, &parts.fields, &parts.state);
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    quote! {
        impl #generics ::quadlock_hdl::base::quiet::Field for #name #arguments #bounds {
            fn connect_all(&mut self) {
                ::rust_hdl::prelude::Block::connect_all(self);
            }
            fn step_inner(&mut self) {
                ::rust_hdl::prelude::Block::update_all(self);
            }
            fn stirred(&self) -> bool {
                self._active
            }
            fn accept_inner(&self, name: &str, probe: &mut dyn ::rust_hdl::prelude::Probe) {
                ::rust_hdl::prelude::Block::accept(self, name, probe);
            }
            fn feeds_kernel(&self) -> bool {
                self._active && (false #(|| ::quadlock_hdl::base::quiet::Field::leaves_block(&self.#fields))*)
            }
            fn advance(&mut self) {
                ::rust_hdl::prelude::Block::update_all(self);
            }
            fn is_alive(&self) -> bool {
                self._active
            }
            fn describe_state(&self, path: &str, name: &str, contents: &mut ::quadlock_hdl::base::drive::Contents) {
                use ::quadlock_hdl::base::{drive, quiet};
                let path = drive::join(path, name);
                #(quiet::Field::describe_state(&self.#fields, &path, stringify!(#fields), contents);)*
                #(drive::State::describe(&self.#state, &path, stringify!(#state), contents);)*
            }
            fn read_registers(&self, values: &mut Vec<u64>) {
                #(::quadlock_hdl::base::quiet::Field::read_registers(&self.#fields, values);)*
                #(::quadlock_hdl::base::drive::State::read_registers(&self.#state, values);)*
            }
            fn read_memories(&self, values: &mut Vec<u64>) {
                #(::quadlock_hdl::base::quiet::Field::read_memories(&self.#fields, values);)*
                #(::quadlock_hdl::base::drive::State::read_memories(&self.#state, values);)*
            }
        }
    }
}

/// `impl Drive`: the block by itself, driven by name.
fn drive(input: &DeriveInput, parts: &Parts) -> Code {
    let (name, fields, state) = (&input.ident, &parts.fields, &parts.state);
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    quote! {
        impl #generics ::quadlock_hdl::base::drive::Drive for #name #arguments #bounds {
            fn inputs(&self) -> Vec<::quadlock_hdl::base::drive::Item> {
                let mut items = Vec::new();
                #(::quadlock_hdl::base::quiet::Field::describe_inputs(&self.#fields, stringify!(#fields), &mut items);)*
                items
            }
            fn set_inputs(&mut self, values: &mut dyn Iterator<Item = u64>) {
                #(::quadlock_hdl::base::quiet::Field::set(&mut self.#fields, values);)*
            }
            fn outputs(&self) -> Vec<::quadlock_hdl::base::drive::Item> {
                let mut items = Vec::new();
                #(::quadlock_hdl::base::quiet::Field::describe_outputs(&self.#fields, stringify!(#fields), &mut items);)*
                items
            }
            fn read_outputs(&self, values: &mut Vec<u64>) {
                #(::quadlock_hdl::base::quiet::Field::read_outputs(&self.#fields, values);)*
            }
            fn contents(&self) -> ::quadlock_hdl::base::drive::Contents {
                use ::quadlock_hdl::base::{drive, quiet};
                let mut contents = drive::Contents::default();
                #(quiet::Field::describe_state(&self.#fields, "", stringify!(#fields), &mut contents);)*
                #(drive::State::describe(&self.#state, "", stringify!(#state), &mut contents);)*
                contents
            }
            fn read_registers(&self, values: &mut Vec<u64>) {
                ::quadlock_hdl::base::quiet::Field::read_registers(self, values);
            }
            fn read_memories(&self, values: &mut Vec<u64>) {
                ::quadlock_hdl::base::quiet::Field::read_memories(self, values);
            }
        }
    }
}
