//! The independent side of the examples: makes the inputs that are not photographs, and every
//! expected output, with plain Rust that shares nothing with compiler, golden model or RTL.
//! `cargo run -p quadlock --example example_data` rewrites the files under `examples/`; with
//! `--check` it only compares and fails if one differs (a test does that, so a stale file cannot
//! pass).
//!
//! It can be wrong if a formula here and in the shader share a misreading: the formulas are kept
//! close to the text book, not to the shader.

use std::path::{Path, PathBuf};

use quadlock::job::picture::{encode_luma, encode_rgba, Picture};

mod bank;
mod intra_decode;
mod mpeg2_intra;
mod ordered_z;
mod ray_trace;
mod shared_words;
mod thread_list;
mod wavefront;

/// A grey picture with one value per pixel, 0 to 255.
struct Grey {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Grey {
    fn load(path: &Path) -> Grey {
        let fail = |e: String| -> ! { panic!("{}: {e}", path.display()) };
        let file = std::fs::read(path).unwrap_or_else(|e| fail(e.to_string()));
        let picture = Picture::decode(&file).unwrap_or_else(|e| fail(e));
        let pixels = picture.luma8().collect();
        Grey { width: picture.width as usize, height: picture.height as usize, pixels }
    }

    /// The rectangle of `width` x `height` pixels from (x, y).
    fn crop(&self, x: usize, y: usize, width: usize, height: usize) -> Grey {
        let pixels = (y..y + height).flat_map(|row| self.pixels[row * self.width + x..][..width].to_vec()).collect();
        Grey { width, height, pixels }
    }

    /// The pixel at a position clamped to the picture.
    fn at(&self, x: i64, y: i64) -> i64 {
        let x = x.clamp(0, self.width as i64 - 1) as usize;
        let y = y.clamp(0, self.height as i64 - 1) as usize;
        self.pixels[y * self.width + x] as i64
    }

    fn png(&self) -> Vec<u8> {
        encode_luma(self.width as u32, self.height as u32, &self.pixels).expect("size and pixels agree")
    }
}

/// Sobel filter by its two kernels; magnitude rounded to nearest and clamped to 255. f64 keeps the
/// square root exact enough to round the f32 one: the sum is an integer below 2^24 and so exact in
/// f32.
fn sobel(source: &Grey) -> Grey {
    const X: [[i64; 3]; 3] = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]];
    let mut out = Grey { width: source.width, height: source.height, pixels: Vec::new() };
    for y in 0..source.height as i64 {
        for x in 0..source.width as i64 {
            let (mut gx, mut gy) = (0, 0);
            for dy in 0..3 {
                for dx in 0..3 {
                    let pixel = source.at(x + dx - 1, y + dy - 1);
                    gx += X[dy as usize][dx as usize] * pixel;
                    gy += X[dx as usize][dy as usize] * pixel;
                }
            }
            let magnitude = ((gx * gx + gy * gy) as f32).sqrt();
            out.pixels.push((magnitude + 0.5).min(255.0) as u8);
        }
    }
    out
}

/// Pseudo-random f32 in [-1, 1) with 12 significant bits, from a 32-bit linear congruential
/// generator.
fn matrix(seed: u32, n: usize) -> Vec<f32> {
    let mut state = seed;
    (0..n * n)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 20) as f32 - 2048.0) / 2048.0
        })
        .collect()
}

fn multiply(a: &[f32], b: &[f32], n: usize, stride: usize) -> Vec<f32> {
    let mut c = vec![0.0; stride * stride];
    for row in 0..n {
        for col in 0..n {
            c[row * stride + col] = (0..n).fold(0.0f32, |sum, k| a[row * stride + k].mul_add(b[k * stride + col], sum));
        }
    }
    c
}

fn mandelbrot(width: u32, height: u32, limit: u32, left: f32, top: f32, step: f32) -> Vec<u32> {
    let mut out = Vec::new();
    for py in 0..height {
        for px in 0..width {
            let (cx, cy) = (left + px as f32 * step, top + py as f32 * step);
            let (mut x, mut y) = (0.0f32, 0.0f32);
            let mut n = 0;
            while n < limit && x * x + y * y <= 4.0 {
                (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
                n += 1;
            }
            out.push(n);
        }
    }
    out
}

fn histogram(source: &Grey) -> Vec<u32> {
    let mut bins = vec![0; 64];
    source.pixels.iter().for_each(|p| bins[*p as usize / 4] += 1);
    bins
}

fn csv_rows<T: ToString>(values: &[T], per_row: usize) -> Vec<u8> {
    let rows: Vec<String> =
        values.chunks(per_row).map(|r| r.iter().map(T::to_string).collect::<Vec<_>>().join(",")).collect();
    (rows.join("\n") + "\n").into_bytes()
}

fn words(values: impl IntoIterator<Item = u32>) -> Vec<u8> {
    values.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// A picture of words with red in bits 7:0.
fn rgba_png(width: u32, height: u32, pixels: &[u32]) -> Vec<u8> {
    encode_rgba(width, height, &words(pixels.iter().copied())).expect("size and pixels agree")
}

/// Every file that this program makes: (path below `examples/`, content).
fn files(examples: &Path) -> Vec<(&'static str, Vec<u8>)> {
    let cat = Grey::load(&examples.join("edge-detect/photo.png"));
    let coffee = Grey::load(&examples.join("histogram/photo.png"));
    let (a, b) = (matrix(1, 64), matrix(2, 64));
    let product = |n| words(multiply(&a, &b, n, 64).into_iter().map(f32::to_bits));
    let set = |w, h, limit, step| csv_rows(&mandelbrot(w, h, limit, -2.0, -1.25, step), w as usize);
    let mut files = vec![
        ("edge-detect/expected-small.png", sobel(&cat.crop(16, 16, 96, 64)).png()),
        ("edge-detect/expected-full.png", sobel(&cat).png()),
        ("matrix-multiply/a.csv", csv_rows(&a, 64)),
        ("matrix-multiply/b.csv", csv_rows(&b, 64)),
        ("matrix-multiply/expected-small.f32", product(32)),
        ("matrix-multiply/expected-full.f32", product(64)),
        ("mandelbrot/expected-small.csv", set(64, 48, 32, 0.05)),
        ("mandelbrot/expected-full.csv", set(128, 128, 64, 0.02)),
        ("histogram/expected-small.csv", csv_rows(&histogram(&coffee.crop(32, 24, 64, 48)), 16)),
        ("histogram/expected-full.csv", csv_rows(&histogram(&coffee), 16)),
    ];
    files.extend(ray_trace::files(examples));
    files.extend(ordered_z::files());
    files.extend(intra_decode::files(&cat));
    files.extend(shared_words::files(&coffee));
    files.extend(bank::files());
    files.extend(mpeg2_intra::files(examples));
    files.extend(thread_list::files());
    files.extend(wavefront::files());
    files
}

fn main() {
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let check = std::env::args().any(|a| a == "--check");
    let mut stale = 0;
    for (name, content) in files(&examples) {
        let path = examples.join(name);
        if !check {
            std::fs::write(&path, content).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        } else if std::fs::read(&path).ok().as_ref() != Some(&content) {
            eprintln!("{name} is not what example_data makes");
            stale += 1;
        }
    }
    if stale > 0 {
        std::process::exit(1);
    }
}
