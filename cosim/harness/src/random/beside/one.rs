//! One scene beside lavapipe: drawn by both, compared, judged, and made small if ours is wrong.

use std::path::{Path, PathBuf};

use quadlock_beside::scene::Scene;
use quadlock_beside::verdict::{compare, judge, Class, Drawn, Finding, Tally};
use quadlock_golden::Fault;

use super::child::Judge;
use super::make::make;
use super::shrink::smaller;
use super::{fan, ours};
use crate::base::error::{bad, Input};

/// What all scenes of a campaign have.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Planted in the model: the campaign must find it.
    pub fault: Option<Fault>,
    /// A folder for each wrong scene is made here.
    pub out: PathBuf,
    /// Drawings of a wrong scene that shrinking may use.
    pub attempts: usize,
}

/// A scene of which ours is wrong, as small as it became.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Of the scene.
    pub seed: u64,
    /// What is wrong with the smallest.
    pub finding: Finding,
    /// Of the smallest.
    pub draws: usize,
    /// Of the smallest.
    pub triangles: usize,
    /// The file of the smallest.
    pub file: PathBuf,
}

/// A scene that was tried.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Its samples by class.
    pub tally: Tally,
    /// Both pictures are the same.
    pub same: bool,
    /// It has programs that compute.
    pub not_judged: bool,
    /// None: ours is right, or it is not known.
    pub failure: Option<Failure>,
}

/// What came of a scene, and whether its pictures are the same.
fn tried(scene: &Scene, folder: &Path, fault: Option<Fault>, other: &mut Judge) -> Input<(Tally, bool)> {
    let mut our = Drawn { picture: ours::picture(scene, folder, fault)?, stages: vec![] };
    let mut their = Drawn { picture: other.picture(scene)?, stages: vec![] };
    let same = our.picture == their.picture;
    let mut tally = if same || !scene.is_judged() {
        compare(scene, &our.picture, &their.picture)
    } else {
        for (number, draw) in scene.draws.iter().enumerate() {
            // A strip that restarts behind each vertex or two has none.
            if draw.triangles().is_empty() {
                our.stages.push(vec![]);
                their.stages.push(vec![]);
                continue;
            }
            our.stages.push(ours::stages(scene, number, folder, fault)?);
            their.stages.push(other.stages(scene, number)?);
        }
        judge(scene, &our, &their)
    };
    if let Some(text) = fan::wrong(scene, folder, fault)? {
        *tally.counts.entry((Class::OursWrong, "fan".into())).or_default() += 1;
        tally.findings.push(Finding { class: Class::OursWrong, kind: "fan".into(), text });
    }
    Ok((tally, same))
}

/// The same kind of what is wrong, in fewer things: goes through the list again as long as
/// something could be left out.
fn shrink(
    mut scene: Scene,
    mut finding: Finding,
    folder: &Path,
    settings: &Settings,
    other: &mut Judge,
) -> Input<(Scene, Finding)> {
    let (mut k, mut better) = (0, false);
    for _ in 0..settings.attempts {
        let Some(candidate) = smaller(&scene).into_iter().nth(k) else {
            if !better {
                break;
            }
            (k, better) = (0, false);
            continue;
        };
        let (tally, _) = tried(&candidate, folder, settings.fault, other)?;
        match tally.wrong().filter(|f| f.kind == finding.kind) {
            Some(found) => (finding, scene, better) = (found.clone(), candidate, true),
            None => k += 1,
        }
    }
    Ok((scene, finding))
}

/// Draws the scene of a seed on both. If ours is wrong, the smallest such scene stays in a folder.
///
/// # Errors
/// The judge, or a folder that cannot be written.
pub fn try_seed(seed: u64, settings: &Settings, other: &mut Judge) -> Input<Tried> {
    let scene = make(seed);
    let temporary = tempfile::tempdir().or_else(|e| bad(format!("no temporary folder: {e}"), "free some space"))?;
    let (tally, same) = tried(&scene, temporary.path(), settings.fault, other)?;
    let not_judged = !scene.is_judged();
    let Some(finding) = tally.wrong().cloned() else {
        return Ok(Tried { tally, same, not_judged, failure: None });
    };
    let (scene, finding) = shrink(scene, finding, temporary.path(), settings, other)?;
    let file = ours::write(&scene, &settings.out.join(format!("beside-{seed}")))?;
    let (draws, triangles) = (scene.draws.len(), scene.triangles());
    Ok(Tried { tally, same, not_judged, failure: Some(Failure { seed, finding, draws, triangles, file }) })
}
