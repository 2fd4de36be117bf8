//! Targets as pictures ([`image`]), and the end of a run: pictures and buffers beside what the
//! scene expects, and files that it names ([`conclude`]). Failure modes: a comparison that accepts
//! another picture; tests plant differences of one channel.

pub mod conclude;
pub mod image;
