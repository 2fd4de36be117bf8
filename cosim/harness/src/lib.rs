//! The harness of Quadlock: job files, the memory model, lockstep of RTL and golden model with its
//! checkers, hang detection, waves and reports; the binary `quadlock` is a thin command line over
//! it. It can be wrong by accepting a mismatch; `tests/must_fail` plants faults everywhere and
//! demands that each is caught.
//!
//! The folders are floors: nothing imports from a floor above its own, nor do files import each
//! other in a circle outside a test. From the ground up:
//!
//! | floor | what |
//! | --- | --- |
//! | [`base`] | errors that a user can mend, files, manners of the command |
//! | [`machine`] | ports, memory, what is launched |
//! | [`view`] | what waves show beside the signals: names, lists, events |
//! | [`engine`] | the simulators of the RTL behind one trait |
//! | [`figures`] | counters from the event ports |
//! | [`lockstep`] | RTL and model side by side, checkers, hangs |
//! | [`linking`] | variants of linked programs, words that the host derives |
//! | [`report`] | verdict, text, JSON |
//! | [`simulate`] | one run on any engine |
//! | [`threads`] | threads that depend on each other, plans of semaphores |
//! | [`job`] | job files, programs, data |
//! | [`scene`] | scene files, meshes, pictures |
//! | [`regress`] | claims of jobs, several runs at a time |
//! | [`observe`] | waves, wave views, Perfetto |
//! | [`random`] | random programs |
//! | [`peer`] | recorded jobs on other simulators |
//! | [`check`] | cross-check of engines, check of float operations, folders of shaders |
//! | [`bench`] | the performance tables |
//! | [`cli`] | the command |
//! | [`pages`] | sections of pages that are made from tables |

#![warn(missing_docs)]
// Some methods serve the checks alone.
#![cfg_attr(not(feature = "checks"), allow(dead_code))]
#![allow(rustdoc::private_intra_doc_links)] // The table of floors names private modules too.

/// Compiling a design allocates millions of small vectors.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub(crate) mod base;
#[cfg(feature = "checks")]
pub(crate) mod bench;
#[cfg(feature = "checks")]
pub mod check;
pub mod cli;
pub mod engine;
pub(crate) mod figures;
pub mod job;
pub(crate) mod linking;
pub mod lockstep;
pub mod machine;
pub mod observe;
pub mod pages;
#[cfg(feature = "checks")]
pub mod peer;
#[cfg(feature = "checks")]
pub mod random;
pub(crate) mod regress;
pub mod report;
pub(crate) mod scene;
pub mod simulate;
pub(crate) mod threads;
pub(crate) mod view;
