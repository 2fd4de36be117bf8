//! `#[derive(QuietBlock)]`: rust-hdl's `Block` for a struct of ports, registers and blocks, written
//! from the struct itself. What it does in a pass, and why, is in `quadlock_hdl::base::quiet`,
//! whose trait `Field` says what each kind of field contributes.
//!
//! A field that begins with `_` is no part of the hardware. `#[state]` marks a field that is a
//! register or memory by itself, as leaf cells have them. `#[size]` marks a number, a flag or a
//! list of numbers that loops and index expressions of the kernel name. Wrong would be a field that
//! is left out; it would be missing in the Verilog.

#![warn(missing_docs)]

mod bundle;
mod choice;
mod condition;
mod kernel;
mod variants;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Code;
use quote::quote;
use syn::{parse_macro_input, Data, DeriveInput, Fields, GenericArgument, Ident, ItemFn, PathArguments, Type};

/// See the crate's page. The struct has a field `_active: bool`, of either initial value.
#[proc_macro_derive(QuietBlock, attributes(state, size))]
pub fn quiet_block(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// `quadlock_hdl::base::drive::Word` of an enumeration of states, numbered in the order of its
/// variants.
#[proc_macro_derive(StateWord)]
pub fn state_word(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    variants::state_word(&input).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// `ALL` and `name()` of an enumeration of options: the name of a variant is the variant in small
/// letters with dashes (`PerLane` is `per-lane`), or `#[name = "64"]` before it.
#[proc_macro_derive(Options, attributes(name))]
pub fn options(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    variants::options(&input).unwrap_or_else(|e| e.to_compile_error()).into()
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

/// A kernel, `fn update(&mut self)` of an `impl`: makes `connect` and `hdl` beside it, as
/// rust-hdl's `hdl_gen` does; see `quadlock_hdl::base::kernel`.
///
/// `if self._flag { .. } else { .. }` of a `bool` that begins with `_` is decided when the block is
/// made. So is a question to such a field, `if self._config.merges() { .. }`, or to what may be
/// left out, `if self.merge.is_built() { .. }`. Flags stand before signals in
/// one condition, and that `if` has no `else`. Short forms, as `one_of!` and `copy_fields!`, are
/// listed in `hdl/macros/src/choice.rs`.
///
/// Of an `impl` of a block it makes the block's `Logic`. Each function is a part of the kernel, and
/// they are joined in the order in which they stand. Parts in other files have [`macro@parts`].
/// `#[kernel(wired)]` has the whole unrolled, as `quadlock_hdl::wired!` does.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, input: TokenStream) -> TokenStream {
    if let Ok(input) = syn::parse::<syn::ItemImpl>(input.clone()) {
        let which = match arguments.to_string().as_str() {
            "" => kernel::Parts::Kernel,
            "wired" => kernel::Parts::Wired,
            _ => {
                let error = syn::Error::new_spanned(&input.self_ty, "`#[kernel]` or `#[kernel(wired)]` stands here");
                return error.to_compile_error().into();
            }
        };
        return kernel::expand_parts(&input, which).unwrap_or_else(|e| e.to_compile_error()).into();
    }
    if !arguments.is_empty() {
        return refused("of a function it is `#[kernel]` alone");
    }
    let input = parse_macro_input!(input as ItemFn);
    kernel::expand(&input).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// Parts of a kernel that `quadlock_hdl::kernel_of!` of another file lists: each function of the
/// `impl` is the part of its name, `fn late_hi_z` is `LateHiZ`.
#[proc_macro_attribute]
pub fn parts(arguments: TokenStream, input: TokenStream) -> TokenStream {
    if !arguments.is_empty() {
        return refused("`#[parts]` has no arguments");
    }
    let input = parse_macro_input!(input as syn::ItemImpl);
    kernel::expand_parts(&input, kernel::Parts::Some).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// An error at the attribute.
fn refused(what: &str) -> TokenStream {
    syn::Error::new(proc_macro2::Span::call_site(), what).to_compile_error().into()
}

/// A field of the hardware, and what it can have to do with a pass of the engine.
struct Part {
    name: Ident,
    kind: Kind,
}

/// What the engine has to ask of a field, as far as its type says so. A type by another name is
/// [`Kind::Other`], which is asked everything: slower to compile, not wrong.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// `Signal<In, _>`: moves and takes.
    Input,
    /// `Signal<Out, _>`: advances, and may leave the block.
    Output,
    /// `Signal<Local, _>`: advances.
    Local,
    /// `DFF<_>`: advances, and feeds the kernel.
    Register,
    /// A constant: nothing.
    Constant,
    Other,
}

impl Kind {
    fn of(ty: &Type) -> Self {
        let Type::Path(path) = ty else { return Self::Other };
        let Some(last) = path.path.segments.last() else { return Self::Other };
        let argument = match &last.arguments {
            PathArguments::AngleBracketed(list) => match list.args.first() {
                Some(GenericArgument::Type(ty)) => Some(ty),
                _ => None,
            },
            _ => None,
        };
        let direction = || match argument {
            Some(Type::Path(p)) => p.path.get_ident().map(Ident::to_string),
            _ => None,
        };
        match last.ident.to_string().as_str() {
            "Vec" => argument.map_or(Self::Other, Self::of),
            "Signal" => match direction().as_deref() {
                Some("In") => Self::Input,
                Some("Out") => Self::Output,
                Some("Local") => Self::Local,
                _ => Self::Other,
            },
            "DFF" => Self::Register,
            "Constant" | "Flag" | "Parameter" | "Planted" => Self::Constant,
            _ => Self::Other,
        }
    }
}

/// The fields of the struct that count: those of the hardware, and those that are marked.
struct Parts {
    fields: Vec<Part>,
    state: Vec<Ident>,
    /// Those marked `#[size]`: numbers and flags, and lists of numbers.
    sizes: Vec<Ident>,
    tables: Vec<Ident>,
}

impl Parts {
    fn of(input: &DeriveInput) -> syn::Result<Self> {
        let Data::Struct(data) = &input.data else {
            return Err(syn::Error::new_spanned(&input.ident, "a block is a struct"));
        };
        let Fields::Named(named) = &data.fields else {
            return Err(syn::Error::new_spanned(&input.ident, "the fields of a block have names"));
        };
        let mut parts = Self { fields: Vec::new(), state: Vec::new(), sizes: Vec::new(), tables: Vec::new() };
        let mut active = false;
        for field in &named.named {
            let Some(name) = field.ident.clone() else { continue };
            if field.attrs.iter().any(|a| a.path().is_ident("state")) {
                parts.state.push(name.clone());
            }
            if field.attrs.iter().any(|a| a.path().is_ident("size")) {
                let list =
                    matches!(&field.ty, Type::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "Vec"));
                if list { &mut parts.tables } else { &mut parts.sizes }.push(name.clone());
            }
            active |= name == "_active";
            if !name.to_string().starts_with('_') {
                parts.fields.push(Part { name, kind: Kind::of(&field.ty) });
            }
        }
        if !active {
            return Err(syn::Error::new_spanned(&input.ident, "a quiet block has a field `_active: bool`"));
        }
        Ok(parts)
    }

    /// The names of all fields.
    fn names(&self) -> Vec<&Ident> {
        self.fields.iter().map(|part| &part.name).collect()
    }

    /// The names of fields of these kinds, and of those that may be of any.
    fn of_kinds(&self, kinds: &[Kind]) -> Vec<&Ident> {
        let meant = |part: &&Part| part.kind == Kind::Other || kinds.contains(&part.kind);
        self.fields.iter().filter(meant).map(|part| &part.name).collect()
    }
}

fn expand(input: &DeriveInput) -> syn::Result<Code> {
    let parts = Parts::of(input)?;
    let (block, field) = (block(input, &parts), field(input, &parts));
    let (members, drive, sizes) = (members(input, &parts), drive(input), sizes(input, &parts));
    Ok(quote! { #block #field #members #drive #sizes })
}

/// `impl Block`.
fn block(input: &DeriveInput, parts: &Parts) -> Code {
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    let pass = if cfg!(feature = "engine") {
        pass(parts)
    } else {
        quote!(
            fn update_all(&mut self) {}
        )
    };
    quote! {
        impl #generics ::rust_hdl::prelude::Block for #name #arguments #bounds {
            fn connect_all(&mut self) {
                ::rust_hdl::prelude::Logic::connect(self);
                ::quadlock_hdl::base::members::connect_all(self);
                // The kernel on the inputs as they are; from now on it runs when something changes.
                ::rust_hdl::prelude::Logic::update(self);
                self._active = true;
            }
            #pass
            fn has_changed(&self) -> bool {
                self._active
            }
            fn accept(&self, name: &str, probe: &mut dyn ::rust_hdl::prelude::Probe) {
                probe.visit_start_scope(name, self);
                ::quadlock_hdl::base::members::accept(self, probe);
                probe.visit_end_scope(name, self);
            }
        }
    }
}

/// A pass of rust-hdl's engine.
fn pass(parts: &Parts) -> Code {
    let inputs = parts.of_kinds(&[Kind::Input]);
    let feeds = parts.of_kinds(&[Kind::Register]);
    let advancing = parts.of_kinds(&[Kind::Output, Kind::Local, Kind::Register]);
    let alive = parts.of_kinds(&[Kind::Output, Kind::Register]);
    quote! {
        fn update_all(&mut self) {
            use ::quadlock_hdl::base::quiet::Field;
            if !::quadlock_hdl::base::quiet::skipping() {
                ::rust_hdl::prelude::Logic::update(self);
                self._active = ::quadlock_hdl::base::members::step(self);
                return;
            }
            if !self._active #(&& !Field::moved(&self.#inputs))* {
                return;
            }
            let mut dirty = self._active && (false #(|| Field::feeds_kernel(&self.#feeds))*);
            #(dirty |= Field::take(&mut self.#inputs);)*
            if dirty {
                ::rust_hdl::prelude::Logic::update(self);
            }
            #(Field::advance(&mut self.#advancing);)*
            self._active = false #(|| Field::is_alive(&self.#alive))*;
        }
    }
}

/// `impl Field`: the block as a part of another one.
fn field(input: &DeriveInput, parts: &Parts) -> Code {
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    let steps = if cfg!(feature = "engine") { steps(parts) } else { Code::new() };
    quote! {
        impl #generics ::quadlock_hdl::base::quiet::Field for #name #arguments #bounds {
            fn connect_all(&mut self) {
                ::rust_hdl::prelude::Block::connect_all(self);
            }
            fn accept_inner(&self, name: &str, probe: &mut dyn ::rust_hdl::prelude::Probe) {
                ::rust_hdl::prelude::Block::accept(self, name, probe);
            }
            #steps
            fn describe_state(&self, path: &str, name: &str, contents: &mut ::quadlock_hdl::base::drive::Contents) {
                ::quadlock_hdl::base::members::describe_part(self, path, name, contents);
            }
            fn read_registers(&self, values: &mut Vec<u64>) {
                ::quadlock_hdl::base::members::read_registers(self, values);
            }
            fn read_memories(&self, values: &mut Vec<u64>) {
                ::quadlock_hdl::base::members::read_memories(self, values);
            }
        }
    }
}

/// What the block contributes to a pass of the block around it.
fn steps(parts: &Parts) -> Code {
    let leaving = parts.of_kinds(&[Kind::Output]);
    quote! {
        fn step_inner(&mut self) {
            ::rust_hdl::prelude::Block::update_all(self);
        }
        fn stirred(&self) -> bool {
            self._active
        }
        fn feeds_kernel(&self) -> bool {
            self._active && (false #(|| ::quadlock_hdl::base::quiet::Field::leaves_block(&self.#leaving))*)
        }
        fn advance(&mut self) {
            ::rust_hdl::prelude::Block::update_all(self);
        }
        fn is_alive(&self) -> bool {
            self._active
        }
    }
}

/// `impl Members`: the list of the fields.
fn members(input: &DeriveInput, parts: &Parts) -> Code {
    let (name, fields, state) = (&input.ident, parts.names(), &parts.state);
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    quote! {
        impl #generics ::quadlock_hdl::base::members::Members for #name #arguments #bounds {
            fn members(&self, act: &mut dyn FnMut(&dyn ::quadlock_hdl::base::quiet::Field, &'static str)) {
                #(act(&self.#fields, stringify!(#fields));)*
            }
            fn members_mut(&mut self, act: &mut dyn FnMut(&mut dyn ::quadlock_hdl::base::quiet::Field)) {
                #(act(&mut self.#fields);)*
            }
            fn states(&self, _act: &mut dyn FnMut(&dyn ::quadlock_hdl::base::drive::State, &'static str)) {
                #(_act(&self.#state, stringify!(#state));)*
            }
        }
    }
}

/// `impl Sizes`: what the kernel's loops and index expressions name.
fn sizes(input: &DeriveInput, parts: &Parts) -> Code {
    let (name, sizes, tables) = (&input.ident, &parts.sizes, &parts.tables);
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    quote! {
        impl #generics ::quadlock_hdl::base::wiring::Sizes for #name #arguments #bounds {
            fn sizes(&self) -> Vec<(&'static str, usize)> {
                vec![#((stringify!(#sizes), ::quadlock_hdl::base::wiring::Size::size(&self.#sizes))),*]
            }
            fn tables(&self) -> Vec<(&'static str, &[usize])> {
                vec![#((stringify!(#tables), &self.#tables[..])),*]
            }
        }
    }
}

/// `impl Drive`: the block by itself, driven by name.
fn drive(input: &DeriveInput) -> Code {
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    quote! {
        impl #generics ::quadlock_hdl::base::drive::Drive for #name #arguments #bounds {
            fn inputs(&self) -> Vec<::quadlock_hdl::base::drive::Item> {
                ::quadlock_hdl::base::members::inputs(self)
            }
            fn set_inputs(&mut self, values: &mut dyn Iterator<Item = u64>) {
                ::quadlock_hdl::base::members::set_inputs(self, values);
            }
            fn outputs(&self) -> Vec<::quadlock_hdl::base::drive::Item> {
                ::quadlock_hdl::base::members::outputs(self)
            }
            fn read_outputs(&self, values: &mut Vec<u64>) {
                ::quadlock_hdl::base::members::read_outputs(self, values);
            }
            fn contents(&self) -> ::quadlock_hdl::base::drive::Contents {
                ::quadlock_hdl::base::members::contents(self)
            }
            fn read_registers(&self, values: &mut Vec<u64>) {
                ::quadlock_hdl::base::members::read_registers(self, values);
            }
            fn read_memories(&self, values: &mut Vec<u64>) {
                ::quadlock_hdl::base::members::read_memories(self, values);
            }
        }
    }
}
