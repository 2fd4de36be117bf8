//! Waiting room and semaphore entity wired as in the machine, for tests that need both. Wrong if a
//! wire is forgotten: then an acquire never goes through.

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::semaphore::{SemaphoreEntity, WaitingRoom};

pub struct Roomy {
    pub room: Bench<WaitingRoom>,
    pub entity: Bench<SemaphoreEntity>,
}

impl Roomy {
    pub fn new(config: &GpuConfig) -> Self {
        Self::with_room(WaitingRoom::new(config), config)
    }

    /// With that room.
    pub fn with_room(room: WaitingRoom, config: &GpuConfig) -> Self {
        Self {
            room: Bench::new(room, |b| &mut b.clock),
            entity: Bench::new(SemaphoreEntity::new(config), |b| &mut b.clock),
        }
    }

    /// Offers an ACQ_MSG as the bus has it: head and body.
    pub fn offer(&mut self, message: Option<(u64, u64)>) {
        let r = &mut self.room;
        r.in_valid.next = message.is_some();
        let Some((head, body)) = message else { return };
        r.in_sem.next = (body & 0xFFFF).into();
        r.in_thread.next = (body >> 16).into();
        r.in_auto.next = head >> 2 & 1 == 1;
        r.in_suppress.next = head >> 3 & 1 == 1;
        r.in_notify.next = head >> 4 & 1 == 1;
        r.in_tag.next = (head >> 5 & 7).into();
    }

    /// Combinational values of this cycle: from the room's registers to the entity and back.
    pub fn settle(&mut self) {
        let (r, e) = (&mut self.room, &mut self.entity);
        r.settle();
        e.acq.valid.next = r.acq.valid.val();
        e.acq.sem.next = r.acq.sem.val();
        e.acq.thread.next = r.acq.thread.val();
        e.acq.auto.next = r.acq.auto.val();
        e.acq.suppress.next = r.acq.suppress.val();
        e.acq.notify.next = r.acq.notify.val();
        e.acq.tag.next = r.acq.tag.val();
        e.acq.bare.next = r.acq.bare.val();
        e.settle();
        r.acq.ready.next = e.acq.ready.val();
        r.acq.refused.next = e.acq.refused.val();
        r.entry_free.next = e.entry_free.val();
        r.emptied.next = e.emptied.val();
        r.settle();
    }

    /// The message offered is taken in this cycle.
    pub fn taken(&self) -> bool {
        self.room.in_valid.next && self.room.in_ready.val()
    }

    pub fn exhausted(&self) -> bool {
        self.room.exhausted.val()
    }

    pub fn busy(&self) -> bool {
        self.room.active.val() || self.entity.busy.val()
    }

    /// The clock edge, behind `settle`.
    pub fn cycle(&mut self) {
        self.room.cycle();
        self.entity.cycle();
    }
}
