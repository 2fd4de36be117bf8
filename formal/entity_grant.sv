// `granted` of the semaphore entity: one arbitrary acquire of one arbitrary semaphore, from the port to its acknowledgement, if owners release. Only the ports are looked at: it is not composed
// of the other properties, and it does not share the ghost list of `entity.sv`, which follows the entity's events.
//
// The environment promises: what is offered stays until it is taken (an acquire for which no entry is free may go); the acknowledgement port is ready in at least every second cycle; the thread at the head of the list of `s` releases. Acquires of
// `s`, by any thread, with or without auto-release and acknowledge-suppress, are as many as the pool has entries; besides, one message of any kind comes at any time: to another semaphore (4 to 7 do not
// exist), or a release of `s` that is not due. `s` is semaphore 1. The list is the specification's (SE-20 to SE-23) of the messages taken so far, as if each had its effect at once. It can be wrong by
// promising a release that no program could send: a thread releases only behind its acknowledgement or, with acknowledge-suppress, behind those before it.
`include "prelude.svh"
// Cycles in which an owner has to offer its release, counted from its acknowledgement; a release port that another message holds is not counted.
`define RELEASE_WITHIN 2
// Cycles in which the acquire is to be acknowledged.
`define WITHIN 36
// Acquires of `s`, and other messages, in all.
`define ACQUIRES 4
`define OTHERS 1

module grant_proof(
    input clock,
    input acq_valid, input [2:0] acq_sem, input [1:0] acq_thread, input acq_auto, input acq_suppress,
    input rel_valid, input [2:0] rel_sem, input [1:0] rel_thread,
    input ack_ready,
    input mark
);
    wire acq_ready, rel_ready, ack_valid, vacant;
    wire exhausted = acq_valid && !vacant;
    wire [15:0] ack_sem, ack_thread;
    semaphore_entity dut(
        .clock(clock), .start(1'b0),
        .acq_valid(acq_valid), .acq_ready(acq_ready), .acq_sem({13'b0, acq_sem}), .acq_thread({14'b0, acq_thread}),
        .acq_auto(acq_auto), .acq_suppress(acq_suppress), .acq_notify(1'b0),
        .acq_tag(3'd0), .acq_bare(1'b0), .entry_free(vacant),
        .rel_valid(rel_valid), .rel_ready(rel_ready), .rel_sem({13'b0, rel_sem}), .rel_thread({14'b0, rel_thread}),
        .ack_valid(ack_valid), .ack_ready(ack_ready), .ack_sem(ack_sem), .ack_thread(ack_thread)
    );
    wire [1:0] s = 2'd1;

    // What is offered stays.
    reg acq_held = 0, rel_held = 0, ack_low = 0;
    reg [6:0] acq_was = 0;
    reg [4:0] rel_was = 0;
    always @(posedge clock) begin
        acq_held <= acq_valid && !acq_ready && vacant;
        acq_was <= {acq_sem, acq_thread, acq_auto, acq_suppress};
        rel_held <= rel_valid && !rel_ready;
        rel_was <= {rel_sem, rel_thread};
        ack_low <= !ack_ready;
    end
    always @* begin
        if (acq_held) assume (acq_valid && acq_was == {acq_sem, acq_thread, acq_auto, acq_suppress});
        if (rel_held) assume (rel_valid && rel_was == {rel_sem, rel_thread});
        if (ack_low) assume (ack_ready);
    end

    wire acq_here = acq_valid && acq_sem == {1'b0, s};
    wire acq_taken = acq_here && acq_ready;
    wire rel_taken = rel_valid && rel_ready && rel_sem == {1'b0, s};
    wire ack_given = ack_valid && ack_ready && ack_sem == {14'b0, s};

    // The list: thread, released (or auto-release), acknowledge-suppress; the head is 0. A release counts for the first entry of its thread that was not released before; a head that is
    // released goes, one in a cycle.
    reg [2:0] qn = 0;
    reg [3:0][1:0] qt = 0;
    reg [3:0] qr = 0, qs = 0;
    wire [3:0] there = {qn > 3, qn > 2, qn > 1, qn > 0};
    wire [3:0] open = there & ~qr & {qt[3] == rel_thread, qt[2] == rel_thread, qt[1] == rel_thread, qt[0] == rel_thread};
    wire [3:0] marked = rel_taken ? open & -open : 4'd0;
    wire pops = there[0] && qr[0];
    wire [2:0] left = qn - pops;
    wire [3:0] released = pops ? (qr | marked) >> 1 : qr | marked;
    wire [3:0] suppressed = pops ? qs >> 1 : qs;
    wire [3:0][1:0] threads = pops ? qt >> 2 : qt;
    genvar i;
    generate for (i = 0; i < 4; i = i + 1) begin : place
        always @(posedge clock) begin
            qt[i] <= acq_taken && left == i ? acq_thread : threads[i];
            qr[i] <= acq_taken && left == i ? acq_auto : released[i];
            qs[i] <= acq_taken && left == i ? acq_suppress : suppressed[i];
        end
    end endgenerate
    always @(posedge clock) qn <= left + acq_taken;

    // Acknowledgements of `s` that are owed, and those of them that are not yet due: of the entries behind the head.
    reg [2:0] owed = 0;
    wire more = acq_taken && !acq_suppress;
    always @(posedge clock) owed <= owed + more - ack_given;
    wire [2:0] not_due = (qn > 1 && !qs[1]) + (qn > 2 && !qs[2]) + (qn > 3 && !qs[3]);

    // Owners release.
    wire owns = there[0] && !qr[0] && owed == not_due;
    wire releases = rel_valid && rel_sem == {1'b0, s} && rel_thread == qt[0];
    reg [1:0] idle = 0;
    wire last_chance = owns && idle == `RELEASE_WITHIN - 1;
    always @(posedge clock) idle <= !owns || releases ? 2'd0 : idle + (!rel_held && !last_chance);
    always @* if (last_chance && !rel_held) assume (releases);

    // Other traffic, legal or not, and acquires of `s`.
    reg [2:0] others = 0;
    wire other_acq = acq_valid && !acq_here && !acq_held;
    wire other_rel = rel_valid && !(owns && releases) && !rel_held;
    always @(posedge clock) others <= others + other_acq + other_rel;
    always @* assume ({1'b0, others} + other_acq + other_rel <= `OTHERS);
    reg [2:0] acquires = 0;
    wire new_acq = acq_here && !acq_held;
    always @(posedge clock) acquires <= acquires + new_acq;
    always @* assume (!(new_acq && acquires == `ACQUIRES));

    // The acquire that is watched: offered at the port while an entry is free, and without acknowledge-suppress. `ahead`: acknowledgements of `s` that come before its own.
    reg seen = 0, watching = 0, inside = 0;
    reg [1:0] watched = 0;
    reg [2:0] ahead = 0, behind = 0;
    // Entries before it when it was taken are `behind`; releases by owners since then.
    reg [1:0] handovers = 0;
    // Bit n: n + 1 cycles have passed since it was offered, without its acknowledgement.
    reg [`WITHIN:0] age = 0;
    wire begins = !seen && acq_here && !acq_suppress && !exhausted && mark;
    wire offered = begins || watching && !inside;
    wire granted = inside && ack_given && ahead == 0 && ack_thread == {14'b0, watched};
    always @(posedge clock) begin
        age <= {age[`WITHIN - 1:0] & {`WITHIN{!granted}}, begins};
        if (begins) begin
            seen <= 1;
            watching <= 1;
        end
        if (inside && rel_taken && owns && marked[0]) handovers <= handovers + 1;
        if (granted) begin
            watching <= 0;
            inside <= 0;
        end
        if (inside && ack_given && ahead != 0) ahead <= ahead - 1;
        if (offered && acq_ready) begin
            inside <= 1;
            watched <= acq_thread;
            ahead <= owed - ack_given;
            behind <= left;
        end
    end

`ifdef PROPERTY_granted
    always @* begin
        assert (!age[`WITHIN]);
        `COVER(granted && behind == 2 && handovers == 2)
        `COVER(granted && behind == 3)
    end
`endif
endmodule
