//! Rules of drawing that RTL and model once had wrong alike, because both were written from one
//! page: which vertex is the first of a strip's triangle, where depth gets its bias, how small w
//! may be, where a strip ends. What is right is reckoned here, by hand or with whole numbers, and
//! drawn by the model alone and in lockstep.
//!
//! It can be wrong in a scene that shows nothing: each asserts what its picture would be without
//! the rule.

use std::path::Path;
use std::process::Command;

use quadlock::job::picture::Picture;

/// Draws a scene and gives its folder; the model alone, then with the machine.
fn drawn(scene: &str, wgsl: &str, more: &[&str], judge: &dyn Fn(&Path, &str)) {
    for engine in ["golden", "lockstep"] {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.wgsl"), wgsl).unwrap();
        std::fs::write(dir.path().join("scene.toml"), scene).unwrap();
        let out = Command::new(env!("CARGO_BIN_EXE_quadlock"))
            .args(["run", "scene.toml", "--engine", engine])
            .args(more)
            .current_dir(dir.path())
            .output()
            .unwrap();
        let said = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        assert_eq!(out.status.code(), Some(0), "{engine}: {said}{scene}");
        judge(dir.path(), &said);
    }
}

fn pixels(path: &Path) -> (u32, Vec<[u8; 4]>) {
    let picture = Picture::decode(&std::fs::read(path).unwrap()).unwrap();
    (picture.width, picture.rgba8().collect())
}

/// Depth of 24 bits, as its picture has it.
fn depth([r, g, b, _]: [u8; 4]) -> u32 {
    u32::from(r) << 16 | u32::from(g) << 8 | u32::from(b)
}

/// The scene's head, with keys of its target, and a mesh; then a draw, with keys of its state.
fn scene(size: [u32; 2], target: &str, mesh: &str, state: &str) -> String {
    format!(
        "name = \"s\"\n[target]\nwidth = {}\nheight = {}\n{target}\n[mesh.m]\n{mesh}\n[[draw]]\nmesh = \"m\"\n\
         vertex = {{ file = \"a.wgsl\", entry = \"vs\" }}\nfragment = {{ file = \"a.wgsl\", entry = \"fs\" }}\n\
         attributes = {{ position = 0 }}\n[draw.state]\n{state}\n",
        size[0], size[1]
    )
}

const FLAT: &str = "
struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat) n: u32 }
@vertex fn vs(@location(0) p: vec2f, @builtin(vertex_index) i: u32) -> V { return V(vec4f(p, 0.5, 1), i + 1); }
@fragment fn fs(v: V) -> @location(0) vec4f { return vec4f(f32(v.n) / 255.0, 0, 0, 1); }";

const PLAIN: &str = "
@vertex fn vs(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }
@fragment fn fs() -> @location(0) vec4f { return vec4f(1.0); }";

/// Red of pixels by place.
fn reds(path: &Path, places: &[(u32, u32)]) -> Vec<u8> {
    let (width, all) = pixels(path);
    places.iter().map(|&(x, y)| all[(y * width + x) as usize][0]).collect()
}

/// Triangle k of a strip has the words of vertex k, odd ones too, whichever side is culled. Red is
/// one more than the vertex's number.
#[test]
fn the_first_vertex_of_a_strips_triangle_is_its_own() {
    let mesh = "attributes.position = [[-1, -1], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 1]]";
    for cull in ["none", "back", "front"] {
        // Counter-clockwise triangles are culled in the middle case, and seen in the last.
        let state = format!("topology = \"strip\"\ncull = \"{cull}\"\nfront = \"cw\"");
        drawn(&scene([16, 8], "", mesh, &state), FLAT, &["--png", "o.png"], &|dir, _| {
            let found = reds(&dir.join("o.png"), &[(0, 5), (7, 2), (8, 5), (15, 2)]);
            let right: &[u8] = if cull == "front" { &[0; 4] } else { &[1, 2, 3, 4] };
            assert_eq!(found, right, "{cull}");
        });
    }
}

/// Behind the index that ends a strip triangles count from 0 again, and its vertices are no
/// triangle's with those before. Without restart the index is a vertex, which is not there.
#[test]
fn a_strip_ends_at_the_index_of_all_ones() {
    let points =
        "attributes.position = [[-1, -1], [-0.5, -1], [-1, 1], [-0.5, 1], [0, -1], [0.5, -1], [0, 1], [0.5, 1]]";
    for (bytes, mark) in [(2, 0xFFFF), (4, u32::MAX)] {
        // Two marks together, one at each end, and a strip that is too short.
        let indices = [mark, 0, 1, 2, 3, mark, mark, 0, 4, mark, 4, 5, 6, 7, mark];
        let mesh = format!("{points}\nindices = {indices:?}\nindex-bytes = {bytes}");
        for cull in ["none", "back"] {
            let state = format!("topology = \"strip\"\ncull = \"{cull}\"");
            drawn(&scene([16, 8], "", &mesh, &state), FLAT, &["--png", "o.png"], &|dir, said| {
                let found = reds(&dir.join("o.png"), &[(0, 6), (3, 1), (5, 4), (8, 6), (11, 1), (14, 4)]);
                assert_eq!(found, [1, 2, 0, 5, 6, 0], "{bytes} {cull}");
                assert!(said.contains("4 in, 0 culled"), "{said}");
            });
        }
        let refused_mesh = |mesh: &str, state: &str, says: &str| {
            let dir = tempfile::tempdir().unwrap();
            std::fs::write(dir.path().join("a.wgsl"), FLAT).unwrap();
            std::fs::write(dir.path().join("scene.toml"), scene([16, 8], "", mesh, state)).unwrap();
            let mut command = Command::new(env!("CARGO_BIN_EXE_quadlock"));
            let out =
                command.args(["run", "scene.toml", "--engine", "golden"]).current_dir(dir.path()).output().unwrap();
            let said = String::from_utf8_lossy(&out.stderr).into_owned();
            assert!(out.status.code() == Some(2) && said.contains(says), "{said}");
        };
        let refused = |state: &str, says: &str| refused_mesh(&mesh, state, says);
        refused("topology = \"strip\"\nrestart = false", &format!("index {mark} of the mesh"));
        refused("topology = \"strip\"\nrestart = false", "`restart = true` in the draw's state begins a new strip");
        refused("", &format!("index {mark} of the mesh"));
        refused("restart = true", "`restart` of a list");
        // Normals are made of triangles before the draw is looked at.
        let smooth = format!(
            "attributes.position = [[-1, -1, 0], [0, -1, 0], [-1, 1, 0]]\nindices = [0, 1, {mark}]\n\
             index-bytes = {bytes}\nnormals = \"smooth\""
        );
        refused_mesh(&smooth, "", &format!("index {mark} of the mesh"));
        let bare = "attributes.position = [[-1, -1], [0, -1], [-1, 1]]";
        refused_mesh(bare, "topology = \"strip\"\nrestart = true", "`restart` of a mesh without indices");
    }
}

/// The bias is added to the depth of a sample, and the sum is held in the depth range. Depth rises
/// by 7/8 of the range over 16 pixels; a bias that takes one edge below 0 does not lower the rest.
#[test]
fn bias_is_added_to_samples_and_clamped_there() {
    let mesh = "attributes.position = [[-1, -1, 0.0625, 1], [1, -1, 0.9375, 1], [-1, 1, 0.0625, 1], \
                [-1, 1, 0.0625, 1], [1, -1, 0.9375, 1], [1, 1, 0.9375, 1]]";
    let most = f64::from(0xFF_FFFF);
    for (bias, range) in
        [(-2_097_152.0, [0.0, 1.0]), (2_097_152.0, [0.0, 1.0]), (-2_097_152.0, [0.25, 0.75]), (9e9, [0.25, 0.75])]
    {
        for hidden in ["off", "visibility"] {
            let state = format!("depth = \"always\"\nbias = [{bias}, 0, 0]\ndepth-range = {range:?}\ncull = \"none\"");
            let scene = scene([16, 16], "depth = true\nclear-depth = 0.0", mesh, &state);
            let hides = format!("hi-z={hidden}");
            drawn(&scene, PLAIN, &["--set", &hides, "--image", "depth=d.png"], &|dir, _| {
                let (_, all) = pixels(&dir.join("d.png"));
                for (n, &found) in all.iter().enumerate() {
                    let x = (n % 16) as f64;
                    let plane = (0.0625 + 0.875 * (x + 0.5) / 16.0) * (range[1] - range[0]) + range[0];
                    let right = (plane * most + bias).clamp(range[0] * most, range[1] * most);
                    let found = f64::from(depth(found));
                    assert!(
                        (found - right).abs() <= 2.0,
                        "x {x}: {found}, {right} is right; {bias} {range:?} {hidden}"
                    );
                }
            });
        }
    }
}

/// The four words of all positions times a power of two change nothing. Beyond 2^100, and of a w
/// below 2^-76, triangles are not drawn, and the report says so.
#[test]
fn positions_of_any_size_are_drawn() {
    let corners = [[-1.0, -1.0, 0.25, 1.0], [1.5, -1.25, 1.0, 1.75], [0.0, 1.0, 0.5, 1.25]];
    let picture = |power: i32| {
        let scaled = corners.map(|c: [f64; 4]| c.map(|x| x * 2f64.powi(power)));
        let mesh = format!("attributes.position = {scaled:?}");
        let found = std::cell::RefCell::new(vec![]);
        let scene = scene([24, 16], "depth = true", &mesh, "depth = \"less\"");
        drawn(&scene, PLAIN, &["--png", "o.png", "--image", "depth=d.png"], &|dir, said| {
            let both = ["o.png", "d.png"].map(|name| pixels(&dir.join(name)).1);
            found.borrow_mut().push((both, said.contains("1 triangle is not drawn")));
        });
        let [model, machine] = &found.into_inner()[..] else { panic!("two engines") };
        assert!(model == machine);
        model.clone()
    };
    let ([colours, depths], warned) = picture(0);
    let covered = colours.iter().filter(|c| c[0] == 255).count();
    assert!(covered > 100 && !warned, "{covered} pixels");
    for power in [-76, -75, -30, 60, 98] {
        assert!(picture(power) == ([colours.clone(), depths.clone()], false), "2^{power}");
    }
    for power in [-77, 100] {
        let ([colours, _], warned) = picture(power);
        assert!(warned && colours.iter().all(|c| c[0] == 0), "2^{power}");
    }
}
