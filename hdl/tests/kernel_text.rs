//! Sources as the tests of kernels read them. `one_of!` and `copy_fields!` are written out by the
//! code of `#[kernel]`, and lines keep their numbers.

#[path = "../macros/src/choice.rs"]
mod choice;

/// A file of Rust, with loops over `one_of!` and `copy_fields!` written out.
pub fn parse(source: &str) -> Result<syn::File, syn::Error> {
    syn::parse2(choice::written_out(source.parse()?)?)
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
        "for a in one_of!(self.p) { }",
        "for a in one_of!(p, q) { }",
        "copy_fields!(self.a => self.b: x);",
        "copy_fields!(self.a => self.b: x, y)",
    ] {
        assert!(parse(&format!("fn f() {{ {wrong} }}")).is_err(), "{wrong}");
    }
}
