// Properties of the test of a triangle in a tile (`hdl/src/visibility/binner/tile_test.rs`), proved on its exported Verilog by induction. What is said of ONE arbitrary group (the solver chooses it) holds for all that the box meets in the tile.
//
// Free are triangles, tiles, what Hi-Z answers, and when pairs come and are taken. Assumed is the contract of the binner: a pair stays until it is taken, with its words of state; the box meets the tile; a tile is aligned to its side.
// The state RAMs say anything (`ANY_RAM`).
`include "prelude.svh"
`ANY_RAM(async_ram_8_32, 32)
`ANY_RAM(async_ram_8_1, 1)

module tile_proof(
    input clock, input state_valid, state_pass, input [5:0] state_word, input [31:0] state_data,
    input query_valid, query_taken, input [11:0] query_x, query_y, x0, y0, x1, y1, input [3:0] context_, input [23:0] low, high,
    input [12:0] run, bound_run, input known, bound_down, input [23:0] bound
);
    wire answer_valid, hidden, cull_valid;
    wire [8:0] ask_x, ask_y;
    wire [5:0] ask_run;
    tile_test dut(
        .clock(clock), .state_valid(state_valid), .state_pass(state_pass), .state_context(4'b0), .state_word(state_word), .state_data(state_data),
        .query_valid(query_valid), .query_x(query_x), .query_y(query_y), .query_taken(query_taken),
        .triangle_context(context_), .triangle_handle(12'b0), .triangle_order(16'b0), .triangle_back(1'b0), .triangle_x0(x0), .triangle_y0(y0), .triangle_x1(x1), .triangle_y1(y1),
        .triangle_a0(24'b0), .triangle_a1(24'b0), .triangle_a2(24'b0), .triangle_b0(24'b0), .triangle_b1(24'b0), .triangle_b2(24'b0), .triangle_c0(48'b0), .triangle_c1(48'b0), .triangle_c2(48'b0),
        .triangle_z(60'b0), .triangle_gx(50'b0), .triangle_gy(50'b0), .triangle_z_low(low), .triangle_z_high(high), .triangle_vertex0(12'b0), .triangle_vertex1(12'b0), .triangle_vertex2(12'b0),
        .run(run), .known(known), .bound(bound), .bound_down(bound_down), .bound_run(bound_run),
        .answer_valid(answer_valid), .hidden(hidden), .ask_x(ask_x), .ask_y(ask_y), .ask_run(ask_run), .cull_valid(cull_valid)
    );
    (* hierconn, inside *) wire [31:0] \dut.classes.words_read_data , \dut.classes.plain_0_read_data , \dut.classes.plain_1_read_data , \dut.classes.plain_2_read_data , \dut.classes.plain_3_read_data ;
    (* hierconn, inside *) wire [2:0] \dut.classes.targets_q , \dut.side_q ;
    (* hierconn, inside *) wire \dut.classes.has_depth_q , \dut.walking_q , \dut.walked_q , \dut.here_q , \dut.here_last_q , \dut.answered_q , \dut.hides_q ;
    (* hierconn, inside *) wire [8:0] \dut.x_q , \dut.y_q ;
    (* hierconn, inside *) wire [23:0] \dut.nearest_q ;
    wire walking = \dut.walking_q , walked = \dut.walked_q , here = \dut.here_q , here_last = \dut.here_last_q , answered = \dut.answered_q , hides = \dut.hides_q ;
    wire [8:0] x = \dut.x_q , y = \dut.y_q ;

    // What the draw's words of state say.
    wire [31:0] modes = \dut.classes.words_read_data ;
    wire [2:0] compare = modes[7:5], targets = \dut.classes.targets_q ;
    wire [3:0] plain = {\dut.classes.plain_3_read_data [0], \dut.classes.plain_2_read_data [0], \dut.classes.plain_1_read_data [0], \dut.classes.plain_0_read_data [0]};
    wire whole_targets = (targets < 1 || plain[0]) && (targets < 2 || plain[1]) && (targets < 3 || plain[2]) && (targets < 4 || plain[3]);
    wire grows = compare == 4 || compare == 6;
    wire opaque = \dut.classes.has_depth_q && modes[9:8] == 3 && (compare == 1 || compare == 3 || grows) && !modes[10] && !modes[12] && !modes[15] && modes[19:16] == 0 && whole_targets;
    // The nearest vertex, less is nearer.
    wire [23:0] nearest = grows ? ~high : low;

    // The contract.
    wire [11:0] within = \dut.side_q == 4 ? 15 : \dut.side_q == 5 ? 31 : 7;
    wire [11:0] far_x = query_x | within, far_y = query_y | within;
    reg busy = 0;
    reg [159:0] pair_was = 0;
    wire [159:0] pair = {query_x, query_y, x0, y0, x1, y1, context_, low, high, modes, plain};
    always @(posedge clock) begin
        busy <= query_valid && !query_taken;
        pair_was <= pair;
    end
    always @* begin
        if (busy) assume (query_valid && pair == pair_was);
        if (query_valid) assume ((query_x & within) == 0 && (query_y & within) == 0 && x0 <= far_x && x1 >= query_x && y0 <= far_y && y1 >= query_y && x0 <= x1 && y0 <= y1);
        // A pass does not begin while a pair is here.
        if (query_valid) assume (!state_pass);
    end

    // The groups that the box meets in the tile: an arbitrary one, and what was said of it since the pair came.
    wire [11:0] left = x0 > query_x ? x0 : query_x, right = x1 < far_x ? x1 : far_x, top = y0 > query_y ? y0 : query_y, bottom = y1 < far_y ? y1 : far_y;
    (* anyconst *) reg [8:0] wx;
    (* anyconst *) reg [8:0] wy;
    wire meets = wx >= left[11:3] && wx <= right[11:3] && wy >= top[11:3] && wy <= bottom[11:3];
    reg seen = 0;
    reg [8:0] asked_x = 0, asked_y = 0;
    wire behind = known && bound_down == grows && bound_run == run && bound < nearest;
    wire watched = asked_x == wx && asked_y == wy;
    always @(posedge clock) begin
        {asked_x, asked_y} <= {ask_x, ask_y};
        if (here && watched && !answered) seen <= behind;
        if (query_taken || !query_valid) seen <= 0;
    end

    wire before = wy < y || (wy == y && wx < x);
    reg [2:0] rows = 0;
    always @(posedge clock) rows <= query_taken || !query_valid ? 0 : rows + (walking && here && !answered && rows != 7);
`ifdef PROPERTY_tile_behind
    always @* begin
        // Hidden is said only of an opaque draw, and each group that the box meets was asked about and is known, of the same direction and run, with a bound that is strictly nearer than the triangle's nearest vertex.
        if (query_valid && answer_valid && hidden && meets) assert (seen);
        if (query_valid && answer_valid && hidden) assert (opaque);
        assert (!cull_valid || (query_valid && query_taken && answer_valid && hidden));
        assert (ask_run == {2'b0, context_});
`ifdef INVARIANTS
        // How the walk stands.
        if (walking) assert (busy);
        if (!walking) assert (!walked && !here && !answered);
        if (walking && !walked) assert (x >= left[11:3] && x <= right[11:3] && y >= top[11:3] && y <= bottom[11:3]);
        if (walking && !opaque) assert (answered && !hides);
        if (walked) assert (answered || (here && here_last));
        if (here && !answered) assert (here_last == (asked_x == right[11:3] && asked_y == bottom[11:3]) && here_last == walked && \dut.nearest_q == nearest);
        if (walking && !answered && meets && (before || walked)) assert (seen || (here && watched));
        if (answered && hides && meets) assert (seen);
`endif
        `COVER(query_valid && answer_valid && hidden && \dut.side_q == 4 && rows == 4 && grows)
        `COVER(query_valid && answer_valid && !hidden && rows == 3)
    end
`endif
endmodule
