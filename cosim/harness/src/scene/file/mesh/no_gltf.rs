//! In place of the reader of glTF, where the feature `gltf` is off: the first build of a newcomer
//! does without it. Each file is refused with a message that names the feature.

use std::path::Path;

use super::shape::Mesh;
use crate::base::error::{bad, Input};

pub(super) fn gltf(path: &Path, _: &[u8]) -> Input<Mesh> {
    bad(
        format!("{}: this build cannot read glTF: it is without the feature `gltf`", path.display()),
        "build without --no-default-features, or give the mesh as OBJ",
    )
}
