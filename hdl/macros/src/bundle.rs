//! `#[bundle]`: what two blocks say to each other, from one struct of names, types and meanings.
//! What it makes of it, and what the makings are for, is in `quadlock_hdl::base::bundle`.
//!
//! Wrong would be a port that one of the makings leaves out; each is written from the same list of
//! fields.

use proc_macro2::TokenStream as Code;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{
    Data, DeriveInput, Expr, ExprLit, Field, Fields, GenericArgument, Ident, Lit, LitStr, PathArguments, Token, Type,
};

/// `what = "retired instruction"`, and of an event also `event = "ret"`. Before them `stream` or
/// `flow`: the names without `Data` are then the stream or flow of the data.
pub struct Arguments {
    around: Option<&'static str>,
    what: LitStr,
    event: Option<LitStr>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let around = match input.fork().parse::<Ident>()?.to_string().as_str() {
            "stream" => Some("Stream"),
            "flow" => Some("Flow"),
            _ => None,
        };
        if around.is_some() {
            input.parse::<Ident>()?;
            input.parse::<Token![,]>()?;
        }
        let value = |name: &str| {
            let key: Ident = input.parse()?;
            if key != name {
                return Err(syn::Error::new(key.span(), format!("`{name} = \"...\"` stands here")));
            }
            input.parse::<Token![=]>()?;
            input.parse::<LitStr>()
        };
        let what = value("what")?;
        let event = match input.parse::<Option<Token![,]>>()? {
            Some(_) => Some(value("event")?),
            None => None,
        };
        Ok(Self { around, what, event })
    }
}

/// A field of the definition: a port, or one per element of an array.
struct Port {
    name: Ident,
    /// Type of a port.
    ty: Type,
    /// Number of elements of an array.
    count: Option<usize>,
    /// It goes against the direction of the others (`#[back]`).
    back: bool,
    /// Elements are called as those of a vector are (`#[vector]`): `entry_0`, not `entry0`.
    vector: bool,
    meaning: String,
}

impl Port {
    fn of(field: &Field) -> syn::Result<Self> {
        let wrong = |what: &str| syn::Error::new_spanned(field, what);
        let name = field.ident.clone().ok_or_else(|| wrong("a port has a name"))?;
        let (ty, count) = match &field.ty {
            Type::Array(array) => match &array.len {
                Expr::Lit(ExprLit { lit: Lit::Int(n), .. }) => ((*array.elem).clone(), Some(n.base10_parse()?)),
                _ => return Err(wrong("the length of an array of ports is a number")),
            },
            other => (other.clone(), None),
        };
        let mut meaning = Vec::new();
        for attribute in field.attrs.iter().filter(|a| a.path().is_ident("doc")) {
            if let syn::Meta::NameValue(pair) = &attribute.meta {
                if let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value {
                    meaning.push(text.value().trim().to_owned());
                }
            }
        }
        if meaning.is_empty() {
            return Err(wrong("a port of a bundle has a comment `///` that says what it carries"));
        }
        let marked = |mark: &str| field.attrs.iter().any(|a| a.path().is_ident(mark));
        let (back, vector) = (marked("back"), marked("vector"));
        if vector && count.is_none() {
            return Err(wrong("`#[vector]` stands before an array"));
        }
        Ok(Self { name, ty, count, back, vector, meaning: meaning.join(" ") })
    }

    /// Its ports: the expression behind `self.`, the name in the Verilog, the meaning.
    fn ports(&self) -> Vec<(Code, String, String)> {
        let name = &self.name;
        match self.count {
            None => vec![(quote!(#name), name.to_string(), self.meaning.clone())],
            Some(count) => {
                let between = if self.vector { "$" } else { "" };
                let meaning = |i: usize| self.meaning.replace('#', &i.to_string());
                let port = |i: usize| (quote!(#name[#i]), format!("{name}{between}{i}"), meaning(i));
                (0..count).map(port).collect()
            }
        }
    }

    /// Bits of a port, of a type `bool` or `Bits<N>`.
    fn width(&self) -> syn::Result<usize> {
        let wrong = || syn::Error::new_spanned(&self.ty, "a port of a bundle is a `bool` or `Bits<N>`");
        let Type::Path(path) = &self.ty else { return Err(wrong()) };
        let last = path.path.segments.last().ok_or_else(wrong)?;
        match &last.arguments {
            PathArguments::None if last.ident == "bool" => Ok(1),
            PathArguments::AngleBracketed(list) if last.ident == "Bits" => match list.args.first() {
                Some(GenericArgument::Const(Expr::Lit(ExprLit { lit: Lit::Int(n), .. }))) => n.base10_parse(),
                _ => Err(wrong()),
            },
            _ => Err(wrong()),
        }
    }

    /// Type of its value outside of a kernel, and the value of a word `w`.
    fn plain(&self) -> syn::Result<(Code, Code)> {
        let width = self.width()?;
        if matches!(&self.ty, Type::Path(p) if p.path.is_ident("bool")) {
            return Ok((quote!(bool), quote!(w != 0)));
        }
        let ty = match width {
            0..=8 => quote!(u8),
            9..=16 => quote!(u16),
            17..=32 => quote!(u32),
            _ => quote!(u64),
        };
        Ok((ty.clone(), quote!(w as #ty)))
    }
}

/// The whole definition.
pub fn expand(arguments: &Arguments, input: &DeriveInput) -> syn::Result<Code> {
    let Data::Struct(syn::DataStruct { fields: Fields::Named(named), .. }) = &input.data else {
        return Err(syn::Error::new_spanned(&input.ident, "a bundle is a struct, and its ports have names"));
    };
    let ports = named.named.iter().map(Port::of).collect::<syn::Result<Vec<_>>>()?;
    let table = table(arguments, &input.ident, &ports)?;
    let around: Code = arguments.around.iter().flat_map(|a| ["Out", "In"].map(|side| alias(input, a, side))).collect();
    let mut data = input.clone();
    if arguments.around.is_some() {
        data.ident = format_ident!("{}Data", input.ident);
    }
    let out = side(&data, &ports, true, &table);
    let into = side(&data, &ports, false, &table);
    let join = join(&data, &ports);
    let event = match &arguments.event {
        Some(_) => event(input, &ports)?,
        None => quote!(),
    };
    Ok(quote! { #out #into #join #around #event })
}

/// The name of a stream or flow of the data.
fn alias(input: &DeriveInput, around: &str, side: &str) -> Code {
    let docs = input.attrs.iter().filter(|a| a.path().is_ident("doc"));
    let (name, data) = (format_ident!("{}{side}", input.ident), format_ident!("{}Data{side}", input.ident));
    let (around, visibility) = (format_ident!("{around}{side}"), &input.vis);
    quote! {
        #(#docs)*
        #visibility type #name = ::quadlock_hdl::base::stream::#around<#data>;
    }
}

/// The value of `Bundle::TABLE`.
fn table(arguments: &Arguments, name: &Ident, ports: &[Port]) -> syn::Result<Code> {
    let what = &arguments.what;
    let event = match &arguments.event {
        Some(field) => quote!(Some(#field)),
        None => quote!(None),
    };
    let name = name.to_string();
    let mut rows = Vec::new();
    for port in ports {
        let width = port.width()?;
        let back = port.back;
        for (_, name, meaning) in port.ports() {
            rows.push(quote! {
                ::quadlock_hdl::base::bundle::BundlePort { name: #name, width: #width, back: #back, meaning: #meaning }
            });
        }
    }
    Ok(quote! {
        ::quadlock_hdl::base::bundle::BundleTable {
            name: #name,
            what: #what,
            event: #event,
            handshake: &[],
            ports: &[#(#rows),*],
        }
    })
}

/// The struct of the ports of the block that drives (`out`) or takes them.
fn side(input: &DeriveInput, ports: &[Port], out: bool, table: &Code) -> Code {
    let docs = input.attrs.iter().filter(|a| a.path().is_ident("doc"));
    let visibility = &input.vis;
    let name = format_ident!("{}{}", input.ident, if out { "Out" } else { "In" });
    let which = if out { " Ports of the block that says it." } else { " Ports of the block that is told." };
    let fields = ports.iter().map(|p| {
        let (name, ty, meaning) = (&p.name, &p.ty, format!(" {}.", p.meaning));
        let direction = if p.back == out { quote!(In) } else { quote!(Out) };
        let signal = quote!(::rust_hdl::prelude::Signal<::rust_hdl::prelude::#direction, #ty>);
        let ty = match p.count {
            Some(count) => quote!([#signal; #count]),
            None => signal,
        };
        quote! { #[doc = #meaning] pub #name: #ty }
    });
    let place: Vec<Code> = ports.iter().flat_map(Port::ports).map(|p| p.0).collect();
    let labels: Vec<String> = ports.iter().flat_map(Port::ports).map(|p| p.1).collect();
    let patterns = ports.iter().map(|p| {
        let (name, elements) = (&p.name, (0..p.count.unwrap_or(0)).map(|i| format_ident!("{}{i}", p.name)));
        match p.count {
            Some(_) => quote!(#name: [#(#elements),*]),
            None => quote!(#name),
        }
    });
    let idents = labels.iter().map(|label| format_ident!("{}", label.replace('$', "")));
    let driven = ports.iter().filter(|p| p.back != out).flat_map(|p| p.ports().into_iter().map(|port| port.0));
    let (field, link) = (field(&name, ports, out), link(&name, ports, out));
    quote! {
        #(#docs)*
        #[doc = ""]
        #[doc = #which]
        #[derive(Default)]
        #visibility struct #name { #(#fields),* }

        impl #name {
            /// Number of its ports.
            pub const COUNT: usize = [#(#labels),*].len();
        }

        impl ::quadlock_hdl::base::bundle::Bundle for #name {
            const TABLE: ::quadlock_hdl::base::bundle::BundleTable = #table;
            fn ports(&self) -> Vec<&dyn ::quadlock_hdl::base::quiet::Field> {
                vec![#(&self.#place),*]
            }
            fn ports_mut(&mut self) -> Vec<&mut dyn ::quadlock_hdl::base::quiet::Field> {
                let Self { #(#patterns),* } = self;
                vec![#(#idents),*]
            }
            fn quiet(&mut self) {
                #(self.#driven.next = Default::default();)*
            }
        }

        #field
        #link
    }
}

/// `impl Field` of a side: each port does what it does by itself. Input ports move and take, output
/// ports advance and leave the block; what the others would be asked is always `false`.
fn field(name: &Ident, ports: &[Port], out: bool) -> Code {
    let place = |input: bool| {
        let these = ports.iter().filter(move |p| (p.back == out) == input);
        these.flat_map(|p| p.ports().into_iter().map(|port| port.0)).collect::<Vec<Code>>()
    };
    let (inputs, outputs) = (place(true), place(false));
    let any = |method: &str, place: &[Code]| {
        let method = format_ident!("{method}");
        quote! {
            #[inline(always)]
            fn #method(&self) -> bool {
                false #(|| ::quadlock_hdl::base::quiet::Field::#method(&self.#place))*
            }
        }
    };
    let all = |method: &str, place: &[Code]| {
        let method = format_ident!("{method}");
        quote! {
            #[inline(always)]
            fn #method(&mut self) {
                #(::quadlock_hdl::base::quiet::Field::#method(&mut self.#place);)*
            }
        }
    };
    let moved = any("moved", &inputs);
    let anys = ["leaves_block", "is_alive"].map(|method| any(method, &outputs));
    let stirred = ["stirred"].map(|method| any(method, &[&inputs[..], &outputs[..]].concat()));
    let (advance, step_inputs) = (all("advance", &outputs), all("step_inputs", &inputs));
    let step_inner = all("step_inner", &outputs);
    let named = quote!(::quadlock_hdl::base::bundle::named);
    let ports = quote!(&::quadlock_hdl::base::bundle::Bundle::ports(self));
    let table = quote!(&<Self as ::quadlock_hdl::base::bundle::Bundle>::TABLE);
    quote! {
        impl ::quadlock_hdl::base::quiet::Field for #name {
            #moved
            #(#anys)*
            #(#stirred)*
            #advance
            #step_inputs
            #step_inner
            #[inline(always)]
            fn take(&mut self) -> bool {
                let mut _changed = false;
                #(_changed |= ::quadlock_hdl::base::quiet::Field::take(&mut self.#inputs);)*
                _changed
            }
            fn accept_inputs(&self, name: &str, probe: &mut dyn ::rust_hdl::prelude::Probe) {
                #named(#ports, #table, name, &mut |port, name| port.accept_inputs(name, probe));
            }
            fn describe_inputs(&self, name: &str, items: &mut Vec<::quadlock_hdl::base::drive::Item>) {
                #named(#ports, #table, name, &mut |port, name| port.describe_inputs(name, items));
            }
            fn set(&mut self, values: &mut dyn Iterator<Item = u64>) {
                ::quadlock_hdl::base::bundle::set(::quadlock_hdl::base::bundle::Bundle::ports_mut(self), values);
            }
            fn accept_inner(&self, name: &str, probe: &mut dyn ::rust_hdl::prelude::Probe) {
                #named(#ports, #table, name, &mut |port, name| port.accept_inner(name, probe));
            }
            fn describe_outputs(&self, name: &str, items: &mut Vec<::quadlock_hdl::base::drive::Item>) {
                #named(#ports, #table, name, &mut |port, name| port.describe_outputs(name, items));
            }
            fn read_outputs(&self, values: &mut Vec<u64>) {
                ::quadlock_hdl::base::bundle::read_outputs(#ports, values);
            }
        }
    }
}

/// What rust-hdl has to know of one port of a connection: the port's type, its place, its name.
struct Wire {
    signal: Code,
    place: Code,
    label: String,
}

/// The ports of a side as wires.
fn wires(ports: &[Port], out: bool) -> Vec<Wire> {
    let of = |port: &Port| {
        let (ty, direction) = (&port.ty, if port.back == out { quote!(In) } else { quote!(Out) });
        let signal = quote!(::rust_hdl::prelude::Signal<::rust_hdl::prelude::#direction, #ty>);
        let wire = |(place, label, _)| Wire { signal: signal.clone(), place, label };
        port.ports().into_iter().map(wire).collect::<Vec<_>>()
    };
    ports.iter().flat_map(of).collect()
}

/// `impl LogicLink`: the ports of a block and those of a block in it.
fn link(name: &Ident, ports: &[Port], out: bool) -> Code {
    let wires = wires(ports, out);
    let place: Vec<&Code> = wires.iter().map(|w| &w.place).collect();
    let (signal, label) = (wires.iter().map(|w| &w.signal), wires.iter().map(|w| &w.label));
    quote! {
        impl #name {
            /// What `link` drives.
            pub fn link_marks(&mut self, other: &mut Self) {
                ::rust_hdl::prelude::logic::logic_connect_link_fn(self, other);
            }
        }

        /// The first is the bundle of the block with the kernel, the second that of a block in it.
        impl ::rust_hdl::prelude::LogicLink for #name {
            fn link(&mut self, other: &mut Self) {
                #(::rust_hdl::prelude::LogicLink::link(&mut self.#place, &mut other.#place);)*
            }
            fn link_hdl(_: &str, this: &str, that: &str) -> Vec<::rust_hdl::prelude::ast::VerilogLink> {
                let ports = [#(<#signal as ::rust_hdl::prelude::LogicLink>::link_hdl(#label, this, that)),*];
                ports.into_iter().flatten().collect()
            }
            fn link_connect_source(&mut self) {
                #(::rust_hdl::prelude::LogicLink::link_connect_source(&mut self.#place);)*
            }
            fn link_connect_dest(&mut self) {
                #(::rust_hdl::prelude::LogicLink::link_connect_dest(&mut self.#place);)*
            }
        }
    }
}

/// `join`: the ports of two blocks in the block with the kernel.
fn join(input: &DeriveInput, ports: &[Port]) -> Code {
    let (out, into) = (format_ident!("{}Out", input.ident), format_ident!("{}In", input.ident));
    let wires = wires(ports, true);
    let place: Vec<&Code> = wires.iter().map(|w| &w.place).collect();
    let (signal, label) = (wires.iter().map(|w| &w.signal), wires.iter().map(|w| &w.label));
    let pass = ports.iter().flat_map(|p| p.ports().into_iter().map(|(place, ..)| (place, p.back)));
    let pass = pass.map(|(place, back)| match back {
        false => quote!(other.#place.next = self.#place.val();),
        true => quote!(self.#place.next = other.#place.val();),
    });
    quote! {
        impl #out {
            /// Both are bundles of blocks in the block with the kernel.
            pub fn join(&mut self, other: &mut #into) {
                #(self.#place.join(&mut other.#place);)*
            }
            /// What `join` drives.
            pub fn join_marks(&mut self, other: &mut #into) {
                ::rust_hdl::prelude::logic::logic_connect_join_fn(self, other);
            }
            /// The same as rust-hdl's list of wires.
            pub fn join_hdl(_: &str, this: &str, that: &str) -> Vec<::rust_hdl::prelude::ast::VerilogLink> {
                let ports = [#(<#signal>::join_hdl(#label, this, that)),*];
                ports.into_iter().flatten().collect()
            }
        }
        impl #into {
            /// Both are bundles of the block with the kernel, which passes on what it is told.
            pub fn join(&mut self, other: &mut #out) {
                #(#pass)*
            }
            /// What `join` drives.
            pub fn join_marks(&mut self, other: &mut #out) {
                ::rust_hdl::prelude::logic::logic_connect_join_fn(self, other);
            }
            /// The same as rust-hdl's list of wires.
            pub fn join_hdl(name: &str, this: &str, that: &str) -> Vec<::rust_hdl::prelude::ast::VerilogLink> {
                #out::join_hdl(name, this, that)
            }
        }
        impl ::quadlock_hdl::base::bundle::Side for #out {
            type Other = #into;
            fn join_side(&mut self, other: &mut #into) {
                self.join(other);
            }
            fn join_side_hdl(this: &str, that: &str) -> Vec<::rust_hdl::prelude::ast::VerilogLink> {
                Self::join_hdl("", this, that)
            }
        }
        impl ::quadlock_hdl::base::bundle::Side for #into {
            type Other = #out;
            fn join_side(&mut self, other: &mut #out) {
                self.join(other);
            }
            fn join_side_hdl(this: &str, that: &str) -> Vec<::rust_hdl::prelude::ast::VerilogLink> {
                Self::join_hdl("", this, that)
            }
        }
        impl ::rust_hdl::prelude::LogicJoin for #out {
            fn join_connect(&mut self) {
                #(::rust_hdl::prelude::LogicJoin::join_connect(&mut self.#place);)*
            }
        }
        impl ::rust_hdl::prelude::LogicJoin for #into {
            fn join_connect(&mut self) {
                #(::rust_hdl::prelude::LogicJoin::join_connect(&mut self.#place);)*
            }
        }
    }
}

/// The struct of the values of one cycle, without `valid`, which is the first port.
fn event(input: &DeriveInput, ports: &[Port]) -> syn::Result<Code> {
    let (valid, rest) = match ports.split_first() {
        Some((first, rest)) if first.name == "valid" && first.width()? == 1 => (&first.name, rest),
        _ => return Err(syn::Error::new_spanned(&input.ident, "the first port of an event is `valid: bool`")),
    };
    if let Some(back) = ports.iter().find(|p| p.back) {
        return Err(syn::Error::new_spanned(&back.name, "an event has no port back"));
    }
    let docs = input.attrs.iter().filter(|a| a.path().is_ident("doc"));
    let (name, out, visibility) = (&input.ident, format_ident!("{}Out", input.ident), &input.vis);
    let mut fields = Vec::new();
    let mut values = Vec::new();
    let mut readings = Vec::new();
    for port in rest {
        let (field, meaning) = (&port.name, format!(" {}.", port.meaning));
        let (ty, cast) = port.plain()?;
        let word = quote!({ let w = words.next().unwrap_or_default(); #cast });
        let read = |place: Code| quote!({ let w = self.#place.val().word(); #cast });
        let (ty, value, reading) = match port.count {
            None => (ty, word, read(quote!(#field))),
            Some(count) => {
                let words = (0..count).map(|_| word.clone());
                let reads = (0..count).map(|i| read(quote!(#field[#i])));
                (quote!([#ty; #count]), quote!([#(#words),*]), quote!([#(#reads),*]))
            }
        };
        fields.push(quote! { #[doc = #meaning] pub #field: #ty });
        values.push(quote! { #field: #value });
        readings.push(quote! { #field: #reading });
    }
    Ok(quote! {
        #(#docs)*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #visibility struct #name { #(#fields),* }

        impl #name {
            /// Of the words of the ports, in the order of the table; nothing if `valid` is 0.
            pub fn of(words: [u64; #out::COUNT]) -> Option<Self> {
                let mut words = words.into_iter();
                (words.next()? != 0).then(|| Self { #(#values),* })
            }
        }

        impl #out {
            /// What the ports say now; nothing if `valid` is 0.
            pub fn event(&self) -> Option<#name> {
                use ::quadlock_hdl::base::drive::Word;
                self.#valid.val().then(|| #name { #(#readings),* })
            }
        }
    })
}
