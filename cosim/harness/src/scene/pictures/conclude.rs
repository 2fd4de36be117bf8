//! The end of a run: pictures and buffers beside what the scene expects, and files that it names.
//!
//! Whatever cannot be compared or written is refused before the run. Wrong would be a run that
//! passes because its picture was not looked at: each expectation has one line here.

use std::path::{Path, PathBuf};

use quadlock_golden::Memory;

use super::image::differences;
use crate::base::error::{bad, Input};
use crate::base::files::{read, write_atomic};
use crate::job::data::{compare, compare_any_order};
use crate::job::picture::{encode_rgba, Picture};
use crate::job::Expect;
use crate::report::Verdict;
use crate::scene::file::shown::Shown;
use crate::scene::machine::layout::Frame;
use crate::scene::machine::run::Drawn;
use crate::scene::Scene;

/// The most bytes of an expected picture.
const MOST: u64 = 1 << 28;

/// A picture that must come out.
struct Expected {
    shown: Shown,
    path: PathBuf,
    picture: Picture,
    tolerance: u32,
    pixels: u32,
}

/// What a run has to give.
pub struct Wanted {
    expected: Vec<Expected>,
    /// Pictures that are written: of what, and where.
    images: Vec<(Shown, PathBuf)>,
    folder: PathBuf,
}

impl Scene {
    /// What the scene expects of a frame, and what is to be written: pictures, and buffers below
    /// `folder`.
    ///
    /// # Errors
    /// What cannot be compared or written, with its place.
    pub fn wanted(&self, frame: &Frame, images: Vec<(Shown, PathBuf)>, folder: &Path) -> Input<Wanted> {
        frame.check_outputs(self, folder)?;
        for (shown, path) in &images {
            if let Err(e) = frame.can_show(*shown) {
                return bad(format!("{}: {e}", path.display()), "leave the picture out, or store what it shows");
            }
        }
        let mut expected = vec![];
        if let Some(spec) = &self.spec.expect {
            let first = spec.png.iter().map(|p| (p.span(), Shown::FIRST, p.get_ref(), spec.tolerance, spec.pixels));
            let others = spec.image.iter().map(|i| {
                let image = i.get_ref();
                (i.span(), image.target, &image.png, image.tolerance, image.pixels)
            });
            for (span, shown, png, tolerance, pixels) in first.chain(others) {
                if let Err(e) = frame.can_show(shown) {
                    return Err(self.error(span, e, "correct the target, or store it"));
                }
                let path = self.resolve(png);
                let data = read(&path, MOST)?;
                let picture =
                    Picture::decode(&data).or_else(|e| bad(format!("{}: {e}", path.display()), "give a PNG file"))?;
                if (picture.width, picture.height) != (frame.width, frame.height) {
                    let message = format!(
                        "{}: it has {} x {} pixels, the target {} x {}",
                        path.display(),
                        picture.width,
                        picture.height,
                        frame.width,
                        frame.height
                    );
                    return Err(self.error(
                        span,
                        message,
                        "draw it at the picture's size, or --set expect={} to expect nothing",
                    ));
                }
                expected.push(Expected { shown, path, picture, tolerance, pixels });
            }
        }
        Ok(Wanted { expected, images, folder: folder.to_owned() })
    }
}

impl Wanted {
    /// Compares and writes what a run gave; what is wrong goes into its report.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn conclude(&self, frame: &Frame, drawn: &mut Drawn) -> Input<()> {
        let (memory, report) = (&drawn.memory, &mut drawn.report);
        if !report.passed() {
            return Ok(());
        }
        let word = |at: u32| memory.read32(at);
        let size = (frame.width, frame.height);
        for (shown, path) in &self.images {
            write_picture(path, size, frame.pixels(&word, *shown).as_flattened())?;
            report.png.get_or_insert(path.display().to_string());
            report.run.outputs.push(path.display().to_string());
        }
        let files = frame.write_outputs(memory, &self.folder)?;
        report.run.outputs.extend(files.iter().map(|f| f.display().to_string()));
        for e in &self.expected {
            let pixels = frame.pixels(&word, e.shown);
            let found = differences(e.shown.part, &pixels, size, &e.picture, e.tolerance);
            let (count, worst) = found.or_else(|why| {
                bad(
                    format!("{}: {why}", e.path.display()),
                    "draw it at the picture's size, or --set expect={} to expect nothing",
                )
            })?;
            if count > e.pixels {
                report.run.verdict = Verdict::WrongOutput;
                let at = worst.map_or(String::new(), |(x, y, off)| format!("; the worst by {off} at ({x}, {y})"));
                let of = if e.shown == Shown::FIRST { String::new() } else { format!(" of {}", e.shown) };
                let path = e.path.display();
                let text = format!("{count} pixels{of} differ from {path} by more than {}{at}", e.tolerance);
                report.run.problems.push(text);
            }
        }
        for wrong in frame.wrong_buffers(memory) {
            report.run.verdict = Verdict::WrongOutput;
            report.run.problems.push(wrong);
        }
        Ok(())
    }
}

/// Writes a picture of red, green, blue, alpha.
///
/// # Errors
/// The file cannot be written.
pub fn write_picture(path: &Path, (width, height): (u32, u32), pixels: &[u8]) -> Input<()> {
    let file = encode_rgba(width, height, pixels);
    let file = file.or_else(|e| bad(format!("{}: {e}", path.display()), "choose another size"))?;
    write_atomic(path, &file)
}

impl Frame {
    /// What of the buffers is not as the scene says: one line each.
    pub fn wrong_buffers(&self, memory: &Memory) -> Vec<String> {
        let mut wrong = vec![];
        for buffer in &self.buffers {
            let Some((Expect { from, ulp, abs, any_order }, expected)) = &buffer.expect else { continue };
            let seen = buffer.after(memory);
            let difference = match any_order {
                true => compare_any_order(seen, expected, from.word()),
                false => compare(seen, expected, from.word(), *ulp, *abs),
            };
            wrong.extend(difference.map(|what| format!("{}: {what}", buffer.name)));
        }
        wrong
    }

    /// Refuses outputs that could not be written below `folder` after a run.
    ///
    /// # Errors
    /// The first of them, with its place.
    pub fn check_outputs(&self, scene: &Scene, folder: &Path) -> Input<()> {
        let mut files: Vec<PathBuf> = vec![];
        for buffer in &self.buffers {
            let Some(out) = &buffer.out else { continue };
            let wrong = |message: String| scene.error(buffer.span.clone(), message, "see `out` in docs/jobs.md");
            let (file, really) = out.check(folder, buffer.size as usize).map_err(|e| wrong(e.message().into()))?;
            if files.contains(&really) {
                return Err(wrong(format!("two outputs are written to {}", file.display())));
            }
            files.push(really);
        }
        Ok(())
    }

    /// Writes them.
    ///
    /// # Errors
    /// An output that cannot be made.
    pub fn write_outputs(&self, memory: &Memory, folder: &Path) -> Input<Vec<PathBuf>> {
        let outs = self.buffers.iter().filter_map(|b| Some((b, b.out.as_ref()?)));
        outs.map(|(b, out)| out.write(folder, b.after(memory))).collect()
    }
}
