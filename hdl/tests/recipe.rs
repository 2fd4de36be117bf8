//! What names an exported text without making it: equal recipes must give equal texts, or a design
//! on disk would be another one than the sources say.

use std::path::{Path, PathBuf};

use quadlock_cache::sources;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::{recipe, recipe_of, SOURCES};
use quadlock_hdl::parameters::{Parameter, Values, PARAMETERS};

/// As in `build.rs`.
const PLACES: [&str; 10] = [
    "hdl/src",
    "hdl/build.rs",
    "hdl/Cargo.toml",
    "hdl/macros/src",
    "hdl/macros/Cargo.toml",
    "hdl/text/src",
    "hdl/text/Cargo.toml",
    "cosim/isa/src",
    "cosim/isa/Cargo.toml",
    "Cargo.lock",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A line of the RTL that changes is another hash, and so another recipe for everything.
#[test]
fn the_sources_are_in_it() {
    let root = root();
    assert_eq!(sources::hash(&root, &PLACES).unwrap().to_string(), SOURCES, "what was compiled is what is hashed");
    let copy = std::env::temp_dir().join(format!("quadlock-recipe-{}", std::process::id()));
    for place in PLACES {
        for file in sources::files(&root.join(place)).unwrap() {
            let to = copy.join(file.strip_prefix(&root).unwrap());
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::copy(file, to).unwrap();
        }
    }
    let same = sources::hash(&copy, &PLACES).unwrap().to_string();
    let block = copy.join("hdl/src/bus/message_bus.rs");
    let text = std::fs::read_to_string(&block).unwrap();
    std::fs::write(&block, text.replacen(".val()", ".val() ", 1)).unwrap();
    let other = sources::hash(&copy, &PLACES).unwrap().to_string();
    std::fs::remove_dir_all(&copy).unwrap();
    assert_eq!(same, SOURCES);
    assert_ne!(other, SOURCES);
    let config = GpuConfig::default();
    let of = |sources: &str| recipe_of(sources, "quadlock", &config);
    assert_eq!(of(SOURCES), recipe("quadlock", &config));
    assert_ne!(of(&other), of(SOURCES));
}

/// Every crate of the workspace that the exporter is compiled from is among the places.
#[test]
fn no_crate_is_left_out() {
    let manifest = std::fs::read_to_string(root().join("hdl/Cargo.toml")).unwrap();
    let dependencies = manifest.split("[dependencies]").nth(1).and_then(|t| t.split("\n[").next()).unwrap();
    let own = dependencies.lines().filter_map(|l| l.strip_prefix("quadlock-")?.split(['.', ' ']).next());
    for name in own {
        let place = match name {
            "hdl-macros" => "hdl/macros/src".to_owned(),
            // Makes the key, not the text.
            "cache" => continue,
            name if root().join("hdl").join(name.trim_start_matches("hdl-")).is_dir() => {
                format!("hdl/{}/src", name.trim_start_matches("hdl-"))
            }
            name => format!("cosim/{name}/src"),
        };
        assert!(PLACES.contains(&place.as_str()), "{place} is in no key: add it in build.rs and here");
    }
}

/// A machine with another value of one parameter, and the value.
pub fn changed(p: &Parameter) -> (String, GpuConfig) {
    let mut config = GpuConfig::default();
    let all = match p.values {
        Values::Range(low, high) | Values::Power(low, high) => vec![low.to_string(), high.to_string()],
        Values::Switch => vec!["on".into(), "off".into()],
        Values::Words(words) => words().iter().map(|w| (*w).to_owned()).collect(),
        Values::Other(_) => vec![if p.key == "fault" { "add-carry" } else { "1" }.to_owned()],
    };
    let value = all.into_iter().find(|v| *v != p.text(&config)).unwrap();
    config.set(if p.key == "core" { "core.0.0.units" } else { p.key }, &value).unwrap();
    (value, config)
}

#[test]
fn every_parameter_and_the_block_are_in_it() {
    let default = GpuConfig::default();
    let mut seen = vec![recipe("quadlock", &default)];
    assert_eq!(recipe("quadlock", &default.clone()), seen[0]);
    seen.push(recipe("lane", &default));
    for p in PARAMETERS {
        let (value, config) = changed(p);
        let key = recipe("quadlock", &config);
        assert!(!seen.contains(&key), "{} = {value}", p.key);
        seen.push(key);
    }
}
