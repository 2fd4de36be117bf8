//! Files in which a person looks at a run: waves, views of them for GTKWave, traces for Perfetto.

pub mod gtkw;
pub(crate) mod perfetto;
mod pipeline;
pub mod wave;
