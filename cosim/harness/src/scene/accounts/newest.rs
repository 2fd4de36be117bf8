//! Numbers of triangles in a frame, from the 16 bits of them that events have. Wrong would be an
//! event of a triangle that is 2^15 or more away from the newest.

/// The newest triangle that something was seen of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Newest(usize);

impl Newest {
    /// The number in the frame that 16 bits of it mean: the nearest to the newest that was seen.
    pub(super) fn number(&mut self, order: u16) -> usize {
        let near = order.wrapping_sub(self.0 as u16) as i16;
        let number = self.0.saturating_add_signed(near.into());
        self.0 = self.0.max(number);
        number
    }

    /// That triangle.
    pub(super) fn triangle(self) -> usize {
        self.0
    }
}
