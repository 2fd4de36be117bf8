//! A scene as the machine gets it, and its runs. [`layout`] puts everything into [`memory`]: the
//! [`passes`], the programs of each draw ([`pipeline`]), its state record ([`records`]), its
//! buffers ([`bindings`]), and which draws the cull pipeline leaves alone ([`bypass`]). [`run`]
//! draws it on the golden model, [`rtl`] on the RTL; [`weave`] plants merge and split points,
//! [`roundings`] says why two forms of a scene give other bits. Failure modes: a record that both
//! sides read alike and that is not what docs/graphics.md states; pictures are compared with other
//! renderers' for that.

mod bindings;
pub mod bypass;
pub mod layout;
pub(super) mod memory;
pub mod passes;
mod pipeline;
mod records;
pub mod roundings;
pub mod rtl;
pub mod run;
pub mod weave;
