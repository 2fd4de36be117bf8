//! The pictures of docs show names. `docs/pictures.json` says which, and of which picture: made
//! with it by `make pictures`. Here: every name is still one of the design, every picture is the
//! one that was made then, and no page shows a picture that the script does not make.

use std::collections::BTreeSet;
use std::path::Path;

use quadlock::machine::signals::{SignalKind, SignalTree};
use quadlock::simulate::Simulator;
use quadlock_hdl::config::{GpuConfig, WarpWide, WideResult};

#[derive(Default)]
struct Names {
    path: Vec<String>,
    all: BTreeSet<String>,
}

impl SignalTree for Names {
    fn enter(&mut self, scope: &str) {
        self.path.push(scope.to_owned());
    }

    fn leave(&mut self) {
        self.path.pop();
    }

    fn signal(&mut self, name: &str, _width: u32, _kind: SignalKind) {
        self.all.insert(format!("{}.{name}", self.path.join(".")));
    }
}

/// All names of the exported machine, by option of warp-wide operations.
fn names_of_the_design() -> BTreeSet<String> {
    let default = GpuConfig::default();
    let scalar =
        GpuConfig { warp_wide: WarpWide::Scalar, warp_wide_result: WideResult::Shared, ..GpuConfig::default() };
    let mut names = Names::default();
    for config in [default, scalar] {
        Simulator::Rtlsim.engine(&config).unwrap().describe(&mut names);
    }
    names.all
}

#[test]
fn every_name_in_a_picture_is_one_of_the_design() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/pictures.json")).unwrap();
    let pictures: serde_json::Value = serde_json::from_str(&text).unwrap();
    let names = names_of_the_design();
    let mut made = BTreeSet::new();
    for picture in pictures["pictures"].as_array().unwrap() {
        let file = picture["file"].as_str().unwrap();
        made.insert(file.rsplit('/').next().unwrap().to_owned());
        let size = std::fs::metadata(root.join(file)).unwrap().len();
        assert_eq!(Some(size), picture["bytes"].as_u64(), "{file} is not the picture that `make pictures` made");
        let shown = picture["signals"].as_array().unwrap();
        assert!(shown.len() > 5, "{file}");
        for name in shown {
            let name = name.as_str().unwrap();
            assert!(names.contains(name), "{file} shows {name}, which no longer exists: run `make pictures`");
        }
    }
    for page in ["docs/waves.md", "docs/semaphores.md", "docs/warp-wide.md", "docs/tutorial/first-debug.md"] {
        let text = std::fs::read_to_string(root.join(page)).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if let Some(name) = link.rsplit('/').next().filter(|n| n.ends_with(".png")) {
                assert!(made.contains(name), "{page} shows {link}, which `make pictures` does not make");
            }
        }
    }
}
