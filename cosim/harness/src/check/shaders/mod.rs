//! What the compiler does with a folder of shaders that others wrote: accepted, refused and why,
//! panicked, slow.
//!
//! [`walk`] finds the shaders, [`one`] compiles one in this process, [`worker`] has it done in a
//! process of its own with a limit of time and memory, [`run`] does many, [`classes`] names the
//! reasons, [`report`] writes it all. [`mutate`] does the same with changed shaders. It can be
//! wrong by taking an error for another reason than it has: reasons are told by the words of the
//! compiler's messages.

pub mod classes;
pub mod mutate;
pub mod one;
pub mod report;
pub mod run;
pub mod walk;
pub mod worker;
