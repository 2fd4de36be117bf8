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
