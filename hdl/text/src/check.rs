//! rust-hdl's checks of a kernel, made once for each kind of block: what it reads before it assigns
//! it, and inputs that it assigns. The checks are rust-hdl's own. They look at a block's signals and
//! kernel only, so a stand-in with nothing in it but these is what they are given.
//!
//! It is wrong if a check depends on the blocks within; a test compares whole designs.

use rust_hdl::core::check_error::CheckError;
use rust_hdl::core::check_logic_loops::check_logic_loops;
use rust_hdl::core::check_write_inputs::check_inputs_not_written;
use rust_hdl::prelude::*;

use crate::record::{atoms, AtomPart};

/// What is wrong with a kernel, in words.
pub(crate) fn kernel(path: &str, record: &[u8], kernel: &Verilog) -> Result<(), String> {
    if !matches!(kernel, Verilog::Combinatorial(_)) {
        return Ok(());
    }
    let block = StandIn { record, kernel };
    match check_logic_loops(&block).and_then(|()| check_inputs_not_written(&block)) {
        Ok(()) => Ok(()),
        Err(CheckError::LogicLoops(names)) => {
            let names: Vec<_> = names.into_iter().map(|n| format!("`{}`", n.name)).collect();
            Err(format!("block `{path}` reads {} before it assigns it (LogicLoops)", names.join(", ")))
        }
        Err(CheckError::WritesToInputs(names)) => {
            let names: Vec<_> = names.into_iter().map(|n| format!("`{}`", n.name)).collect();
            Err(format!("block `{path}` assigns its input {} (WritesToInputs)", names.join(", ")))
        }
        Err(other) => Err(format!("block `{path}`: {other:?}")),
    }
}

/// A block with the signals of a record and a kernel.
struct StandIn<'a> {
    record: &'a [u8],
    kernel: &'a Verilog,
}

impl Logic for StandIn<'_> {
    fn update(&mut self) {}
    fn hdl(&self) -> Verilog {
        self.kernel.clone()
    }
}

impl Block for StandIn<'_> {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {}
    fn has_changed(&self) -> bool {
        false
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_start_scope(name, self);
        atoms(self.record).for_each(|atom| probe.visit_atom(atom.name, &atom));
        probe.visit_end_scope(name, self);
    }
}

/// As far as the checks ask.
impl Atom for AtomPart<'_> {
    fn bits(&self) -> usize {
        self.width
    }
    fn connected(&self) -> bool {
        true
    }
    fn changed(&self) -> bool {
        false
    }
    fn kind(&self) -> AtomKind {
        self.kind
    }
    fn descriptor(&self) -> TypeDescriptor {
        TypeDescriptor { name: String::new(), kind: TypeKind::Bits(self.width) }
    }
    fn vcd(&self) -> VCDValue {
        VCDValue::String(String::new())
    }
    fn id(&self) -> usize {
        0
    }
    fn verilog(&self) -> VerilogLiteral {
        false.into()
    }
    fn constraints(&self) -> Vec<PinConstraint> {
        Vec::new()
    }
}
