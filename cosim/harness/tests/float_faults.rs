//! Planted faults of the float unit that `float-check` must find at level 1, each in the operation
//! named beside it, and which it must not report in a sound machine.

use quadlock::check::float::cases::Level;
use quadlock::check::float::engine::EngineName;
use quadlock::check::float::op::FloatOp;
use quadlock::check::float::plan::Plan;
use quadlock::check::float::report::Row;
use quadlock::check::float::run::{check, Settings};
use quadlock::simulate::AnyFault;

/// (fault, operation that shows it).
const FAULTS: &[(&str, &str)] = &[
    ("rtl:fma-rounding", "FFMA"),
    ("rtl:fma-rounding", "FADD"),
    ("rtl:fma-sticky", "FFMA"),
    ("rtl:convert-saturate", "F2I"),
    ("rtl:convert-saturate", "F2U"),
    ("rtl:integral-tie", "FRNE"),
    ("rtl:f16-subnormal", "PK.F16"),
    ("rtl:nan-sign", "FADD"),
    ("rtl:encode-tie", "F2SN.8"),
    ("rtl:encode-tie", "F2SN.16"),
    ("rtl:subnormal-shift", "FMUL"),
    ("rtl:divide-sticky", "FDIV"),
    ("rtl:divide-subnormal", "FDIV"),
    ("rtl:sqrt-rounding", "FSQRT"),
    ("rtl:range-reduction", "FSIN"),
    ("rtl:range-reduction", "FCOS"),
    ("rtl:table-line", "FRCP"),
    ("rtl:table-line", "FLOG2"),
    ("rtl:function-rounding", "FEXP2"),
    ("rtl:function-rounding", "FRSQ"),
    ("model:fmin-nan", "FMIN"),
    ("model:fmin-nan", "FMAX"),
    ("model:fma-twice", "FFMA"),
    ("model:fma-twice", "FNMA"),
];

fn run(op: &str, engine: EngineName, fault: Option<AnyFault>, jobs: usize) -> Row {
    let mut settings = Settings { engines: vec![engine], jobs, ..Settings::default() };
    match fault {
        Some(AnyFault::Rtl(f)) => settings.rtl_fault = Some(f),
        Some(AnyFault::Model(f)) => settings.model_fault = Some(f),
        _ => {}
    }
    let plan = Plan::of(FloatOp::by_name(op).unwrap(), Level::One, settings.seed);
    check(&[plan], &settings, |_, _| ()).unwrap().remove(0)
}

#[test]
fn every_fault_is_found_in_its_operation() {
    for (name, op) in FAULTS {
        let engine = if name.starts_with("rtl:") { EngineName::Rtl } else { EngineName::Golden };
        let sound = run(op, engine, None, 2);
        assert_eq!(sound.differences, 0, "{op} without a fault: {:?}", sound.examples);
        let row = run(op, engine, Some(name.parse().unwrap()), 2);
        assert!(row.differences > 0 && !row.examples.is_empty(), "{name} is not found in {op}");
        assert_eq!(row.vectors, sound.vectors);
    }
}

#[test]
fn what_is_found_does_not_depend_on_the_workers() {
    let fault = "rtl:fma-rounding".parse().ok();
    let rows = [1, 3].map(|jobs| run("FMUL", EngineName::Rtl, fault, jobs));
    assert!(rows[0].differences > 0);
    assert_eq!(rows[0].differences, rows[1].differences);
    assert_eq!((rows[0].max_ulp, &rows[0].examples), (rows[1].max_ulp, &rows[1].examples));
}
