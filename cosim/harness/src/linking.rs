//! Linked programs of scenes and jobs: which variant a draw or a dispatch gets, and the words that
//! the host derives for it (LP-13, LP-14).
//!
//! With `link = "values"` uniforms decide branches. A program that was specialised so is right for
//! every draw whose uniforms decide alike; such draws share it. Of several that are right the one
//! with the fewest instructions is taken, and of equal ones the earliest. One that was compiled
//! while fewer words were known may be right and assume less than it could: below the limit the
//! draw gets its own. Over the limit of variants a draw gets the best that is there, or the linked
//! program that assumes nothing. Which draw gets what depends on the file alone. A variant that
//! does not fit its draw would do something else, and machine and model, which run the same
//! program, would agree on it: so the golden model's arithmetic judges every assumption once more,
//! and what is linked has to give the results of what is not.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use std::time::Instant;

use quadlock_golden::{derive, DerivedStep};
use quadlock_isa::Op;
use quadlock_shader::compile::Uniforms;
use quadlock_shader::derived;
use quadlock_shader::front::Diagnostics;
use quadlock_shader::graphics::Pipeline;
use quadlock_shader::interface::{buffer_at, Derived, Interface, Specialisation, Step};
use quadlock_shader::Compiled;
use serde::{Deserialize, Serialize};

/// Variants that may assume something, if the file says nothing of it.
pub const USUAL_VARIANTS: usize = 8;

/// Whether programs are linked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkMode {
    /// Each is compiled alone.
    #[default]
    Off,
    /// Linked, whatever the values of uniforms are.
    On,
    /// Linked for the values of uniforms.
    Values,
}

impl LinkMode {
    /// Its values, for help and errors.
    pub const VALUES: &'static str = "off, on, values";
}

impl FromStr for LinkMode {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "off" => Ok(LinkMode::Off),
            "on" => Ok(LinkMode::On),
            "values" => Ok(LinkMode::Values),
            _ => Err(()),
        }
    }
}

/// What became of the programs of draws or dispatches.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LinkFigures {
    /// The setting.
    pub mode: LinkMode,
    /// Draws or dispatches that got a variant that was there.
    pub hits: u64,
    /// Those whose variant was compiled.
    pub misses: u64,
    /// Variants that assume something.
    pub variants: u64,
    /// Those that got a program without assumptions because of the limit.
    pub over: u64,
    /// Uniforms that the host derives, of all.
    pub derived: u64,
    /// Wall-clock time of compiling.
    pub compile_ms: f64,
}

impl LinkFigures {
    /// Its numbers, for tables of keys.
    pub const PARTS: &'static [&'static str] = &["hits", "misses", "variants", "over", "derived", "compile_ms"];
}

impl Display for LinkFigures {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let LinkFigures { hits, misses, variants, over, derived, compile_ms, .. } = self;
        write!(f, "{misses} compiled in {compile_ms:.1} ms, {hits} found, {derived} derived uniforms")?;
        write!(f, "; {variants} variants assume something, {over} over their limit")
    }
}

/// What was linked together: the programs of a draw, or that of a dispatch.
pub trait Product: Clone {
    /// What its programs tell the host.
    fn interfaces(&self) -> Vec<&Interface>;
    /// Instructions of all its programs.
    fn instructions(&self) -> usize;
}

impl Product for Pipeline {
    fn interfaces(&self) -> Vec<&Interface> {
        [&self.vertex].into_iter().chain(&self.fragment).map(|c| &c.binary.interface).collect()
    }

    fn instructions(&self) -> usize {
        [&self.vertex].into_iter().chain(&self.fragment).map(Product::instructions).sum()
    }
}

impl Product for Compiled {
    fn interfaces(&self) -> Vec<&Interface> {
        vec![&self.binary.interface]
    }

    fn instructions(&self) -> usize {
        self.binary.code.len()
    }
}

/// Variants of programs, for a file.
#[derive(Debug)]
pub struct Variants<P> {
    kept: Vec<Variant<P>>,
    pub figures: LinkFigures,
}

#[derive(Debug)]
struct Variant<P> {
    /// What it was compiled for, in words.
    key: String,
    /// Uniforms of draws that it was compiled for: which words of them are known is what counts.
    known: Uniforms,
    product: P,
}

impl<P: Product> Variant<P> {
    /// Whether all words were known that are known here.
    fn knew(&self, known: &Uniforms) -> bool {
        let knows =
            |buffer, at: usize| self.known.get(buffer).is_some_and(|words| matches!(words.get(at), Some(Some(_))));
        known.iter().all(|(buffer, words)| (0..words.len()).all(|at| words[at].is_none() || knows(buffer, at)))
    }

    /// Compiling it for these gives the same.
    fn learn(&mut self, known: &Uniforms) {
        for (buffer, words) in known {
            let own = self.known.entry(*buffer).or_default();
            own.resize(own.len().max(words.len()), None);
            own.iter_mut().zip(words).filter(|(_, word)| word.is_some()).for_each(|(own, word)| *own = *word);
        }
    }
}

/// What a draw or dispatch asks for.
#[derive(Debug)]
pub struct Wanted<'a> {
    /// What is compiled, in words: what differs in it is another program.
    pub key: String,
    /// Its uniforms.
    pub known: &'a Uniforms,
    /// At most so many variants of a program assume something.
    pub limit: usize,
    /// The planted bug: any variant is taken for right.
    pub stale: bool,
}

/// Compiles with these uniforms known; none: without linking.
pub type Compile<'a, P> = &'a dyn Fn(Option<&Uniforms>) -> Result<P, Diagnostics>;

impl<P: Product> Variants<P> {
    /// No variants.
    pub fn new(mode: LinkMode) -> Variants<P> {
        Variants { kept: vec![], figures: LinkFigures { mode, ..LinkFigures::default() } }
    }

    /// The program for what is wanted.
    ///
    /// # Errors
    /// What the compiler refuses.
    pub fn get(&mut self, wanted: Wanted, compile: Compile<P>) -> Result<P, Diagnostics> {
        let Wanted { key, known, limit, stale } = wanted;
        let nothing = Uniforms::new();
        let values = match self.figures.mode {
            LinkMode::Off => return self.compiled(None, compile),
            LinkMode::On => false,
            LinkMode::Values => true,
        };
        let specialised = self.kept.iter().filter(|v| v.key == key && assumes(&v.product)).count();
        let room = values && specialised < limit;
        let right =
            |v: &&Variant<P>| v.key == key && (values || !assumes(&v.product)) && (stale || fits(&v.product, known));
        let best = |kept: &[Variant<P>]| {
            kept.iter().filter(right).min_by_key(|v| v.product.instructions()).map(|v| v.product.clone())
        };
        let own = stale || !room || self.kept.iter().filter(right).any(|v| v.knew(known));
        if let Some(product) = best(&self.kept).filter(|_| own) {
            // With the limit reached a program without assumptions stands for one with them.
            self.figures.over += u64::from(values && !room && !assumes(&product));
            self.figures.hits += 1;
            return Ok(self.counted(product));
        }
        self.figures.over += u64::from(values && !room);
        self.figures.misses += 1;
        let known_to_it = if room { known } else { &nothing };
        let product = self.compiled(Some(known_to_it), compile)?;
        let same = |v: &&mut Variant<P>| v.key == key && assumptions(&v.product).eq(assumptions(&product));
        match self.kept.iter_mut().find(same) {
            Some(variant) => variant.learn(known_to_it),
            None => {
                self.figures.variants += u64::from(assumes(&product));
                self.kept.push(Variant { key: key.clone(), known: known_to_it.clone(), product: product.clone() });
            }
        }
        let product = best(&self.kept).unwrap_or(product);
        Ok(self.counted(product))
    }

    fn compiled(&mut self, link: Option<&Uniforms>, compile: Compile<P>) -> Result<P, Diagnostics> {
        let start = Instant::now();
        let product = compile(link);
        self.figures.compile_ms += start.elapsed().as_secs_f64() * 1e3;
        product
    }

    fn counted(&mut self, product: P) -> P {
        let derived = product.interfaces().into_iter().filter_map(|i| i.derived.as_ref());
        self.figures.derived += derived.map(|d| d.words.len() as u64).sum::<u64>();
        product
    }
}

fn assumptions<P: Product>(product: &P) -> impl Iterator<Item = &Specialisation> {
    product.interfaces().into_iter().filter_map(|i| i.specialisation.as_ref())
}

fn assumes<P: Product>(product: &P) -> bool {
    assumptions(product).next().is_some()
}

/// Whether a variant is right for these uniforms. Steps that are no program fit nothing.
fn fits<P: Product>(product: &P, known: &Uniforms) -> bool {
    assumptions(product).all(|s| derived::holds(s, &|g, b, w| word(known, g, b, w)).unwrap_or(false))
}

/// Constant words that a program gets beside those of its buffers: what the host derives for it.
/// What it takes for granted is judged first.
///
/// # Errors
/// What does not hold, or a uniform without data.
pub fn constants(interface: &Interface, known: &Uniforms) -> Result<Vec<(u32, u32)>, String> {
    if let Some(s) = &interface.specialisation {
        judge(s, known)?;
    }
    interface.derived.as_ref().map_or(Ok(vec![]), |d| words(d, known))
}

/// A word of the uniforms that are known.
fn word(known: &Uniforms, group: u32, binding: u32, word: u32) -> Option<u32> {
    known.get(&(group, binding))?.get(word as usize).copied().flatten()
}

/// The words that the host derives for a program: constant word and value, from the compiler's
/// arithmetic, and compared with the golden model's.
///
/// # Errors
/// A uniform without data, or arithmetic that differs.
fn words(d: &Derived, known: &Uniforms) -> Result<Vec<(u32, u32)>, String> {
    let words = derived::words(d, &|g, b, w| word(known, g, b, w))?;
    let golden = golden(&d.steps, known)?;
    for (&(at, value), &(_, step)) in words.iter().zip(&d.words) {
        match golden.get(step as usize) {
            Some(&other) if other == value => {}
            other => {
                let other = other.map_or("none".into(), |o| format!("{o:#010x}"));
                return Err(format!(
                    "derived uniform of constant word {at}: the compiler has {value:#010x}, the golden model {other}"
                ));
            }
        }
    }
    Ok(words)
}

/// Judges what a program takes for granted, with the golden model's arithmetic.
///
/// # Errors
/// What does not hold.
fn judge(s: &Specialisation, known: &Uniforms) -> Result<(), String> {
    let values = golden(&s.steps, known)?;
    for a in &s.assumptions {
        let value = values.get(a.step as usize).copied();
        if value.map(|v| v != 0) != Some(a.holds) {
            return Err(format!("the program is right while {} is {} ({}), and it is not", a.text, a.holds, a.place));
        }
    }
    Ok(())
}

/// The golden model's words of all steps.
fn golden(steps: &[Step], known: &Uniforms) -> Result<Vec<u32>, String> {
    let step = |s: &Step| match s {
        Step::Const(c) => Ok(DerivedStep::Word(*c)),
        Step::Uniform(g, b, w) => {
            let value = word(known, *g, *b, *w);
            value.map(DerivedStep::Word).ok_or_else(|| format!("word {w} of {} has no data", buffer_at((*g, *b))))
        }
        Step::Op(name, args) => {
            let op = Op::from_name(name).ok_or_else(|| format!("there is no operation {name}"))?;
            Ok(DerivedStep::Op(op, args.iter().map(|a| *a as usize).collect()))
        }
    };
    let steps: Vec<DerivedStep> = steps.iter().map(step).collect::<Result<_, String>>()?;
    derive(&steps).ok_or_else(|| "the golden model cannot do a step".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadlock_isa::{Class, Lanes};
    use quadlock_shader::interface::Assumption;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const CORNERS: [u32; 16] = [
        0,
        1,
        2,
        31,
        0x8000_0000,
        0xFFFF_FFFF,
        0x7FFF_FFFF,
        0x3F80_0000,
        0xBF80_0000,
        0x7F80_0000,
        0xFF80_0000,
        0x7FC0_0000,
        0x7F80_0001,
        0x0080_0000,
        0x807F_FFFF,
        0x7F7F_FFFF,
    ];

    fn word_of(rng: &mut ChaCha8Rng) -> u32 {
        match rng.random_range(0..3) {
            0 => CORNERS[rng.random_range(0..CORNERS.len())],
            1 => rng.random_range(-100.0f32..100.0).to_bits(),
            _ => rng.random(),
        }
    }

    /// A program of some instructions that assumes words 0 and 1 of a buffer to be 0, or not.
    #[derive(Clone, Debug, PartialEq)]
    struct Fake {
        interface: Interface,
        instructions: usize,
    }

    impl Product for Fake {
        fn interfaces(&self) -> Vec<&Interface> {
            vec![&self.interface]
        }

        fn instructions(&self) -> usize {
            self.instructions
        }
    }

    /// Each known word decides a branch; with more decided the program is shorter, by the second
    /// word more than by the first.
    fn compile(known: Option<&Uniforms>) -> Result<Fake, Diagnostics> {
        let words = known.and_then(|k| k.get(&(0, 0))).cloned().unwrap_or_default();
        let (mut s, mut instructions) = (Specialisation::default(), 40);
        for (w, value) in (0..).zip(words) {
            let Some(value) = value else { continue };
            let (step, nowhere) = (s.steps.len() as u32, String::new());
            s.assumptions.push(Assumption { step, holds: value != 0, place: nowhere.clone(), text: nowhere });
            s.steps.push(Step::Uniform(0, 0, w));
            instructions -= 10 * (w as usize + 1);
        }
        let plain = serde_json::json!({
            "stage": "compute", "entry": "main", "group_size": [1, 1, 1], "bindings": [], "shared_bytes": 0,
            "pinned": false, "stack_bytes": 0, "registers": 1, "public_cutoff": 0, "constants": [],
        });
        let mut interface: Interface = serde_json::from_value(plain).unwrap();
        interface.specialisation = Some(s).filter(|s| !s.assumptions.is_empty());
        Ok(Fake { interface, instructions })
    }

    /// What draws of these words get, by their instructions; and the figures.
    fn chosen(limit: usize, draws: &[[Option<u32>; 2]]) -> (Vec<usize>, LinkFigures) {
        let mut variants = Variants::new(LinkMode::Values);
        let got = draws.iter().map(|words| {
            let known = Uniforms::from([((0, 0), words.to_vec())]);
            let wanted = Wanted { key: String::new(), known: &known, limit, stale: false };
            let product = variants.get(wanted, &compile).unwrap();
            assert!(fits(&product, &known));
            product.instructions
        });
        (got.collect(), variants.figures)
    }

    /// The best variant that is there is taken, wherever it stands; one that assumes nothing stands
    /// in the way of none.
    #[test]
    fn of_several_variants_that_are_right_the_best_is_taken() {
        let (zero, open) = (Some(0), None);
        let (got, figures) = chosen(2, &[[zero, open], [open, zero], [zero, zero], [Some(1), Some(1)], [zero, open]]);
        assert_eq!(got, [30, 20, 20, 40, 30]);
        assert_eq!((figures.hits, figures.misses, figures.variants, figures.over), (2, 3, 2, 1));
        // The first draw decides nothing.
        let (got, figures) = chosen(1, &[[open, open], [zero, zero], [zero, zero], [Some(1), zero]]);
        assert_eq!(got, [40, 10, 10, 40]);
        assert_eq!((figures.hits, figures.misses, figures.variants, figures.over), (2, 2, 1, 1));
    }

    /// Below the limit a draw of which more is known than of those before gets its own; what is
    /// compiled twice is one variant.
    #[test]
    fn a_draw_of_which_more_is_known_gets_its_own() {
        let (zero, open) = (Some(0), None);
        let (got, figures) = chosen(8, &[[zero, open], [zero, zero], [zero, zero], [zero, open]]);
        assert_eq!(got, [30, 10, 10, 30]);
        assert_eq!((figures.hits, figures.misses, figures.variants), (2, 2, 2));
        let deaf = |_: Option<&Uniforms>| compile(None);
        let mut variants = Variants::new(LinkMode::Values);
        for words in [vec![open], vec![zero, zero], vec![zero], vec![zero, zero]] {
            let known = Uniforms::from([((0, 0), words)]);
            let wanted = Wanted { key: String::new(), known: &known, limit: 8, stale: false };
            variants.get(wanted, &deaf).unwrap();
        }
        assert_eq!((variants.kept.len(), variants.figures.misses, variants.figures.hits), (1, 2, 2));
    }

    /// 5,000 random programs over all pure operations, with corners: the compiler's words are the
    /// golden model's, which are what a lane gives.
    #[test]
    fn derived_words_are_what_lanes_compute() {
        let pure = |op: &Op| {
            matches!(op.class(), Class::Alu | Class::Function)
                && op.row().lanes == Lanes::Own
                && quadlock_shader::ops::eval::eval(*op, &[0; 3]).is_some()
        };
        let ops: Vec<Op> = quadlock_isa::TABLE.iter().map(|row| row.op).filter(pure).collect();
        assert!(ops.len() > 60, "{} operations", ops.len());
        let mut compared = 0;
        for seed in 0..5000 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let known = Uniforms::from([((0, 1), (0..8).map(|_| Some(word_of(&mut rng))).collect())]);
            let mut steps: Vec<Step> = (0..8).map(|w| Step::Uniform(0, 1, w)).collect();
            for _ in 0..rng.random_range(4..24) {
                let step = match rng.random_range(0..6) {
                    0 => Step::Const(word_of(&mut rng)),
                    _ => {
                        let op = ops[rng.random_range(0..ops.len())];
                        let args = (0..3).map(|_| rng.random_range(0..steps.len() as u32)).collect();
                        Step::Op(op.row().name.into(), args)
                    }
                };
                steps.push(step);
            }
            let all = (0..steps.len() as u32).map(|s| (60 + s, s)).collect();
            let d = Derived { steps, words: all, ..Default::default() };
            compared += words(&d, &known).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{:?}", d.steps)).len();
        }
        assert!(compared > 80_000, "{compared} words");
    }
}
