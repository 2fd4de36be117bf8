//! One verdict on every engine (WW-28, SE-25): lockstep, the RTL alone on both of its simulators,
//! and the model alone say the same of a program, with the same place in the source. The jobs of
//! `tests/verdicts` are correct programs that use lock words without owners, and wrong ones that
//! end in a hang.

use std::path::Path;

use quadlock::job::program::{self, CompilerOptions};
use quadlock::job::{Job, Size};
use quadlock::lockstep::{Options, Quiet};
use quadlock::report::{Report, Verdict};
use quadlock::simulate::{self, Simulator};
use quadlock_hdl::config::WarpWide;

/// Lockstep, rtlsim, rust-hdl's engine, the model.
const ENGINES: [&str; 4] = ["lockstep", "rtlsim", "rust-hdl", "golden"];

/// Runs a job on an engine, with `edit` on its text.
fn run(name: &str, engine: &str, edit: &dyn Fn(String) -> String) -> Report {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/verdicts/{name}.toml"));
    let text = edit(std::fs::read_to_string(&path).unwrap());
    let job = Job::parse(&path, text, Size::Whole).unwrap();
    let config = job.config(None, None).unwrap();
    let compiler = CompilerOptions { warp_wide: config.warp_wide != WarpWide::Off, ..CompilerOptions::default() };
    let prepared = job.prepare(&program::of_job(&job, &compiler).unwrap(), &config).unwrap();
    let (memory, limits) = (job.spec.memory, job.spec.limits);
    let options = Options { config, memory, limits, model: engine == "lockstep", model_fault: None };
    let simulator = if engine == "rust-hdl" { Simulator::RustHdl } else { Simulator::Rtlsim };
    let mut done = match engine {
        "golden" => simulate::golden(&prepared.launch, &options),
        _ => simulate::rtl_on(simulator, &prepared.launch, &options, &mut Quiet).unwrap(),
    };
    if done.report.hang.is_none() {
        for wrong in prepared.compare(&done.image) {
            done.report.problem(Verdict::WrongOutput, wrong);
        }
    }
    done.report
}

fn on_every_engine(name: &str, edit: &dyn Fn(String) -> String, judge: impl Fn(&str, &Report)) {
    for engine in ENGINES {
        let report = run(name, engine, edit);
        assert!(report.mismatches.is_empty(), "{engine}:\n{}", report.text());
        judge(engine, &report);
    }
}

/// With a rule for all words of the buffer `lock` or `flag`.
fn declared(rule: &str) -> impl Fn(String) -> String + '_ {
    move |text| {
        let at = text.find("from = ").unwrap();
        format!("{}locks = {rule}\n{}", &text[..at], &text[at..])
    }
}

#[test]
fn ww_28_a_mailbox_of_two_lock_words_is_a_correct_program() {
    on_every_engine("mailbox", &|text| text, |engine, report| {
        assert_eq!(report.verdict, Verdict::Pass, "{engine}:\n{}", report.text());
        let [warning] = report.warnings.as_slice() else { panic!("{engine}: {:?}", report.warnings) };
        assert!(warning.contains("lock(s) given back by another warp than took them"), "{warning}");
        for words in
            ["unit 1 warp 0 pc ", "mailbox.wgsl:", "releases the lock at 0x00001", "`lock` word ", "unit 0 warp 0"]
        {
            assert!(warning.contains(words), "{engine}: {words}: {warning}");
        }
        // Twelve times taken, on two words, by one warp each.
        assert_eq!(report.lock_handovers, Some(0), "{engine}");
    });
    on_every_engine("mailbox", &declared("\"any\""), |engine, report| {
        assert!(report.passed() && report.warnings.is_empty(), "{engine}:\n{}", report.text());
    });
}

#[test]
fn ww_28_a_lock_that_the_job_declares_as_owned_is_not_anybodys() {
    for rule in ["\"owned\"", "{ rule = \"owned\", first = 8, count = 1 }"] {
        on_every_engine("mailbox", &declared(rule), |engine, report| {
            assert_eq!(report.verdict, Verdict::ProtocolError, "{engine}:\n{}", report.text());
            let problem = &report.problems[0];
            // Of all words the first is the one that the consumer gives back; of the other word,
            // the producer's.
            let unit = if rule.contains("first") { 0 } else { 1 };
            let first = format!("lock(s) released by another warp; the first: unit {unit} warp 0 pc ");
            assert!(problem.contains(&first), "{problem}");
            assert!(problem.contains("mailbox.wgsl:"), "{problem}");
            assert!(!rule.contains("first") || problem.starts_with("5 lock"), "{problem}");
        });
    }
}

/// Also without the lock form: what exchanges 0 for 1 takes a declared lock.
#[test]
fn ww_28_a_declaration_holds_on_a_machine_without_the_lock_form() {
    let off = |text: String| declared("\"owned\"")(text).replace("[machine]", "[machine]\nwarp-wide = \"off\"");
    for engine in ["lockstep", "rtlsim", "golden"] {
        let report = run("mailbox", engine, &off);
        assert_eq!(report.verdict, Verdict::ProtocolError, "{engine}:\n{}", report.text());
    }
}

#[test]
fn ww_28_a_flag_that_an_exchange_raises_is_no_lock() {
    on_every_engine("flag", &|text| text, |engine, report| {
        assert!(report.passed() && report.warnings.is_empty(), "{engine}:\n{}", report.text());
        assert_eq!(report.lock_handovers, Some(0), "{engine}");
    });
    on_every_engine("flag", &declared("\"owned\""), |engine, report| {
        assert_eq!(report.verdict, Verdict::ProtocolError, "{engine}:\n{}", report.text());
        assert!(report.problems[0].starts_with("1 lock(s) released by another warp"), "{:?}", report.problems);
    });
}

/// A lock word may hold its owner's number: to a declared word 0 is free and all else is taken.
#[test]
fn ww_28_a_declared_lock_may_be_taken_with_any_number() {
    let (store, exchange, steal, each_its_own) = (0, 1, 2, 3);
    for what in [store, exchange, steal, each_its_own] {
        let rules = ["\"owned\"", "\"any\""];
        for rule in &rules[..1 + usize::from(what == steal)] {
            let edit = |text: String| declared(rule)(text).replace("values = [0,", &format!("values = [{what},"));
            on_every_engine("numbered", &edit, |engine, report| {
                let case = format!("{what}, {rule} on {engine}:\n{}", report.text());
                if what == each_its_own || rule.contains("any") {
                    assert!(report.passed() && report.warnings.is_empty(), "{case}");
                    assert_eq!(report.lock_handovers, Some(u64::from(what == each_its_own)), "{case}");
                    return;
                }
                assert_eq!(report.verdict, Verdict::ProtocolError, "{case}");
                let does =
                    if what == steal { "writes 0x9 to the lock at 0x00001" } else { "releases the lock at 0x00001" };
                let line = ["20", "21", "22"][what];
                for words in [
                    "1 lock(s) released by another warp; the first: unit 1 warp 0 pc ",
                    &format!("numbered.wgsl:{line}:"),
                    does,
                    "`owner` word 0",
                    "which unit 0 warp 0 owns since pc ",
                    "numbered.wgsl:17:",
                ] {
                    assert!(report.problems[0].contains(words), "{words}: {case}");
                }
            });
        }
    }
}

#[test]
fn ww_28_words_that_are_no_locks_have_no_hand_overs() {
    for engine in ["lockstep", "rtlsim", "golden"] {
        assert_eq!(run("bits", engine, &|text| text).lock_handovers, Some(0), "{engine}");
        let declared = run("bits", engine, &declared("\"any\""));
        assert!(declared.passed() && declared.lock_handovers > Some(0), "{engine}:\n{}", declared.text());
    }
}

#[test]
fn ww_28_a_warp_that_waits_for_itself_is_warned_of_and_the_hang_says_so() {
    for engine in ["lockstep", "rtlsim", "golden"] {
        let report = run("branches", engine, &|text| text);
        assert_eq!(report.verdict, Verdict::Hang, "{engine}:\n{}", report.text());
        let warning = report.warnings.iter().find(|w| w.contains("branches.wgsl:7:")).unwrap();
        assert!(warning.contains("the warp waits for itself"), "{warning}");
        let hang = report.hang.as_ref().unwrap();
        let text = hang.to_string();
        assert!(text.contains("the warp waits for itself: it has the lock at 0x00001"), "{engine}: {text}");
        assert!(text.contains("branches.wgsl:7:"), "{text}");
        if engine != "rtlsim" {
            let owner = hang.spinning[0].owner.as_ref().unwrap();
            assert!(owner.itself && owner.address == hang.spinning[0].addresses[0], "{owner:?}");
        }
    }
}

/// An acquire of a semaphore that does not exist is never acknowledged: that is what is wrong, and
/// the hang is what followed.
#[test]
fn se_25_a_semaphore_that_does_not_exist_is_a_protocol_error_on_every_engine() {
    on_every_engine("no-such-semaphore", &|text| text, |engine, report| {
        assert_eq!(report.verdict, Verdict::ProtocolError, "{engine}:\n{}", report.text());
        let problem = &report.problems[0];
        assert!(problem.starts_with("2 semaphore protocol error(s); the first: unit "), "{engine}: {problem}");
        assert!(problem.contains("no-such-semaphore.wgsl:7:23) acquires semaphore 64: there is no such"), "{problem}");
        assert!(report.hang.is_some() && report.text().contains("what followed: hang: "), "{}", report.text());
    });
    // A double release, one of a semaphore never acquired, a large id, and one kept: the thread
    // goes on, or nobody hears of it.
    for (what, line) in [(1, "8:"), (2, "9:"), (3, "10:"), (4, "11:"), (5, "12:")] {
        let edit = |text: String| text.replace("values = [0]", &format!("values = [{what}]"));
        for engine in ["lockstep", "rtlsim", "golden"] {
            let report = run("no-such-semaphore", engine, &edit);
            assert_eq!(report.verdict, Verdict::ProtocolError, "{what} on {engine}:\n{}", report.text());
            let place = format!("no-such-semaphore.wgsl:{line}");
            let at = if what == 3 { "ended without releasing a semaphore" } else { &place };
            assert!(report.problems[0].contains(at), "{what} on {engine}: {:?}", report.problems);
        }
    }
}

/// The place of a waiting thread is its wait, and that of an owner that waits too.
#[test]
fn a_hang_names_the_statement_that_a_thread_waits_in() {
    for engine in ["lockstep", "golden"] {
        let text = run("self", engine, &|text| text).hang.unwrap().to_string();
        assert!(text.contains("waits for semaphore 0, which it owns itself"), "{engine}: {text}");
        assert!(text.contains("lane 0 waits at pc ") && text.contains("self.wgsl:8:5"), "{engine}: {text}");
        assert!(!text.contains("self.wgsl:9:"), "{engine}: {text}");
        let text = run("abba", engine, &|text| text).hang.unwrap().to_string();
        assert_eq!(text.matches("abba.wgsl:9:5").count(), 2 * 5, "{engine}: {text}");
        assert!(!text.contains("abba.wgsl:10:"), "{engine}: {text}");
        let text = run("barrier", engine, &|text| text).hang.unwrap().to_string();
        assert_eq!(text.matches("is blocked at the barrier at pc ").count(), 4, "{engine}: {text}");
        assert_eq!(text.matches("barrier.wgsl:7:5").count(), 4, "{engine}: {text}");
        assert!(!text.contains("barrier.wgsl:8:"), "{engine}: {text}");
    }
    let text = run("self", "rtlsim", &|text| text).hang.unwrap().to_string();
    assert!(text.contains("waits since cycle") && text.contains("self.wgsl:8:5"), "{text}");
}
