//! The compiler driver: one shader source to one binary.
//!
//! front end -> passes -> back end -> [`ShaderBinary`](crate::binary::ShaderBinary), with the texts
//! that `quadlock compile --emit` prints. Vertex and fragment programs are stages of a pipeline
//! ([`crate::graphics`]). The driver itself decides only what is called in which order
//! ([`stage`]); it is wrong if an option does not reach the part it is for.

mod counts;
pub(crate) mod linked;
mod points;
mod request;
mod result;
pub(crate) mod stage;

use crate::front::{self, Diagnostics};
use crate::interface::Interface;
use stage::Unit;

pub use counts::{By, Counts};
pub use linked::Uniforms;
pub use points::{Merge, Split};
pub use request::{CompileRequest, Options};
pub use result::{Compiled, Fused, Report};

/// Compiles one entry point.
///
/// # Errors
/// Every message names file, line and column where there is one, and what to do.
pub fn compile(request: &CompileRequest) -> Result<Compiled, Diagnostics> {
    front::deep(|| Unit::new(request.clone(), None)?.optimised()?.generated())
}

/// Compiles one entry point as a chain of one program: what is an expression of uniforms the host
/// computes (LP-13), and branches that known words decide are decided (LP-14).
///
/// # Errors
/// As [`compile`].
pub fn compile_linked(request: &CompileRequest, known: &Uniforms) -> Result<Compiled, Diagnostics> {
    front::deep(|| {
        let unit = Unit::new(request.clone(), None)?;
        let mut joined = linked::join(vec![unit.clone()], &[], known, false)?;
        match joined.units.pop() {
            Some(unit) => unit.generated(),
            None => Err(unit.mistake("internal error: linking lost a program".into())),
        }
    })
}

/// What a program tells the host before it is compiled: its buffers are those of every variant.
///
/// # Errors
/// As [`compile`], of the source.
pub fn interface(request: &CompileRequest) -> Result<Interface, Diagnostics> {
    front::deep(|| Ok(Unit::new(request.clone(), None)?.lowered.interface))
}
