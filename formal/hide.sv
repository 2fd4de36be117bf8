// Properties of the test of a group (`hdl/src/visibility/hi_z/hide_test.rs`), proved on its exported Verilog. One property per run: the macro PROPERTY_name selects its assertions and its covers; `hide_earlier` is for the module that
// goes by earlier triangles, `hide_ahead` for the one whose bounds may come from later ones. What is said of ONE arbitrary sample (a place and a stored depth that the solver chooses) holds for all of the group.
//
// The plane and the words of state are free: any slopes, any depths, any function, whatever the state RAMs say (`async_ram_*` below). Three things are assumed. What is asked and who asks stays until the group is taken, with its words
// of state. A covered sample's plane lies within 2^26 of 0 before it is held: it is between the vertices' depths, and bias moves it by at most 2^24. No vertex is nearer than `low` or farther than `high`.
`include "prelude.svh"
`ANY_RAM(async_ram_8_32, 32)
`ANY_RAM(async_ram_8_1, 1)

module hide_proof(
    input clock, input state_valid, state_pass, input [5:0] state_word, input [31:0] state_data,
    input query_valid, query_taken, input [46:0] z, gx, gy, offset, input [23:0] above, low, high,
    input [12:0] run, bound_run, input known, bound_down, input [23:0] bound, input [23:0] stored
);
    wire answer_valid, hidden;
    hide_test dut(
        .clock(clock), .state_valid(state_valid), .state_pass(state_pass), .state_context(4'b0), .state_word(state_word), .state_data(state_data),
        .query_valid(query_valid), .query_near0(32'b0), .query_near1(32'b0), .query_near2(32'b0), .query_z({above[23:16], z}), .query_x(11'b0), .query_y(11'b0), .query_columns(8'b0),
        .query_top(3'b0), .query_bottom(12'b0), .query_first(1'b0), .query_last(1'b0), .query_end(1'b0),
        .facts_a0(24'b0), .facts_a1(24'b0), .facts_a2(24'b0), .facts_b0(24'b0), .facts_b1(24'b0), .facts_b2(24'b0),
        .facts_gx({above[15:8], gx}), .facts_gy({above[7:0], gy}), .facts_low(low), .facts_high(high), .facts_owner(36'b0), .facts_corners(36'b0), .facts_samples(2'b0), .facts_mask(4'b0),
        .query_taken(query_taken), .run(run), .known(known), .bound(bound), .bound_down(bound_down), .bound_run(bound_run),
        .answer_valid(answer_valid), .hidden(hidden)
    );

    (* hierconn, inside *) wire [31:0] \dut.classes.words_read_data , \dut.classes.plain_0_read_data , \dut.classes.plain_1_read_data , \dut.classes.plain_2_read_data , \dut.classes.plain_3_read_data ;
    (* hierconn, inside *) wire [2:0] \dut.classes.targets_q ;
    (* hierconn, inside *) wire \dut.classes.has_depth_q ;
    (* hierconn, inside *) wire [31:0] \dut.classes.stencil.front_counts_read_data , \dut.classes.stencil.back_counts_read_data , \dut.classes.stencil.fronts_read_data , \dut.classes.stencil.backs_read_data , \dut.classes.stencil.masks_read_data ;
    (* hierconn, inside *) wire [23:0] \dut.nearest_q ;

    // A sample of the group. The plane's value there, in units of 2^-19, modulo 2^47, read with its sign (docs/graphics.md, "Depth"); what the rasteriser has `above` those bits is free. `z` is the value at the first pixel's centre. What the slopes add lies between what they add at the two
    // corners of the group where that is least and greatest: 4 eighths of a pixel to the left or 60 to the right, and so up or down. That is all that is used of k * gx + l * gy, for k and l from -4 to 60. Of slopes of 2^38 and more,
    // which may leave the range of numbers, nothing is used.
    function automatic [46:0] part(input [46:0] slope, input right);
        reg [46:0] left;
        begin
            left = 47'd0 - (slope << 2);
            part = right ? left + (slope << 6) : left;
        end
    endfunction
    wire signed [46:0] nearer = part(gx, gx[46]) + part(gy, gy[46]), farther = part(gx, !gx[46]) + part(gy, !gy[46]), added = offset;
    wire steady_x = &gx[46:38] || ~|gx[46:38], steady_y = &gy[46:38] || ~|gy[46:38];
    wire [46:0] value = z + offset;
    wire signed [27:0] whole = value[46:19];
    wire signed [27:0] least = {4'b0, low}, greatest = {4'b0, high};
    wire [23:0] depth = whole < least ? low : whole > greatest ? high : whole[23:0];
    always @* begin
        assume (low <= high && whole[27] == whole[26]);
        if (steady_x && steady_y) assume (nearer <= added && added <= farther);
    end

    // What the words of state say (docs/graphics.md, word 6).
    wire [31:0] modes = \dut.classes.words_read_data ;
    wire [2:0] targets = \dut.classes.targets_q ;
    wire [3:0] plain = {\dut.classes.plain_3_read_data [0], \dut.classes.plain_2_read_data [0], \dut.classes.plain_1_read_data [0], \dut.classes.plain_0_read_data [0]};
    wire [2:0] compare = modes[7:5];
    wire whole_targets = (targets < 1 || plain[0]) && (targets < 2 || plain[1]) && (targets < 3 || plain[2]) && (targets < 4 || plain[3]);
    wire grows = compare == 4 || compare == 6;

    reg asked = 0;
    reg [23:0] depth_was = 0;
    reg [46:0] z_was = 0, gx_was = 0, gy_was = 0;
    reg [47:0] ends_was = 0;
    reg [31:0] modes_was = 0;
    always @(posedge clock) begin
        asked <= (asked || query_valid) && !query_taken;
        {depth_was, z_was, gx_was, gy_was, ends_was, modes_was} <= {depth, z, gx, gy, low, high, modes};
    end
    always @* if (asked) assume (z == z_was && gx == gx_was && gy == gy_was && {low, high} == ends_was && modes == modes_was);

    // The sample's stored depth is within the bound, which is kept inverted where depths grow.
    wire within = (bound_down ? ~stored : stored) <= bound;
    reg passes;
    always @* case (compare)
        0: passes = 0;
        1: passes = depth_was < stored;
        2: passes = depth_was == stored;
        3: passes = depth_was <= stored;
        4: passes = depth_was > stored;
        5: passes = depth_was != stored;
        6: passes = depth_was >= stored;
        7: passes = 1;
    endcase
    wire tests = \dut.classes.has_depth_q && modes[8];
    // What was written of words 6 and 21 to 23: there is a stencil test and the front is drawn, or the back; operations of the front leave the stencil where depth fails, those of the back do; nothing is written.
    wire keeps = \dut.classes.stencil.masks_read_data [0] || ((!\dut.classes.stencil.front_counts_read_data [0] || \dut.classes.stencil.fronts_read_data [0]) && (!\dut.classes.stencil.back_counts_read_data [0] || \dut.classes.stencil.backs_read_data [0]));
    wire may = tests && compare != 0 && compare != 5 && compare != 7 && keeps && !modes[17] && (!modes[19] || modes[11]);
    wire says = answer_valid && hidden && known;

    always @* begin
        assert (answer_valid == asked);
        // The depth that is compared is no farther than the sample's.
        if (asked) assert ((grows ? ~depth_was : depth_was) >= \dut.nearest_q );
    end
`ifdef PROPERTY_hide_earlier
    // A group of which nothing is known, or of a draw that may not be culled, is never hidden. Else what is hidden fails its depth test at each sample whose stored depth is within the bound.
    always @* begin
        if (answer_valid && hidden) assert (known && may && bound_down == grows);
        if (answer_valid && hidden && within) assert (!passes);
        `COVER(says && within && compare == 1 && depth_was == stored && gx != 0 && gy[46])
        `COVER(says && within && compare == 6 && gy[37] && gx[46] && depth_was != low && depth_was != high)
        `COVER(says && within && compare == 2 && gx[40])
    end
`endif
`ifdef PROPERTY_hide_ahead
    // The same, and only within the run, of an opaque draw, and strictly behind.
    wire updates = tests && modes[9] && (compare == 1 || compare == 3 || grows) && !modes[10] && modes[18:16] == 0;
    always @* begin
        if (answer_valid && hidden) assert (known && may && bound_down == grows && run == bound_run && updates && whole_targets && !modes[12] && !modes[15] && !modes[19]);
        if (answer_valid && hidden && within) assert (!passes && (grows ? depth_was < stored : depth_was > stored));
        `COVER(says && within && compare == 3 && gx != 0 && gy[46] && targets == 4)
        `COVER(says && within && compare == 4 && gy[37] && gx[46] && depth_was != low && depth_was != high)
    end
`endif
endmodule
