//! What waves and traces show beside the RTL's own signals, made from the event ports: names of
//! values, lists of the semaphores, what happens in a cycle. Engines put it into their waves, so it
//! stands below them.

pub(crate) mod events;
pub(crate) mod labels;
pub(crate) mod lists;
pub(crate) mod pipeline;
