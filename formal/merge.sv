// Properties of the merge queue (`hdl/src/raster/merge_queue.rs`), of two quads and with a limit of three cycles, bounded, on its exported Verilog; and of groups of up to four, of three quads. One property per run: the macro
// PROPERTY_name selects its assertions and its covers.
//
// The environment is the collector and the dispatcher, both free. Quads have any lanes; they are of two contexts, of two tile buffers or of two kinds, in any order. Either context has a merge
// point or has none: the RAM that says so is cut off. Tickets are counted, modulo 8: that many are never inside at once. What depth, order, handle and the other fields are is cut off too:
// they go the way of `x`.
`include "prelude.svh"
`define LIMIT 3
`POINTS_RAM(async_ram_8_1)

module merge_proof(input clock, input offered, input [3:0] lanes, input other, input [1:0] x, input drain, input shade_ready);
    // What two quads can differ in.
    (* anyconst *) wire [1:0] by;
    wire of = by == 0 && other, tile = by == 1 && other, single = by == 2 && other;
    wire in_quad_ready, shade_valid, mergeable, shade_single, shade_end, idle;
    wire [3:0] shade_context;
    wire [2:0] shade_buffer;
    wire [10:0] shade_x;
    wire [5:0] shade_ticket, pair;
    wire [15:0] shade_coverage;
    wire [1:0] member, others, flip;
    reg [2:0] count = 0;
    merge_queue dut(
        .clock(clock), .drain(drain), .limit(16'd`LIMIT), .idle(idle),
        .state_valid(1'b0), .state_pass(1'b0), .state_context(4'b0), .state_word(6'b0), .state_data(32'b0),
        .in_quad_valid(offered), .in_quad_ready(in_quad_ready), .in_quad_end(1'b0), .in_quad_context({3'b0, of}), .in_quad_handle(12'b0), .in_quad_order(16'b0), .in_quad_back(1'b0),
        .in_quad_buffer({2'b0, tile}), .in_quad_x({9'b0, x}), .in_quad_y(11'b0), .in_quad_ticket({3'b0, count}), .in_quad_single(single), .in_quad_sample(2'b0), .in_quad_splits(1'b0),
        .in_quad_coverage({3'b0, lanes[3], 3'b0, lanes[2], 3'b0, lanes[1], 3'b0, lanes[0]}),
        .in_quad_depth0(24'b0), .in_quad_depth1(24'b0), .in_quad_depth2(24'b0), .in_quad_depth3(24'b0),
        .shade_valid(shade_valid), .shade_ready(shade_ready), .shade_end(shade_end), .shade_context(shade_context), .shade_buffer(shade_buffer), .shade_x(shade_x),
        .shade_ticket(shade_ticket), .shade_single(shade_single), .shade_coverage(shade_coverage),
        .pairing_mergeable(mergeable), .pairing_pair(pair), .pairing_member(member), .pairing_others(others), .pairing_flip(flip)
    );
    (* hierconn, inside *) wire [1:0] \dut.points.points ;
    // Quads inside by ticket; whether they may pair at all.
    reg [7:0] inside = 0, sparse = 0;
    wire take = offered && in_quad_ready;
    wire goes = shade_valid && shade_ready;
    wire [2:0] ticket = shade_ticket[2:0];
    always @(posedge clock) begin
        if (goes) inside[ticket] <= 0;
        if (take) begin
            inside[count] <= 1;
            sparse[count] <= \dut.points.points [of] && lanes != 15;
            count <= count + 1;
        end
    end
    // A ticket is given again when its quad has committed.
    always @* if (offered) assume (lanes != 0 && !inside[count]);
    // Any quad that is watched: what it is, and cycles with a ready output since it came.
    (* anyconst *) wire [2:0] watched;
    reg [8:0] was;
    reg [5:0] waited = 0;
    wire [3:0] now = {shade_coverage[12], shade_coverage[8], shade_coverage[4], shade_coverage[0]};
    always @(posedge clock) begin
        if (take && count == watched) was <= {lanes, of, tile, single, x};
        if (!inside[watched]) waited <= 0;
        else if (shade_ready) waited <= waited + 1;
    end
    // The first member of a pair that has gone, until the second has.
    reg open = 0, first_context, first_buffer, first_single;
    reg [3:0] first_lanes;
    reg [2:0] first_ticket;
    always @(posedge clock) if (goes) begin
        open <= mergeable && member == 0;
        {first_context, first_buffer, first_single, first_lanes, first_ticket} <= {shade_context[0], shade_buffer[0], shade_single, now, ticket};
    end
    wire [3:0] across = flip[0] ? {now[2], now[3], now[0], now[1]} : now;
    wire [3:0] turned = flip[1] ? {across[1:0], across[3:2]} : across;
    wire second = shade_valid && mergeable && member == 1;

`ifdef PROPERTY_merge_once
    always @* begin
        if (shade_valid) assert (inside[ticket] && shade_ticket[5:3] == 0 && !shade_end);
        if (shade_valid && ticket == watched) assert (was == {now, shade_context[0], shade_buffer[0], shade_single, shade_x[1:0]});
        // Four quads have gone, the third before the second.
        `COVER(goes && ticket == 2 && inside[1] && count == 4)
    end
`endif
`ifdef PROPERTY_merge_rest
    always @* begin
        assert (idle == (inside == 0));
        `COVER(idle && count == 4)
    end
`endif
`ifdef PROPERTY_merge_pairs
    always @* begin
        if (shade_valid && !mergeable) assert ({pair, member, others, flip} == 0 && !open);
        if (shade_valid && mergeable) assert (others == 1 && member < 2 && sparse[ticket] && open == member[0]);
        if (shade_valid && mergeable && member == 0) assert (pair == shade_ticket && flip == 0);
        if (second) begin
            assert (pair == {3'b0, first_ticket} && shade_context[0] == first_context && shade_buffer[0] == first_buffer && shade_single == first_single);
            assert ((first_lanes & turned) == 0);
            assert (flip == 0 || (first_lanes & now) != 0);
        end
        `COVER(second && flip == 3)
        `COVER(second && flip == 2 && now == 3)
    end
`endif
`ifdef PROPERTY_merge_order
    // Quads that came before the one that is shown have more tickets given since.
    wire [2:0] age = count - ticket - 3'd1, watched_age = count - watched - 3'd1;
    wire older = shade_valid && inside[watched] && sparse[watched] && watched_age > age;
    wire [4:0] at = {shade_context[0], shade_buffer[0], shade_single, shade_x[1:0]};
    always @* begin
        assert (!older || was[4:0] != at);
        // Another place is overtaken.
        `COVER(older && goes && was[4:2] == at[4:2])
    end
`endif
`ifdef PROPERTY_merge_groups
    // Members of the group that goes: how many have gone, how many others there are, the lanes that they have where they stand.
    reg [1:0] gone = 0, total = 0;
    reg [3:0] joint = 0;
    reg named_context, named_buffer, named_single;
    reg [2:0] named;
    always @(posedge clock) if (goes) begin
        gone <= mergeable && member != others ? member + 2'd1 : 2'd0;
        total <= others;
        joint <= (member == 0 ? 4'b0 : joint) | turned;
        if (member == 0) {named_context, named_buffer, named_single, named} <= {shade_context[0], shade_buffer[0], shade_single, ticket};
    end
    always @* begin
        if (shade_valid && !mergeable) assert ({pair, member, others, flip} == 0 && gone == 0);
        if (shade_valid && mergeable) assert (others != 0 && member == gone && sparse[ticket]);
        if (shade_valid && mergeable && member == 0) assert (pair == shade_ticket && flip == 0);
        if (shade_valid && mergeable && member != 0) begin
            assert (others == total);
            assert (pair == {3'b0, named} && shade_context[0] == named_context && shade_buffer[0] == named_buffer && shade_single == named_single);
            assert ((joint & turned) == 0);
            assert (flip == 0 || (joint & now) != 0);
        end
        `COVER(goes && mergeable && member == 3)
        `COVER(goes && mergeable && member == 2 && others == 2)
    end
`endif
`ifdef PROPERTY_merge_waits
    // The limit, and WAY cycles for what goes before it and the way through the queue.
    localparam WAY = 12;
    reg drained = 0;
    always @(posedge clock) drained <= drained || drain;
    always @* begin
        assert (waited <= `LIMIT + WAY);
        // One that found nobody goes when its time is over.
        `COVER(goes && ticket == watched && sparse[watched] && !mergeable && !drained && count == watched + 3'd1)
    end
`endif
endmodule
