//! Grid dispatcher. See `docs/blocks/dispatcher.md`.

pub mod grid;

pub use grid::Grid;
