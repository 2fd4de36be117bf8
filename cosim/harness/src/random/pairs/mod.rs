//! Texts of random stage programs for `quadlock fuzz --links`: a vertex program, one or two
//! fragment programs that it feeds, in WGSL or GLSL, and a scene that draws them.
//!
//! Four draws A B A C have uniforms of their own, and each takes one of the fragment programs.
//! Programs have bounded loops with `break` and `continue`, early returns, fragments that are given
//! up, numbers of all ways of interpolation, and integers. Values have corners: zeros of both
//! signs, infinities, NaN, subnormals. What a program has is counted, because what is drawn too
//! seldom is not tested. Wrong would be a text that its language leaves undefined: a loop without
//! end, or a derivative where lanes are apart.

mod scene;
pub mod shrink;
mod stages;
mod statements;

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use stages::{common, Varyings, SAMPLE, WAYS};
use statements::{Lang, Maker};

/// The file of the scene.
pub const SCENE: &str = "scene.toml";

/// The files of a pair.
pub struct Pair {
    /// Name and text; the scene is one of them.
    pub files: Vec<(String, String)>,
    /// What the programs and the scene have, and how often.
    pub has: BTreeMap<&'static str, u64>,
}

/// The pair of a seed.
pub fn pair(seed: u64) -> Pair {
    let mut maker = Maker {
        rng: ChaCha8Rng::seed_from_u64(seed),
        has: BTreeMap::new(),
        lang: Lang::Wgsl,
        is_fragment: false,
        atoms: vec![],
        integers: vec![],
        variables: vec![],
        prefix: "x",
        made: 0,
        loops: 0,
        outputs: vec![],
        floats: 0,
        opens: String::new(),
    };
    let files = maker.files();
    Pair { files, has: maker.has }
}

impl Maker {
    fn files(&mut self) -> Vec<(String, String)> {
        let samples = if self.below(3) == 0 { 4 } else { 1 };
        // Programs that run for each sample take four times as long there.
        let per_sample = self.below(if samples == 1 { 2 } else { 3 }) == 0;
        let ways = if per_sample { WAYS.len() } else { SAMPLE };
        let varyings =
            Varyings { ways: (0..1 + self.below(6)).map(|_| self.below(ways)).collect(), integers: self.below(3) };
        let mut languages = [Lang::Wgsl; 3];
        if cfg!(feature = "glsl") && self.below(3) == 0 {
            languages = languages.map(|_| if self.chance(65) { Lang::Glsl } else { Lang::Wgsl });
        }
        let fragments = 1 + self.below(2);
        if samples > 1 {
            self.count("four samples");
            if per_sample {
                self.count("four samples, run for each");
            }
        }
        if fragments > 1 {
            self.count("two fragment programs");
        }
        if varyings.integers > 0 {
            self.count("integers between stages");
        }
        let invariant = if self.below(4) == 0 { "@invariant " } else { "" };
        let common = common(&varyings, invariant);
        if !invariant.is_empty() && languages[0] == Lang::Wgsl {
            self.count("invariant");
        }
        let mut texts = vec![self.vertex(languages[0], &varyings)];
        for name in ["fragment", "other"].iter().take(fragments) {
            let which = per_sample && self.chance(40);
            texts.push(self.fragment(languages[texts.len()], name, &varyings, which));
        }
        let together = languages[..texts.len()].iter().all(|l| *l == Lang::Wgsl) && self.chance(70);
        let mut files = vec![];
        let mut names = vec![];
        for (n, text) in texts.into_iter().enumerate() {
            let name = ["vertex", "fragment", "other"][n];
            match languages[n] {
                Lang::Wgsl if together => names.push(("a.wgsl".to_owned(), name)),
                Lang::Wgsl => names.push((format!("{name}.wgsl"), name)),
                Lang::Glsl => names.push((format!("{name}.{}", if n == 0 { "vert" } else { "frag" }), "main")),
            }
            let file: &String = &names[n].0;
            match files.last_mut() {
                Some((_, whole)) if together => *whole = format!("{whole}{text}"),
                _ if languages[n] == Lang::Wgsl => files.push((file.clone(), format!("{common}{text}"))),
                _ => files.push((file.clone(), text)),
            }
        }
        files.push((SCENE.into(), self.scene(&names, samples)));
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What 50 pairs have at least so often.
    const LEAST: &[(&str, u64)] = &[
        ("perspective", 15),
        ("flat", 15),
        ("linear", 15),
        ("perspective centroid", 15),
        ("linear centroid", 15),
        ("perspective sample", 4),
        ("linear sample", 4),
        ("sample index", 4),
        ("derivative", 4),
        ("four samples", 10),
        ("four samples, run for each", 3),
        ("two fragment programs", 15),
        ("uniforms change between draws", 100),
        ("integers between stages", 15),
        ("invariant", 5),
        ("loop", 50),
        ("loop in a loop", 5),
        ("turns: constant", 8),
        ("turns: uniform", 15),
        ("turns: flat input", 8),
        ("turns: of the vertex", 8),
        ("uniforms that a vertex picks", 10),
        ("break", 5),
        ("continue", 5),
        ("discard", 8),
        ("discard in a loop", 5),
        ("early return", 8),
        ("return in a loop", 1),
    ];

    #[test]
    fn everything_occurs_often_enough() {
        let mut has: BTreeMap<&str, u64> = BTreeMap::new();
        for seed in 0..50 {
            for (what, count) in pair(seed).has {
                *has.entry(what).or_default() += count;
            }
        }
        let of = |what: &str| has.get(what).copied().unwrap_or(0);
        let few: Vec<_> = LEAST.iter().filter(|(what, least)| of(what) < *least).collect();
        assert!(few.is_empty(), "{few:?} of {has:?}");
        if cfg!(feature = "glsl") {
            assert!(of("GLSL") >= 10 && of("precise") >= 4, "{has:?}");
        }
    }

    #[test]
    fn a_seed_is_one_pair() {
        for seed in 0..20 {
            assert_eq!(pair(seed).files, pair(seed).files);
        }
    }
}
