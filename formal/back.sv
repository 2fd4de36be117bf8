// Properties of the bounds of written depths (`hdl/src/visibility/hi_z/back_levels.rs`), proved on its exported Verilog by induction, of 4 groups, in both directions, with one, two and four samples. What is said of ONE arbitrary sample
// (the solver chooses its place) holds for all. A ghost keeps its depth as it was written last (HZ-21, HZ-22), by the beats that have left the queue.
//
// RAMs of groups and rows keep one word each, those of the sample, and say anything of all others. The queue is whole. Assumed is the contract of the pixel back end: an update lies in the target, and its sample exists; fourteen more
// come while there is no room. A pass's words come before its first update. Directions turn at any time. Answers count from the first pass on, and while no sweep is under way.
`include "prelude.svh"
`WATCHED_RAM(deep_ram_4_48, 13, 48, 2)
`WATCHED_RAM(deep_ram_4_26, 13, 26, 2)
`WATCHED_RAM(deep_ram_4_14, 13, 14, 2)
`WATCHED_RAM(deep_ram_4_35, 13, 35, 2)

module async_ram_32_24(input clock, write_enable, input [5:0] write_address, input [31:0] write_data, input [5:0] read_address, output [31:0] read_data);
    reg [31:0][23:0] stored = 0;
    wire [31:0][23:0] words = stored;
    always @(posedge clock) if (write_enable) stored[write_address[4:0]] <= write_data[23:0];
    assign read_data = {8'b0, stored[read_address[4:0]]};
endmodule

module back_proof(
    input clock, input state_pass, input [5:0] state_word, input [31:0] state_data, input update_valid, input [10:0] update_x, update_y, input [1:0] update_sample, input [3:0] lanes, input [3:0][23:0] depth,
    input way, way_down, settle, input [8:0] ask_x, ask_y
);
    wire room, settled, known, bound_down;
    wire [23:0] bound;
    back_levels dut(
        .clock(clock), .state_valid(state_pass), .state_pass(state_pass), .state_context(4'b0), .state_word(state_word), .state_data(state_data),
        .update_valid(update_valid), .update_x(update_x), .update_y(update_y), .update_sample(update_sample), .update_lanes(lanes),
        .update_depth0(depth[0]), .update_depth1(depth[1]), .update_depth2(depth[2]), .update_depth3(depth[3]), .room(room), .way(way), .way_down(way_down), .settle(settle), .settled(settled),
        .ask_x_0(ask_x), .ask_y_0(ask_y), .known_0(known), .bound_0(bound), .bound_down_0(bound_down)
    );
    (* hierconn, inside *) wire \dut.here_q , \dut.changed_q , \dut.sweeping_q , \dut.down_q , \dut.loads_q , \dut.touched_q , \dut.heard_q , \dut.take , \dut.pushes , \dut.writes , \dut.knowns.hit , \dut.record_heads.hit , \dut.records_low.hit , \dut.records_high.hit , \dut.rows_0.hit , \dut.rows_1.hit , \dut.rows_2.hit , \dut.rows_3.hit , \dut.rows_4.hit , \dut.rows_5.hit , \dut.rows_6.hit , \dut.rows_7.hit ;
    (* hierconn, inside *) wire [1:0] \dut.phase_q , \dut.samples_q , \dut.block_q , \dut.knowns.watched , \dut.record_heads.watched , \dut.records_low.watched , \dut.records_high.watched , \dut.bounds_0.watched , \dut.rows_0.watched , \dut.rows_1.watched , \dut.rows_2.watched , \dut.rows_3.watched , \dut.rows_4.watched , \dut.rows_5.watched , \dut.rows_6.watched , \dut.rows_7.watched ;
    (* hierconn, inside *) wire [3:0] \dut.pitch_q , \dut.row_known_q ;
    (* hierconn, inside *) wire [4:0] \dut.head_q , \dut.tail_q ;
    (* hierconn, inside *) wire [5:0] \dut.inside_q ;
    (* hierconn, inside *) wire [9:0] \dut.pass_q ;
    (* hierconn, inside *) wire [12:0] \dut.sweep_q , \dut.at , \dut.at_row ;
    (* hierconn, inside *) wire [13:0] \dut.record_heads.word , \dut.record_heads.kept ;
    (* hierconn, inside *) wire [15:0] \dut.valid_q ;
    (* hierconn, inside *) wire [17:0] \dut.row_q , \dut.group_q ;
    (* hierconn, inside *) wire [23:0] \dut.clear_q , \dut.far , \dut.heard_place_q , \dut.heard_most_q , \dut.heard_least_q , \dut.quarter_0_q , \dut.quarter_1_q , \dut.quarter_2_q , \dut.quarter_3_q , \dut.row_most_0_q , \dut.row_most_1_q , \dut.row_most_2_q , \dut.row_most_3_q ;
    (* hierconn, inside *) wire [23:0] \dut.even_0_q , \dut.odd_0_q , \dut.even_1_q , \dut.odd_1_q , \dut.even_2_q , \dut.odd_2_q , \dut.even_3_q , \dut.odd_3_q , \dut.even_4_q , \dut.odd_4_q , \dut.even_5_q , \dut.odd_5_q , \dut.even_6_q , \dut.odd_6_q , \dut.even_7_q , \dut.odd_7_q ;
    (* hierconn, inside *) wire [25:0] \dut.knowns.word , \dut.knowns.kept ;
    (* hierconn, inside *) wire [34:0] \dut.bounds_0.word ;
    (* hierconn, inside *) wire [47:0] \dut.records_low.word , \dut.records_high.word , \dut.records_low.kept , \dut.records_high.kept , \dut.rows_0.word , \dut.rows_1.word , \dut.rows_2.word , \dut.rows_3.word , \dut.rows_4.word , \dut.rows_5.word , \dut.rows_6.word , \dut.rows_7.word , \dut.rows_0.kept , \dut.rows_1.kept , \dut.rows_2.kept , \dut.rows_3.kept , \dut.rows_4.kept , \dut.rows_5.kept , \dut.rows_6.kept , \dut.rows_7.kept ;
    (* hierconn, inside *) wire [31:0][23:0] \dut.queue_place.words , \dut.queue_most.words , \dut.queue_least.words ;
    wire [15:0][23:0] slots = {\dut.odd_7_q , \dut.even_7_q , \dut.odd_6_q , \dut.even_6_q , \dut.odd_5_q , \dut.even_5_q , \dut.odd_4_q , \dut.even_4_q , \dut.odd_3_q , \dut.even_3_q , \dut.odd_2_q , \dut.even_2_q , \dut.odd_1_q , \dut.even_1_q , \dut.odd_0_q , \dut.even_0_q };
    wire [3:0][23:0] quarters = {\dut.quarter_3_q , \dut.quarter_2_q , \dut.quarter_1_q , \dut.quarter_0_q };
    wire [3:0][23:0] mosts = {\dut.row_most_3_q , \dut.row_most_2_q , \dut.row_most_1_q , \dut.row_most_0_q };
    wire [7:0][47:0] row_words = {\dut.rows_7.word , \dut.rows_6.word , \dut.rows_5.word , \dut.rows_4.word , \dut.rows_3.word , \dut.rows_2.word , \dut.rows_1.word , \dut.rows_0.word };
    wire [7:0][47:0] rows_kept = {\dut.rows_7.kept , \dut.rows_6.kept , \dut.rows_5.kept , \dut.rows_4.kept , \dut.rows_3.kept , \dut.rows_2.kept , \dut.rows_1.kept , \dut.rows_0.kept };
    wire [7:0] rows_hit = {\dut.rows_7.hit , \dut.rows_6.hit , \dut.rows_5.hit , \dut.rows_4.hit , \dut.rows_3.hit , \dut.rows_2.hit , \dut.rows_1.hit , \dut.rows_0.hit };
    wire [1:0] phase = \dut.phase_q ;
    wire here = \dut.here_q , changed = \dut.changed_q , sweeping = \dut.sweeping_q , down = \dut.down_q ;
    wire [9:0] pass = \dut.pass_q ;
    wire [5:0] inside = \dut.inside_q ;
    wire [4:0] head = \dut.head_q ;

    // The watched sample: its quad, lane and number; the words that the RAMs keep.
    (* anyconst *) reg [10:0] x;
    (* anyconst *) reg [10:0] y;
    (* anyconst *) reg [1:0] lane;
    (* anyconst *) reg [1:0] sample;
    (* anyconst *) reg [1:0] g;
    (* anyconst *) reg [1:0] r;
    wire [23:0] me = {sample, y, x};
    always @* begin
        assume ( \dut.knowns.watched == r && \dut.record_heads.watched == g && \dut.records_low.watched == g && \dut.records_high.watched == g && \dut.bounds_0.watched == g);
        assume ( \dut.rows_0.watched == r);
        assume ( \dut.rows_1.watched == r);
        assume ( \dut.rows_2.watched == r);
        assume ( \dut.rows_3.watched == r);
        assume ( \dut.rows_4.watched == r);
        assume ( \dut.rows_5.watched == r);
        assume ( \dut.rows_6.watched == r);
        assume ( \dut.rows_7.watched == r);
    end
    function automatic [23:0] toward(input [23:0] d, input way_);
        toward = way_ ? ~d : d;
    endfunction

    // The pass: its words as they were written; something was told since.
    reg opened = 0, told = 0, loads = 0;
    reg [12:0] width = 0;
    reg [1:0] samples = 0;
    reg [23:0] clear = 0;
    reg [3:0] more = 0;
    wire opens = state_pass && state_word == 0;
    wire words = state_pass && (state_word == 1 || state_word == 21 || state_word == 22);
    wire [1:0] last = samples == 0 ? 0 : samples == 1 ? 1 : 3;
    wire [17:0] place = ({9'b0, y[10:2]} << \dut.pitch_q ) | x[10:2];
    // Its row in the group, and its place in the row.
    wire [1:0] block = samples == 0 ? 0 : samples == 1 ? {1'b0, y[1]} : {y[1], x[1]};
    wire [3:0] in_row = samples == 0 ? {y[1:0], x[1:0]} : samples == 1 ? {y[0], x[1:0], sample[0]} : {y[0], x[0], sample};
    wire [17:0] row = (place << samples) | block;
    wire watches = opened && {x, 1'b0} < width && place < (18'd4 >> samples) && place == g && row == r && sample <= last;
    wire tells = update_valid && lanes != 0;
    always @* begin
        if (opens) assume (!update_valid && state_data[12:0] != 0 && state_data[12:0] <= 4096);
        if (words) assume (opened && !told && !update_valid);
        // Numbers of passes do not begin again in a sweep.
        if (opens && sweeping) assume (pass != 1023);
        if (state_pass && state_word == 1) assume (state_data[1:0] != 3);
        if (update_valid) assume (opened && {update_x, 1'b0} < width && update_sample <= last && (room || more != 14));
    end

    // Depths of the watched lane in the queue, and in the cycle before it.
    reg [31:0][23:0] queue = 0;
    reg [23:0] heard = 0;
    wire is_me = \dut.queue_place.words [head] == me;
    wire take = \dut.take ;
    // The sample's depth, by what has left the queue, and as it was when its group was written last.
    reg any_taken = 0;
    reg [23:0] z_r = 0, z_written = 0;
    (* anyseq *) wire [23:0] free;
    wire [23:0] z = any_taken ? z_r : loads ? free : clear;
    wire writes_group = \dut.writes && \dut.group_q == place;
    reg asked = 0, asked_quiet = 0, turned = 0;
    reg [23:0] asked_z = 0, asked_written = 0;
    always @(posedge clock) begin
        if (opens) begin
            opened <= 1;
            told <= 0;
            width <= state_data[12:0];
        end
        if (update_valid) told <= 1;
        if (state_pass && state_word == 1) samples <= state_data[1:0];
        if (state_pass && state_word == 21) loads <= state_data[4];
        if (state_pass && state_word == 22) clear <= state_data[23:0];
        more <= room ? 0 : more + update_valid;
        heard <= depth[lane];
        if ( \dut.pushes ) queue[\dut.tail_q ] <= heard;
        any_taken <= opens ? 0 : any_taken || told;
        z_r <= take && is_me && !opens ? queue[head] : z;
        if (writes_group) z_written <= z;
        asked <= watches && !sweeping && ask_x == x[10:2] && ask_y == y[10:2];
        {asked_z, asked_written, asked_quiet} <= {z, z_written, phase == 0 && !changed};
        turned <= !opens && (turned || (way && way_down && any_taken && !down));
    end
    wire states = asked && known && !sweeping;
`ifdef PROPERTY_back_bounds
    always @* begin
        // What is said of a group: no nearer than the sample was when it was written last, and no nearer than it is, by all that has left the queue, if that is written.
        if (states) assert (toward(asked_written, bound_down) <= bound);
        if (states && asked_quiet) assert (toward(asked_z, bound_down) <= bound);
        // Nothing is lost.
        assert (inside <= 32);
        `COVER(states && bound_down && turned && bound != 24'hFFFFFF)
        `COVER(states && !bound_down && samples == 2 && bound != clear && !loads && asked_quiet && y[1] && x[1])
        `COVER(states && !bound_down && samples == 1 && asked_written < clear && bound == clear && !loads)
        `COVER(inside == 3 && take && is_me && watches)
    end
`endif
`ifdef INVARIANTS
    wire [25:0] row_word = \dut.knowns.word ;
    wire [13:0] head_word = \dut.record_heads.word ;
    wire [34:0] stated = \dut.bounds_0.word ;
    wire [3:0][23:0] in_records = { \dut.records_high.word , \dut.records_low.word };
    wire [23:0] in_memory = in_row[0] ? row_words[in_row[3:1]][47:24] : row_words[in_row[3:1]][23:0], slot = slots[in_row];
    wire unswept_row = sweeping && \dut.sweep_q <= r, unswept = sweeping && \dut.sweep_q <= g;
    wire row_now = row_word[25:16] == pass && !unswept_row, group_now = head_word[13:4] == pass && !unswept;
    wire here_group = watches && here && \dut.group_q == place;
    wire here_row = here_group && \dut.row_q == row;
    wire [23:0] far = \dut.far , zz = toward(z, down);
    // The first beat of the queue.
    wire [17:0] first_place = ({9'b0, \dut.queue_place.words [head][21:13]} << \dut.pitch_q ) | \dut.queue_place.words [head][10:2];
    integer k;
    always @* begin
        assert (\dut.clear_q == clear && \dut.samples_q == samples && samples != 3);
        if (loads) assert (\dut.loads_q );
        if (\dut.touched_q || inside != 0 || \dut.heard_q ) assert (told && opened);
        if (\dut.touched_q || inside != 0 || phase != 0 || here) assert (any_taken);
        if (any_taken) assert (told);
        assert (opened == (pass != 0));
        if (opened) assert (width != 0 && width <= 4096 && width <= (13'd8 << \dut.pitch_q ) && \dut.pitch_q <= 9);
        if (!opened) assert (!sweeping && !here && !changed && !told && !any_taken && !loads && clear == 0 && samples == 0);
        if (sweeping) assert (\dut.sweep_q <= 3 && !changed);
        if (!told) assert (!here && !changed && phase == 0);
        // Words of RAMs: none is of a later pass.
        assert (stated[33:24] == head_word[13:4]);
        if (!unswept_row) assert (row_word[25:16] <= pass);
        if (!unswept) assert (head_word[13:4] <= pass);
        if (opened && !\dut.touched_q ) assert (!row_now && !group_now);
        if (group_now && opened) assert (stated[34] == down);
        // The queue.
        assert (inside <= 32 && \dut.tail_q == ((head + inside) & 31));
        assert (inside + \dut.heard_q <= 18 + more && (!room || inside <= 16));
        assert (room || inside + \dut.heard_q <= 18 + more);
        assert (more <= 14);
        for (k = 0; k < 32; k = k + 1)
            if (((k - head) & 31) < inside) begin
                assert ({ \dut.queue_place.words [k][10:0], 1'b0} < width && \dut.queue_place.words [k][23:22] <= last);
                if (\dut.queue_place.words [k] == me) assert (\dut.queue_least.words [k] <= queue[k] && queue[k] <= \dut.queue_most.words [k]);
            end
        if (\dut.heard_q ) assert ({ \dut.heard_place_q [10:0], 1'b0} < width && \dut.heard_place_q [23:22] <= last);
        if (\dut.heard_q && \dut.heard_place_q == me) assert (\dut.heard_least_q <= heard && heard <= \dut.heard_most_q );
        // The row that is here, and the one that comes.
        if (phase >= 2) assert (here && changed);
        if (here_row && !\dut.touched_q ) assert (!\dut.valid_q [in_row]);
        if (here_group && !\dut.touched_q ) assert (!\dut.row_known_q [block]);
        if (changed) assert (here && \dut.touched_q );
        if (phase == 1) assert (inside != 0 && !changed && !sweeping && first_place < (18'd4 >> samples));
        if (here) assert (\dut.group_q < (18'd4 >> samples) && \dut.row_q == ((\dut.group_q << samples) | \dut.block_q ) && \dut.block_q <= last);
        if (phase == 1 && watches && \dut.at == place) assert (\dut.record_heads.hit && \dut.record_heads.kept == head_word && \dut.records_low.hit && \dut.records_high.hit && \dut.records_low.kept == \dut.records_low.word && \dut.records_high.kept == \dut.records_high.word );
        if (phase == 1 && watches && \dut.at_row == row) assert (\dut.knowns.hit && \dut.knowns.kept == row_word && rows_hit[in_row[3:1]] && rows_kept[in_row[3:1]] == row_words[in_row[3:1]]);
        if (here_row) begin
            if (\dut.valid_q [in_row]) assert (zz <= slot);
            else assert (\dut.loads_q || z == clear);
            if (phase == 3) assert (zz <= quarters[in_row[3:2]]);
        end
        if (here_group && !here_row) begin
            if (\dut.row_known_q [block]) assert (zz <= mosts[block]);
            else assert (\dut.loads_q || z == clear);
        end
        // What is written.
        if (watches && any_taken && !(here_row && changed)) begin
            if (row_now && row_word[in_row]) assert (zz <= in_memory);
            if (group_now && head_word[block]) assert (zz <= in_records[block]);
            if (!(group_now && head_word[block]) && !\dut.loads_q ) assert (z == clear);
            if (!(row_now && row_word[in_row]) && !\dut.loads_q ) assert (z == clear);
            if (group_now) assert (zz <= stated[23:0]);
        end
        if (watches && group_now) assert (toward(z_written, down) <= stated[23:0]);
    end
`endif
endmodule
