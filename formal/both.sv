// Properties of the merge queue of a machine in which quads merge and then split (`hdl/src/raster/merge_queue/twins.rs`, MS-42), of two quads and with a limit of three cycles, bounded, on its
// exported Verilog. One property per run: the macro PROPERTY_name selects its assertions and its covers.
//
// The environment is the collector and the dispatcher, both free but for the contract of the collector: a quad is told once for each sample that it covers, in order, and no other quad between.
// Quads of a context split, of two samples, or do not; each of two contexts has both points or not. Depths say sample and ticket, so that a depth of another sample or quad is seen. Tickets are counted,
// modulo 8: that many are never inside at once.
`include "prelude.svh"
`define LIMIT 3
`POINTS_RAM(async_ram_8_1)

// `low` and `high` are the lanes that cover sample 0 and sample 1.
module both_proof(input clock, input offered, input [3:0] low, high, input other, input [1:0] x, input drain, input shade_ready);
    wire in_quad_ready, shade_valid, mergeable, shade_single, shade_end, shade_splits, idle;
    wire [3:0] shade_context;
    wire [10:0] shade_x;
    wire [5:0] shade_ticket, pair;
    wire [15:0] shade_coverage;
    wire [1:0] member, others, flip, shade_sample;
    wire [23:0] depth0, depth1, depth2, depth3;
    reg [2:0] count = 0;
    // The quad of which one sample has been told and the other one is still to come.
    reg half = 0;
    reg [10:0] held;
    wire [3:0] own_low = half ? held[3:0] : low, own_high = half ? held[7:4] : high;
    wire of = half ? held[8] : other;
    wire [1:0] at = half ? held[10:9] : x;
    (* anyconst *) wire [1:0] splitting;
    wire splits = splitting[of];
    wire sample = splits && (half || own_low == 0);
    wire more = splits && !half && own_low != 0 && own_high != 0;
    wire [15:0] in_quad_coverage = {2'b0, own_high[3], own_low[3], 2'b0, own_high[2], own_low[2], 2'b0, own_high[1], own_low[1], 2'b0, own_high[0], own_low[0]};
    wire [23:0] depth = {20'b0, sample, count};
    merge_queue dut(
        .clock(clock), .drain(drain), .limit(16'd`LIMIT), .idle(idle),
        .state_valid(1'b0), .state_pass(1'b0), .state_context(4'b0), .state_word(6'b0), .state_data(32'b0),
        .in_quad_valid(offered), .in_quad_ready(in_quad_ready), .in_quad_end(1'b0), .in_quad_context({3'b0, of}), .in_quad_handle(12'b0), .in_quad_order(16'b0), .in_quad_back(1'b0),
        .in_quad_buffer(3'b0), .in_quad_x({9'b0, at}), .in_quad_y(11'b0), .in_quad_ticket({3'b0, count}), .in_quad_single(splits), .in_quad_sample({1'b0, sample}), .in_quad_splits(splits),
        .in_quad_coverage(in_quad_coverage), .in_quad_depth0(depth), .in_quad_depth1(depth), .in_quad_depth2(depth), .in_quad_depth3(depth),
        .shade_valid(shade_valid), .shade_ready(shade_ready), .shade_end(shade_end), .shade_context(shade_context), .shade_x(shade_x),
        .shade_ticket(shade_ticket), .shade_single(shade_single), .shade_splits(shade_splits), .shade_sample(shade_sample), .shade_coverage(shade_coverage),
        .shade_depth0(depth0), .shade_depth1(depth1), .shade_depth2(depth2), .shade_depth3(depth3),
        .pairing_mergeable(mergeable), .pairing_pair(pair), .pairing_member(member), .pairing_others(others), .pairing_flip(flip)
    );
    (* hierconn, inside *) wire [1:0] \dut.points.points ;
    (* hierconn, inside *) wire [1:0] \dut.both_0.points ;
    wire take = offered && in_quad_ready;
    wire goes = shade_valid && shade_ready;
    wire [2:0] ticket = shade_ticket[2:0];
    // Samples of a quad that are inside, by ticket; whether it may merge at all.
    reg [7:0] inside_low = 0, inside_high = 0, sparse = 0;
    wire [3:0] lanes = own_low | own_high;
    always @(posedge clock) begin
        if (goes && shade_sample == 0) inside_low[ticket] <= 0;
        if (goes && shade_sample == 1) inside_high[ticket] <= 0;
        if (take) begin
            if (sample) inside_high[count] <= 1; else inside_low[count] <= 1;
            sparse[count] <= \dut.points.points [of] && (!splits || \dut.both_0.points [of]) && lanes != 15;
            half <= more;
            held <= {at, of, own_high, own_low};
            if (!more) count <= count + 1;
        end
    end
    always @* if (offered) assume (lanes != 0 && (half || !inside_low[count] && !inside_high[count]));
    // Any quad that is watched: what it is.
    (* anyconst *) wire [2:0] watched;
    reg [10:0] was;
    reg [5:0] waited = 0;
    wire watched_inside = inside_low[watched] || inside_high[watched];
    always @(posedge clock) begin
        if (take && count == watched) was <= {at, of, own_high, own_low};
        if (!watched_inside || half && count == watched) waited <= 0;
        else if (shade_ready) waited <= waited + 1;
    end
    wire [3:0] now_low = {shade_coverage[12], shade_coverage[8], shade_coverage[4], shade_coverage[0]};
    wire [3:0] now_high = {shade_coverage[13], shade_coverage[9], shade_coverage[5], shade_coverage[1]};
    wire [23:0] right = {20'b0, shade_sample[0], ticket};
    wire last = !shade_splits || shade_sample == 1 || now_high == 0;
    // The quad of which not all samples have gone, and the first member of a pair until all of the second has.
    reg open = 0, paired = 0;
    reg [2:0] open_ticket, first_ticket;
    reg [3:0] first_lanes;
    reg first_context;
    wire [3:0] now = now_low | now_high;
    wire [3:0] across = flip[0] ? {now[2], now[3], now[0], now[1]} : now;
    wire [3:0] turned = flip[1] ? {across[1:0], across[3:2]} : across;
    always @(posedge clock) if (goes) begin
        {open, open_ticket} <= {!last, ticket};
        if (last) begin
            paired <= mergeable && member == 0;
            {first_context, first_lanes, first_ticket} <= {shade_context[0], now, ticket};
        end
    end

`ifdef PROPERTY_both_once
    always @* begin
        if (shade_valid) assert (shade_ticket[5:3] == 0 && !shade_end && shade_splits == splitting[shade_context[0]] && shade_single == shade_splits && !shade_sample[1]);
        if (shade_valid) assert (shade_sample[0] ? inside_high[ticket] : inside_low[ticket]);
        // None of a quad goes before all of it has come.
        if (shade_valid) assert (!(half && ticket == count));
        if (shade_valid && ticket == watched) assert (was == {shade_x[1:0], shade_context[0], now_high, now_low});
        `COVER(goes && ticket == 2 && inside_low[1] && inside_high[1])
    end
`endif
`ifdef PROPERTY_both_samples
    always @* begin
        if (shade_valid) assert (depth0 == right && depth1 == right && depth2 == right && depth3 == right);
        // The lower sample first, and no other quad between.
        if (shade_valid) assert (open ? ticket == open_ticket && shade_sample == 1 : shade_sample == 0 || shade_splits && now_low == 0);
        `COVER(goes && shade_sample == 1 && inside_low[ticket + 3'd1])
    end
`endif
`ifdef PROPERTY_both_rest
    always @* begin
        if (!half) assert (idle == (inside_low == 0 && inside_high == 0));
        `COVER(idle && count == 3 && !half)
    end
`endif
`ifdef PROPERTY_both_order
    // Quads that came before the one that is shown have more tickets given since.
    wire [2:0] age = count - ticket - 3'd1, watched_age = count - watched - 3'd1;
    wire older = shade_valid && watched_inside && sparse[watched] && watched_age > age && !(half && watched == count);
    always @* begin
        assert (!older || was[10:8] != {shade_x[1:0], shade_context[0]});
        // Another place is overtaken, by a quad that splits.
        `COVER(older && goes && shade_splits && was[8] == shade_context[0])
    end
`endif
`ifdef PROPERTY_both_waits
    // The limit, and WAY cycles for samples of what goes before it and the way through the queue.
    localparam WAY = 16;
    reg drained = 0;
    always @(posedge clock) drained <= drained || drain;
    always @* begin
        assert (waited <= `LIMIT + WAY);
        `COVER(goes && ticket == watched && splits && sparse[watched] && !mergeable && !drained && count == watched + 3'd1)
    end
`endif
`ifdef PROPERTY_both_pairs
    always @* begin
        if (shade_valid && !mergeable) assert ({pair, member, others, flip} == 0 && !paired);
        if (shade_valid && mergeable) assert (others == 1 && member < 2 && sparse[ticket] && paired == member[0]);
        if (shade_valid && mergeable && member == 0) assert (pair == shade_ticket && flip == 0);
        if (shade_valid && mergeable && member == 1) begin
            assert (pair == {3'b0, first_ticket} && shade_context[0] == first_context);
            assert ((first_lanes & turned) == 0);
            assert (flip == 0 || (first_lanes & now) != 0);
        end
        // Both members have two samples.
        `COVER(goes && mergeable && member == 1 && flip == 3 && shade_sample == 1 && now_low != 0)
    end
`endif
endmodule
