use quadlock_rtlsim::graph::{Edge, Graph, Input, InputId, Op, RegId, Register, Start};
use quadlock_rtlsim::{Bits, Design, Engine, Error, Options};

fn main() -> Result<(), Error> {
    Ok(())
}
