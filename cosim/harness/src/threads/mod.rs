//! Dependency graphs of threads, and the semaphores that keep them (SE-50 to SE-52).
//!
//! A [`Graph`] says which thread must wait for which. [`Plan::new`] puts the threads in an order of
//! dispatch in which predecessors come first, and gives each its semaphore requests and the
//! semaphores that it releases. Everything rests on one fact about lists (SE-20 to SE-23): a thread
//! that waits in a semaphore's list waits for exactly those threads *before it in the list* that
//! release, and the list's order is the order of dispatch. So whatever semaphores are shared by
//! whom, threads wait only for threads dispatched earlier: no choice of semaphores can deadlock,
//! and none that covers every dependency can be wrong; a bad one only makes threads wait for others
//! that they do not depend on. The planner avoids that as long as there are semaphores. Tests run
//! plans on an own simulator of the lists.

mod ancestors;
mod assign;
mod cover;
mod graph;
#[cfg(test)]
mod lists;
pub(crate) mod pattern;
mod plan;
#[cfg(test)]
mod tests;

pub use graph::{Graph, GraphError, MAX_EDGES, MAX_THREADS};
pub use plan::{Mapping, Plan, PlanError};
