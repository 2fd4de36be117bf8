//! The funnel of a frame: what is left behind each stage that may cull, from the triangles that are
//! submitted to the fragments that are seen. For the report, and as a picture
//! (`quadlock run SCENE --funnel F.svg`).
//!
//! Everything is reckoned from the figures of culls, the fragments that were shaded and those that
//! are visible; nothing is counted here. It can be wrong in the order of the stages: that is the
//! pipeline's (HZ-1), and a pair belongs to the first that culls it.

use std::fmt::Write as _;

use serde::Serialize;

use super::culls::CullFigures;
use crate::report::text::Rows;

/// What is left behind a stage; none of what it does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Stage {
    pub stage: &'static str,
    /// Triangles with a pair.
    pub triangles: Option<u64>,
    /// Pairs of a triangle and a group of 8 by 8 pixels in which it covers a sample.
    pub groups: Option<u64>,
    /// Pairs of a triangle and a pixel.
    pub fragments: Option<u64>,
}

/// The stages, in the order of the pipeline. One that the machine does not have leaves what was
/// there.
pub fn stages(culls: &CullFigures, shaded: u64, visible: u64) -> Vec<Stage> {
    let by = culls.by;
    let culled = [
        ("submitted", 0),
        ("cull pipeline", by.cull_pipeline),
        ("visibility unit", by.visibility),
        ("binner", by.binner),
        ("rasteriser", by.rasteriser),
        ("early Z", by.early_z),
    ];
    let mut groups = culls.submitted;
    let mut out = vec![];
    for ((stage, culled), triangles) in culled.into_iter().zip(culls.triangles) {
        groups -= culled;
        out.push(Stage { stage, triangles: Some(triangles), groups: Some(groups), fragments: None });
    }
    for (stage, fragments) in [("shaded", shaded), ("visible", visible)] {
        out.push(Stage { stage, triangles: None, groups: None, fragments: Some(fragments) });
    }
    out
}

/// A row for each stage.
pub(super) fn rows(stages: &[Stage], rows: &mut Rows) {
    for (n, s) in stages.iter().enumerate() {
        rows.row(if n == 0 { "funnel" } else { "" }, format!("{:<15} {}", s.stage, left(s)));
    }
}

/// What is left behind a stage, in words.
fn left(s: &Stage) -> String {
    match (s.groups, s.triangles, s.fragments) {
        (Some(groups), Some(triangles), _) => format!("{groups} groups of {triangles} triangles"),
        (_, _, Some(fragments)) => format!("{fragments} fragments"),
        _ => String::new(),
    }
}

const WIDTH: u32 = 860;
/// Where bars begin, and how long they can be.
const LEFT: u32 = 150;
const LONGEST: u32 = 330;
/// From one bar to the next, and the height of one.
const STEP: u32 = 38;
const BAR: u32 = 26;
const TOP: u32 = 84;
/// Between groups and fragments.
const GAP: u32 = 40;

/// Classes as those of the pictures in docs/pictures (`scripts/draw.py`), light and dark.
const STYLE: &str = "\
text{stroke:none}\
.p{fill:#ffffff;stroke:#c3ccd9}.i{fill:#16233a}.f{fill:#4a5872}\
.groups{fill:#9db9e6;stroke:#3b5b92}.fragments{fill:#97cfa1;stroke:#35783f}.gone{fill:#f3f4f6;stroke:#c3ccd9}\
@media (prefers-color-scheme: dark){\
.p{fill:#10161f;stroke:#3b4658}.i{fill:#e8eef8}.f{fill:#aab6c8}\
.groups{fill:#34517f;stroke:#7ea2dd}.fragments{fill:#2c6237;stroke:#79c487}.gone{fill:#262c36;stroke:#3b4658}}";

/// The picture: a bar for each stage, as long as what is left of the first; what it took is pale.
pub fn svg(name: &str, stages: &[Stage]) -> String {
    let height = TOP + STEP * stages.len() as u32 + GAP + 20;
    let name = escaped(name);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"DejaVu Sans, Verdana, Helvetica, Arial, sans-serif\" \
         font-size=\"13\" stroke-width=\"1.2\">\n<title>What is left of {name}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"p\" x=\"0.7\" y=\"0.7\" width=\"{}\" height=\"{}\" rx=\"10\"/>\n",
        f64::from(WIDTH) - 1.4,
        f64::from(height) - 1.4,
    );
    write_text(&mut out, (24, 34), "i", " font-size=\"16\" font-weight=\"600\"", &name);
    write_text(&mut out, (24, 62), "f", "", "pairs of a triangle and a group of 8 by 8 pixels, left behind each stage");
    let groups: Vec<&Stage> = stages.iter().filter(|s| s.groups.is_some()).collect();
    let fragments: Vec<&Stage> = stages.iter().filter(|s| s.groups.is_none()).collect();
    bars(&mut out, TOP, "groups", &groups, |s| s.groups);
    let top = TOP + STEP * groups.len() as u32 + GAP;
    write_text(&mut out, (24, top - 22), "f", "", "fragments: pairs of a triangle and a pixel");
    bars(&mut out, top, "fragments", &fragments, |s| s.fragments);
    out + "</svg>\n"
}

/// Bars of one unit, from `top` down.
fn bars(out: &mut String, top: u32, class: &str, stages: &[&Stage], count: fn(&Stage) -> Option<u64>) {
    let counts: Vec<u64> = stages.iter().map(|s| count(s).unwrap_or(0)).collect();
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let long = |n: u64| f64::from(LONGEST) * n as f64 / most as f64;
    let mut before = counts.first().copied().unwrap_or(0);
    for (k, (stage, &n)) in stages.iter().zip(&counts).enumerate() {
        let y = top + STEP * k as u32;
        let base = y + BAR - 8;
        write_text(out, (LEFT - 12, base), "i", " text-anchor=\"end\"", stage.stage);
        for (class, n) in [("gone", before), (class, n)] {
            let _ = writeln!(
                out,
                "<rect class=\"{class}\" x=\"{LEFT}\" y=\"{y}\" width=\"{:.1}\" height=\"{BAR}\" rx=\"3\"/>",
                long(n)
            );
        }
        let triangles = stage.triangles.map_or(String::new(), |t| format!(" of {} triangles", grouped(t)));
        let gone = if n < before { format!(" ({} fewer)", grouped(before - n)) } else { String::new() };
        let words = format!("{}{triangles}{gone}", grouped(n));
        write_text(out, (LEFT + LONGEST + 14, base), "f", "", &words);
        before = n;
    }
}

fn write_text(out: &mut String, (x, y): (u32, u32), class: &str, more: &str, words: &str) {
    let _ = writeln!(out, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{more}>{words}</text>");
}

/// With a comma behind thousands.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::accounts::culls::CullsBy;

    fn example() -> Vec<Stage> {
        let by = CullsBy { cull_pipeline: 0, visibility: 400, binner: 0, rasteriser: 300, early_z: 50 };
        let triangles = [92, 92, 80, 80, 61, 60];
        let culls = CullFigures { submitted: 1250, by, triangles, ..CullFigures::default() };
        stages(&culls, 12_345, 12_000)
    }

    #[test]
    fn what_is_left_is_what_was_there_less_what_was_culled() {
        let stages = example();
        let groups: Vec<u64> = stages.iter().filter_map(|s| s.groups).collect();
        assert_eq!(groups, [1250, 1250, 850, 850, 550, 500]);
        let fragments: Vec<u64> = stages.iter().filter_map(|s| s.fragments).collect();
        assert_eq!(fragments, [12_345, 12_000]);
        let expected = "funnel                  submitted       1250 groups of 92 triangles
                        cull pipeline   1250 groups of 92 triangles
                        visibility unit 850 groups of 80 triangles
                        binner          850 groups of 80 triangles
                        rasteriser      550 groups of 61 triangles
                        early Z         500 groups of 60 triangles
                        shaded          12345 fragments
                        visible         12000 fragments
";
        let mut shown = Rows::default();
        rows(&stages, &mut shown);
        assert_eq!(shown.0, expected);
    }

    /// Each bar is as long as its part of the first, and what the stage took stands behind it.
    #[test]
    fn a_bar_for_each_stage() {
        let svg = svg("a < b", &example());
        for part in [
            "<title>What is left of a &lt; b</title>",
            "class=\"groups\" x=\"150\" y=\"84\" width=\"330.0\"",
            "class=\"gone\" x=\"150\" y=\"160\" width=\"330.0\"",
            "class=\"groups\" x=\"150\" y=\"160\" width=\"224.4\"",
            "class=\"fragments\" x=\"150\" y=\"352\" width=\"330.0\"",
            ">850 of 80 triangles (400 fewer)</text>",
            ">12,000 (345 fewer)</text>",
        ] {
            assert!(svg.contains(part), "no {part} in {svg}");
        }
        assert_eq!(svg.matches("<rect").count(), 1 + 2 * 8);
    }

    #[test]
    fn a_frame_without_triangles_has_a_funnel() {
        let empty = stages(&CullFigures::default(), 0, 0);
        assert!(svg("e", &empty).contains("width=\"0.0\""));
    }
}
