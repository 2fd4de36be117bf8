//! Streams and flows: the data of a [bundle](super::bundle) with the ports that say when there are
//! some. A stream has `valid` and, back, `ready`: what is offered is taken in the cycle in which
//! both are 1. A flow has `valid` alone: what comes is always taken.
//!
//! `#[bundle(stream, what = "draw")] struct Draw { .. }` makes the data `DrawDataOut` and
//! `DrawDataIn`, and calls `DrawOut` the stream of them, `StreamOut<DrawDataOut>`. A port of the
//! data is a field of the stream, too: `self.draw.count` is beside `self.draw.valid`, and
//! `draw_count` beside `draw_valid` in the Verilog. A connection of two streams is one statement,
//! `DrawOut::join(&mut self.streamer.draw, &mut self.front.draw)`. Where the kernel itself says
//! when, it connects the data alone, `DrawDataOut::join`, of streams, flows and data alike.
//!
//! It can be wrong in data that are connected without their `valid` or `ready`: a port that nothing
//! drives is refused by the export, one that another statement drives is not.

use std::ops::{Deref, DerefMut};

use ast::VerilogLink;
use rust_hdl::prelude::*;

use super::bundle::{named, read_outputs, set, Bundle, BundlePort, BundleTable, Side};
use super::drive::Item;
use super::quiet::Field;

const VALID: BundlePort = BundlePort { name: "valid", width: 1, back: false, meaning: "there is one in this cycle" };
const READY: BundlePort =
    BundlePort { name: "ready", width: 1, back: true, meaning: "it is taken in this cycle if valid" };

/// The ports of a stream beside its data.
pub const STREAM: &[BundlePort] = &[VALID, READY];
/// The port of a flow beside its data.
pub const FLOW: &[BundlePort] = &[VALID];

/// A side: its name, the other one's, what both have beside the data, with directions.
macro_rules! side {
    (
        $(#[$doc:meta])* $name:ident, $other:ident, $table:ident, $driver:literal,
        $($field:ident: $direction:ident),+
    ) => {
        $(#[$doc])*
        #[derive(Default)]
        pub struct $name<B> {
            $(
                #[doc = concat!("Port `", stringify!($field), "`, see the module.")]
                pub $field: Signal<$direction, bool>,
            )+
            data: B,
        }

        impl<B> Deref for $name<B> {
            type Target = B;
            fn deref(&self) -> &B {
                &self.data
            }
        }

        impl<B> DerefMut for $name<B> {
            fn deref_mut(&mut self) -> &mut B {
                &mut self.data
            }
        }

        impl<B: Bundle> Bundle for $name<B> {
            const TABLE: BundleTable = BundleTable { handshake: $table, ..B::TABLE };
            fn ports(&self) -> Vec<&dyn Field> {
                let mut ports: Vec<&dyn Field> = vec![$(&self.$field),+];
                ports.extend(self.data.ports());
                ports
            }
            fn ports_mut(&mut self) -> Vec<&mut dyn Field> {
                let mut ports: Vec<&mut dyn Field> = vec![$(&mut self.$field),+];
                ports.extend(self.data.ports_mut());
                ports
            }
            fn quiet(&mut self) {
                if $driver {
                    self.valid.next = false;
                }
                self.data.quiet();
            }
        }

        impl<B: Bundle> Field for $name<B> {
            fn moved(&self) -> bool {
                $(self.$field.moved() ||)+ self.data.moved()
            }
            fn take(&mut self) -> bool {
                let mut changed = false;
                $(changed |= Field::take(&mut self.$field);)+
                changed | self.data.take()
            }
            fn leaves_block(&self) -> bool {
                $(self.$field.leaves_block() ||)+ self.data.leaves_block()
            }
            fn advance(&mut self) {
                $(self.$field.advance();)+
                self.data.advance();
            }
            fn is_alive(&self) -> bool {
                $(self.$field.is_alive() ||)+ self.data.is_alive()
            }
            fn step_inputs(&mut self) {
                $(self.$field.step_inputs();)+
                self.data.step_inputs();
            }
            fn step_inner(&mut self) {
                $(self.$field.step_inner();)+
                self.data.step_inner();
            }
            fn stirred(&self) -> bool {
                $(self.$field.stirred() ||)+ self.data.stirred()
            }
            fn accept_inputs(&self, name: &str, probe: &mut dyn Probe) {
                named(&self.ports(), &Self::TABLE, name, &mut |port, name| port.accept_inputs(name, probe));
            }
            fn describe_inputs(&self, name: &str, items: &mut Vec<Item>) {
                named(&self.ports(), &Self::TABLE, name, &mut |port, name| port.describe_inputs(name, items));
            }
            fn set(&mut self, values: &mut dyn Iterator<Item = u64>) {
                set(self.ports_mut(), values);
            }
            fn accept_inner(&self, name: &str, probe: &mut dyn Probe) {
                named(&self.ports(), &Self::TABLE, name, &mut |port, name| port.accept_inner(name, probe));
            }
            fn describe_outputs(&self, name: &str, items: &mut Vec<Item>) {
                named(&self.ports(), &Self::TABLE, name, &mut |port, name| port.describe_outputs(name, items));
            }
            fn read_outputs(&self, values: &mut Vec<u64>) {
                read_outputs(&self.ports(), values);
            }
        }

        /// The first is that of the block with the kernel, the second that of a block in it.
        impl<B: Side> LogicLink for $name<B> {
            fn link(&mut self, other: &mut Self) {
                $(LogicLink::link(&mut self.$field, &mut other.$field);)+
                LogicLink::link(&mut self.data, &mut other.data);
            }
            fn link_hdl(name: &str, this: &str, that: &str) -> Vec<VerilogLink> {
                let mut links = Vec::new();
                $(links.extend(<Signal<$direction, bool> as LogicLink>::link_hdl(stringify!($field), this, that));)+
                links.extend(<B as LogicLink>::link_hdl(name, this, that));
                links
            }
            fn link_connect_source(&mut self) {
                $(LogicLink::link_connect_source(&mut self.$field);)+
                self.data.link_connect_source();
            }
            fn link_connect_dest(&mut self) {
                $(LogicLink::link_connect_dest(&mut self.$field);)+
                self.data.link_connect_dest();
            }
        }

        impl<B: Side> LogicJoin for $name<B> {
            fn join_connect(&mut self) {
                $(LogicJoin::join_connect(&mut self.$field);)+
                self.data.join_connect();
            }
        }

        impl<B: Side> $name<B> {
            /// The kernel's statement for a connection to the other side.
            pub fn join(&mut self, other: &mut $other<B::Other>) {
                self.handshake(other);
                self.data.join_side(&mut other.data);
            }
            /// What the statement drives.
            pub fn join_marks(&mut self, other: &mut $other<B::Other>) {
                self.join_connect();
                other.join_connect();
            }
            /// The same for a connection to the same side of another block.
            pub fn link_marks(&mut self, other: &mut Self) {
                self.link_connect_source();
                other.link_connect_dest();
            }
        }
    };
}

side!(
    /// The block with these ports offers.
    StreamOut, StreamIn, STREAM, true, valid: Out, ready: In
);
side!(
    /// The block with these ports takes.
    StreamIn, StreamOut, STREAM, false, valid: In, ready: Out
);
side!(
    /// The block with these ports sends.
    FlowOut, FlowIn, FLOW, true, valid: Out
);
side!(
    /// The block with these ports receives.
    FlowIn, FlowOut, FLOW, false, valid: In
);

/// The links of a join, as rust-hdl lists them: those of the offering side.
fn links<B: Side>(ready: bool, this: &str, that: &str) -> Vec<VerilogLink> {
    let mut links = Signal::<Out, bool>::join_hdl("valid", this, that);
    if ready {
        links.extend(Signal::<In, bool>::join_hdl("ready", this, that));
    }
    links.extend(B::join_side_hdl(this, that));
    links
}

impl<B: Side> StreamOut<B> {
    fn handshake(&mut self, other: &mut StreamIn<B::Other>) {
        self.valid.join(&mut other.valid);
        self.ready.join(&mut other.ready);
    }
    /// [`StreamOut::join`] as rust-hdl's list of wires.
    pub fn join_hdl(_: &str, this: &str, that: &str) -> Vec<VerilogLink> {
        links::<B>(true, this, that)
    }
}

/// For a kernel that passes on what its block receives.
impl<B: Side> StreamIn<B> {
    fn handshake(&mut self, other: &mut StreamOut<B::Other>) {
        other.valid.next = self.valid.val();
        self.ready.next = other.ready.val();
    }
    /// [`StreamIn::join`] as rust-hdl's list of wires.
    pub fn join_hdl(_: &str, this: &str, that: &str) -> Vec<VerilogLink> {
        links::<B>(true, this, that)
    }
}

impl<B: Side> FlowOut<B> {
    fn handshake(&mut self, other: &mut FlowIn<B::Other>) {
        self.valid.join(&mut other.valid);
    }
    /// [`FlowOut::join`] as rust-hdl's list of wires.
    pub fn join_hdl(_: &str, this: &str, that: &str) -> Vec<VerilogLink> {
        links::<B>(false, this, that)
    }
}

/// For a kernel that passes on what its block receives.
impl<B: Side> FlowIn<B> {
    fn handshake(&mut self, other: &mut FlowOut<B::Other>) {
        other.valid.next = self.valid.val();
    }
    /// [`FlowIn::join`] as rust-hdl's list of wires.
    pub fn join_hdl(_: &str, this: &str, that: &str) -> Vec<VerilogLink> {
        links::<B>(false, this, that)
    }
}
