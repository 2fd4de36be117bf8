//! What the compiled engine executes, before any machine code: items (nodes and state updates),
//! clusters of items that only one user needs, regions of clusters that are skipped as a whole when
//! nothing they read has changed, and the place of every value in memory.
//!
//! A region is evaluated if its bit in the dirty words is set. The bit is set by whoever changes a
//! value that the region reads: an input, another region (those come earlier: regions are numbered
//! in a topological order), or a clock edge. A cluster under an enable is skipped inside its region
//! while the enable is 0. It can be wrong by forgetting a reader: a stale value; the comparison
//! with the interpreter, which evaluates everything in every cycle, is the test.

pub mod ids;
mod items;
mod layout;
pub mod packs;
pub mod prepare;
mod readers;
mod regions;
mod size;
pub mod types;

use crate::error::Error;
use crate::graph::{Graph, SignalId};
use ids::List;
use prepare::prepare;
use types::Layout;

pub use regions::class;

pub use ids::{BlockId, DirtyBit, DomainId, ItemId, Offset, RegionId};
pub use types::{bytes_of, word_bytes, Block, Kind, Plan, PlanOptions};

/// Plans a graph.
///
/// # Errors
/// [`Error::TooLarge`] if the state does not fit 2 GiB; a combinational loop (elaboration should
/// have refused it).
///
/// `classes` has the [`class`] of each cluster (of a plan of the same graph and options).
pub fn plan(
    graph: &Graph,
    signals_traced: &[SignalId],
    options: &PlanOptions,
    classes: Option<&[u8]>,
) -> Result<Plan, Error> {
    let (graph, nexts) = prepare(graph.clone(), options.lazy);
    let mut plan = Plan {
        items: List::default(),
        item_of: vec![None; graph.nodes.len()],
        lane_of: vec![None; graph.nodes.len()],
        clusters: List::default(),
        regions: List::default(),
        domains: graph.domains().iter().map(|d| d.edge).collect(),
        asynchronous: graph.domains().iter().map(|d| d.asynchronous).collect(),
        nexts,
        blocks: List::default(),
        ports: List::default(),
        port_regions: List::default(),
        block_of: vec![None; graph.registers.len()],
        memory_readers: vec![Vec::new(); graph.memories.len()],
        next_slots: vec![None; graph.registers.len()],
        layout: Layout::default(),
        observed: Vec::new(),
        graph,
    };
    plan.make_items(signals_traced, options)?;
    plan.form_clusters(options);
    plan.form_regions(options, classes);
    plan.find_readers();
    // Before any arithmetic on offsets: with it, none of `lay_out` and of the engines can wrap.
    size::check(&plan)?;
    plan.lay_out(options)?;
    Ok(plan)
}
