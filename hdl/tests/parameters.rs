//! The table of parameters: each row reads and writes its own field, and every field has a row.

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::parameters::{by_key, grouped, Parameter, Values, PARAMETERS};

/// Values to try, not the default.
fn others(p: &Parameter) -> Vec<String> {
    match p.values {
        Values::Range(low, high) | Values::Power(low, high) => vec![low.to_string(), high.to_string()],
        Values::Switch => vec!["on".into(), "off".into()],
        Values::Words(words) => words().iter().map(|w| (*w).to_owned()).collect(),
        Values::Other(_) => vec![],
    }
}

/// What a setter writes its getter reads, and no other row changes.
#[test]
fn each_row_reads_and_writes_its_own_field() {
    for p in PARAMETERS {
        for value in others(p) {
            let mut config = GpuConfig::default();
            config.set(&p.job_key(), &value).unwrap();
            assert_eq!(p.text(&config), value, "{}", p.key);
            p.check(&config).unwrap();
            for other in PARAMETERS.iter().filter(|o| o.key != p.key) {
                assert_eq!(other.get(&config), other.get(&GpuConfig::default()), "{} of {}", other.key, p.key);
            }
        }
    }
    let mut config = GpuConfig::default();
    config.set("core.0.0.units", "1").unwrap();
    config.set("fault", "add-carry").unwrap();
    let text = |key| by_key(key).unwrap().text(&config);
    assert_eq!((text("core"), text("fault")), ("core.0.0.units=1".into(), "add-carry".into()));
}

#[test]
fn every_row_is_in_one_group() {
    let keys = |rows: &[Parameter]| rows.iter().map(|p| p.key).collect::<Vec<_>>();
    let all: Vec<&str> = grouped().flat_map(|(_, rows)| keys(rows)).collect();
    assert_eq!(all, keys(PARAMETERS));
    assert!(grouped().all(|(_, rows)| !rows.is_empty()));
}

#[test]
fn a_number_outside_its_range_is_refused_with_its_key() {
    for p in PARAMETERS {
        let (Values::Range(low, high) | Values::Power(low, high)) = p.values else { continue };
        for value in [low - 1, high + 1] {
            let mut config = GpuConfig::default();
            config.set(p.key, &value.to_string()).unwrap();
            let error = p.check(&config).unwrap_err();
            assert!(error.contains(&format!("{} = {value}", p.job_key())), "{error}");
        }
    }
    let mut config = GpuConfig::default();
    config.set("semaphores", "48").unwrap();
    assert!(config.check().unwrap_err().contains("semaphores = 48 is not a power of two"));
}

#[test]
fn what_is_not_built_with_bounds_in_memory_is_refused() {
    let with = |settings: &[(&str, &str)]| {
        let mut config = GpuConfig { graphics: true, hi_z_memory: true, ..GpuConfig::default() };
        settings.iter().for_each(|(key, value)| config.set(key, value).unwrap());
        config.check()
    };
    let visibility = ("hi-z", "visibility");
    assert_eq!(with(&[visibility]), Ok(()));
    assert!(with(&[("hi-z", "rasteriser")]).unwrap_err().contains("write hi-z = visibility"));
    for (key, value, built) in
        [("hi-z-update", "back", "forward"), ("hi-z-structures", "two", "one"), ("hi-z-levels", "four", "two")]
    {
        let error = with(&[visibility, (key, value)]).unwrap_err();
        assert!(error.contains(&format!("{key} = {value}: not built; write {key} = {built}")), "{error}");
    }
}
