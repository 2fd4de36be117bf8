//! The smallest scene, as text: one draw of one mesh, with both programs in `a.wgsl`. Tests replace
//! words of it by others. Wrong would be a word that it does not have: then nothing is replaced.

/// The scene with these positions of its mesh.
macro_rules! plain_scene {
    ($positions:literal) => {
        concat!(
            "name = \"s\"\n[target]\nwidth = 16\nheight = 16\n",
            "[mesh.m]\nattributes.position = ",
            $positions,
            "\n[[draw]]\nmesh = \"m\"\n",
            "vertex = { file = \"a.wgsl\", entry = \"vertex\" }\n",
            "fragment = { file = \"a.wgsl\", entry = \"fragment\" }\n",
        )
    };
}
pub(crate) use plain_scene;
