// Properties of the waiting room with the semaphore entity behind it (`hdl/src/semaphore/waiting_room.rs`, SE-12), with 4 semaphores and 4 pool entries. Only the ports are looked at.
//
// The environment is free: any acquires of any threads, legal or not, in any cycle. It keeps an offered message until it is taken. Acknowledgements are always taken, and there are at most RELEASES releases
// in all: each may stop the entity for as long as it walks a list, so the bound grows with them. In `path_passes` semaphore 3 is the watched thread's alone. `start` is 0.
`include "prelude.svh"
// Cycles in which a watched acquire has its effect.
`define WITHIN 20
`ifndef RELEASES
`define RELEASES 1
`endif

module path_proof(
    input clock,
    input in_valid, input [2:0] in_sem, input [1:0] in_thread, input in_auto, input in_suppress, input in_notify,
    input rel_valid, input [2:0] rel_sem, input [1:0] rel_thread,
    input ack_ready,
    input mark
);
    wire in_ready, rel_ready, ack_valid, op_valid, exhausted;
    wire acq_valid, acq_ready, acq_auto, acq_suppress, acq_notify, acq_bare, acq_refused, vacant, emptied;
    wire [15:0] acq_sem, acq_thread, op_sem, op_thread;
    wire [2:0] acq_tag, op_kind;
    waiting_room room(
        .clock(clock), .start(1'b0),
        .in_valid(in_valid), .in_ready(in_ready), .in_sem({13'b0, in_sem}), .in_thread({14'b0, in_thread}),
        .in_auto(in_auto), .in_suppress(in_suppress), .in_notify(in_notify), .in_tag(3'd0),
        .acq_valid(acq_valid), .acq_ready(acq_ready), .acq_sem(acq_sem), .acq_thread(acq_thread), .acq_auto(acq_auto),
        .acq_suppress(acq_suppress), .acq_notify(acq_notify), .acq_tag(acq_tag), .acq_bare(acq_bare),
        .acq_refused(acq_refused), .entry_free(vacant), .emptied(emptied), .exhausted(exhausted)
    );
    semaphore_entity entity(
        .clock(clock), .start(1'b0),
        .acq_valid(acq_valid), .acq_ready(acq_ready), .acq_sem(acq_sem), .acq_thread(acq_thread), .acq_auto(acq_auto),
        .acq_suppress(acq_suppress), .acq_notify(acq_notify), .acq_tag(acq_tag), .acq_bare(acq_bare),
        .acq_refused(acq_refused), .entry_free(vacant), .emptied(emptied),
        .rel_valid(rel_valid), .rel_ready(rel_ready), .rel_sem({13'b0, rel_sem}), .rel_thread({14'b0, rel_thread}),
        .ack_valid(ack_valid), .ack_ready(ack_ready), .op_valid(op_valid), .op_kind(op_kind), .op_sem(op_sem), .op_thread(op_thread)
    );

    // What is offered stays.
    reg in_held = 0, rel_held = 0;
    reg [1:0] releases = 0;
    wire new_release = rel_valid && !rel_held;
    reg [7:0] in_was = 0;
    reg [4:0] rel_was = 0;
    always @(posedge clock) begin
        in_held <= in_valid && !in_ready;
        in_was <= {in_sem, in_thread, in_auto, in_suppress, in_notify};
        rel_held <= rel_valid && !rel_ready;
        rel_was <= {rel_sem, rel_thread};
        releases <= releases + new_release;
    end
    always @* begin
        if (in_held) assume (in_valid && in_was == {in_sem, in_thread, in_auto, in_suppress, in_notify});
        if (rel_held) assume (rel_valid && rel_was == {rel_sem, rel_thread});
        assume (ack_ready);
        assume (!(new_release && releases == `RELEASES));
    end

`ifdef PROPERTY_path_passes
    // The watched acquire: of semaphore 3, with auto-release, by thread 0; nobody else has to do with that semaphore. `age`, bit n: n + 1 cycles have passed since it was offered, without its effect.
    reg watching = 0, seen = 0, waited = 0;
    reg [`WITHIN:0] age = 0;
    wire begins = !seen && in_valid && in_sem == 3;
    wire passes = op_valid && op_sem == 3 && op_kind == 3;
    always @(posedge clock) begin
        seen <= seen || begins;
        age <= {age[`WITHIN - 1:0] & {`WITHIN{!passes}}, begins && !passes};
        if (begins) waited <= exhausted;
    end
    always @* begin
        if (in_valid && in_sem == 3) assume (in_auto && !in_suppress && in_thread == 0 && (!seen || in_held));
        assume (!(rel_valid && rel_sem == 3));
    end
    always @* begin
        assert (!age[`WITHIN]);
        `COVER(passes && waited && exhausted)
    end
`endif

`ifdef PROPERTY_path_arrival
    // Acquires of semaphore 0 have their effect in order of arrival, each once. `mark` chooses two of them, of threads 1 and 2, that no other message of semaphore 0 has.
    reg first = 0, second = 0, first_done = 0, second_done = 0;
    wire taken = in_valid && in_ready && in_sem == 0;
    wire effect = op_valid && op_sem == 0 && (op_kind == 0 || op_kind == 3);
    always @(posedge clock) begin
        if (taken && in_thread == 1) first <= 1;
        if (taken && in_thread == 2) second <= 1;
        if (effect && op_thread == 1) first_done <= 1;
        if (effect && op_thread == 2) second_done <= 1;
    end
    always @* begin
        if (in_valid && in_sem == 0 && in_thread == 1 && !in_held) assume (!first && !second);
        if (in_valid && in_sem == 0 && in_thread == 2 && !in_held) assume (first && !second);
        if (effect && op_thread == 1) assert ((first || taken && in_thread == 1) && !first_done);
        if (effect && op_thread == 2) assert (first_done && (second || taken && in_thread == 2) && !second_done);
        `COVER(second_done && exhausted)
        `COVER(exhausted && first && second && !first_done)
    end
`endif

`ifdef PROPERTY_path_entries
    // Entries are given in order of arrival over all semaphores: of two acquires without auto-release, of threads 1 and 2 and any semaphores, the first one has its entry first.
    reg first = 0, second = 0, first_done = 0;
    wire taken = in_valid && in_ready && in_sem < 3 && !in_auto;
    wire effect = op_valid && op_kind == 0;
    always @(posedge clock) begin
        if (taken && in_thread == 1) first <= 1;
        if (taken && in_thread == 2) second <= 1;
        if (effect && op_thread == 1) first_done <= 1;
    end
    always @* begin
        if (in_valid && in_thread == 1 && !in_held) assume (!first && !in_auto && in_sem < 3);
        if (in_valid && in_thread == 2 && !in_held) assume (first && !second && !in_auto && in_sem < 3);
        if (effect && op_thread == 2) assert (first_done);
        `COVER(effect && op_thread == 2 && exhausted)
    end
`endif
endmodule
