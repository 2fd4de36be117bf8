//! Parameters of a machine are set by name, and refused in words.

use quadlock_hdl::config::{GpuConfig, WarpWide, WideLate, WideResult};
use quadlock_hdl::fault::Fault;

#[test]
fn parameters_are_set_by_name() {
    let mut config = GpuConfig::default();
    for (key, value) in
        [("units", "3"), ("icache-lines", "8"), ("shared_words", "64"), ("trace", "off"), ("fault", "add-carry")]
    {
        config.set(key, value).unwrap();
    }
    let fault = Some(Fault::AddCarry);
    let expected = GpuConfig { units: 3, icache_lines: 8, shared_words: 64, trace: false, fault, ..Default::default() };
    assert_eq!(config, expected);
    config.set("fault", "none").unwrap();
    assert_eq!(config.fault, None);
    assert!(config.set("units", "two").unwrap_err().contains("not a whole number"));
    assert_eq!(config.set("unit", "2").unwrap_err(), "there is no parameter `unit`; did you mean `units`?");
    assert!(config.set("trace", "maybe").unwrap_err().contains("on or off"));
    assert!(config.set("bus", "ring").unwrap_err().contains("shared or crossbar"));
    assert!(config.set("fault", "nonsense").unwrap_err().contains("no planted fault"));
}

#[test]
fn the_six_combinations_of_warp_wide_options_are_named() {
    for (execution, name) in WarpWide::ALL {
        for (result, result_name) in WideResult::ALL {
            let mut config = GpuConfig::default();
            config.set("warp-wide", name).unwrap();
            config.set("warp-wide-result", result_name).unwrap();
            assert_eq!((config.warp_wide, config.warp_wide_result), (execution, result));
            assert_eq!((execution.name(), result.name()), (name, result_name));
            config.check().unwrap();
        }
    }
    let default = GpuConfig::default();
    assert_eq!((default.warp_wide, default.warp_wide_result), (WarpWide::Collective, WideResult::PerLane));
    let mut config = default;
    let error = config.set("warp-wide", "on").unwrap_err();
    assert!(error.contains("off, representative, collective, scalar"), "{error}");
    assert!(config.set("warp_wide_result", "lane").unwrap_err().contains("per-lane, shared"));
    assert_eq!(config.warp_wide_late.name(), "again");
    config.set("warp-wide-late", "stored").unwrap();
    assert_eq!(config.warp_wide_late, WideLate::Stored);
    assert!(config.set("warp-wide-late", "once").unwrap_err().contains("again, stored"));
}
