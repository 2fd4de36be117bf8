"""What is proved: per property its name in the Verilog, its statement, and the fault of
`hdl/src/fault.rs` that has to break it.

It can be wrong by a fault far from the property, which shows less: each stands in its
neighbourhood. A name that is not in the table of faults stops `prove.py` before the first proof."""

import pathlib
import re

# Cycles as `contract.svh` has them: the longest operation of the entity, by its links; what the entity promises the waiting room; and what follows from that (`room.sv`).
HERE = pathlib.Path(__file__).parent
CONTRACT = (HERE / "contract.svh").read_text()
LONGEST_DOUBLE, LONGEST = (int(x) for x in re.findall(r"define LONGEST (\d+)", CONTRACT))

# The table of planted faults: name to what is wrong.
FAULTS = dict(re.findall(r'^    \w+ "([^"]+)" "([^"]+)";$', (HERE.parent / "hdl/src/fault.rs").read_text(), re.M))


def within(longest):
    return 2 * longest + 1, 3 * longest + 4


ENTRY, TRY = within(LONGEST_DOUBLE)
NEW, OLDEST, STEP = 3 + TRY, 4 + ENTRY, 4 + TRY
TAKEN_IN = OLDEST + STEP + NEW


# (name, statement, name of the fault)
def entity(longest):
    soon, answered = within(longest)
    return [
        ("one_owner", "no semaphore has two owners (ACK taken to REL taken)",
         "sem-two-owners"),
        ("one_list", "every entry is in exactly one list, a semaphore's or the free one",
         "sem-lost-entry"),
        ("list", "every list operation is the specified one: order of arrival, head only, release status",
         "sem-auto-kept"),
        ("errors", "protocol errors are flagged, with the reason, exactly when specified, without effect",
         "sem-foreign-release"),
        ("ack_once", "ACK at most once per ACQ, never for a suppressed one",
         "sem-double-ack"),
        ("ack_head", "an ACK goes only to a new head, is never lost, and is stable under back-pressure",
         "sem-old-head"),
        ("fifo", "acquires of a semaphore are acknowledged in the order they were taken",
         "sem-fifo-order"),
        ("effect", f"no message taken is lost: it has its effect within {soon} cycles, whatever the stalls",
         "sem-overrun"),
        ("taken", f"a REL at the port is taken within {soon} cycles; an ACQ too, while an entry is free",
         "sem-release-first"),
        ("completion", "the completion signal comes with the effect of an acquire that wants it, and only then",
         "sem-early-done"),
        ("answers", f"a try without an entry is answered within {answered} cycles, refused only for want of an entry; a free entry stays free until it is taken",
         "sem-try-refused"),
        ("empties", "a list becomes empty only in a cycle of `emptied`, the signal on which waiting acquires are tried again",
         "sem-silent-empty"),
        ("grant", f"within {soon} cycles of an owner's REL the head is removed and the next thread's ACK is made",
         "sem-released-ack"),
        ("granted", "a watched ACQ, offered while an entry is free, has its ACK within 36 cycles if owners release",
         "sem-skipped-ack"),
    ]


ENTITY, DOUBLE = entity(LONGEST), entity(LONGEST_DOUBLE)

# Bounded: what `start` leaves is not described by the invariants.
START = [
    ("start", "after `start`, whenever it comes, all lists and links are empty before a message is taken",
     "sem-start-append"),
]

# The waiting room alone, with what the entity promises it (`contract.svh`).
ROOM = [
    ("order", "acquires of a semaphore go to the entity in order of arrival, unchanged, each once",
     "room-overtake"),
    ("no_loss", "the room is at rest only if every message that it took in has gone to the entity",
     "room-lost"),
    ("entries", "entries are given in order of arrival, over all semaphores",
     "room-straight"),
    ("given", f"while an entry is free the oldest message is offered within {STEP + NEW + 3} cycles",
     "room-oldest-last"),
    ("passes", f"a message is taken in within {TAKEN_IN} cycles, and one that may need no entry is tried within {TAKEN_IN + NEW}, whatever waits for one",
     "room-blocks"),
    ("retried", f"while the list of its semaphore is empty an acquire with auto-release, first of its semaphore, is tried within 6 steps of rounds, each within {NEW + OLDEST + STEP} cycles",
     "room-asleep"),
    ("refills", f"a room that is full only for gaps, which a round leaves, has a place again within 5 steps of rounds, each within {OLDEST + STEP} cycles",
     "room-gaps"),
    ("offers", "an offer to the entity stays until it is answered, as the entity asks",
     "room-try-changed"),
]

# Bounded: the waiting room with the entity behind it.
PATH = [
    ("path_passes", "an ACQ that needs no entry has its effect within 20 cycles of being offered, with one release at most",
     "room-blocks"),
    ("path_arrival", "acquires of a semaphore have their effect in order of arrival, each once",
     "room-overtake"),
    ("path_entries", "entries are given in order of arrival, over all semaphores",
     "room-straight"),
]

# Bounded: the result store with any warps.
RESULTS = [
    ("tickets", "quads commit in order of their tickets, each when its lanes have ended, whatever ends first",
     "result-order"),
    ("exports", "a word is taken within 7 cycles and an end within 4, whatever older fragments do",
     "result-waits"),
]

# Bounded: the merge queue, of two quads.
MERGE = [
    ("merge_once", "what goes out is a quad inside, each once, unchanged",
     "merge-place"),
    ("merge_rest", "the queue says that it is idle exactly if no quad is inside: none is lost",
     "merge-full-lost"),
    ("merge_pairs", "members of a pair follow each other, are of one context, tile and kind, both partly covered with a merge point, and share no lane after the flip",
     "merge-overlap"),
    ("merge_order", "no quad goes before one that came to its place earlier and may pair",
     "merge-order"),
    ("merge_waits", "a quad goes out within the limit and 12 cycles in which the output is ready",
     "merge-limit"),
]

# Bounded: the same, with groups of up to four, of three quads.
GROUPS = [
    ("merge_once", "what goes out is a quad inside, each once, unchanged",
     "merge-place"),
    ("merge_rest", "the queue says that it is idle exactly if no quad is inside: none is lost",
     "merge-full-lost"),
    ("merge_groups", "members of a group follow each other, as many as the first one says, and none shares a lane with those before it",
     "group-overlap"),
]

# Bounded: the queue of a machine in which quads merge and then split, of quads of two samples.
BOTH = [
    ("both_once", "each sample that goes out is one inside, once, of an unchanged quad that has come whole",
     "merge-place"),
    ("both_samples", "all samples of a quad go out one after the other, in order, each with its own depth",
     "twin-depth"),
    ("both_rest", "the queue says that it is idle exactly if no sample is inside: none is lost",
     "merge-full-lost"),
    ("both_pairs", "all of one member goes before all of the other; both are of one context, partly covered with both points, and share no lane after the flip",
     "merge-overlap"),
    ("both_order", "no quad goes before one that came to its place earlier and may pair",
     "merge-order"),
    ("both_waits", "all samples of a quad go out within the limit and 16 cycles in which the output is ready",
     "merge-limit"),
]

# The test of a group of 8 by 8 pixels.
HIDE = [
    ("hide_earlier", "a group is hidden only if each sample within the bound fails its depth test, for every plane, function and place",
     "hi-z-held"),
    ("hide_ahead", "a group is hidden by what may come later only if each sample is strictly behind, in one opaque run",
     "hi-z-corner"),
]

# The test of a triangle in a tile.
TILE = [
    ("tile_behind", "a triangle is hidden in a tile only if it is opaque and strictly behind the bound, of its run and direction, of every group that its box meets there",
     "tile-test-group"),
]

# Bounded: the filter of quads.
FILTER = [
    ("filter_stays", "a quad that goes is dropped whole and each sample that it covers is strictly behind its bound; all others and ends come out whole, in order, unchanged",
     "filter-level"),
    ("filter_dones", "a `done` is told once, when all quads before it have gone or were dropped; none is lost",
     "filter-done"),
]

# What Hi-Z knows.
HI_Z = [
    ("hi_z_bounds", "a bound of a group, a quad or a pixel is never nearer than the depth buffer, for any draws in any order; its run is that of the last change",
     "hi-z-unknown"),
    ("hi_z_seen", "a beat with a sample that passes its test is seen, for every depth function",
     "hi-z-uncovered"),
]

# What is known of written depths.
BACK = [
    ("back_bounds", "a bound of written depths is never nearer than what was written, and no update is lost",
     "back-row"),
]

# Counts of references of geometry's vertices.
REFERENCES = [
    ("references_held", "an entry that is offered, kept or becomes free is held by nobody",
     "geometry-free-early"),
    ("references_free", "an entry that nobody holds is free again two cycles later, in the queue once; those that are taken are counted",
     "number-stale"),
]

BUS = [
    ("no_loss", "a message taken stays at its receiver's port until taken there",
     "bus-drop"),
    ("no_duplicate", "what a receiver takes was sent to it and not taken before",
     "bus-duplicate"),
    ("order", "messages of one sender to one receiver arrive in order, unchanged",
     "bus-reorder"),
    ("bounded_wait", "a message waits for at most senders - 1 others (crossbar: to its receiver; shared: of all)",
     "bus-unfair"),
]
