//! Memory is reached by lines of 16 bytes: the request, and the data that comes back.

use ast::VerilogLink;
use quadlock_hdl_macros::bundle;
use rust_hdl::prelude::*;

use crate::base::{Bundle, Quiet};

/// A request for a line.
#[bundle(stream, what = "memory request")]
pub struct LineRequest {
    /// byte address of the line, a multiple of 16
    addr: Bits<32>,
    /// a line write, else a line read
    write: bool,
    /// this read begins an atomic: the port is the requester's until its next write is taken
    lock: bool,
    /// byte enables of a write
    mask: Bits<16>,
    /// data, word # of the 16-byte line
    data: [Bits<32>; 4],
}

/// The words of a line that was read. Several readers have the words in common, and each its own
/// `valid`.
#[bundle(flow, what = "memory response")]
pub struct Line {
    /// data, word # of the 16-byte line
    data: [Bits<32>; 4],
}

/// A read of a line of memory.
#[bundle(stream, what = "line fetch")]
pub struct LineFetch {
    /// byte address of the line, a multiple of 16
    addr: Bits<32>,
}

/// A client that only reads, at a port of memory: its reads go on, and the port writes nothing.
/// `LineReadOut::link(&mut self.mem_req[0], &mut self.streamer.m_req)` in a kernel.
pub struct LineReadOut;

impl LineReadOut {
    /// The kernel's statement, from a block in it to its own ports.
    pub fn link(own: &mut LineRequestOut, client: &mut LineFetchOut) {
        own.quiet();
        own.valid.next = client.valid.val();
        own.addr.next = client.addr.val();
        client.ready.next = own.ready.val();
    }

    /// What the statement drives.
    pub fn link_marks(own: &mut LineRequestOut, client: &mut LineFetchOut) {
        own.link_connect_source();
        client.link_connect_dest();
    }

    /// The same as rust-hdl's list of wires.
    pub fn link_hdl(name: &str, this: &str, that: &str) -> Vec<VerilogLink> {
        let unread = |link: &VerilogLink| match link {
            VerilogLink::Forward(wire) => LineFetchOut::TABLE.all().all(|port| port.name != wire.my_name),
            _ => false,
        };
        let mut links = <LineFetchOut as LogicLink>::link_hdl(name, this, that);
        links.extend(Quiet::<LineRequestOut>::join_hdl(name, this, "").into_iter().filter(unread));
        links
    }
}
