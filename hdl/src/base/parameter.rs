//! A number fixed when the design is built, as a kernel sees it: a `localparam` in the Verilog.
//! rust-hdl's `Constant` is the same thing without a `Default`, and a block of fifty ports needs
//! one so that its constructor can name only what matters.
//!
//! It can be wrong only in its width: a value that does not fit is refused by `Bits` when the block
//! is built.

use rust_hdl::prelude::*;

/// A build parameter of `N` bits; zero unless given.
pub struct Parameter<const N: usize>(Constant<Bits<N>>);

impl<const N: usize> Parameter<N> {
    /// A constant of `N` bits.
    pub fn new(value: u64) -> Self {
        Self(Constant::new(value.into()))
    }

    /// The value, for kernels.
    pub fn val(&self) -> Bits<N> {
        self.0.val()
    }
}

impl<const N: usize> Default for Parameter<N> {
    fn default() -> Self {
        Self::new(0)
    }
}

impl<const N: usize> Logic for Parameter<N> {
    fn update(&mut self) {}
}

impl<const N: usize> Block for Parameter<N> {
    fn connect_all(&mut self) {}

    fn update_all(&mut self) {}

    fn has_changed(&self) -> bool {
        false
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.0.accept(name, probe);
    }
}

/// A truth fixed when the design is built: a `localparam` of one bit in the Verilog. It is not
/// unless said so.
pub struct Flag(Constant<bool>);

/// Whether a bug is planted.
pub type Planted = Flag;

impl Flag {
    /// 1 if it is so, else 0.
    pub fn new(so: bool) -> Self {
        Self(Constant::new(so))
    }

    /// The value, for kernels.
    pub fn val(&self) -> bool {
        self.0.val()
    }
}

impl Default for Flag {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Logic for Flag {
    fn update(&mut self) {}
}

impl Block for Flag {
    fn connect_all(&mut self) {}

    fn update_all(&mut self) {}

    fn has_changed(&self) -> bool {
        false
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.0.accept(name, probe);
    }
}
