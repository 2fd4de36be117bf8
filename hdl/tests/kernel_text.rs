//! Sources as the tests of kernels read them. `copy_fields!` and the like are written out by the
//! code of `#[kernel]`, and lines keep their numbers.

#[path = "../macros/src/choice.rs"]
mod choice;
#[path = "../macros/src/condition.rs"]
mod condition;

/// A file of Rust, with the short forms of kernels written out.
pub fn parse(source: &str) -> Result<syn::File, syn::Error> {
    syn::parse2(choice::written_out(source.parse()?)?.0)
}

#[test]
fn statements_that_stand_once_are_written_out() {
    let text = "impl X { fn f(&mut self) { \
        for unit in one_of!(self.a, self.b[0] if !self._c) { X::join(&mut self.unit.x, &mut unit.y[i]); } \
        copy_fields!(self => self.a: x, y[i]); } }";
    let wanted = "impl X { fn f(&mut self) { \
        if self.a.is_built() { X::join(&mut self.unit.x, &mut self.a.y[i]); } \
        if !self._c { X::join(&mut self.unit.x, &mut self.b[0].y[i]); } \
        self.a.x.next = self.x.val(); self.a.y[i].next = self.y[i].val(); } }";
    let tokens = |file: syn::File| quote::ToTokens::to_token_stream(&file).to_string();
    assert_eq!(tokens(parse(text).unwrap()), tokens(syn::parse_file(wanted).unwrap()));
    // Nested, the inner one for each of the outer.
    let nested =
        parse("fn f() { for a in one_of!(self.p, self.q) { for b in one_of!(self.r, self.s) { a.x = b.y; } } }");
    assert_eq!(tokens(nested.unwrap()).matches(". x = self .").count(), 4);
    for wrong in [
        "for a in each_of!(self.p) { }",
        // What binds a name again, or an index of what it stands for.
        "for k in 0..2 { let t = &mut self.t[k]; for k in 0..4 { t.x[k] = y; } }",
        "for k in 0..2 { let t = &mut self.t[k]; copy_fields!(for k in 0..4; t => self.s: x[k]); }",
        "for c in one_of!(self.p[i], self.q[i]) { for i in 0..2 { c.x = y; } }",
        "let c = &mut self.p; let c = &mut self.q; c.x = y;",
        "let c = &mut self.p; self.x = y;",
        "for (_, _) in each_of!(self.p, self.q) { }",
        "for (k; a) in each_of!(self.p, self.q) { }",
        "for a in one_of!(self.p if self.sel.val(), self.q) { }",
        "copy_fields!(self.a => self.b: x as z, z);",
        "copy_fields!(for i in 0..4; self.a => self.b: x[i] as _);",
        "unpack_fields!(self.a => self.b: x[0], y);",
        "copy_fields!(self.a => self.b: _, y);",
        "copy_fields!(for i in 0..2; self.a => self.b: );",
        "for a in one_of!(self.p) { }",
        "for a in one_of!(p, q) { }",
        "copy_fields!(self.a => self.b: x);",
        "copy_fields!(self.a => self.b: x, y)",
    ] {
        assert!(parse(&format!("fn f() {{ {wrong} }}")).is_err(), "{wrong}");
    }
}

/// Each with what stands for it.
#[test]
fn short_forms_are_those_of_the_page() {
    let tokens = |text: &str| {
        let file = parse(&format!("fn f() {{ {text} }}")).unwrap_or_else(|e| panic!("{text}: {e}"));
        quote::ToTokens::to_token_stream(&file).to_string()
    };
    for (short, long) in [
        (
            "copy_fields!(self.a => self.b[i]: x.y as z, v[0] as _, w as _[k + 1], u);",
            "self.b[i].z.next = self.a.x.y.val(); self.b[i].v.next = self.a.v[0].val(); \
             self.b[i].w[k + 1].next = self.a.w.val(); self.b[i].u.next = self.a.u.val();",
        ),
        (
            "copy_fields!(for i in 0..self.n.len(); self.a => self.b: x[i]);",
            "for i in 0..self.n.len() { self.b.x[i].next = self.a.x[i].val(); }",
        ),
        (
            "unpack_fields!(self.a.q => self.b: x, y as z);",
            "self.b.x.next = self.a.q.val().get_value_x(); self.b.z.next = self.a.q.val().get_value_y();",
        ),
        (
            "for (m, c) in each_of!(self.p, self.q[0] if self._r) { c.x.next = self.y[m].val(); }",
            "if self.p.is_built() { self.p.x.next = self.y[0].val(); } \
             if self._r { self.q[0].x.next = self.y[1].val(); }",
        ),
        // A number within the block's own index, and behind the dots of a range.
        (
            "for (k, c) in each_of!(self.p[k], self.q if true) { for i in 0..k { c.x[i].next = self.y[k].val(); } }",
            "if self.p[k].is_built() { for i in 0..0 { self.p[k].x[i].next = self.y[0].val(); } } \
             if true { for i in 0..1 { self.q.x[i].next = self.y[1].val(); } }",
        ),
        // To the end of the braces, and no further; not the field of that name.
        (
            "if self.v.val() { let c = &mut self.p[i]; let d = &mut c.e; copy_fields!(d => c: x, c as z); } c.x = y;",
            "if self.v.val() { self.p[i].x.next = self.p[i].e.x.val(); self.p[i].z.next = self.p[i].e.c.val(); } c.x = y;",
        ),
    ] {
        assert_eq!(tokens(short), tokens(long), "{short}");
    }
}

/// Flags of the build stand before signals, and what is behind them is an `if` of its own.
#[test]
fn flags_stand_before_signals() {
    let of = |text: &str| {
        let condition: syn::ExprIf = syn::parse_str(text).unwrap();
        condition::built_and(&condition).map(|x| x.map(|x| quote::ToTokens::to_token_stream(&x).to_string()))
    };
    let tokens = |text: &str| text.parse::<proc_macro2::TokenStream>().unwrap().to_string();
    let split = of("if self.a.is_built() && (self._b && self.x.val()) && self.y.val() { z }").unwrap();
    assert_eq!(split, Some(tokens("if self.a.is_built() && self._b { if self.x.val() && self.y.val() { z } }")));
    for alone in ["if self._a && !self.b.is_built() { z }", "if self.x.val() && self.y.val() { z } else { y }"] {
        assert_eq!(of(alone).unwrap(), None, "{alone}");
    }
    for wrong in [
        "if self.x.val() && self._a { z }",
        "if self._b && self.x.val() && self.a.is_built() { z }",
        "if self._b && self.x.val() { z } else { y }",
    ] {
        assert!(of(wrong).is_err(), "{wrong}");
    }
}

/// Of each `one_of!` in the braces of the function, when each block is the one; two of them are an
/// error of the export.
#[test]
fn a_second_block_that_is_built_is_found() {
    let text = "fn f() { for a in one_of!(self.p, self.q if self._c) { a.x = y; } \
        for b in each_of!(self.p, self.q) { b.x = y; } \
        let r = &mut self.r; for c in one_of!(r.s, r.t) { c.x = y; } \
        if self._d { for e in one_of!(self.p, self.q) { e.x = y; } } }";
    let choices = choice::written_out(text.parse().unwrap()).unwrap().1;
    let tokens = |code: &str| code.parse::<proc_macro2::TokenStream>().unwrap().to_string();
    let found: Vec<Vec<String>> = choices.iter().map(|c| c.iter().map(ToString::to_string).collect()).collect();
    let wanted = [["self.p.is_built()", "self._c"], ["self.r.s.is_built()", "self.r.t.is_built()"]];
    assert_eq!(found, wanted.map(|pair| pair.map(tokens)));
    quadlock_hdl::base::kernel::at_most_one(&[false, true, false]);
    assert!(std::panic::catch_unwind(|| quadlock_hdl::base::kernel::at_most_one(&[true, false, true])).is_err());
}
