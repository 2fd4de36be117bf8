//! Compiled code on disk: the functions as bytes with their relocations, the program, the state at
//! the beginning. A file fits the machine, the sources and the options of its key only
//! ([`crate::kept`]); the store has checked that it is whole.

use serde::{Deserialize, Serialize};

use super::compiled::Compiled;
use super::generate::isa;
use super::memory::Memory;
use super::pieces::Pieces;
use super::program::Program;
use crate::kept::{decode, encode, Packed, Place};

/// What is kept of [`Compiled`], encoded.
#[derive(Serialize, Deserialize)]
pub(crate) struct KeptCode {
    #[serde(with = "crate::kept::raw")]
    program: Vec<u8>,
    pieces: Packed,
    image: Packed,
}

/// The kind of the files of second code.
const SECOND: &str = "second";

impl KeptCode {
    pub(super) fn of(code: &Compiled, pieces: &Pieces) -> Self {
        Self {
            program: encode(&code.program),
            pieces: Packed::of(&encode(pieces)),
            image: Packed::of(bytemuck::cast_slice(&code.image.units)),
        }
    }

    /// As running code; `None` if it does not fit together, which a whole file of its key does.
    pub(super) fn compiled(&self) -> Option<Compiled> {
        let program: Program = decode(&self.program)?;
        let pieces: Pieces = decode(&self.pieces.bytes()?)?;
        let bytes = self.image.bytes()?;
        let mut image = Memory::new(program.bytes);
        let units: &mut [u8] = bytemuck::cast_slice_mut(&mut image.units);
        if units.len() != bytes.len() {
            return None;
        }
        units.copy_from_slice(&bytes);
        let linked = pieces.link(&isa(false).ok()?, program.bytes).ok()?;
        Some(Compiled { program, module: linked.module, image })
    }

    /// Second code, if it is in its place.
    pub(super) fn load(place: &Place) -> Option<Compiled> {
        decode::<Self>(&place.load(SECOND)?)?.compiled()
    }

    /// Keeps second code.
    pub(super) fn keep(&self, place: &Place) {
        place.keep(SECOND, &encode(self));
    }
}
