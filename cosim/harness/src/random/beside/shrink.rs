//! Scenes with less in them, those with much less first, for a scene that is wrong.

use quadlock_beside::scene::{Draw, Interpolation, Kind, Place, Scene};

/// Draws `count` corners less from `first` on.
fn without(draw: &Draw, first: usize, count: usize) -> Option<Draw> {
    let mut out = draw.clone();
    let (skipped, all) = match &draw.indices {
        Some(i) => (draw.first as usize, i.values.len()),
        None => (draw.first as usize, draw.vertices.len()),
    };
    let from = skipped + first;
    let to = (from + count).min(all);
    if from >= to || all - skipped - (to - from) < 3 {
        return None;
    }
    match &mut out.indices {
        Some(i) => drop(i.values.drain(from..to)),
        None => drop(out.vertices.drain(from..to)),
    }
    Some(out)
}

/// All of them.
pub(super) fn smaller(scene: &Scene) -> Vec<Scene> {
    let mut out: Vec<Scene> = vec![];
    let mut with = |change: &dyn Fn(&mut Scene)| {
        let mut other = scene.clone();
        change(&mut other);
        if other != *scene {
            out.push(other);
        }
    };
    if scene.draws.len() > 1 {
        (0..scene.draws.len()).for_each(|k| with(&|s| drop(s.draws.remove(k))));
    }
    for (k, draw) in scene.draws.iter().enumerate() {
        let unit = if draw.strip { 1 } else { 3 };
        let all = draw.indices.as_ref().map_or(draw.vertices.len(), |i| i.values.len()) - draw.first as usize;
        let mut count = all / 2 / unit * unit;
        while count > 0 {
            for first in (0..all).step_by(count) {
                if let Some(less) = without(draw, first, count) {
                    with(&|s| s.draws[k] = less.clone());
                }
            }
            count = count / 2 / unit * unit;
        }
    }
    with(&|s| s.samples = 1);
    if scene.formats.len() > 1 {
        for t in 0..scene.formats.len() {
            with(&|s| {
                s.formats.remove(t);
                for draw in &mut s.draws {
                    draw.state.writes.remove(t);
                }
            });
        }
    }
    for k in 0..scene.draws.len() {
        let all = [0, 0, scene.width, scene.height];
        let whole = all.map(|n| n as f32);
        with(&|s| s.draws[k].state.stencil = None);
        with(&|s| s.draws[k].state.depth = None);
        with(&|s| s.draws[k].state.cull = None);
        with(&|s| s.draws[k].state.front_clockwise = false);
        with(&|s| s.draws[k].state.bias = [0.0; 3]);
        with(&|s| s.draws[k].state.mask = 15);
        with(&|s| s.draws[k].state.range = [0.0, 1.0]);
        with(&|s| s.draws[k].state.scissor = all);
        // On the grid another viewport would move the vertices off it.
        if !scene.on_grid {
            with(&|s| s.draws[k].state.viewport = whole);
        }
        with(&|s| s.draws[k].state.writes.iter_mut().for_each(|w| w.blend = None));
        with(&|s| s.draws[k].state.writes.iter_mut().for_each(|w| w.mask = 15));
        with(&|s| s.draws[k].kind = Kind::Plain);
        with(&|s| s.draws[k].interpolation = [Interpolation::Perspective(Place::Centre); 2]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::beside::make;

    #[test]
    fn smaller_scenes_are_others_and_end() {
        for seed in 1..20 {
            let mut scene = make(seed);
            assert!(smaller(&scene).iter().all(|s| *s != scene));
            for _ in 0..1000 {
                let Some(next) = smaller(&scene).into_iter().next() else { break };
                scene = next;
            }
            assert!(smaller(&scene).is_empty(), "{seed}");
        }
    }
}
