//! Numbers on the page of limits and in README, beside the tables that they come from.
//!
//! It can be wrong by a number that has no test here: the page says more than these.

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::parameters::{Values, PARAMETERS};
use serde_json::Value;

use crate::root;

/// A page with one space for each run of blanks.
fn page(name: &str) -> String {
    let text = std::fs::read_to_string(root().join(name)).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn json(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(root().join(name)).unwrap()).unwrap()
}

/// 16,384 for 16384.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let commas = |(k, c): (usize, char)| match k > 0 && (digits.len() - k).is_multiple_of(3) {
        true => vec![',', c],
        false => vec![c],
    };
    digits.chars().enumerate().flat_map(commas).collect()
}

#[track_caller]
fn says(name: &str, what: &str) {
    assert!(page(name).contains(what), "{name} does not say `{what}`");
}

#[test]
fn windows_are_those_of_the_parameter() {
    let parameter = PARAMETERS.iter().find(|p| p.key == "tbimr_window").unwrap();
    let Values::Power(_, most) = parameter.values else { panic!("{:?}", parameter.values) };
    let usual = parameter.get(&GpuConfig::default()).as_u64().unwrap();
    let what = format!("sorts up to {} triangles by tile, {} by default", grouped(most as u64), grouped(usual));
    says("docs/limits.md", &what);
}

/// As scripts/area.py counts logic cells.
#[test]
fn shares_of_an_fpga_are_those_of_the_table() {
    let machines = &json("docs/area.json")["machines"];
    let share = |name: &str| {
        let of = |key: &str| machines[name]["flat"][key].as_u64().unwrap();
        (100 * (of("lut4") + 2 * of("carry") + 4 * of("lut_ram")) + 41_820) / 83_640
    };
    says("docs/limits.md", &format!("it needs {} % of the logic cells", share("default")));
    says("docs/limits.md", &format!("needs {} %", share("small with four warps")));
}

#[test]
fn rates_of_geometry_are_those_of_its_page() {
    let table = page("docs/blocks/geometry.md");
    let row = table.split("| strip |").nth(1).unwrap();
    let number = |cell: &str| cell.split_whitespace().next().unwrap().trim_end_matches(".0").to_owned();
    let rates: Vec<String> = row.split('|').take(3).map(number).collect();
    let what = format!("A triangle takes {}, {} or {} cycles in geometry", rates[0], rates[1], rates[2]);
    says("docs/limits.md", &what);
}

#[test]
fn the_time_of_all_checks_is_the_measured_one() {
    let steps = json("docs/times.json")["test"].as_array().unwrap().clone();
    let ends = steps.iter().map(|s| s["begin"].as_f64().unwrap() + s["wall"].as_f64().unwrap());
    let measured = ends.fold(0.0, f64::max) / 60.0;
    let readme = page("README.md");
    let said = readme.split("takes about ").nth(1).and_then(|rest| rest.split_once(" minutes")).unwrap().0;
    let said: f64 = said.parse().unwrap();
    assert!((said - measured).abs() < 5.0, "README says {said} minutes, docs/times.json {measured:.1}");
}

#[test]
fn numbers_are_grouped() {
    assert_eq!([7, 512, 1024, 16_777_216].map(grouped), ["7", "512", "1,024", "16,777,216"]);
}
