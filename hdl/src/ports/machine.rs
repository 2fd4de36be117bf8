//! Ports of the whole machine: the host's, those of memory, and what observers of the machine see
//! of its issue slots and of its bus.

use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

/// A write of a host register.
#[bundle(what = "write of a host register")]
pub struct HostWrite {
    /// the bundle holds one in this cycle
    valid: bool,
    /// register number, listed in docs/machine.md
    addr: Bits<16>,
    /// value
    data: Bits<32>,
}

/// Where the first instruction trapped; valid while `trapped`.
#[bundle(what = "first trap since the last start")]
pub struct FirstTrap {
    /// number of the warp unit
    unit: Bits<6>,
    /// warp slot in the unit
    warp: Bits<4>,
    /// program counter, an instruction index
    pc: Bits<16>,
}

/// A request at the port of memory.
#[bundle(stream, what = "memory request")]
pub struct MemoryRequest {
    /// byte address of the line, a multiple of 16
    addr: Bits<32>,
    /// a line write, else a line read
    write: bool,
    /// byte enables of a write
    mask: Bits<16>,
    /// data of a write, element i is word i of the line
    #[vector]
    data: [Bits<32>; 4],
    /// requester, by its number in docs/machine.md; for observers only
    source: Bits<6>,
}

/// A response of memory.
#[bundle(stream, what = "memory response")]
pub struct MemoryResponse {
    /// data of a read, element i is word i of the line
    #[vector]
    data: [Bits<32>; 4],
}

/// The issue slot of a unit: used, or why not. At most one of the five reasons is set in a cycle.
// The first port is not called `valid`, so it is no `event`.
#[bundle(what = "event, issue slot of a unit")]
pub struct IssueSlot {
    /// an instruction issues
    issue_valid: bool,
    /// empty because no warp is resident
    stall_no_warp: bool,
    /// empty because all instructions wait for registers, memory or a drain
    stall_memory: bool,
    /// empty because all warps are in fetch
    stall_fetch: bool,
    /// left empty for a second beat of operands or the register file's write port
    stall_port: bool,
    /// left empty because every warp that could not issue waits for a semaphore
    stall_semaphore: bool,
    /// warp slots that wait for a semaphore now
    waiting: Bits<16>,
}

/// The bus transfers a message to a receiver.
#[bundle(what = "event, message of the bus")]
pub struct BusMessage {
    /// a message is transferred to the receiver in this cycle
    bus_valid: bool,
    /// sender: row controllers, then the thread dispatcher and the semaphore entity
    bus_from: Bits<4>,
    /// kind 1:0 (0 ACQ, 1 REL, 2 ACK), auto-release 2, acknowledge-suppress 3, from the dispatcher
    /// 4 with the thread's place 7:5
    bus_head: Bits<16>,
    /// semaphore 15:0, thread 31:16
    bus_body: Bits<32>,
}
