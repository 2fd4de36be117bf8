//! The table of planted faults of RTL and model: for each the checker that has to find it, and the
//! programs that show it. Each fault is a test of its own, named after it.
//!
//! The programs also run without a fault and must pass, so that it is the fault that is found. That
//! is one test for each part of the table, since faults share programs.

use super::programs::{grid, one_warp, two_warps, Program};
use super::{check, check_alone, passes, programs, threads, wide};

/// `fault => finder, programs;` with the fault's name in snake case. Makes the tests.
macro_rules! faults {
    ($part:ident, $layer:literal, $check:ident: $($fault:ident => $finder:literal, $programs:expr;)+) => {
        pub mod $part {
            use super::*;

            /// The names of the faults on the command line.
            pub fn names() -> Vec<String> {
                [$(stringify!($fault)),+].map(|name| format!("{}:{}", $layer, name.replace('_', "-"))).into()
            }

            $(
                #[test]
                fn $fault() {
                    let name = format!("{}:{}", $layer, stringify!($fault).replace('_', "-"));
                    for program in $programs {
                        $check(&name, $finder, &program);
                    }
                }
            )+

            #[test]
            fn programs_pass_without_a_fault() {
                let mut programs: Vec<Program> = Vec::new();
                $(for program in $programs {
                    if !programs.contains(&program) {
                        programs.push(program);
                    }
                })+
                programs.iter().for_each(passes);
            }
        }
    };
}

faults! { core, "rtl", check:
    fma_rounding => "retire", [one_warp(programs::FMA_TIE)];
    fma_sticky => "retire", [one_warp(programs::FMA_STICKY)];
    add_carry => "retire", [one_warp(programs::ADD_CARRY)];
    convert_saturate => "retire", [one_warp(programs::CONVERT)];
    signed_compare => "retire", [one_warp(programs::SIGNED_COMPARE)];
    integral_tie => "retire", [one_warp(programs::INTEGRAL_TIE)];
    f16_subnormal => "retire", [one_warp(programs::F16_SUBNORMAL)];
    nan_sign => "retire", [one_warp(programs::NAN_SIGN)];
    encode_tie => "retire", [one_warp(programs::ENCODE_TIE)];
    subnormal_shift => "retire", [one_warp(programs::SUBNORMAL_SHIFT)];
    divide_sticky => "retire", [one_warp(programs::DIVIDE_STICKY)];
    divide_subnormal => "retire", [one_warp(programs::DIVIDE_SUBNORMAL)];
    sqrt_rounding => "retire", [one_warp(programs::SQRT_ROUNDING)];
    range_reduction => "retire", [one_warp(programs::RANGE_REDUCTION)];
    table_line => "retire", [one_warp(programs::TABLE_LINE)];
    function_rounding => "retire", [one_warp(programs::FUNCTION_ROUNDING)];
    write_mask => "retire", [one_warp(programs::WRITE_MASK)];
    stale_operand => "retire", [one_warp(programs::STALE_OPERAND)];
    branch_mask => "retire", [one_warp(programs::BRANCH_MASK)];
    lowest_pc => "retire", [one_warp(programs::LOWEST_PC)];
    barrier_early => "barrier", [two_warps(programs::BARRIER)];
    stale_bypass => "retire", [one_warp(programs::BYPASS)];
    wide_destination => "retire", [one_warp(programs::WIDE_LOAD)];
    coalesce_line => "memory", [one_warp(programs::NEIGHBOUR_LINES)];
    drop_response => "hang", [one_warp(programs::MANY_LOADS)];
    store_mask => "memory", [one_warp(programs::STORE_16)];
    sign_extend => "retire", [one_warp(programs::LOAD_S8)];
    atomic_lost_lane => "memory", [one_warp(programs::ATOMIC)];
    dispatch_skip => "launch", [grid(programs::PLAIN, [3, 2, 1], 4)];
    dispatch_twice => "launch", [grid(programs::PLAIN, [2, 1, 1], 8)];
}

// Threads and semaphores.
faults! { thread, "rtl", check:
    wait_ignored => "wait", [threads::chain()];
    ack_lost => "wait", [threads::chain()];
    ack_any_warp => "wait", [threads::chain()];
    sem_two_owners => "semaphore", [threads::chain()];
    sem_fifo_order => "semaphore", [threads::chain()];
    sem_double_ack => "semaphore", [threads::chain()];
    bus_duplicate => "semaphore", [threads::chain()];
    auto_lost => "semaphore", [threads::associative()];
    message_lane => "semaphore", [threads::lanes()];
    sem_suppress_ignored => "semaphore", [threads::fan()];
    row_wrong_unit => "semaphore", [threads::associative_of_cores()];
    lock_ignored => "memory", [threads::contended()];
    ack_wrong_core => "semaphore", [threads::chain_of_cores()];
    dispatch_thread_early => "semaphore", [threads::fan()];
    dispatch_sem_early => "semaphore", [threads::chain()];
    dispatch_slot_twice => "launch", [threads::short()];
    dispatch_wait_count => "launch", [threads::fan()];
    dispatch_record_skip => "launch", [threads::fan()];
    dispatch_end_lost => "hang", [threads::short()];
    row_lost_end => "hang", [threads::short()];
    free_while_waiting => "wait", [threads::ends()];
    sem_auto_kept => "semaphore", [threads::passes()];
    sem_foreign_release => "semaphore", [threads::fan()];
    sem_early_done => "semaphore", [threads::fan()];
    sem_old_head => "semaphore", [threads::chain()];
    sem_released_ack => "semaphore", [threads::fan()];
    sem_skipped_ack => "semaphore", [threads::fan()];
    bus_drop => "semaphore", [threads::associative_of_cores()];
    bus_reorder => "semaphore", [threads::associative_of_cores()];
    release_early => "retire", [threads::fan()];
}

// Operations executed once for a warp, in global memory and in shared storage (WW-26); late lanes
// (WW-27).
faults! { warp_wide, "rtl", check:
    wide_twice => "retire", [wide::full(), wide::shared_full()];
    wide_not_broadcast => "warp-wide", [wide::represented(), wide::shared_represented()];
    wide_mask_stuck => "hang", [wide::represented(), wide::shared_represented()];
    scalar_wrong_warp => "memory", [wide::scalar()];
    shared_stale => "retire", [wide::overwritten(), wide::shared_overwritten()];
    reduce_inactive => "retire", [wide::across()];
    lock_foreign => "warp-wide", [wide::lock(), wide::shared_lock()];
    wide_inactive => "warp-wide", wide::executions(wide::partial).into_iter().chain(wide::executions(wide::shared_partial));
    wide_old_value => "retire", wide::executions(wide::partial).into_iter().chain(wide::executions(wide::shared_partial));
    wide_lock_steals => "warp-wide", wide::executions(wide::lock).into_iter().chain(wide::executions(wide::shared_lock));
    late_again => "warp-wide", wide::late();
    late_lanes => "warp-wide", wide::late();
    late_foreign => "warp-wide", wide::late_turns();
    late_met => "warp-wide", wide::late_met();
    late_turn => "warp-wide", wide::late_turn();
    late_memory => "retire", wide::late();
}

faults! { model, "model", check:
    fmin_nan => "retire", [one_warp(programs::FMIN_NAN)];
    shift_mask => "retire", [one_warp(programs::SHIFT)];
    sub_word_sign => "retire", [one_warp(programs::LOAD_S8)];
    sbfe_zero => "retire", [one_warp(programs::SBFE)];
    fma_twice => "retire", [one_warp(programs::FMA_ONCE)];
    atomic_order => "retire", [one_warp(programs::ATOMIC)];
    store_lowest => "retire", [one_warp(programs::OVERLAP)];
    wide_every_lane => "retire", [wide::full()];
    wide_leader => "memory", [wide::partial()];
    scan_inclusive => "retire", [wide::across()];
    sem_fifo_order => "semaphore", [threads::chain()];
    sem_release_head_only => "semaphore", [threads::fan()];
    wait_skipped => "wait", [threads::chain()];
}

// In lockstep the model takes the machine's order, and a barrier that it opens too early shows
// nowhere: the model alone has to give other memory than the machine.
faults! { model_alone, "model", check_alone:
    barrier_early => "output", [two_warps(programs::BARRIER_STORED)];
}
