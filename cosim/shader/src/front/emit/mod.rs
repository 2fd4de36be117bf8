//! What every front end emits with: the builder of a function, shapes of types with their memory
//! layouts, places, built-in functions, atomics, subgroups, semaphores, inputs
//! and outputs of stages, and the library of
//! functions that stand for instructions which the machine lacks. All of it is methods of
//! [`cx::Emit`] on words; nothing here knows a language or the form in which a front end gets its
//! programs.

pub mod atomics;
pub mod builder;
pub mod cx;
pub mod globals;
mod int_div;
pub mod library;
mod locals;
mod math;
mod matrix;
pub mod place;
mod prelude;
pub mod semaphores;
pub mod stage;
pub mod stage_io;
pub mod subgroups;
pub mod types;
