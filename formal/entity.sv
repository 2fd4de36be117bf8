// Properties of the semaphore entity (`hdl/src/semaphore/entity.rs`), proved on its exported Verilog with 4 semaphores and 4 pool entries. One property per run: the macro
// PROPERTY_name selects its assertions and its covers. What is asserted of ONE arbitrary semaphore `s` (a constant the solver chooses), thread or entry holds for all of them.
//
// The environment is free: any message in any cycle, to semaphores 0 to 7 (4 to 7 do not exist), by threads 0 to 3, legal or not, and any stall of the acknowledgements. It
// only keeps an offered message until it is taken, as ready/valid asks. `start` is 0: the lists are empty at power-up. Upper bits of the ids are constants. An acquire
// that is refused may be replaced, and one that may take an entry may be withdrawn while none is free. The waiting room does not ask for more (`room.sv`, `offers`).
//
// The ghost keeps the list of `s` as the specification says it (SE-20 to SE-25), from the messages at the ports and the event port `op`. It can be wrong by following the
// entity instead of the specification, so only `op_valid` (when) is taken from it; what the operation must be is calculated.
// A situation that has to be reached. The driver turns it into an assertion that must fail.
`include "prelude.svh"
`include "contract.svh"

module entity_proof(
    input clock,
    input acq_valid, input [2:0] acq_sem, input [1:0] acq_thread, input acq_auto, input acq_suppress, input acq_notify, input acq_bare,
    input rel_valid, input [2:0] rel_sem, input [1:0] rel_thread,
    input ack_ready,
    input mark
);
`ifndef OPTION_B
`define OPTION_B 1
`endif
// An acquire walks the list to find its end: there are no tail pointers.
`ifndef WALKS
`define WALKS 0
`endif
    // The entity.
    wire acq_ready, acq_refused, vacant, emptied, rel_ready, ack_valid, op_valid, busy, active, done_valid;
    wire [15:0] ack_sem, ack_thread, op_sem, op_thread;
    wire [2:0] op_kind;
    wire [11:0] op_entry;
    semaphore_entity dut(
        .clock(clock), .start(1'b0),
        .acq_valid(acq_valid), .acq_ready(acq_ready), .acq_sem({13'b0, acq_sem}), .acq_thread({14'b0, acq_thread}),
        .acq_auto(acq_auto), .acq_suppress(acq_suppress), .acq_notify(acq_notify),
        .acq_tag(3'd0), .acq_bare(acq_bare), .acq_refused(acq_refused), .entry_free(vacant), .emptied(emptied),
        .rel_valid(rel_valid), .rel_ready(rel_ready), .rel_sem({13'b0, rel_sem}), .rel_thread({14'b0, rel_thread}),
        .ack_valid(ack_valid), .ack_ready(ack_ready), .ack_sem(ack_sem), .ack_thread(ack_thread),
        .op_valid(op_valid), .op_kind(op_kind), .op_sem(op_sem), .op_thread(op_thread), .op_entry(op_entry),
        .busy(busy), .active(active), .done_valid(done_valid)
    );
    // An acquire that must take no entry waits for none.
    wire exhausted = acq_valid && !acq_bare && !vacant;
    // An acquire that was tried without an entry has its effect, and is taken, in this cycle.
    (* hierconn, inside *) wire \dut.passed ;
    wire passed = \dut.passed ;

    (* anyconst *) reg [1:0] s;

    reg started = 0;
    always @(posedge clock) started <= 1;

    // Ready/valid: what is offered stays, until it is taken or refused. What waits for an entry may go.
    reg acq_held = 0, rel_held = 0, bare_was = 0;
    reg [7:0] acq_was = 0;
    reg [4:0] rel_was = 0;
    always @(posedge clock) begin
        acq_held <= acq_valid && !acq_ready && !acq_refused && (acq_bare || vacant);
        bare_was <= acq_bare;
        acq_was <= {acq_sem, acq_thread, acq_auto, acq_suppress, acq_notify};
        rel_held <= rel_valid && !rel_ready;
        rel_was <= {rel_sem, rel_thread};
    end
    always @* begin
        if (acq_held) assume (acq_valid && acq_bare == bare_was && acq_was == {acq_sem, acq_thread, acq_auto, acq_suppress, acq_notify});
        if (rel_held) assume (rel_valid && rel_was == {rel_sem, rel_thread});
    end

    // Messages of `s`.
    wire acq_taken = acq_valid && acq_ready && acq_sem == {1'b0, s};
    wire rel_taken = rel_valid && rel_ready && rel_sem == {1'b0, s};
    wire ack_given = ack_valid && ack_ready && ack_sem == {14'b0, s};
    wire op = op_valid && op_sem == {14'b0, s};
    wire enters = (acq_taken && !passed) || rel_taken;

    // Messages of `s` that are inside and have had no effect yet, the oldest is f0: {release, thread, auto, suppress}; n0: it wants
    // the completion signal.
    reg [1:0] fn = 0;
    reg [4:0] f0 = 0, f1 = 0;
    reg n0 = 0, n1 = 0;
    // The list of `s`, the head is 0.
    reg [2:0] qn = 0;
    reg [1:0] qt0 = 0, qt1 = 0, qt2 = 0, qt3 = 0;
    reg [1:0] qe0 = 0, qe1 = 0, qe2 = 0, qe3 = 0;
    reg [3:0] qr = 0, qs = 0;

    // The specification: the head goes on its own when it was released before; else the oldest message has its effect.
    wire skipping = qn != 0 && qr[0];
    wire [4:0] m = passed ? {1'b0, acq_thread, acq_auto, acq_suppress} : f0;
    wire m_notify = passed ? acq_notify : n0;
    wire m_release = m[4];
    wire [1:0] m_thread = m[3:2];
    wire m_auto = m[1];
    wire m_suppress = m[0];
    wire has_message = passed || fn != 0;
    wire at0 = qn > 0 && qt0 == m_thread;
    wire at1 = qn > 1 && qt1 == m_thread;
    wire at2 = qn > 2 && qt2 == m_thread;
    wire at3 = qn > 3 && qt3 == m_thread;
    wire open1 = at1 && !qr[1];
    wire open2 = at2 && !qr[2];
    wire open3 = at3 && !qr[3];
    wire [2:0] want_kind =
        skipping ? 3'd1 :
        m_release ? (at0 ? 3'd1 : `OPTION_B && (open1 || open2 || open3) ? 3'd2 : 3'd4) :
        qn == 0 && m_auto ? 3'd3 : 3'd0;
    wire [1:0] want_thread = want_kind == 1 ? qt0 : m_thread;
    // Reasons of protocol errors: 1 not in the list (option A: not the owner), 2 released before.
    wire [1:0] want_reason = `OPTION_B && (at1 || at2 || at3) ? 2'd2 : 2'd1;
    wire removes = want_kind == 1;
    wire appends = want_kind == 0;
    wire marks = want_kind == 2;
`ifdef DOUBLE_LINKS
    wire mark3 = marks && open3, mark2 = marks && !mark3 && open2, mark1 = marks && !mark3 && !mark2;
`else
    wire mark1 = marks && open1, mark2 = marks && !mark1 && open2, mark3 = marks && !mark1 && !mark2;
`endif
    wire [1:0] want_entry = removes ? qe0 : mark1 ? qe1 : mark2 ? qe2 : qe3;
    // ACK_MSG: to a new head unless it suppresses it.
    wire want_ack = removes ? qn > 1 && !qs[1] : (want_kind == 3 || appends && qn == 0) && !m_suppress;
    wire [1:0] want_ack_thread = removes ? qt1 : m_thread;

    // Acknowledgements of `s` that are due, the oldest is a0.
    reg [1:0] an = 0;
    reg [1:0] a0 = 0, a1 = 0;

    wire f_pop = op && !skipping && !passed;
    wire a_push = op && want_ack;
    always @(posedge clock) begin
        if (f_pop) begin
            f0 <= f1;
            n0 <= n1;
            fn <= fn - 1;
        end
        if (enters) begin
            fn <= fn + 1 - f_pop;
            if (fn - f_pop == 0) f0 <= rel_taken ? {1'b1, rel_thread, 2'b0} : {1'b0, acq_thread, acq_auto, acq_suppress};
            if (fn - f_pop == 1) f1 <= rel_taken ? {1'b1, rel_thread, 2'b0} : {1'b0, acq_thread, acq_auto, acq_suppress};
        end
        if (enters && fn - f_pop == 0) n0 <= !rel_taken && acq_notify;
        if (enters && fn - f_pop == 1) n1 <= !rel_taken && acq_notify;
        if (op && removes) begin
            qn <= qn - 1;
            {qt0, qt1, qt2} <= {qt1, qt2, qt3};
            {qe0, qe1, qe2} <= {qe1, qe2, qe3};
            qr <= {1'b0, qr[3:1]};
            qs <= {1'b0, qs[3:1]};
        end
        if (op && marks) qr <= qr | {mark3, mark2, mark1, 1'b0};
        if (op && appends) begin
            qn <= qn + 1;
            if (qn == 0) begin qt0 <= m_thread; qe0 <= op_entry[1:0]; qr[0] <= m_auto; qs[0] <= m_suppress; end
            if (qn == 1) begin qt1 <= m_thread; qe1 <= op_entry[1:0]; qr[1] <= m_auto; qs[1] <= m_suppress; end
            if (qn == 2) begin qt2 <= m_thread; qe2 <= op_entry[1:0]; qr[2] <= m_auto; qs[2] <= m_suppress; end
            if (qn == 3) begin qt3 <= m_thread; qe3 <= op_entry[1:0]; qr[3] <= m_auto; qs[3] <= m_suppress; end
        end
        if (ack_given) begin
            a0 <= a1;
            an <= an - 1;
        end
        if (a_push) begin
            an <= an + 1 - ack_given;
            if (an - ack_given == 0) a0 <= want_ack_thread;
            if (an - ack_given == 1) a1 <= want_ack_thread;
        end
    end

`include "entity_inside.svh"

    // Steps that the message in stage 2 needs at most: a search and a chain of released heads take one per entry.
    wire [2:0] length2 = length[sem2[1:0]];
`ifdef DOUBLE_LINKS
    wire [2:0] searches2 = walk ? place_rank + 3'd1 : length2 + !skip;
`else
    wire [2:0] searches2 = walk ? length2 - {1'b0, place_rank} : length2;
`endif
    wire [2:0] steps2 = (release2 || skip || `WALKS && !probe2) && exists2 && nonempty2 ? searches2 : 3'd1;
    // Cycles until stage 1 is free, at most.
    wire [2:0] until_room = v1 && v2 ? steps2 : 3'd0;
    // While two acknowledgements wait for their receiver nothing is promised; such cycles are not counted.
    wire counted = !ack1;

`ifdef PROPERTY_list
    // SE-20 to SE-25: every operation on a list is what the specification makes of the oldest message and the list; nothing happens without a message.
    always @* if (op && want_kind != 4) begin
        assert (skipping || has_message);
        assert (op_kind == want_kind);
        assert (op_thread == {14'b0, want_thread});
        if (removes || marks) assert (op_entry == {10'b0, want_entry});
        if (appends) assert (qn != 4);
    end
    always @* begin
        `COVER(qn == 4 && qr[3:1] == 3'b111)
        `COVER(op && (mark2 || !`OPTION_B) && qn == 4)
        `COVER(op && want_kind == 3 && passed)
        `COVER(skipping && qn == 3)
    end
`endif

`ifdef PROPERTY_errors
    // SE-25: a message without a right to its effect is flagged, with the reason, and nothing else is.
    always @* if (op && (want_kind == 4 || op_kind == 4)) begin
        assert (want_kind == 4 && op_kind == 4);
        assert (op_thread == {14'b0, m_thread} && op_entry == {10'b0, want_reason});
    end
    always @* if (op_valid && op_sem >= 4) assert (op_kind == 4 && op_entry == 3);
    always @* begin
        `COVER(op && want_kind == 4 && (want_reason == 2 || !`OPTION_B) && qn == 3)
        `COVER(op && want_kind == 4 && want_reason == 1 && qn == 3)
        `COVER(op_valid && op_sem >= 4 && passed)
    end
`endif

`ifdef PROPERTY_one_owner
    // With ACS and RLS (no auto-release, no suppress; who releases is an owner) a semaphore never has two owners. An owner is a thread from its ACK_MSG
    // taken at the port to its REL_MSG taken there.
    reg [3:0] owns = 0;
    always @(posedge clock) begin
        if (rel_taken) owns[rel_thread] <= 0;
        if (ack_given) owns[ack_thread[1:0]] <= 1;
    end
    always @* begin
        if (acq_valid && acq_sem == {1'b0, s}) assume (!acq_auto && !acq_suppress);
        if (rel_valid && rel_sem == {1'b0, s}) assume (owns[rel_thread]);
        assert ((owns & (owns - 4'd1)) == 0);
        if (ack_given) assert (owns == 0);
        `COVER(owns != 0 && qn == 4)
    end
    always @(posedge clock) begin
        `COVER(ack_given && $past(rel_taken, 4))
    end
`ifdef INVARIANTS
    wire release0 = fn > 0 && f0[4], release1_in = fn > 1 && f1[4];
    always @* begin
        assert (qr == 0 && qs == 0);
        if (fn > 0 && !f0[4]) assert (f0[1:0] == 0);
        if (fn > 1 && !f1[4]) assert (f1[1:0] == 0);
        // The head's thread owns it, or is about to be told, or has just released: one of them.
        assert ({2'b0, owns != 0} + (an != 0) + release0 + release1_in == (qn != 0));
        assert (an < 2);
        if (owns != 0) assert (owns[qt0]);
        if (an != 0) assert (a0 == qt0);
        if (release0) assert (f0[3:2] == qt0);
        if (release1_in) assert (f1[3:2] == qt0);
    end
`endif
`endif

`ifdef PROPERTY_one_list
    // SE-10: every entry is in one list, a semaphore's or the free one, as head pointers and links in the RAMs tell.
    wire [3:0][3:0] members;
    genvar w;
    generate for (w = 0; w < 4; w = w + 1) begin : walked
        wire [1:0] e0 = table_a[w][13:12], e1 = links[e0][1:0], e2 = links[e1][1:0], e3 = links[e2][1:0];
        wire n0 = table_a[w][25], n1 = n0 && links[e0][12], n2 = n1 && links[e1][12], n3 = n2 && links[e2][12];
        assign members[w] = (n0 ? 4'd1 << e0 : 4'd0) | (n1 ? 4'd1 << e1 : 4'd0) | (n2 ? 4'd1 << e2 : 4'd0) | (n3 ? 4'd1 << e3 : 4'd0);
        always @* begin
            // It ends: no entry comes twice.
            if (n3) assert (!links[e3][12]);
        end
    end endgenerate
    wire [3:0] never_used = 4'hf << fresh[2:0];
    wire [1:0] r0 = at_head, r1 = at_head + 2'd1, r2 = at_head + 2'd2, r3 = at_head + 2'd3;
    wire [3:0] returned = (ringed > 0 ? 4'd1 << ring[r0][1:0] : 4'd0) | (ringed > 1 ? 4'd1 << ring[r1][1:0] : 4'd0)
        | (ringed > 2 ? 4'd1 << ring[r2][1:0] : 4'd0) | (ringed > 3 ? 4'd1 << ring[r3][1:0] : 4'd0);
    wire [5:0][3:0] lists = {never_used, returned, members};
    genvar x, y;
    generate for (x = 0; x < 6; x = x + 1) begin : list_x
        for (y = 0; y < x; y = y + 1) begin : list_y
            always @* assert ((lists[x] & lists[y]) == 0);
        end
    end endgenerate
    always @* begin
        assert ((lists[0] | lists[1] | lists[2] | lists[3] | lists[4] | lists[5]) == 4'hf);
        `COVER(members[0] != 0 && members[1] != 0 && members[2] != 0 && returned != 0 && fresh == 4)
        `COVER(members[0] == 4'hf)
        `COVER(returned == 4'hf)
    end
`endif

`ifdef PROPERTY_ack_once
    // SE-21, SE-23: an ACQ_MSG without suppress is acknowledged once, others never. `owed`: acquires of one arbitrary thread without ACK_MSG so far.
    (* anyconst *) reg [1:0] t;
    reg [2:0] owed = 0;
    wire owed_more = acq_taken && acq_thread == t && !acq_suppress;
    wire owed_less = ack_given && ack_thread == {14'b0, t};
    always @(posedge clock) owed <= owed + owed_more - owed_less;
    always @* begin
        if (owed_less) assert (owed != 0);
        assert (!(owed == 7 && owed_more));
        `COVER(owed == 4)
    end
    always @(posedge clock) begin
        `COVER(owed_less && owed == 1 && $past(op))
    end
`ifdef INVARIANTS
    always @* assert (owed == (fn > 0 && f0[4:2] == {1'b0, t} && !f0[0]) + (fn > 1 && f1[4:2] == {1'b0, t} && !f1[0])
        + (qn > 1 && qt1 == t && !qs[1]) + (qn > 2 && qt2 == t && !qs[2]) + (qn > 3 && qt3 == t && !qs[3])
        + (an > 0 && a0 == t) + (an > 1 && a1 == t));
`endif
`endif

`ifdef PROPERTY_ack_head
    // SE-23, SE-42: an ACK_MSG goes to a thread because it became the head (or would have, with auto-release on an empty list), in that order, and stays until it is taken.
    reg ack_held = 0;
    reg [31:0] ack_was = 0;
    always @(posedge clock) begin
        ack_held <= ack_valid && !ack_ready;
        ack_was <= {ack_sem, ack_thread};
    end
    always @* begin
        if (ack_valid && ack_sem == {14'b0, s}) assert (an != 0 && ack_thread == {14'b0, a0});
        if (an != 0) assert (ack_valid);
        if (an == 2) assert (ack_sem == {14'b0, s});
        if (ack_held) assert (ack_valid && ack_was == {ack_sem, ack_thread});
        `COVER(an == 2 && a0 != a1)
    end
    always @(posedge clock) begin
        `COVER(ack_held && an == 1 && $past(ack_held, 2))
    end
`ifdef INVARIANTS
    always @* if (ack_held) assert (ack0 && ack_was == {ack0_data[15:0], ack0_data[31:16]});
`endif
`endif

`ifdef PROPERTY_fifo
    // SE-40: first come, first served. One arbitrary acquire without suppress is watched from the port; `ahead` acknowledgements of `s` come before its own, and then its own.
    reg watching = 0;
    reg [1:0] watched = 0;
    reg [2:0] ahead = 0, owed_all = 0;
    wire more = acq_taken && !acq_suppress;
    always @(posedge clock) begin
        owed_all <= owed_all + more - ack_given;
        if (watching && ack_given) begin
            ahead <= ahead - 1;
            watching <= ahead != 0;
        end
        if (!watching && more && mark) begin
            watching <= 1;
            watched <= acq_thread;
            ahead <= owed_all - ack_given;
        end
    end
    always @* begin
        if (watching && ack_given && ahead == 0) assert (ack_thread == {14'b0, watched});
        `COVER(watching && ahead == 3)
    end
    always @(posedge clock) begin
        `COVER(watching && ahead == 0 && ack_given && $past(ahead, 5) == 2 && $past(watching, 5))
    end
`ifdef INVARIANTS
    // The acknowledgements that are owed, in their order: at the port, behind the head, inside the pipeline.
    wire [6:0] there = {fn > 1 && !f1[4] && !f1[0], fn > 0 && !f0[4] && !f0[0], qn > 3 && !qs[3], qn > 2 && !qs[2], qn > 1 && !qs[1], an > 1, an > 0};
    wire [6:0][1:0] who = {f1[3:2], f0[3:2], qt3, qt2, qt1, a1, a0};
    wire [6:0][2:0] place_of;
    wire [6:0] is_it;
    genvar z;
    generate for (z = 0; z < 7; z = z + 1) begin : owed_item
        if (z == 0) assign place_of[z] = 0;
        else assign place_of[z] = place_of[z - 1] + there[z - 1];
        assign is_it[z] = there[z] && place_of[z] == ahead && who[z] == watched;
    end endgenerate
    always @* begin
        assert (owed_all == place_of[6] + there[6]);
        if (watching) assert (is_it != 0);
    end
`endif
`endif

`ifdef PROPERTY_effect
    // Nothing is lost inside: every message taken has its effect within ENTRY_WITHIN counted cycles, whatever the receivers' stalls. Ages of f0 and f1.
    reg [3:0] age0 = 0, age1 = 0;
    always @(posedge clock) begin
        age0 <= age0 + counted;
        age1 <= age1 + counted;
        if (f_pop) age0 <= age1 + counted;
        if (enters && fn - f_pop == 0) age0 <= 0;
        if (enters && fn - f_pop == 1) age1 <= 0;
    end
    always @* begin
        if (fn > 0) assert (age0 < `ENTRY_WITHIN);
        if (fn > 1) assert (age1 < `ENTRY_WITHIN);
        if (enters && fn == 2) assert (f_pop);
        `COVER(fn > 0 && age0 == 5)
        `COVER(fn == 2 && ack1 && !ack_ready)
    end
`ifdef INVARIANTS
    always @* begin
        if (inside2) assert (age0 + steps2 <= `ENTRY_WITHIN);
        if (inside1) assert ((inside2 ? age1 : age0) + (v2 ? steps2 : 3'd0) + `LONGEST + 1 <= `ENTRY_WITHIN);
    end
`endif
`endif

`ifdef PROPERTY_taken
    // Nothing waits for ever at the ports: a REL_MSG is taken after at most ENTRY_WITHIN counted cycles of waiting; an ACQ_MSG that may take an entry too, counted while one is not in use or reserved.
    // An ACQ_MSG waits for an entry only if there is none: then releases, which wait for no entry, make one free.
    reg [3:0] waits_r = 0, waits_a = 0;
    wire entry_free = free > {10'b0, reserved};
    wire trying = v1 && probe1 || v2 && probe2;
    always @(posedge clock) begin
        waits_r <= rel_valid && !rel_ready ? waits_r + counted : 4'd0;
        waits_a <= acq_valid && !acq_ready ? waits_a + (counted && entry_free && !acq_bare && !trying) : 4'd0;
    end
    always @* begin
        assert (waits_r <= `ENTRY_WITHIN);
        assert (waits_a <= `ENTRY_WITHIN);
        assert (vacant == entry_free);
        `COVER(waits_r == 3)
        `COVER(waits_a == 2)
        `COVER(exhausted && rel_taken)
    end
`ifdef INVARIANTS
    (* hierconn, inside *) wire \dut.turn_q ;
    wire turn = \dut.turn_q ;
    always @* begin
        if (rel_held) assert (waits_r + until_room + (turn ? `LONGEST + 1 : 0) <= `ENTRY_WITHIN); else assert (waits_r == 0);
        if (acq_held && waits_a != 0) assert (entry_free && !bare_was && !trying && waits_a + until_room + (turn ? 0 : `LONGEST + 1) <= `ENTRY_WITHIN);
        if (!acq_held) assert (waits_a == 0);
    end
`endif
`endif

`ifdef PROPERTY_answers
    // What the waiting room is promised, with `taken` and `empties`. A try is answered within TRY_WITHIN counted cycles of waiting, in one way; it is refused only if the semaphore exists and an entry is
    // needed. An entry that is free stays so until an acquire is taken that may need it.
    reg [4:0] waits_b = 0;
    reg vacant_was = 0;
    always @(posedge clock) begin
        waits_b <= acq_valid && acq_bare && !acq_ready && !acq_refused ? waits_b + counted : 5'd0;
        vacant_was <= vacant && !(acq_valid && acq_ready && !acq_bare);
    end
    always @* begin
        assert (waits_b <= `TRY_WITHIN);
        if (acq_ready) assert (acq_valid);
        if (acq_refused) assert (acq_valid && acq_bare && !acq_ready && acq_sem < 4);
        if (acq_refused && acq_sem == {1'b0, s}) assert (qn != 0 || !acq_auto);
        if (vacant_was) assert (vacant);
        `COVER(acq_refused && waits_b == 6 && qn == 2)
        `COVER(passed && waits_b == 6)
    end
`ifdef INVARIANTS
    (* hierconn, inside *) wire \dut.turn_q ;
    wire turn = \dut.turn_q ;
    wire [4:0] steps_before = v2 ? {2'b0, steps2} : 5'd0;
    always @* begin
        if (waits_b != 0) assert (acq_held && bare_was);
        if (v2 && probe2) assert (waits_b + 5'd1 <= `TRY_WITHIN);
        else if (v1 && probe1) assert (waits_b + steps_before + 5'd2 <= `TRY_WITHIN);
        else if (waits_b != 0) assert (waits_b + until_room + (turn ? 0 : `LONGEST + 1) + `LONGEST + 3 <= `TRY_WITHIN);
    end
`endif
`endif

`ifdef PROPERTY_empties
    // That the list of `s` is empty and will be when the acquires inside have had their effect: a try with auto-release is not refused then. It becomes so only in a cycle of `emptied`.
    wire blocked = qn != 0 || fn > 0 && !f0[4] && !f0[1] || fn > 1 && !f1[4] && !f1[1];
    reg blocked_was = 0, emptied_was = 0, must_block = 0, skipped = 0;
    always @(posedge clock) begin
        blocked_was <= blocked;
        emptied_was <= emptied;
        skipped <= skipping;
        must_block <= acq_taken && !acq_bare && !acq_auto;
    end
    always @* begin
        if (acq_refused && acq_auto && acq_sem == {1'b0, s}) assert (blocked);
        if (blocked_was && !emptied_was) assert (blocked);
        if (must_block) assert (blocked);
        `COVER(blocked_was && !blocked && skipped)
        `COVER(acq_refused && acq_auto && acq_sem == {1'b0, s} && blocked_was)
    end
`endif

`ifdef PROPERTY_completion
    // SE-43: the completion signal comes in the cycle in which an acquire that wants it has its effect, protocol errors included, and in no other. With `effect` it always comes.
    always @* begin
        if (op_sem == {14'b0, s}) assert (done_valid == (op && !skipping && !m_release && m_notify));
        if (done_valid) assert (op_valid);
        `COVER(op && done_valid && want_kind == 0 && qn == 3)
        `COVER(op && done_valid && passed)
        `COVER(done_valid && op_sem >= 4)
    end
`endif

`ifdef PROPERTY_grant
    // A release by the owner hands over: within ENTRY_WITHIN counted cycles of the REL_MSG taken the head is removed, and in that cycle the next thread's acknowledgement is made (unless it
    // suppresses it). `handing`: the owner's release is inside. With `taken`, `effect` and `fifo`: an ACQ_MSG with p entries before it is granted after p removals.
    reg handing = 0;
    reg [3:0] since = 0;
    wire owner_releases = rel_taken && qn != 0 && rel_thread == qt0 && fn == 0 && !skipping;
    always @(posedge clock) begin
        since <= since + counted;
        if (owner_releases && !handing) begin
            handing <= 1;
            since <= 0;
        end
        if (handing && op && removes) handing <= 0;
    end
    reg handed = 0;
    reg [1:0] heir = 0;
    always @(posedge clock) begin
        handed <= handing && op && removes && qn > 1 && !qs[1];
        heir <= qt1;
    end
    always @* begin
        if (handing) assert (since < `ENTRY_WITHIN);
        if (handing && op) assert (op_kind == 1);
        if (handed) assert (ack_valid && an != 0 && (an == 2 ? a1 == heir : a0 == heir));
        `COVER(handed && an == 2)
        `COVER(handing && since == 3)
    end
`ifdef INVARIANTS
    always @* if (handing) begin
        assert (fn != 0 && f0[4] && f0[3:2] == qt0 && qn != 0 && !skipping);
        if (inside2) assert (since + steps2 <= `ENTRY_WITHIN);
        else assert (since + (v2 ? steps2 : 3'd0) + `LONGEST + 1 <= `ENTRY_WITHIN);
    end
    always @* if (handed) assert (an != 0 && (an == 2 ? a1 == heir : a0 == heir));
`endif
`endif

`include "entity_invariants.svh"
endmodule
