//! Numbers of units and slots in a machine whose cores differ.

use quadlock_hdl::config::GpuConfig;

fn mixed() -> GpuConfig {
    let mut config = GpuConfig { rows: 2, cores: 2, units: 2, warps: 4, ..GpuConfig::default() };
    for set in ["core.0.1.units=1", "core.0.1.function-unit=off", "core.1.0.warps=2"] {
        let (key, value) = set.split_once('=').unwrap();
        config.set(key, value).unwrap();
    }
    config.check().unwrap();
    config
}

#[test]
fn se_3_units_and_slots_of_a_mixed_machine_are_numbered_core_by_core() {
    let config = mixed();
    assert!(config.is_mixed());
    assert_eq!((config.total_units(), config.total_slots(), config.most_warps()), (7, 24, 4));
    let places: Vec<_> =
        config.unit_places().iter().map(|p| (p.core, p.unit, p.warps, p.first_slot, p.function_unit)).collect();
    assert_eq!(
        places,
        [
            (0, 0, 4, 0, true),
            (0, 1, 4, 4, true),
            (1, 0, 4, 8, false),
            (2, 0, 2, 12, true),
            (2, 1, 2, 14, true),
            (3, 0, 4, 16, true),
            (3, 1, 4, 20, true),
        ]
    );
    assert_eq!([0, 1, 2, 3, 4].map(|c| config.first_unit(c)), [0, 2, 3, 5, 7]);
    assert_eq!([0, 1].map(|r| config.row_units(r)), [3, 4]);
    assert_eq!([0, 2, 3, 6].map(|u| (config.row_of_unit(u), config.core_of_unit(u))), [(0, 0), (0, 1), (1, 2), (1, 3)]);
    assert_eq!(config.differing_text(), "core.0.1.units=1 core.0.1.function_unit=off core.1.0.warps=2");
    let one = config.of_core(1);
    assert_eq!((one.units, one.warps, one.function_unit, one.is_mixed()), (1, 4, false, false));
}

#[test]
fn se_3_a_core_that_cannot_be_is_refused_in_words() {
    let error = |key: &str, value: &str| {
        let mut config = mixed();
        config.set(key, value).and_then(|()| config.check()).unwrap_err()
    };
    assert!(error("core.0.2.units", "1").contains("2 rows of 2 cores"));
    assert!(error("core.0.1.units", "9").contains("out of range: 1 to 8"));
    assert!(error("core.0.1.warps", "1").contains("out of range: 2 to 16"));
    assert!(error("core.0.1.lanes", "1").contains("known: units, warps, function-unit"));
    assert!(error("core.0.units", "1").contains("core.ROW.COLUMN"));
    assert!(error("core.0.x.units", "1").contains("not a row or column"));
    assert!(error("core.0.1.function_unit", "maybe").contains("on or off"));
}

#[test]
fn a_core_that_is_changed_to_what_all_have_makes_no_mixed_machine() {
    let mut config = GpuConfig { cores: 2, ..GpuConfig::default() };
    config.set("core.0.1.units", "2").unwrap();
    assert!(!config.is_mixed());
    config.set("core.0.1.units", "1").unwrap();
    assert!(config.is_mixed());
}
