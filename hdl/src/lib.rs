//! The RTL of Quadlock in rust-hdl: one block per file, one folder per subsystem. What ships is the
//! Verilog made from it ([`export`]).
//!
//! The floors, from the ground up. A folder imports only from those above it in this table, and no
//! files import each other in a circle; `tests/floors.rs` checks both.
//!
//! | folder | what it holds |
//! | --- | --- |
//! | [`base`] | what every block is written with: parameters, the quiet engine, kernels of wires |
//! | [`fault`] | the planted bugs |
//! | [`options`] | types of build parameters that are not numbers |
//! | [`parameters`] | the table of build parameters: key, values, meaning, field, default |
//! | [`presets`] | named machines: the build parameters that each one sets |
//! | [`config`] | questions to the build parameters |
//! | [`catalogue`] | rows of the table of blocks |
//! | [`shape`] | cores of different function, and the numbering of units and slots |
//! | [`ports`] | bundles of wires between blocks, each defined once |
//! | [`cell`] | leaf cells: a Rust `update` beside literal Verilog |
//! | [`float`] | floating point of a lane and of the function unit |
//! | [`integer`] | integer side of a lane |
//! | [`memory`] | load/store/atomic pipeline, shared storage, arbiters |
//! | [`semaphore`] | semaphore entity and its waiting room |
//! | [`bus`] | message bus |
//! | [`warp`] | warp unit |
//! | [`attribute`] | attribute unit |
//! | [`command`] | command streamer |
//! | [`vertex`] | vertex front end |
//! | [`geometry`] | geometry: from shaded vertices to triangles |
//! | [`raster`] | rasteriser |
//! | [`visibility`] | visibility unit, binner |
//! | [`cull`] | the cull pipeline: positions alone, ahead of what is drawn |
//! | [`dispatch`] | thread dispatcher, row controllers |
//! | [`output`] | pixel back end: blending, tile buffers |
//! | [`graphics`] | the graphics pipeline: everything but the warp units |
//! | [`core`] | one core |
//! | [`gpu`] | the whole machine |
//! | [`export`] | the Verilog of a block |

#![warn(missing_docs)]
// What only kernels use.
#![cfg_attr(not(feature = "engine"), allow(unused_imports, dead_code))]

/// Whether blocks run in rust-hdl's engine: this crate has the feature `engine`. Without it a pass
/// does nothing, and only the export means something.
pub const ENGINE: bool = cfg!(feature = "engine");

// Derived code names the crate from outside.
extern crate self as quadlock_hdl;

pub mod attribute;
pub mod base;
pub mod bus;
pub mod catalogue;
pub mod cell;
pub mod command;
pub mod config;
pub mod core;
pub mod cull;
pub mod dispatch;
pub mod export;
pub mod fault;
pub mod float;
pub mod geometry;
pub mod gpu;
pub mod graphics;
pub mod integer;
pub mod memory;
pub mod options;
pub mod output;
pub mod parameters;
pub mod ports;
pub mod presets;
pub mod raster;
pub mod semaphore;
pub mod shape;
pub mod vertex;
pub mod visibility;
pub mod warp;
