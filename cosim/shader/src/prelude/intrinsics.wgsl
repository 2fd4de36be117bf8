// What WGSL cannot express. The compiler replaces calls of these by an instruction or a constant; the bodies only satisfy the grammar.
fn ql_umulhi(a: u32, b: u32) -> u32 { return a + b; }
fn ql_smulhi(a: i32, b: i32) -> i32 { return a + b; }
fn ql_nan() -> f32 { return 0.0; }
fn ql_infinity() -> f32 { return 0.0; }

