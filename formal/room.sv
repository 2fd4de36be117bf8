// Properties of the waiting room (`hdl/src/semaphore/waiting_room.rs`, SE-12), without bound, with 4 places and 4 semaphores. The entity behind it is not there: what it promises at its port is assumed here
// (CONTRACT) and asserted of the entity in `entity.sv` (`answers`, `empties`, `taken`); what the room promises the entity is asserted here (`offers`) and assumed there. No promise
// of either side in a cycle leans on one of the other side in the same cycle, so the two together are a proof about both.
//
// The environment is free: any acquires of any threads, legal or not (semaphores 4 to 7 do not exist), in any cycle. It keeps an offered message until it is taken. `start` is 0. The room is smaller than any that
// is built, which has a place for all messages that can be on their way: here it may be full, and then messages wait at the port. Times count no cycle in which the entity stands still because
// two acknowledgements wait for their receiver (`stalled`).
//
// The ghost is the list of the messages inside in order of arrival, by the ports alone. It can be wrong by a contract that is stronger than the entity: each line of it names its proof.
`include "prelude.svh"
`define PLACES 4
// What the entity promises, in counted cycles that an offer may wait: a try, and an acquire for which an entry is free. As in `entity.sv`, with the links that are slowest.
`define DOUBLE_LINKS
`include "contract.svh"
// Situations and planted bugs are searched with a faster entity, which this one may be too; the bounds that follow are shorter.
`ifdef QUICK
`undef TRY_WITHIN
`undef ENTRY_WITHIN
`define TRY_WITHIN 2
`define ENTRY_WITHIN 2
`endif
// Counted cycles of a step at most: a new message is judged and tried; the oldest is read, judged and offered; a step of a round is read, judged, tried.
`define NEW (3 + `TRY_WITHIN)
`define OLDEST (4 + `ENTRY_WITHIN)
`define STEP (4 + `TRY_WITHIN)
// What is promised: cycles until a message is taken in, and until it has been tried.
`define TAKEN_IN (`OLDEST + `STEP + `NEW)
`define PASSED (`TAKEN_IN + `NEW)

module room_proof(
    input clock,
    input in_valid, input [2:0] in_sem, input [1:0] in_thread, input in_auto, input in_suppress, input in_notify, input [2:0] in_tag,
    input acq_ready, input acq_refused, input vacant, input emptied,
    input stalled, input blocked
);
    wire in_ready, acq_valid, acq_auto, acq_suppress, acq_notify, acq_bare, exhausted, active;
    wire [15:0] acq_sem, acq_thread;
    wire [2:0] acq_tag;
    waiting_room dut(
        .clock(clock), .start(1'b0),
        .in_valid(in_valid), .in_ready(in_ready), .in_sem({13'b0, in_sem}), .in_thread({14'b0, in_thread}),
        .in_auto(in_auto), .in_suppress(in_suppress), .in_notify(in_notify), .in_tag(in_tag),
        .acq_valid(acq_valid), .acq_ready(acq_ready), .acq_sem(acq_sem), .acq_thread(acq_thread), .acq_auto(acq_auto),
        .acq_suppress(acq_suppress), .acq_notify(acq_notify), .acq_tag(acq_tag), .acq_bare(acq_bare),
        .acq_refused(acq_refused), .entry_free(vacant), .emptied(emptied), .exhausted(exhausted), .active(active)
    );
    // One arbitrary semaphore.
    (* anyconst *) reg [1:0] s;

    // What is offered to the room stays.
    reg in_held = 0;
    reg [10:0] in_was = 0;
    wire [10:0] in_word = {in_sem, in_thread, in_auto, in_suppress, in_notify, in_tag};
    always @(posedge clock) begin
        in_held <= in_valid && !in_ready;
        in_was <= in_word;
    end
    always @* if (in_held) assume (in_valid && in_was == in_word);

    // CONTRACT of the entity.
    reg [4:0] tried = 0, waits = 0;
    reg vacant_was = 0, blocked_was = 0, emptied_was = 0, must_block = 0;
    wire takes_entry = acq_valid && acq_ready && !acq_bare;
    always @(posedge clock) begin
        tried <= acq_valid && acq_bare && !acq_ready && !acq_refused ? tried + !stalled : 5'd0;
        waits <= acq_valid && !acq_bare && !acq_ready ? waits + (!stalled && vacant) : 5'd0;
        vacant_was <= vacant && !takes_entry;
        blocked_was <= blocked;
        emptied_was <= emptied;
        must_block <= takes_entry && !acq_auto && acq_sem == {14'b0, s};
    end
    // `answers`: a try is answered in time, in one way; it is refused only if the semaphore exists.
    wire answers = tried <= `TRY_WITHIN && (!acq_ready || acq_valid)
        && (!acq_refused || acq_valid && acq_bare && !acq_ready && acq_sem < 4);
    // `answers`: an entry that is free stays so until an acquire is taken that may need it.
    wire keeps = !vacant_was || vacant;
    // `taken`: an acquire is taken in time while an entry is free.
    wire takes_it = waits <= `ENTRY_WITHIN;
    // `empties`: `blocked` is that the list of `s` is not empty, or will not be when all acquires inside have had their effect. A try with auto-release is refused only then. It ends only with `emptied`.
    wire empties = (!(acq_refused && acq_auto && acq_sem == {14'b0, s}) || blocked)
        && (!(blocked_was && !emptied_was) || blocked) && (!must_block || blocked);
    wire contract = answers && keeps && takes_it && empties;
`ifdef PROPERTY_offers
    // What the entity is promised in a cycle may lean on its promises of earlier cycles only, because those lean on this one in the same cycle.
    reg contract_was = 1;
    always @(posedge clock) contract_was <= contract;
    always @* assume (contract_was);
`else
    always @* assume (contract);
`endif

    // The messages inside in order of arrival, the oldest is 0, and the one that arrives in this cycle behind them.
    reg [2:0] n = 0;
    reg [5:0][10:0] q = 0;
    wire arrives = in_valid && in_ready, departs = acq_valid && acq_ready;
    wire [10:0] acq_word = {acq_sem[2:0], acq_thread[1:0], acq_auto, acq_suppress, acq_notify, acq_tag};
    wire [5:0][10:0] all;
    wire [2:0] many = n + arrives;
    wire [5:0] same, same_s;
    genvar g;
    generate for (g = 0; g < 6; g = g + 1) begin : messages
        assign all[g] = arrives && n == g ? in_word : q[g];
        assign same[g] = g < many && all[g][10:8] == acq_sem[2:0];
        // Of those before it: whether one goes, so that those behind it move up.
        if (g == 5) always @(posedge clock) q[g] <= all[g];
        else always @(posedge clock) q[g] <= departs && (same & (6'd2 << g) - 6'd1) != 0 ? all[g + 1] : all[g];
        assign same_s[g] = g < n && q[g][10:8] == {1'b0, s};
    end endgenerate
    wire [5:0] due = same & -same;
    wire [10:0] due_word = (due[0] ? all[0] : 11'd0) | (due[1] ? all[1] : 11'd0) | (due[2] ? all[2] : 11'd0)
        | (due[3] ? all[3] : 11'd0) | (due[4] ? all[4] : 11'd0) | (due[5] ? all[5] : 11'd0);
    always @(posedge clock) n <= many - departs;
    // The message that is being offered by the bus: one of its semaphore waits.
    wire [4:0] before;
    generate for (g = 0; g < 5; g = g + 1) begin : earlier
        assign before[g] = g < n && q[g][10:8] == in_sem;
    end endgenerate
    // For all that the room knows it needs no entry: with auto-release and first of its semaphore, or an error.
    wire may_pass = in_sem >= 4 || in_auto && before == 0;

`include "room_inside.svh"

`include "room_invariants.svh"

`ifdef PROPERTY_order
    // Acquires of a semaphore go to the entity in order of arrival, unchanged, each once.
    always @* begin
        if (departs) assert (due != 0 && acq_word == due_word && acq_sem < 8 && acq_thread < 4);
        `COVER(departs && due != 1 && acq_bare && n == 4)
        `COVER(departs && due == 1 && (same & 6'b1110) != 0 && n == 4)
    end
`endif

`ifdef PROPERTY_no_loss
    // While a message is inside the room says so, and the ghost's list and the room's have the same length.
    always @* begin
        assert (active || n == 0);
        if (n != 0) assert (!(arrives && departs));
        assert (n <= `PLACES);
        `COVER(n == `PLACES && new_hand)
        `COVER(!active && exhausted_before)
    end
    reg exhausted_before = 0;
    always @(posedge clock) exhausted_before <= exhausted_before || n == 3;
`endif

`ifdef PROPERTY_entries
    // Entries are given in order of arrival, over all semaphores: what may take an entry is the oldest message of all.
    always @* begin
        if (departs && !acq_bare) assert (due[0]);
        `COVER(departs && !acq_bare && n == 4 && round)
    end
`endif

`ifdef PROPERTY_given
    // And they are given: while an entry is free the oldest message is offered to the entity within so many counted cycles, or the room is empty.
    reg [6:0] hungry = 0;
    wire feast = acq_valid && !acq_bare || !exhausted || !vacant;
    always @(posedge clock) hungry <= feast ? 7'd0 : hungry + !stalled;
    always @* begin
        assert (hungry <= `STEP + `NEW + 3);
        `COVER(hungry == 10)
    end
`ifdef INVARIANTS
    wire [6:0] to_oldest = last == 0 ? 7'd1 : last == 1 ? 7'd1 + `STEP + `NEW : 7'd1 + `NEW;
    always @* if (hungry != 0) begin
        assert (vacant_was);
        if (live != 0) assert (hungry + (from == 1 && reads ? 7'd2 : from == 1 && judges ? 7'd1 : tries && from == 1 ? 7'd0 : to_end + to_oldest + 7'd2) <= `STEP + `NEW + 3);
    end
`endif
`endif

`ifdef PROPERTY_passes
    // SE-12: what needs no entry is not held up. A message at the port is taken in within TAKEN_IN counted cycles, also if it has to wait inside; one that may need no entry has been tried by the entity within
    // PASSED cycles of being offered: it is there, or an entry is needed (`answers`). While the room is full the count starts again.
    reg [6:0] outside = 0, inside = 0;
    reg pending = 0;
    reg [10:0] newest = 0;
    always @(posedge clock) begin
        outside <= in_valid && !in_ready && !full ? outside + !stalled : 7'd0;
        inside <= arrives ? outside + !stalled : inside + !stalled;
        if (departs || acq_refused) pending <= 0;
        if (arrives && !departs) begin
            pending <= may_pass;
            newest <= in_word;
        end
    end
    always @* begin
        assert (outside <= `TAKEN_IN);
        if (pending) assert (inside <= `PASSED);
        if (pending && (departs || acq_refused)) assert (acq_word == newest);
        `COVER(outside == 12)
        `COVER(pending && inside == 18)
    end
`ifdef INVARIANTS
    wire [12:0] same_now = row_read[25:13] - row_read[12:0];
    wire [6:0] to_new = last == 2 ? 7'd0 : last == 1 ? `STEP : `STEP + `OLDEST;
    always @* begin
        if (outside != 0) assert (in_held);
        if (outside != 0) assert (outside + (straight ? 7'd1 + `ENTRY_WITHIN - waits : takes ? 7'd0 : to_end + to_new) <= `TAKEN_IN);
        if (pending) assert (new_hand && newest == q[live[2:0]] && (newest[10] || body[30] && same_now == 0) && inside + to_end <= `PASSED);
    end
    `endif
`endif

`ifdef PROPERTY_retried
    // What waits inside is not forgotten: an acquire with auto-release, the first of `s` that waits, is tried while the list of `s` is empty. Steps of rounds in which that did not happen, and counted
    // cycles without such a step.
    reg [3:0] steps = 0;
    reg [6:0] idle = 0;
    wire [4:0] waits_s = same_s[4:0] & ~(new_hand ? 5'd1 << live : 5'd0);
    wire [4:0] first_s = waits_s & -waits_s;
    wire [4:0] autos = {q[4][5], q[3][5], q[2][5], q[1][5], q[0][5]};
    wire eligible = (first_s & autos) != 0 && !blocked;
    wire goes_s = departs && acq_sem == {14'b0, s};
    always @(posedge clock) begin
        steps <= eligible && !goes_s ? steps + round_step : 4'd0;
        idle <= eligible && !round_step ? idle + !stalled : 7'd0;
    end
    always @* begin
        assert (steps <= `PLACES + 2);
        assert (idle <= `NEW + `OLDEST + `STEP);
        `COVER(steps == 4)
        `COVER(steps == 3 && goes_s && acq_bare)
    end
`ifdef INVARIANTS
    wire [2:0] rank_s = first_s[0] ? 3'd0 : first_s[1] ? 3'd1 : first_s[2] ? 3'd2 : 3'd3;
    wire was_passed = round && rank_s < kept;
    wire stepping = from == 2 && in_hand;
    wire [4:0] to_try = !round ? 5'd2 + rank_s : was_passed ? `PLACES - passed - stepping + rank_s + 5'd3 : rank_s - kept + 5'd1 - stepping;
    wire [6:0] to_step = last == 1 ? 7'd0 : last == 0 ? `OLDEST : `OLDEST + `NEW;
    always @* begin
        if (eligible) assert (again || round && !was_passed);
        if (eligible && steps != 0) assert (steps + to_try <= `PLACES + 2);
        if (eligible && idle != 0) assert (idle + to_end + to_step <= `NEW + `OLDEST + `STEP);
    end
`endif
`endif

`ifdef PROPERTY_refills
    // A round leaves gaps, which are not free places before it ends. If only for them the room is full, it has a place again within PLACES + 1 steps of rounds. Counted cycles without such a step, too.
    wire gaps = full && n != `PLACES;
    reg [3:0] steps = 0;
    reg [6:0] idle = 0;
    always @(posedge clock) begin
        steps <= gaps ? steps + round_step : 4'd0;
        idle <= gaps && !round_step ? idle + !stalled : 7'd0;
    end
    always @* begin
        assert (steps <= `PLACES + 1);
        assert (idle <= `OLDEST + `STEP);
        `COVER(steps == 1 && in_held)
    end
`ifdef INVARIANTS
    wire stepping = from == 2 && in_hand;
    always @* if (gaps) begin
        assert (round);
        assert (steps + `PLACES - passed - stepping + 1 <= `PLACES + 1);
        if (idle != 0) assert (idle + to_end + (last == 1 ? 7'd0 : `OLDEST) <= `OLDEST + `STEP);
    end
`endif
`endif

`ifdef PROPERTY_offers
    // To the entity: an offer stays until it is answered, the flag of a try too. Only one that may take an entry is withdrawn, and only while none is free.
    reg offered = 0;
    reg [11:0] offer_was = 0;
    always @(posedge clock) begin
        offered <= acq_valid && !acq_ready && !acq_refused && (acq_bare || vacant);
        offer_was <= {acq_bare, acq_word};
    end
    always @* begin
        if (offered) assert (acq_valid && offer_was == {acq_bare, acq_word});
        `COVER(offered && acq_bare && tried == 2)
        `COVER(offered && !acq_bare && waits == 2 && exhausted)
        `COVER(acq_valid && !acq_ready && !offered && exhausted)
    end
`ifdef INVARIANTS
    always @* if (offered) assert (tries && offer_was == {bare, hand_word} || straight && in_held && offer_was == {1'b0, in_was});
`endif
`endif
endmodule
