//! Data of `examples/ray-trace`: the mesh with its hierarchy, the thread list, the scene's
//! constants in the job file, and the expected pictures.

mod bvh;
mod check;
mod scene;
mod trace;

use std::path::Path;

use quadlock::job::picture::encode_rgba;
use scene::{Scene, SceneFile};
use trace::Tracer;

/// Width and height of the picture and of that of the small size.
const FULL: [u32; 2] = [96, 64];
const SMALL: [u32; 2] = [24, 16];
/// Pixels in which the reference may differ from `check`: 1 in 1000, at edges; it differs in none
/// as the scene stands.
const EDGE_PIXELS: usize = 6;
/// How many quads' segments are dispatched before the sum of the quad in front of them. At full
/// size so many that a machine of 64 thread slots has hardly a sum that sits in a slot and waits;
/// at the small size so few that nearly every sum sleeps and is woken, which is what lockstep is to
/// see.
const AHEAD_FULL: usize = 12;
const AHEAD_SMALL: usize = 1;

/// Every file of the example that is made: (path below `examples/`, content).
pub fn files(examples: &Path) -> Vec<(&'static str, Vec<u8>)> {
    let folder = examples.join("ray-trace");
    let file = SceneFile::read(&folder.join("objects.toml"));
    let scene = file.constants(f64::from(FULL[0]) / f64::from(FULL[1]));
    let triangles = file.triangles(&folder);
    let mesh = bvh::build(&triangles);
    let tracer = Tracer { scene: &scene, mesh: &mesh };
    let bytes = |words: &[[u32; 4]]| words.iter().flatten().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let rows: Vec<[u32; 4]> = mesh.rows.iter().map(|r| r.map(f32::to_bits)).collect();
    // The shader's arrays have fixed sizes, so that it keeps no lengths.
    let padded = |words: &[[u32; 4]], length: usize| {
        assert!(words.len() <= length, "{} of {length} entries: the shader's arrays are too small", words.len());
        let mut words = words.to_vec();
        words.resize(length, [0; 4]);
        bytes(&words)
    };
    let (full, _) = tracer.picture(FULL[0], FULL[1]);
    let differing = check::differing(&file, &triangles, FULL, &full);
    assert!(differing <= EDGE_PIXELS, "{differing} pixels of the reference are not the scene's");
    let (small, segments) = tracer.picture(SMALL[0], SMALL[1]);
    let segments: Vec<[u32; 4]> =
        segments.iter().flatten().map(|&[r, g, b]| [r, g, b, 0.0].map(f32::to_bits)).collect();
    let ((threads, edges), (threads_small, edges_small)) = (graph(FULL, AHEAD_FULL), graph(SMALL, AHEAD_SMALL));
    vec![
        ("ray-trace/job.toml", with_constants(&folder.join("job.toml"), &scene)),
        ("ray-trace/nodes.raw", padded(&mesh.nodes, 1024)),
        ("ray-trace/triangles.raw", padded(&rows, 3 * 1040)),
        ("ray-trace/normals.raw", padded(&mesh.normals, 1040)),
        ("ray-trace/threads-full.csv", threads),
        ("ray-trace/edges-full.csv", edges),
        ("ray-trace/threads-small.csv", threads_small),
        ("ray-trace/edges-small.csv", edges_small),
        ("ray-trace/expected-full.png", png(FULL, &full)),
        ("ray-trace/expected-small.png", png(SMALL, &small)),
        ("ray-trace/expected-segments-small.raw", bytes(&segments)),
    ]
}

/// Data words x, y of each thread, and the edges from the segments of a quad to its sum, as CSV;
/// threads in order of dispatch.
fn graph([width, height]: [u32; 2], ahead: usize) -> (Vec<u8>, Vec<u8>) {
    let quads: Vec<(u32, u32)> = (0..height / 2).flat_map(|y| (0..width / 2).map(move |x| (x, y))).collect();
    let word = |(x, y): (u32, u32), segment: u32| format!("{},{}\n", x | y << 8 | segment << 16, 2 * y * width + 2 * x);
    let (mut threads, mut edges) = (Vec::new(), Vec::new());
    // Number of each quad's first thread.
    let mut first = Vec::new();
    for i in 0..quads.len() + ahead {
        if let Some(&quad) = quads.get(i) {
            first.push(threads.len());
            threads.extend((0..4).map(|segment| word(quad, segment)));
        }
        if let Some(done) = i.checked_sub(ahead) {
            edges.extend((0..4).map(|segment| format!("{},{}\n", first[done] + segment, threads.len())));
            threads.push(word(quads[done], 4));
        }
    }
    (threads.concat().into_bytes(), edges.concat().into_bytes())
}

/// The job file with the line of the scene's constants as they must be.
fn with_constants(path: &Path, scene: &Scene) -> Vec<u8> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let numbers: Vec<String> = scene.rows.iter().flatten().map(|x| format!("{x:?}")).collect();
    let mut ours = false;
    let line = |line: &str| {
        let at_constants = ours && line.starts_with("values = [");
        ours = line == "name = \"scene\"" || ours && !at_constants;
        match at_constants {
            true => format!("values = [{}]\n", numbers.join(", ")),
            false => format!("{line}\n"),
        }
    };
    text.lines().map(line).collect::<String>().into_bytes()
}

fn png([width, height]: [u32; 2], pixels: &[u32]) -> Vec<u8> {
    let data: Vec<u8> = pixels.iter().flat_map(|p| p.to_le_bytes()).collect();
    encode_rgba(width, height, &data).expect("size and pixels agree")
}
