"""What is proved: per property its name in the Verilog, its statement, and a planted bug in its neighbourhood that has to break it: a fault of `hdl/src/fault.rs` by name, or
a change of one place of the exported text."""

import pathlib
import re

# Cycles as `contract.svh` has them: the longest operation of the entity, by its links; what the entity promises the waiting room; and what follows from that (`room.sv`).
CONTRACT = (pathlib.Path(__file__).parent / "contract.svh").read_text()
LONGEST_DOUBLE, LONGEST = (int(x) for x in re.findall(r"define LONGEST (\d+)", CONTRACT))


def within(longest):
    return 2 * longest + 1, 3 * longest + 4


ENTRY, TRY = within(LONGEST_DOUBLE)
NEW, OLDEST, STEP = 3 + TRY, 4 + ENTRY, 4 + TRY
TAKEN_IN = OLDEST + STEP + NEW


# (name, statement, planted bug in words, name of the fault) or (name, statement, planted bug in words, text, replacement)
def entity(longest):
    soon, answered = within(longest)
    return [
        ("one_owner", "no semaphore has two owners (ACK taken to REL taken)",
         "an acquire of a held semaphore is acknowledged", "sem-two-owners"),
        ("one_list", "every entry is in exactly one list, a semaphore's or the free one",
         "the entry of a list's only thread is not returned", "sem-lost-entry"),
        ("list", "every list operation is the specified one: order of arrival, head only, release status",
         "an acquire with auto-release of a free semaphore keeps it", "sem-auto-kept"),
        ("errors", "protocol errors are flagged, with the reason, exactly when specified, without effect",
         "a release by any thread removes the head", "sem-foreign-release"),
        ("ack_once", "ACK at most once per ACQ, never for a suppressed one",
         "an acknowledgement is sent twice", "sem-double-ack"),
        ("ack_head", "an ACK goes only to a new head, is never lost, and is stable under back-pressure",
         "the old head's thread is acknowledged",
         "ack_thread2 = read_thread;", "ack_thread2 = owner;"),
        ("fifo", "acquires of a semaphore are acknowledged in the order they were taken",
         "an entry is put behind the head, not behind the tail", "sem-fifo-order"),
        ("effect", f"no message taken is lost: it has its effect within {soon} cycles, whatever the stalls",
         "a message is taken while stage 1 is full",
         "room1 = (~v1_q || advance) && ~clearing_q;", "room1 = ~clearing_q;"),
        ("taken", f"a REL at the port is taken within {soon} cycles; an ACQ too, while an entry is free",
         "releases go before acquires, always",
         "turn_d = ~turn_q;", "turn_d = turn_q;"),
        ("completion", "the completion signal comes with the effect of an acquire that wants it, and only then",
         "the completion signal comes when the acquire is taken", "sem-early-done"),
        ("answers", f"a try without an entry is answered within {answered} cycles, refused only for want of an entry; a free entry stays free until it is taken",
         "a try of a semaphore that does not exist is refused",
         "op_entry__next = 12'h3;\n            passed = probe2_q;", "op_entry__next = 12'h3;"),
        ("empties", "a list becomes empty only in a cycle of `emptied`, the signal on which waiting acquires are tried again",
         "`emptied` does not come for a head that goes by itself",
         "emptied = step && pop && single;", "emptied = step && pop && single && ~skip_q;"),
        ("grant", f"within {soon} cycles of an owner's REL the head is removed and the next thread's ACK is made",
         "a successor that was released before gets no ACK",
         "~entries_read_data[32'h11]", "~entries_read_data[32'h11] && ~entries_read_data[32'h10]"),
        ("granted", "a watched ACQ, offered while an entry is free, has its ACK within 36 cycles if owners release",
         "the ACK behind a head that goes by itself is lost",
         "~entries_read_data[32'h11]", "~entries_read_data[32'h11] && ~skip_q"),
    ]


ENTITY, DOUBLE = entity(LONGEST), entity(LONGEST_DOUBLE)

# Bounded: what `start` leaves is not described by the invariants.
START = [
    ("start", "after `start`, whenever it comes, all lists and links are empty before a message is taken",
     "an append in the cycle of `start` is forgotten",
     "(pool_free != pool_size) || v2_q || clearing_q", "(pool_free != pool_size) || clearing_q"),
]

# The waiting room alone, with what the entity promises it (`contract.svh`).
ROOM = [
    ("order", "acquires of a semaphore go to the entity in order of arrival, unchanged, each once",
     "what needs no entry overtakes an acquire of its semaphore", "room-overtake"),
    ("no_loss", "the room is at rest only if every message that it took in has gone to the entity",
     "a message that comes during a round is lost", "room-lost"),
    ("entries", "entries are given in order of arrival, over all semaphores",
     "a message goes straight to the entity although others wait",
     "straight = quiet && ~waiting && ~round_q;", "straight = quiet && (~waiting || entry_free);"),
    ("given", f"while an entry is free the oldest message is offered within {STEP + NEW + 3} cycles",
     "new messages and rounds have their turn before the oldest",
     "choose_oldest = want_oldest;", "choose_oldest = want_oldest && ~want_round;"),
    ("passes", f"a message is taken in within {TAKEN_IN} cycles, and one that may need no entry is tried within {TAKEN_IN + NEW}, whatever waits for one",
     "what needs no entry waits behind what does", "room-blocks"),
    ("retried", f"while the list of its semaphore is empty an acquire with auto-release, first of its semaphore, is tried within 6 steps of rounds, each within {NEW + OLDEST + STEP} cycles",
     "an acquire that waits is not tried again when its semaphore becomes free", "room-asleep"),
    ("refills", f"a room that is full only for gaps, which a round leaves, has a place again within 5 steps of rounds, each within {OLDEST + STEP} cycles",
     "a round does not close its gaps", "tail_d = keep_q;", "tail_d = tail_q;"),
    ("offers", "an offer to the entity stays until it is answered, as the entity asks",
     "a try becomes an acquire for an entry", "acq_bare__next = bare_q;", "acq_bare__next = bare_q && ~entry_free;"),
]

# Bounded: the waiting room with the entity behind it.
PATH = [
    ("path_passes", "an ACQ that needs no entry has its effect within 20 cycles of being offered, with one release at most",
     "what needs no entry waits behind what does", "room-blocks"),
    ("path_arrival", "acquires of a semaphore have their effect in order of arrival, each once",
     "what needs no entry overtakes an acquire of its semaphore", "room-overtake"),
    ("path_entries", "entries are given in order of arrival, over all semaphores",
     "a message goes straight to the entity although others wait",
     "straight = quiet && ~waiting && ~round_q;", "straight = quiet && (~waiting || entry_free);"),
]

BUS = [
    ("no_loss", "a message taken stays at its receiver's port until taken there",
     "a message that arrives as another leaves is lost", "bus-drop"),
    ("no_duplicate", "what a receiver takes was sent to it and not taken before",
     "a message stays after it was taken", "bus-duplicate"),
    ("order", "messages of one sender to one receiver arrive in order, unchanged",
     "a message overtakes the one in the register", "bus-reorder"),
    ("bounded_wait", "a message waits for at most senders - 1 others (crossbar: to its receiver; shared: of all)",
     "the sender of the smallest number always wins", "bus-unfair"),
]
