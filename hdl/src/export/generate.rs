//! A block's tree as rust-hdl's Verilog, a module per instance: `generate_verilog` without its
//! price.
//!
//! rust-hdl compiles a regular expression for each indexed name of a kernel, each time that it
//! writes the name, and it writes each kernel twice. That was more than half of an export, and an
//! export is most of a short run. Here a kernel's loops are written out and its indices are
//! numbers before rust-hdl sees them ([`without_loops`]), so that there is nothing to search.
//!
//! It is wrong if the text differs from `generate_verilog`'s: a test compares the two.

use rust_hdl::prelude::*;

use crate::base::wiring::{without_loops, Declared};

/// The Verilog of a block whose connections have been checked.
pub fn verilog(block: &dyn Block) -> String {
    let mut modules = Modules::default();
    block.accept("top", &mut modules);
    modules.0.defines()
}

/// rust-hdl's collector of modules, which is shown kernels without loops.
#[derive(Default)]
struct Modules(ModuleDefines);

impl Probe for Modules {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        self.0.visit_start_scope(name, &Kernel(node));
    }
    fn visit_start_namespace(&mut self, name: &str, node: &dyn Block) {
        self.0.visit_start_namespace(name, node);
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        self.0.visit_atom(name, signal);
    }
    fn visit_end_namespace(&mut self, name: &str, node: &dyn Block) {
        self.0.visit_end_namespace(name, node);
    }
    fn visit_end_scope(&mut self, name: &str, node: &dyn Block) {
        self.0.visit_end_scope(name, node);
    }
}

/// A block with only its kernel: all that the collector asks of a scope.
struct Kernel<'a>(&'a dyn Block);

impl Logic for Kernel<'_> {
    fn update(&mut self) {}
    fn hdl(&self) -> Verilog {
        without_loops(self.0.hdl(), &Declared::of(self.0))
    }
}

impl Block for Kernel<'_> {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {}
    fn has_changed(&self) -> bool {
        false
    }
    fn accept(&self, _name: &str, _probe: &mut dyn Probe) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::MessageBus;
    use crate::config::GpuConfig;
    use crate::dispatch::walker::GridWalker;
    use crate::semaphore::WaitingRoom;
    use crate::warp::table::WarpTable;

    /// Loops, chains of `else if`, indices with arithmetic, enumerations. Bundles are not among
    /// them: rust-hdl does not know their names.
    #[test]
    fn the_text_is_that_of_rust_hdl() {
        fn same<B: Block>(mut block: B) {
            block.connect_all();
            assert!(verilog(&block) == generate_verilog(&block), "{}", std::any::type_name::<B>());
        }
        let config = GpuConfig { rows: 2, warps: 2, ..GpuConfig::default() };
        same(MessageBus::of(&config));
        same(GridWalker::new(&config));
        same(WaitingRoom::new(&config));
        same(WarpTable::new(&config));
    }
}
