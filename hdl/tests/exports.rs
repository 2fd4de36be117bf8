//! What an export says beside the Verilog: headers, manifest, meanings of ports, sources of
//! modules.

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::{build, export_named, header, FILE_LIST, MANIFEST, TOPS};
use quadlock_hdl::parameters::PARAMETERS;

use crate::recipe::changed;

/// The header is text of its own: each parameter of the table must show in it where it is not
/// the default.
#[test]
fn a_parameter_that_differs_shows_in_the_header() {
    let default = GpuConfig::default();
    for p in PARAMETERS {
        let (value, config) = changed(p);
        assert_ne!(header(&config, None), header(&default, None), "{} = {value}", p.key);
    }
}

/// Who gets a folder must be able to see how it was built.
#[test]
fn every_build_parameter_is_in_the_manifest() {
    let export = build("lutram", &GpuConfig::default()).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&export.files().last().unwrap().1).unwrap();
    let names: Vec<&str> =
        manifest["parameters"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, PARAMETERS.iter().map(|p| p.key).collect::<Vec<_>>());
    assert!(manifest["parameters"].as_array().unwrap().iter().all(|p| p["meaning"] != ""), "{manifest}");
    let header = header(&export.config, None);
    for wanted in ["warp_wide = collective", "warp_wide_result = per-lane"] {
        assert!(header.contains(wanted), "{header}");
    }
}

#[test]
fn identical_modules_are_merged_and_the_text_is_reproducible() {
    let config = GpuConfig::default();
    let text = export_named("shared_storage", &config).unwrap();
    assert_eq!(text, export_named("shared_storage", &config).unwrap());
    let count = |name: &str| text.lines().filter(|l| l.starts_with("module ") && l.contains(name)).count();
    assert_eq!(count("module dff_32("), 1);
    assert_eq!(count("module lutram("), 1);
    assert_eq!(count("module lsa("), 1);
    assert!(text.lines().any(|l| l.starts_with("module shared_storage(")));
    assert_eq!(export_named("quadlok", &config).unwrap_err(), "no block is called `quadlok`; did you mean `quadlock`?");
}

/// Every port of every block that can be exported has a meaning, and the table's row names the
/// struct that it makes.
#[test]
fn every_port_of_every_block_has_a_meaning() {
    let mut missing = Vec::new();
    for (top, _) in TOPS {
        let block = build(top, &GpuConfig::default()).unwrap();
        assert!(!block.ports.is_empty());
        let silent = block.ports.iter().filter(|p| p.meaning.is_empty());
        missing.extend(silent.map(|p| format!("{top}.{}", p.name)));
    }
    assert!(missing.is_empty(), "{} ports without a doc comment: {}", missing.len(), missing.join(" "));
}

#[test]
fn a_folder_has_one_file_per_module_a_list_and_a_manifest() {
    let block = build("lane", &GpuConfig::default()).unwrap();
    let files = block.files();
    assert_eq!(files, build("lane", &GpuConfig::default()).unwrap().files());
    let list = &files.iter().find(|f| f.0 == FILE_LIST).unwrap().1;
    assert_eq!(list.lines().count() + 2, files.len());
    assert_eq!(list.lines().last(), Some("lane.v"));
    for name in list.lines() {
        let text = &files.iter().find(|f| f.0 == name).unwrap().1;
        assert!(text.starts_with("// Quadlock ") && text.contains("\n// rows = 1, cores = 1, units = 2,"), "{name}");
        assert_eq!(text.lines().filter(|l| l.starts_with("module ")).count(), 1, "{name}");
    }
    let manifest: serde_json::Value = serde_json::from_str(&files.iter().find(|f| f.0 == MANIFEST).unwrap().1).unwrap();
    assert_eq!(manifest["top"], "lane");
    let op = &manifest["ports"][1];
    assert_eq!((&op["name"], &op["direction"], &op["width"]), (&"op".into(), &"input".into(), &8.into()));
    assert_eq!(op["meaning"], "Opcode, bits 7:0 of the instruction.");
    let lane = manifest["modules"].as_array().unwrap().last().unwrap();
    assert_eq!((&lane["file"], &lane["source"]), (&"lane.v".into(), &"hdl/src/warp/lane.rs".into()));
    let instances = lane["instances"].as_array().unwrap();
    assert!(instances.iter().any(|i| i["name"] == "alu" && i["module"] == "integer_alu"));
}

#[test]
fn every_module_but_the_flip_flops_has_a_source() {
    let core = build("quadlock", &GpuConfig::default()).unwrap();
    for module in &core.modules {
        assert_eq!(module.source.is_none(), module.name.starts_with("dff_"), "{}", module.name);
    }
}
