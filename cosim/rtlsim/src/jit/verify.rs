//! Whether Cranelift's verifier reads the code that it gets. It finds what is ill-formed (a value
//! used before it is made, operands of two widths), which would be wrong code or an error further
//! down. It takes time for every function, so users and the tests of other crates do without: this
//! crate's tests and the night's runs ask for it. It cannot see code that is well-formed and
//! wrong; that is what the interpreter beside it is for.

use crate::options::Options;

/// Asks for it in a process whose options nobody sets.
const VARIABLE: &str = "RTLSIM_VERIFY";

/// Whether code made with `options` is verified.
pub(super) fn wanted(options: &Options) -> bool {
    options.verify || std::env::var_os(VARIABLE).is_some()
}

#[cfg(test)]
mod tests {
    use cranelift_codegen::ir::types::{I32, I64};
    use cranelift_codegen::ir::{Function, InstBuilder, UserFuncName};
    use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

    use super::super::generate::{compile, isa};
    use super::super::pieces::signature;
    use super::*;

    /// Adds numbers of 32 and 64 bits.
    fn ill_formed(verify: bool) -> String {
        let isa = isa(verify).expect("this machine has code");
        let mut func = Function::with_name_signature(UserFuncName::user(0, 0), signature(isa.default_call_conv()));
        let mut context = FunctionBuilderContext::new();
        let mut b = FunctionBuilder::new(&mut func, &mut context);
        let block = b.create_block();
        b.switch_to_block(block);
        b.append_block_params_for_function_params(block);
        let (long, short) = (b.ins().iconst(I64, 1), b.ins().iconst(I32, 1));
        b.ins().iadd(long, short);
        b.ins().return_(&[]);
        b.seal_all_blocks();
        b.finalize(isa.frontend_config());
        compile(&isa, func, 0).err().map_or_else(String::new, |e| e.to_string())
    }

    #[test]
    fn ill_formed_code_is_found_by_the_verifier_alone() {
        assert!(ill_formed(true).contains("Verifier"), "{}", ill_formed(true));
        assert_eq!(ill_formed(false), "");
    }

    #[test]
    fn the_tests_of_this_crate_verify() {
        assert!(wanted(&Options::default()));
        assert_eq!(wanted(&Options::default().verify(false)), std::env::var_os(VARIABLE).is_some());
    }
}
