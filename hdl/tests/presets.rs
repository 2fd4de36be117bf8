//! The table of presets: every row is a legal machine that can be exported, and no row is about the
//! run instead of the machine.

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::build;
use quadlock_hdl::parameters::{by_key, PARAMETERS};
use quadlock_hdl::presets::{by_name, change, markdown, names, Preset, PRESETS};

fn config(preset: &Preset) -> GpuConfig {
    let mut config = GpuConfig::default();
    preset.apply(&mut config).unwrap();
    config
}

#[test]
fn every_preset_is_a_legal_machine_and_exports() {
    for preset in PRESETS {
        let config = config(preset);
        assert_eq!(config.check(), Ok(()), "{}", preset.name);
        let machine = build("quadlock", &config).unwrap();
        assert!(machine.modules.iter().any(|m| m.name == "quadlock"), "{}", preset.name);
    }
}

/// Keys that scripts and pages print are those of jobs, in the order of the parameters, each once.
#[test]
fn the_keys_of_a_preset_are_those_of_jobs_in_order() {
    for preset in PRESETS {
        let at = |key: &str| PARAMETERS.iter().position(|p| p.of_jobs && p.job_key() == key);
        let places: Vec<Option<usize>> = preset.sets.iter().map(|(key, _)| at(key)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted_by(|a, b| a < b), "{}", preset.name);
        assert!(preset.sets.iter().any(|(key, _)| *key == "graphics"), "{}", preset.name);
        let text = |key: &str| by_key(key).unwrap().text(&config(preset));
        assert!(preset.sets.iter().all(|(key, value)| text(key) == *value), "{}", preset.name);
    }
}

#[test]
fn trace_and_faults_are_never_part_of_a_preset() {
    for preset in PRESETS {
        assert!(preset.sets.iter().all(|(key, _)| !["trace", "fault"].contains(key)), "{}", preset.name);
        for trace in [true, false] {
            let mut config = GpuConfig { trace, ..GpuConfig::default() };
            preset.apply(&mut config).unwrap();
            assert!(config.trace == trace && config.fault.is_none(), "{}", preset.name);
        }
    }
}

#[test]
fn presets_are_what_their_names_say() {
    let [small, compute, graphics, full] =
        ["small", "compute", "graphics", "full"].map(|n| config(by_name(n).unwrap()));
    assert_eq!((small.total_units(), small.warps, small.graphics), (1, 2, false));
    assert_eq!((compute.total_units(), compute.warps, compute.graphics), (1, 8, false));
    assert!(compute.semaphores.double_links && compute.semaphores.tail_pointers && compute.semaphores.any_may_release);
    assert!(!graphics.sorts() && !graphics.hides() && !graphics.culls() && !graphics.merges() && !graphics.splits());
    assert!(graphics.graphics && (graphics.blend_lanes, graphics.max_samples, graphics.max_targets) == (1, 1, 1));
    assert!(full.sorts() && full.binner_asks() && full.culls_depth() && full.merges() && full.splits() && full.twins());
}

#[test]
fn keys_win_over_a_preset_wherever_it_stands() {
    let of = |sets: &[&str]| {
        let mut config = GpuConfig::default();
        change(&mut config, sets).map(|()| (config.units, config.warps, config.trace))
    };
    assert_eq!(of(&["preset=small"]), Ok((1, 2, true)));
    assert_eq!(of(&["warps=4", "trace=off", "preset=small"]), Ok((1, 4, false)));
    assert_eq!(of(&["preset=compute", "preset=small"]), Ok((1, 2, true)), "the last one");
    assert!(of(&["preset=small", "units"]).unwrap_err().contains("not KEY=VALUE"));
}

#[test]
fn an_unknown_name_gets_the_likest_one_and_the_list() {
    let error = change(&mut GpuConfig::default(), &["preset=smal"]).unwrap_err();
    assert!(error.starts_with("there is no preset `smal`; did you mean `small`?"), "{error}");
    assert!(names().all(|name| error.contains(name)), "{error}");
    assert!(names().all(|name| markdown().contains(&format!("| `{name}` |"))));
}
