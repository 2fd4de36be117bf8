//! A job's cycles recorded at the core's ports, and replayed by whoever simulates its Verilog. The
//! performance table ([`crate::bench`]) and the cross-check ([`crate::check::crosscheck`]) both
//! stand on it. It would be wrong to replay other inputs than were recorded: every contender
//! returns a checksum of all outputs, which is compared.

pub(crate) mod driver;
pub(crate) mod measure;
pub mod port_reader;
pub(crate) mod ports;
pub(crate) mod verilator;
pub mod workload;
