//! Geometry as one block: engine and stores, and what the blocks around hear of them.
//!
//! It can be wrong in a connection, and in a context that is told to be free while a corner of it
//! waits.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use super::engine::GeometryEngine;
use super::store::GeometryStore;
use crate::base::vector;
use crate::comment;
use crate::config::GpuConfig;
use crate::ports::{CornerIn, StateWriteIn, StoreAnswerOut, StoreReadIn, TriangleEventOut, TriangleOut, VertexWordIn};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct Geometry {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of states and of the pass.
    pub state: StateWriteIn,
    /// A corner comes.
    pub corner_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub corner_ready: Signal<Out, bool>,
    /// The corner.
    pub corner: CornerIn,
    /// An entry is free, beside sixteen for clipping.
    pub entry_valid: Signal<Out, bool>,
    /// Its number.
    pub entry: Signal<Out, Bits<6>>,
    /// It is taken, if it is offered; its count is 1.
    pub entry_take: Signal<In, bool>,
    /// The front end gives a reference back.
    pub drop_valid: Signal<In, bool>,
    /// It is heard in this cycle if valid.
    pub drop_ready: Signal<Out, bool>,
    /// The entry.
    pub drop_entry: Signal<In, Bits<6>>,
    /// A vertex warp writes a word.
    pub vw_valid: Signal<In, bool>,
    /// It is taken in this cycle if valid.
    pub vw_ready: Signal<Out, bool>,
    /// The word.
    pub vw: VertexWordIn,
    /// These vertices are shaded. Always heard.
    pub shaded_valid: Signal<In, bool>,
    /// Which of the four.
    pub shaded_mask: Signal<In, Bits<4>>,
    /// Their entries.
    pub shaded_entry: Vec<Signal<In, Bits<6>>>,
    /// A question about a triangle.
    pub sr_valid: Signal<In, bool>,
    /// It is taken in this cycle: always.
    pub sr_ready: Signal<Out, bool>,
    /// The question.
    pub sr: StoreReadIn,
    /// An answer, two cycles later.
    pub sa_valid: Signal<Out, bool>,
    /// It.
    pub sa: StoreAnswerOut,
    /// A triangle is set up.
    pub triangle_valid: Signal<Out, bool>,
    /// It is taken in this cycle if valid.
    pub triangle_ready: Signal<In, bool>,
    /// The triangle.
    pub triangle: TriangleOut,
    /// Nobody needs a record any more. Always heard.
    pub free_valid: Signal<In, bool>,
    /// Which one.
    pub free_handle: Signal<In, Bits<6>>,
    /// Contexts that a corner inside or a live record names.
    pub contexts: Signal<Out, Bits<8>>,
    /// Nothing is inside, and no record lives.
    pub idle: Signal<Out, bool>,
    /// Event: what became of a triangle.
    pub tri: TriangleEventOut,
    engine: GeometryEngine,
    store: GeometryStore,
    _active: bool,
}

impl Geometry {
    /// At rest, with that configuration's planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            shaded_entry: vector(4),
            engine: GeometryEngine::new(config),
            store: GeometryStore::new(config),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for Geometry {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: geometry");
        clock!(self, clock, engine, store);
        StateWriteIn::link(&mut self.state, &mut self.engine.state);
        StateWriteIn::link(&mut self.state, &mut self.store.state);
        self.engine.corner_valid.next = self.corner_valid.val();
        self.corner_ready.next = self.engine.corner_ready.val();
        CornerIn::link(&mut self.corner, &mut self.engine.corner);
        self.entry_valid.next = self.store.entry_valid.val();
        self.entry.next = self.store.entry.val();
        self.store.entry_take.next = self.entry_take.val();
        self.store.drop_valid.next = self.drop_valid.val();
        self.drop_ready.next = self.store.drop_ready.val();
        self.store.drop_entry.next = self.drop_entry.val();
        self.store.vw_valid.next = self.vw_valid.val();
        self.vw_ready.next = self.store.vw_ready.val();
        VertexWordIn::link(&mut self.vw, &mut self.store.vw);
        self.store.shaded_valid.next = self.shaded_valid.val();
        self.store.shaded_mask.next = self.shaded_mask.val();
        for k in 0..4 {
            self.store.shaded_entry[k].next = self.shaded_entry[k].val();
        }
        self.store.sr_valid.next = self.sr_valid.val();
        self.sr_ready.next = self.store.sr_ready.val();
        StoreReadIn::link(&mut self.sr, &mut self.store.sr);
        self.sa_valid.next = self.store.sa_valid.val();
        StoreAnswerOut::link(&mut self.sa, &mut self.store.sa);
        self.store.free_valid.next = self.free_valid.val();
        self.store.free_handle.next = self.free_handle.val();
        // Between engine and stores.
        self.store.read_address.next = self.engine.read_address.val();
        self.engine.read_data.next = self.store.read_data.val();
        self.store.write.next = self.engine.write.val();
        self.store.write_address.next = self.engine.write_address.val();
        self.store.write_data.next = self.engine.write_data.val();
        self.store.query.next = self.engine.query.val();
        self.engine.is_shaded.next = self.store.is_shaded.val();
        self.engine.spare.next = self.store.spare.val();
        self.engine.spare_entry.next = self.store.spare_entry.val();
        self.store.spare_take.next = self.engine.spare_take.val();
        self.store.count.next = self.engine.count.val();
        self.store.count_up.next = self.engine.count_up.val();
        self.store.count_entry.next = self.engine.count_entry.val();
        self.engine.count_ready.next = self.store.count_ready.val();
        self.engine.handle_valid.next = self.store.handle_valid.val();
        self.engine.handle.next = self.store.handle.val();
        self.store.handle_take.next = self.engine.handle_take.val();
        self.store.handle_context.next = self.engine.context.val();
        self.store.record.next = self.engine.record.val();
        self.store.record_part.next = self.engine.record_part.val();
        self.store.record_handle.next = self.engine.record_handle.val();
        self.store.record_a.next = self.engine.record_a.val();
        self.store.record_b.next = self.engine.record_b.val();
        self.store.record_c.next = self.engine.record_c.val();
        self.store.record_data.next = self.engine.record_data.val();
        // The triangle.
        self.triangle_valid.next = self.engine.triangle_valid.val();
        self.engine.triangle_ready.next = self.triangle_ready.val();
        TriangleOut::link(&mut self.triangle, &mut self.engine.triangle);
        TriangleEventOut::link(&mut self.tri, &mut self.engine.tri);
        self.contexts.next = self.store.contexts.val();
        if self.engine.inside.val() {
            self.contexts.next =
                self.store.contexts.val() | (bits::<8>(1) << bit_cast::<8, 3>(self.engine.context.val()));
        }
        self.idle.next = self.store.idle.val() && !self.engine.inside.val() && !self.engine.triangle_valid.val();
    }
}
