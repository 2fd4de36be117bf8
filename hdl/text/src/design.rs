//! A visit of a block's tree that ends in the [unique modules](Unique) of its export. Each block
//! becomes a [record](crate::record) when everything in it has been visited; if its record is
//! known, so is its module. Text is made, and a kernel is checked, once for each kind of block;
//! that every signal is driven is checked for each block.
//!
//! It can be wrong where two blocks with one record differ; the record's page says why they do not.

use std::rc::Rc;

use rust_hdl::prelude::*;
use rustc_hash::FxHashMap;

use crate::check;
use crate::declared::Declared;
use crate::merge::Unique;
use crate::print;
use crate::record::{Kind, Record};
use crate::unroll::without_loops;

/// The modules of a block whose connections have been made, and the number of its own.
///
/// # Errors
/// A signal that nothing drives; a kernel that reads a signal before it assigns it, or assigns an
/// input; a black box.
pub fn modules(block: &dyn Block) -> Result<(Unique, usize), String> {
    let mut design = Design::default();
    block.accept("top", &mut design);
    let wrong = |what: String| format!("the design is not sound: {what}");
    if !design.undriven.is_empty() {
        return Err(wrong(format!("nothing drives {} (OpenSignal)", design.undriven.join(", "))));
    }
    match (design.error, design.top) {
        (Some(error), _) => Err(wrong(error)),
        (None, Some(top)) => Ok((design.unique, design.kinds[top].module)),
        (None, None) => Err(wrong("it shows no block".into())),
    }
}

#[derive(Default)]
struct Design {
    /// The blocks around what is visited, the top first.
    open: Vec<Open>,
    kinds: Vec<Kind>,
    by_record: FxHashMap<Rc<[u8]>, usize>,
    /// Number of the kind of the top, at the end.
    top: Option<usize>,
    unique: Unique,
    /// Signals that nothing drives.
    undriven: Vec<String>,
    /// What was wrong first.
    error: Option<String>,
    /// Records of finished blocks, for their memory.
    spare: Vec<Vec<u8>>,
}

/// A block whose visit has not ended.
struct Open {
    name: String,
    /// Interfaces around what is visited; rust-hdl puts their names before those of the signals.
    namespace: Vec<String>,
    record: Record,
}

impl Design {
    /// The number of the kind of a block with that record, which ends before its kernel.
    fn kind(&mut self, instance: &str, mut record: Record, node: &dyn Block) -> Result<usize, String> {
        let kernel = node.hdl();
        record.kernel();
        record.verilog(&kernel);
        if let Some(&kind) = self.by_record.get(record.0.as_slice()) {
            self.spare.push(record.0);
            return Ok(kind);
        }
        let path = || {
            let names: Vec<_> = self.open.iter().map(|o| o.name.as_str()).chain([instance]).collect();
            names.join(".")
        };
        let record: Rc<[u8]> = record.0.into();
        if matches!(kernel, Verilog::Blackbox(_) | Verilog::Wrapper(_)) {
            return Err(format!("block `{}` is a black box or wraps one, which an export does not hold", path()));
        }
        check::kernel(&path(), &record, &kernel)?;
        let kernel = without_loops(kernel, &Declared::in_record(&record, &self.kinds));
        check::kernel(&path(), &record, &kernel)?;
        let lines = print::module(&record, &kernel, &self.kinds).map_err(|e| format!("block `{}`: {e}", path()))?;
        let module = self.unique.add(instance, lines);
        self.by_record.insert(record.clone(), self.kinds.len());
        self.kinds.push(Kind { record, module });
        Ok(self.kinds.len() - 1)
    }
}

impl Probe for Design {
    fn visit_start_scope(&mut self, name: &str, _node: &dyn Block) {
        let mut record = Record(self.spare.pop().unwrap_or_default());
        record.0.clear();
        self.open.push(Open { name: name.to_owned(), namespace: Vec::new(), record });
    }
    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        if let Some(open) = self.open.last_mut() {
            open.namespace.push(name.to_owned());
        }
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let alone = self.open.len() == 1;
        let Some(open) = self.open.last_mut() else { return };
        let known = match open.namespace.is_empty() {
            true => open.record.atom(name, signal),
            false => open.record.atom(&format!("{}${name}", open.namespace.join("$")), signal),
        };
        if !known {
            self.error.get_or_insert_with(|| format!("signal `{name}` is of no kind that a block declares"));
        }
        // Whoever has the top drives its inputs.
        let from_outside = matches!(signal.kind(), AtomKind::InputParameter | AtomKind::InOutParameter) && alone;
        if !signal.connected() && !from_outside {
            let path: Vec<_> = self.open.iter().map(|o| o.name.as_str()).chain([name]).collect();
            self.undriven.push(format!("`{}`", path.join(".")));
        }
    }
    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {
        if let Some(open) = self.open.last_mut() {
            open.namespace.pop();
        }
    }
    fn visit_end_scope(&mut self, _name: &str, node: &dyn Block) {
        let Some(Open { name, record, .. }) = self.open.pop() else { return };
        if self.error.is_some() {
            return;
        }
        match self.kind(&name, record, node) {
            Ok(kind) => match self.open.last_mut() {
                Some(around) => around.record.child(&name, kind),
                None => self.top = Some(kind),
            },
            Err(error) => self.error = Some(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of one output with that kernel, and a top with two of them.
    macro_rules! twice {
        ($part:ident $top:ident { $($field:ident: $ty:ty = $value:expr),* } $($kernel:tt)*) => {
            #[derive(LogicBlock)]
            struct $part {
                a: Signal<In, Bits<4>>,
                q: Signal<Out, Bits<4>>,
                $($field: $ty,)*
            }
            impl Default for $part {
                fn default() -> Self {
                    Self { a: Signal::default(), q: Signal::default(), $($field: $value,)* }
                }
            }
            impl Logic for $part {
                $($kernel)*
            }
            #[derive(Default, LogicBlock)]
            struct $top {
                a: Signal<In, Bits<4>>,
                q: Signal<Out, Bits<4>>,
                one: $part,
                two: $part,
            }
            impl Logic for $top {
                #[hdl_gen]
                fn update(&mut self) {
                    self.one.a.next = self.a.val();
                    self.two.a.next = self.one.q.val();
                    self.q.next = self.two.q.val();
                }
            }
        };
    }

    twice! { Plain TwicePlain { c: Constant<Bits<4>> = Constant::new(3.into()) }
    #[hdl_gen] fn update(&mut self) { self.q.next = self.a.val() + self.c.val(); } }
    twice! { Undriven TwiceUndriven { p: Signal<Local, Bits<4>> = Signal::default() }
    #[hdl_gen] fn update(&mut self) { self.q.next = self.p.val(); } }
    twice! { Early TwiceEarly { p: Signal<Local, Bits<4>> = Signal::default() }
    #[hdl_gen] fn update(&mut self) { self.q.next = self.p.val(); self.p.next = self.a.val(); } }
    twice! { Inward TwiceInward { }
    #[hdl_gen] fn update(&mut self) { self.a.next = self.a.val(); self.q.next = self.a.val(); } }

    fn connected<B: Block + Default>() -> B {
        let mut block = B::default();
        block.connect_all();
        block
    }

    /// What is wrong with a design, by this visit; rust-hdl's own checks refuse it too.
    fn refused<B: Block + Default>() -> String {
        let block = connected::<B>();
        assert!(check_all(&block).is_err());
        modules(&block).err().unwrap()
    }

    #[test]
    fn what_rust_hdl_s_checks_refuse_is_refused() {
        let error = refused::<TwiceUndriven>();
        assert_eq!(error, "the design is not sound: nothing drives `top.one.p`, `top.two.p` (OpenSignal)");
        let error = refused::<TwiceEarly>();
        assert_eq!(error, "the design is not sound: block `top.one` reads `p` before it assigns it (LogicLoops)");
        let error = refused::<TwiceInward>();
        assert_eq!(error, "the design is not sound: block `top.one` assigns its input `a` (WritesToInputs)");
    }

    fn count(block: &dyn Block) -> usize {
        modules(block).unwrap().0.modules.len()
    }

    #[test]
    fn blocks_that_differ_in_a_constant_alone_are_two_modules() {
        let mut block = connected::<TwicePlain>();
        assert_eq!(count(&block), 2);
        block.two.c = Constant::new(4.into());
        assert_eq!(count(&block), 3);
    }

    /// A block whose kernel is that text.
    #[derive(Clone)]
    struct Cell {
        text: &'static str,
        port: &'static str,
        wide: bool,
        q: (Signal<Out, Bits<4>>, Signal<Out, Bits<5>>),
    }

    impl Logic for Cell {
        fn update(&mut self) {}
        fn hdl(&self) -> Verilog {
            Verilog::Custom(self.text.into())
        }
    }

    impl Block for Cell {
        fn connect_all(&mut self) {
            self.q.0.connect();
            self.q.1.connect();
        }
        fn update_all(&mut self) {}
        fn has_changed(&self) -> bool {
            false
        }
        fn accept(&self, name: &str, probe: &mut dyn Probe) {
            probe.visit_start_scope(name, self);
            match self.wide {
                true => self.q.1.accept(self.port, probe),
                false => self.q.0.accept(self.port, probe),
            }
            probe.visit_end_scope(name, self);
        }
    }

    #[derive(LogicBlock)]
    struct Cells {
        cells: Vec<Cell>,
    }

    impl Logic for Cells {
        fn update(&mut self) {}
    }

    /// Width, name of a port, kernel: each makes another module, and nothing else does.
    #[test]
    fn blocks_of_one_record_are_one_module() {
        let plain = Cell { text: "assign q = 0;", port: "q", wide: false, q: Default::default() };
        let count = |cells: &[Cell]| {
            let mut block = Cells { cells: cells.to_vec() };
            block.connect_all();
            let reference = crate::modules_by_rust_hdl(&block).unwrap().0.modules.len();
            assert_eq!(count(&block), reference);
            reference - 1
        };
        assert_eq!(count(&[plain.clone(), plain.clone()]), 1);
        assert_eq!(count(&[plain.clone(), Cell { text: "assign q = 1;", ..plain.clone() }]), 2);
        assert_eq!(count(&[plain.clone(), Cell { port: "p", ..plain.clone() }]), 2);
        assert_eq!(count(&[plain.clone(), Cell { wide: true, ..plain.clone() }]), 2);
    }
}
