//! The integer side of a lane: comparisons, shifts and bit fields, and the stage that selects and
//! registers the result.

pub mod alu;
pub mod compare;
pub mod shift;

crate::blocks! {
    "integer_alu" "integer/alu.rs" "Alu" "integer stage of a lane" |c| alu::Alu::new(c);
    "compare" "integer/compare.rs" "Compare" "integer and float comparison"
        |c| compare::Compare::new(c);
    "shift" "integer/shift.rs" "Shift" "shifts and bit fields" |_c| shift::Shift::default();
}
