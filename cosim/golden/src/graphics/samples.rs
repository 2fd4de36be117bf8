//! Where the samples of a pixel are: Vulkan's standard places. A wrong one moves every edge by less
//! than a pixel, which only an image of another renderer shows.

/// Samples of a pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Samples {
    /// The centre.
    #[default]
    One,
    /// Two.
    Two,
    /// Four.
    Four,
}

impl Samples {
    /// Places in sixteenths of a pixel from its top left corner: Vulkan's standard ones.
    pub fn places(self) -> &'static [(i64, i64)] {
        match self {
            Samples::One => &[(8, 8)],
            Samples::Two => &[(12, 12), (4, 4)],
            Samples::Four => &[(6, 2), (14, 6), (2, 10), (10, 14)],
        }
    }

    /// Sample `k` of a pixel, in 1/256 pixel.
    pub fn at(self, pixel: (i64, i64), k: usize) -> (i64, i64) {
        let (x, y) = self.places()[k];
        (pixel.0 * 256 + x * 16, pixel.1 * 256 + y * 16)
    }
}
