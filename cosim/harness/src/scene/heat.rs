//! How often each pixel is shaded: `quadlock run SCENE --heatmap F.png`. A quad counts for each of
//! its four pixels, helper lanes too, since all four are executed; with samples shaded one by one
//! each counts. The colour of a count is fixed, so two pictures can be compared.

use serde::Serialize;

/// Counts of pixels.
#[derive(Clone, Debug)]
pub struct Heat {
    width: u32,
    height: u32,
    counts: Vec<u32>,
}

/// What the report says of them.
#[derive(Clone, Debug, Serialize)]
pub struct HeatFigures {
    pub png: String,
    /// The greatest count of a pixel.
    pub most: u32,
    /// Mean of all pixels.
    pub mean: f64,
}

/// Colours, each up to a count: docs/scenes.md shows them.
const SCALE: [(u32, [u8; 3]); 10] = [
    (0, [0, 0, 0]),
    (1, [24, 32, 96]),
    (2, [32, 80, 176]),
    (3, [32, 144, 192]),
    (4, [48, 176, 112]),
    (6, [144, 200, 48]),
    (8, [232, 208, 40]),
    (12, [240, 144, 32]),
    (16, [224, 56, 40]),
    (u32::MAX, [255, 255, 255]),
];

impl Heat {
    /// Of a target of that size; nothing is shaded yet.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, counts: vec![0; width as usize * height as usize] }
    }

    /// A lane shades the pixel. Helper lanes beside the target count for no pixel.
    pub fn shaded(&mut self, x: u32, y: u32) {
        if x < self.width && y < self.height {
            self.counts[(y * self.width + x) as usize] += 1;
        }
    }

    /// What the report says of them, and the picture as red, green, blue, alpha.
    pub fn figures(&self, png: String) -> (HeatFigures, Vec<u8>) {
        let most = self.counts.iter().copied().max().unwrap_or(0);
        let sum: u64 = self.counts.iter().map(|&c| u64::from(c)).sum();
        let colour = |&count: &u32| {
            let [r, g, b] = SCALE.iter().find(|s| count <= s.0).map_or([255; 3], |s| s.1);
            [r, g, b, 255]
        };
        let mean = sum as f64 / self.counts.len().max(1) as f64;
        (HeatFigures { png, most, mean }, self.counts.iter().flat_map(colour).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_their_colours_and_what_is_outside_counts_nothing() {
        let mut heat = Heat::new(3, 1);
        for (x, y) in [(0, 0), (2, 0), (2, 0), (2, 0), (3, 0), (0, 1)] {
            heat.shaded(x, y);
        }
        let (figures, pixels) = heat.figures("h.png".into());
        assert_eq!((figures.most, figures.mean), (3, 4.0 / 3.0));
        assert_eq!(pixels, [24, 32, 96, 255, 0, 0, 0, 255, 32, 144, 192, 255]);
    }
}
