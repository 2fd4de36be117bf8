//! Bundles of ports: what is said together between two blocks, defined once and used as one field
//! of each block. `#[bundle]` makes two structs of a definition
//! `struct Message { kind: Bits<2>, ... }`:
//! - `MessageOut`, the ports of the block that says it,
//! - `MessageIn`, the ports of the block that is told; `#[back]` marks a port that goes the other
//!   way.
//!
//! A connection is one statement of a kernel, and becomes an assignment for each port where it
//! stands:
//! - `MessageOut::join(&mut self.queue.message, &mut self.bus.message)` between two blocks in the
//!   block,
//! - `MessageOut::link(&mut self.message, &mut self.queue.message)` from a block in it to its own
//!   ports,
//! - `MessageIn::link(&mut self.message, &mut self.bus.message)` from its own ports to a block in
//!   it,
//! - `MessageIn::join(&mut self.told, &mut self.said)` from its own ports to its own ports,
//! - `Quiet::<MessageOut>::join(&mut self.message, &mut Nothing)` for all ports 0, as a default.
//!
//! With `#[bundle(what = "retired instruction", event = "ret")]` the ports are for observers. Then
//! there is `struct Retire` too, the values of one cycle without `valid`, which engines and
//! checkers use. A field that is added to the definition is there without a change anywhere between
//! the block that drives it and the checker that reads it.
//!
//! Bundles with `valid` and `ready` are [streams](super::stream).
//!
//! Port `valid` of a field `ret` is called `ret_valid` in the Verilog. Port `value[2]` of an array
//! is `ret_value2`, and `ret_value_2` if the array is marked `#[vector]`. In a vector of bundles,
//! [`Each`], element `u` has `ret_valid_u`, and the ports stand name by name. A vector may be
//! empty, so it also holds a bundle that only some configurations have.
//!
//! A field `ports`, or one that ends in `_ports`, has no part in the names: port `fill_lo` of a
//! field `fill_ports` is called `fill_lo`. Two blocks use it for ports that have the same names in
//! both, and it holds the contract of blocks that can stand in one place.
//!
//! It can be wrong in a bundle that is connected to another of the same type; lockstep finds that,
//! as it does for a single wire.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use ast::{VerilogLink, VerilogLinkDetails};
use rust_hdl::prelude::*;

use super::drive::Item;
use super::quiet::{self, Field};
use super::vector::vector;

/// A port of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundlePort {
    /// Its name in the bundle.
    pub name: &'static str,
    /// Bits.
    pub width: usize,
    /// It goes against the direction of the bundle.
    pub back: bool,
    /// What it carries, in words.
    pub meaning: &'static str,
}

/// What a bundle is and what it consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundleTable {
    /// Name of the definition.
    pub name: &'static str,
    /// What it is, in words.
    pub what: &'static str,
    /// Of an event: the name of the fields that are such a bundle, in every block.
    pub event: Option<&'static str>,
    /// The handshake ports of a stream or flow, which come first.
    pub handshake: &'static [BundlePort],
    /// Its other ports, in order.
    pub ports: &'static [BundlePort],
}

impl BundleTable {
    /// All ports, in order.
    pub fn all(&self) -> impl Iterator<Item = &'static BundlePort> {
        self.handshake.iter().chain(self.ports)
    }

    /// What its port of that name carries, as a sentence.
    pub fn meaning(&self, port: &str) -> Option<String> {
        let mut what = format!("{}{}", if self.event.is_some() { "event, " } else { "" }, self.what);
        what[..1].make_ascii_uppercase();
        // An element of a vector is asked for by the vector's name, as in a block.
        let port = self.all().find(|p| p.name.split('$').next() == Some(port))?;
        Some(format!("{what}: {}.", port.meaning))
    }
}

/// A side of a bundle.
pub trait Bundle: Field + Default {
    /// What it consists of.
    const TABLE: BundleTable;
    /// The ports, in the order of the table.
    fn ports(&self) -> Vec<&dyn Field>;
    /// The same, to be given values.
    fn ports_mut(&mut self) -> Vec<&mut dyn Field>;
    /// Every port that this side drives becomes 0.
    fn quiet(&mut self);
}

/// A side of a bundle, and the other one. `#[bundle]` makes it.
pub trait Side: Bundle + LogicLink + LogicJoin {
    /// The other side.
    type Other: Side<Other = Self>;
    /// The connection of two blocks in the block with the kernel, or of its own ports.
    fn join_side(&mut self, other: &mut Self::Other);
    /// The same as rust-hdl's list of wires.
    fn join_side_hdl(this: &str, that: &str) -> Vec<VerilogLink>;
}

/// A bundle that says nothing: `Quiet::<RetireOut>::join(&mut self.ret, &mut Nothing)` in a kernel
/// makes every port 0, and what comes behind it may say something after all.
pub struct Quiet<B>(PhantomData<B>);

/// What a quiet bundle is connected to: rust-hdl's connections have two sides.
pub struct Nothing;

impl LogicJoin for Nothing {}

impl<B: Bundle> Quiet<B> {
    /// The kernel's statement.
    pub fn join(bundle: &mut B, _: &mut Nothing) {
        bundle.quiet();
    }

    /// What the statement drives.
    pub fn join_marks(bundle: &mut B, _: &mut Nothing)
    where
        B: LogicJoin,
    {
        bundle.join_connect();
    }

    /// The same as rust-hdl's list of wires; a wire from nowhere is 0.
    pub fn join_hdl(_: &str, this: &str, _: &str) -> Vec<VerilogLink> {
        let driven = B::TABLE.all().filter(|port| !port.back);
        let wire = |port: &'static BundlePort| VerilogLinkDetails {
            my_name: port.name.to_owned(),
            owner_name: String::new(),
            other_name: this.to_owned(),
        };
        driven.map(|port| VerilogLink::Forward(wire(port))).collect()
    }
}

/// Does something with each port of a bundle and its full name.
pub fn named(ports: &[&dyn Field], table: &BundleTable, field: &str, act: &mut dyn FnMut(&dyn Field, &str)) {
    for (port, row) in ports.iter().zip(table.all()) {
        act(*port, &format!("{field}${}", row.name));
    }
}

/// The same of several bundles, name by name.
fn named_each(all: &[Vec<&dyn Field>], table: &BundleTable, field: &str, act: &mut dyn FnMut(&dyn Field, &str)) {
    for (k, row) in table.all().enumerate() {
        for (i, ports) in all.iter().enumerate() {
            act(ports[k], &format!("{field}${}${i}", row.name));
        }
    }
}

/// Gives each port of several bundles a value, name by name.
fn set_each(mut all: Vec<Vec<&mut dyn Field>>, table: &BundleTable, values: &mut dyn Iterator<Item = u64>) {
    for k in 0..table.all().count() {
        all.iter_mut().for_each(|ports| ports[k].set(values));
    }
}

/// Gives each port of a bundle a value.
pub fn set(ports: Vec<&mut dyn Field>, values: &mut dyn Iterator<Item = u64>) {
    quiet::all_set(ports, values);
}

/// Appends the values of a bundle's output ports.
pub fn read_outputs(ports: &[&dyn Field], values: &mut Vec<u64>) {
    quiet::all_read_outputs(ports, values);
}

/// A bundle per unit, core or receiver.
#[derive(Default)]
pub struct Each<B>(Vec<B>);

impl<B: Bundle> Each<B> {
    /// `count` of them.
    pub fn new(count: usize) -> Self {
        Self(vector(count))
    }

    /// How many they are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, B> {
        self.0.iter()
    }

    /// Does something with each port and its full name, name by name.
    fn named(&self, field: &str, act: &mut dyn FnMut(&dyn Field, &str)) {
        let mut ports = Vec::with_capacity(self.0.len());
        for bundle in &self.0 {
            ports.push(bundle.ports());
        }
        named_each(&ports, &B::TABLE, field, act);
    }
}

impl<B> Index<usize> for Each<B> {
    type Output = B;
    fn index(&self, i: usize) -> &B {
        &self.0[i]
    }
}

impl<B> IndexMut<usize> for Each<B> {
    fn index_mut(&mut self, i: usize) -> &mut B {
        &mut self.0[i]
    }
}

impl<B: Bundle> Field for Each<B> {
    fn moved(&self) -> bool {
        self.0.moved()
    }
    fn take(&mut self) -> bool {
        self.0.take()
    }
    fn accept_inputs(&self, name: &str, probe: &mut dyn Probe) {
        self.named(name, &mut |port, name| port.accept_inputs(name, probe));
    }
    fn describe_inputs(&self, name: &str, items: &mut Vec<Item>) {
        self.named(name, &mut |port, name| port.describe_inputs(name, items));
    }
    fn set(&mut self, values: &mut dyn Iterator<Item = u64>) {
        let mut ports = Vec::with_capacity(self.0.len());
        for bundle in &mut self.0 {
            ports.push(bundle.ports_mut());
        }
        set_each(ports, &B::TABLE, values);
    }
    fn leaves_block(&self) -> bool {
        self.0.leaves_block()
    }
    fn advance(&mut self) {
        self.0.advance();
    }
    fn is_alive(&self) -> bool {
        self.0.is_alive()
    }
    fn accept_inner(&self, name: &str, probe: &mut dyn Probe) {
        self.named(name, &mut |port, name| port.accept_inner(name, probe));
    }
    fn describe_outputs(&self, name: &str, items: &mut Vec<Item>) {
        self.named(name, &mut |port, name| port.describe_outputs(name, items));
    }
    fn read_outputs(&self, values: &mut Vec<u64>) {
        self.named("", &mut |port, _| port.read_outputs(values));
    }
    fn step_inputs(&mut self) {
        self.0.step_inputs();
    }
    fn step_inner(&mut self) {
        self.0.step_inner();
    }
    fn stirred(&self) -> bool {
        self.0.stirred()
    }
}
