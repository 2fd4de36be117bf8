//! Views of signals that are given here; views of real traces are in `tests/waves.rs`.

use std::collections::BTreeMap;

use super::*;

fn signal(path: &str, width: u32) -> TracedSignal {
    TracedSignal { path: path.to_owned(), width, enumeration: None }
}

fn view(traced: &Traced, marker: Option<u64>) -> String {
    view_text("x.vcd", traced, &Activity::default(), marker)
}

#[test]
fn a_view_names_only_what_is_there() {
    let mut state = signal("quadlock.cores_0.units_0.scheduler.state.q", 2);
    state.enumeration = Some("State".to_owned());
    let signals = vec![
        signal("quadlock.clock", 1),
        signal("quadlock.time.cycle", 32),
        signal("quadlock.ret_valid_0", 1),
        signal("quadlock.ret_lo_0", 32),
        signal("quadlock.events.retired_0", 9),
        state,
    ];
    let enums = BTreeMap::from([("State".to_owned(), vec!["Idle".into(), "Run".into(), "End".into()])]);
    let text = view(&Traced { signals, enums: enums.clone(), full: None }, Some(12));
    assert!(text.contains("[dumpfile] \"x.vcd\"\n[savefile] \"x.gtkw\"\n"), "{text}");
    assert!(text.contains(" 24 -1"), "{text}");
    assert!(text.contains("@24\n+{cycle} quadlock.time.cycle[31:0]\n@28\nquadlock.clock\n"), "{text}");
    assert!(text.contains("@2022\n^1 retired.txt\n+{retired instruction} quadlock.events.retired_0[8:0]\n"), "{text}");
    let state = "@2028\n^1 state-State.txt\n+{scheduler: state} quadlock.cores_0.units_0.scheduler.state.q[1:0]\n";
    assert!(text.contains(state), "{text}");
    assert!(!text.contains("mret") && !text.contains("-semaphores"));
    let groups = |flags: &[&str]| flags.iter().map(|f| text.matches(f).count()).sum::<usize>();
    assert_eq!(groups(&["@800200\n", "@c00200\n"]), groups(&["@1000200\n", "@1401200\n"]));
    assert_eq!(Table::of_states("State", &enums["State"]).gtkwave(), "00 Idle\n01 Run\n10 End\n");
}

/// GTKWave shows plain numbers in a row that has a translate file where the FST file has names
/// itself.
#[test]
fn rows_of_an_fst_file_use_its_own_names() {
    let signals = vec![
        signal("quadlock.events.operation", 3),
        signal("quadlock.events.operation_entry", 13),
        signal("quadlock.views_0.thread_3", 12),
        signal("quadlock.ret_valid_0", 1),
    ];
    let traced = Traced { signals, ..Traced::default() };
    let text = view_text("x.fst", &traced, &Activity::default(), None);
    for row in [
        "@100000028\n+{operation} quadlock.events.operation[2:0]\n",
        "^1 list-entries.txt\n+{entry} quadlock.events.operation_entry[12:0]\n",
        "^1 threads.txt\n+{unit 0 warp 3} quadlock.views_0.thread_3[11:0]\n",
    ] {
        assert!(text.contains(row), "{row}\n{text}");
    }
    assert!(!text.contains("list-operations.txt") && view(&traced, None).contains("list-operations.txt"));
}

#[test]
fn threads_messages_and_operations_have_names() {
    let mut signals = vec![signal("quadlock.ret_valid_0", 1), signal("quadlock.views_0.thread_3", 12)];
    for k in 0..3 {
        signals.push(signal(&format!("quadlock.bus_body_{k}"), 32));
        signals.push(signal(&format!("quadlock.events.message_{k}_kind"), 3));
        signals.push(signal(&format!("quadlock.events.message_{k}_semaphore"), 12));
    }
    signals.push(signal("quadlock.events.operation", 3));
    let text = view(&Traced { signals, ..Traced::default() }, None);
    for row in [
        "^1 threads.txt\n+{unit 0 warp 3} quadlock.views_0.thread_3[11:0]\n",
        "^1 messages.txt\n+{to entity, acquire: kind} quadlock.events.message_1_kind[2:0]\n",
        "^1 semaphores.txt\n+{to row 0: semaphore} quadlock.events.message_0_semaphore[11:0]\n",
        "@22\nquadlock.bus_body_2[31:0]\n",
        "^1 list-operations.txt\n+{operation} quadlock.events.operation[2:0]\n",
    ] {
        assert!(text.contains(row), "{row}\n{text}");
    }
    assert!(!text.contains("-lists"));
    let threads = Names::ThreadState.table().gtkwave();
    assert_eq!(
        (threads.lines().count(), threads.lines().nth(2 + 17)),
        (1026, Some("811 ?Orange?waits for semaphore 17"))
    );
}

#[test]
fn places_of_lists_have_rows_of_their_own() {
    let mut signals = Vec::new();
    for n in 0..20 {
        signals.push(signal(&format!("quadlock.lists.semaphore_{n}"), 96));
        signals.push(signal(&format!("quadlock.lists.length_{n}"), 13));
    }
    let text = view(&Traced { signals, ..Traced::default() }, None);
    let bits = |from: u32| -> String {
        (from..from + 12).map(|i| format!(" ({i})quadlock.lists.semaphore_3[95:0]")).collect()
    };
    // The owner is in bits 11:0, the last twelve from the left.
    for (name, file, from) in [("owner", "owners", 84), ("next", "entries", 72), ("fourth", "entries", 48)] {
        let row = format!("@2022\n^1 {file}.txt\n#{{semaphore 3: {name}}}{}\n", bits(from));
        assert!(text.contains(&row), "{row}\n{text}");
    }
    assert!(text.contains("@24\n+{semaphore 3: length} quadlock.lists.length_3[12:0]\n"), "{text}");
    assert!(text.contains("semaphore 15: owner") && !text.contains("semaphore 16: owner"));
    let names = Names::Waiting.table().gtkwave();
    assert_eq!(names.lines().count(), 1025);
    for line in
        ["000 -", "814 ?Orange?unit 1 warp 4", "C14 ?DimGray?unit 1 warp 4 (released)", "9FF ?Orange?unit 31 warp 15"]
    {
        assert!(names.lines().any(|l| l == line), "{line}");
    }
}

/// The machines of several cores: units by number, with their core; also where the cores differ.
#[test]
fn units_have_the_scopes_of_their_cores() {
    let mut signals: Vec<TracedSignal> = (0..3).map(|u| signal(&format!("quadlock.ret_valid_{u}"), 1)).collect();
    for (core, unit) in [(0, 0), (1, 0), (1, 1)] {
        signals.push(signal(&format!("quadlock.cores_{core}.units_{unit}.contexts.contexts_0.running.q"), 4));
    }
    let text = view(&Traced { signals, ..Traced::default() }, None);
    for (name, scope) in [("core 0 unit 0", "cores_0.units_0"), ("core 1 unit 2", "cores_1.units_1")] {
        let row = format!("-{name} warp 0: counters and masks\n@28\n+{{running}} quadlock.{scope}.");
        assert!(text.contains(&row), "{row}\n{text}");
    }
}

/// Pairs of groups: who sleeps for whom, and the flips. A machine that only splits has no such row.
#[test]
fn members_say_who_wakes_them() {
    let unit = "quadlock.cores_0.units_1";
    let mut signals = vec![signal("quadlock.ret_valid_0", 1), signal("quadlock.events.triangle", 4)];
    signals.push(signal(&format!("{unit}.contexts.contexts_3.is_asleep_0.q"), 1));
    let text = |signals: &[TracedSignal]| view(&Traced { signals: signals.to_vec(), ..Traced::default() }, None);
    let splits = text(&signals);
    signals.push(signal(&format!("{unit}.contexts.contexts_3.is_both_0.q"), 1));
    signals.push(signal(&format!("{unit}.contexts.contexts_3.woken_by_0.q"), 4));
    signals.push(signal(&format!("{unit}.s2_flip_0.q"), 2));
    signals.push(signal("quadlock.glaunch_flip_0", 2));
    let both = text(&signals);
    for row in [
        "+{core 0 unit 1 slot 3: its program merges and then splits} ",
        "@24\n+{core 0 unit 1 slot 3: slot whose split wakes it, while it is asleep} ",
        "@28\n+{core 0 unit 1 operands: flip: top with bottom, left with right} ",
        "@28\n+{launch: flip: top with bottom, left with right} quadlock.glaunch_flip_0[1:0]\n",
    ] {
        assert!(both.contains(row) && !splits.contains(row), "{row}\n{both}");
    }
    assert!(splits.contains("+{core 0 unit 1 slot 3: asleep until a split} "), "{splits}");
}

/// A number of the state stream is that of a word in either record.
#[test]
fn words_of_records_have_names() {
    let mut signals =
        vec![signal("quadlock.events.triangle", 4), signal("quadlock.graphics_0.streamer.state_valid", 1)];
    signals.push(signal("quadlock.graphics_0.streamer.state_word", 6));
    signals.push(signal("quadlock.graphics_0.geometry.state_word", 6));
    for fst in ["x.vcd", "x.fst"] {
        let text =
            view_text(fst, &Traced { signals: signals.clone(), ..Traced::default() }, &Activity::default(), None);
        for row in [
            "-words of state and pass records\n",
            "^1 state-words.txt\n+{word of a state record} quadlock.graphics_0.streamer.state_word[5:0]\n",
            "^1 pass-words.txt\n+{word of the pass record} quadlock.graphics_0.streamer.state_word[5:0]\n",
        ] {
            assert!(text.contains(row), "{row}\n{text}");
        }
    }
    let of = |names: Names, line: &str| names.table().gtkwave().lines().any(|l| l == line);
    assert!(of(Names::StateWord, "15 STENCIL_FRONT") && of(Names::StateWord, "1E TARGET_BLEND 2"));
    assert!(of(Names::PassWord, "15 DEPTH_FLAGS") && of(Names::PassWord, "07 ?DimGray?no meaning"));
}

/// Surfer's format, read back as its manual says: `Name = `, `Bits = `, then lines of a value with
/// an optional colour, and a text.
#[test]
fn mapping_files_of_surfer_say_what_the_translate_files_say() {
    let colours = ["green", "orange", "gold", "gray", "error"];
    let all = ALL.into_iter().map(Names::table);
    for table in all.chain([Table::of_states("State", &["Idle".to_owned(), "Run".to_owned(), "End".to_owned()])]) {
        let text = table.surfer();
        let mut lines = text.lines();
        assert_eq!(lines.next().and_then(|l| l.strip_prefix("Name = ")), Some(table.title.as_str()));
        let bits: u32 = lines.next().unwrap().strip_prefix("Bits = ").unwrap().parse().unwrap();
        assert_eq!(bits, table.width);
        let radix = if table.binary { 2 } else { 16 };
        for (mapped, translated) in lines.zip(table.gtkwave().lines()) {
            let (key, label) = mapped.split_once(' ').unwrap();
            let (number, colour) = key.split_once('[').map_or((key, None), |(n, c)| (n, c.strip_suffix(']')));
            let value = u64::from_str_radix(number.strip_prefix("0x").unwrap(), 16).unwrap();
            assert!(colour.is_none_or(|c| colours.contains(&c)) && value >> bits == 0 && !label.is_empty(), "{mapped}");
            let (shown, name) = translated.split_once(' ').unwrap();
            assert_eq!(u64::from_str_radix(shown, radix).unwrap(), value);
            assert_eq!(name.rsplit('?').next(), Some(label));
        }
        let mut values: Vec<u64> = table.labels.iter().map(|l| l.0).collect();
        values.sort_unstable();
        assert!(values.windows(2).all(|w| w[0] != w[1]), "{}", table.title);
    }
}
