// Properties of what Hi-Z knows (`hdl/src/visibility/hi_z/hi_z.rs`), proved on its exported Verilog by induction, of 4 groups, in both directions, with one, two and four samples. One property per run: the macro PROPERTY_name selects its
// assertions and its covers. What is said of ONE arbitrary sample (the solver chooses its place) holds for all. A ghost keeps its depth as a depth buffer would that draws every beat at once, in the order in which they are taken (HZ-21).
//
// Each RAM keeps one word, that of the sample, and says anything of all others. So the number of groups costs nothing. Assumed is the contract of those around the block:
// - A beat that is offered stays, with its draw, until it is taken, and the draw stays while beats of it are under way. A quad's samples come one after the other, from 0 to the last one. It lies in the target.
// - The draw's answers are those of `draw_classes`. So what it may do to the sample's depth follows: it writes by its order if it updates, and perhaps if it only claims; anything if it resets; else nothing.
// - A pass opens, and is forgotten, while nothing is under way. Its other words come before its first beat. Answers count from the first pass on, and while no sweep is under way.
`include "prelude.svh"
`WATCHED_RAM(deep_ram_64_48, 18, 48, 6)
`WATCHED_RAM(deep_ram_4_41, 13, 41, 2)
`WATCHED_RAM(deep_ram_4_48, 13, 48, 2)

module hi_z_proof(
    input clock, input state_pass, input [5:0] state_word, input [31:0] state_data, input [2:0] function_, input culls, updates, claims, resets, input [12:0] run, input forget,
    input quad_valid, quad_end, input [10:0] quad_x, quad_y, input [2:0] quad_sample, input [3:0] coverage, input [3:0][23:0] depth, input [8:0] ask_x, ask_y, input [10:0] look_x, look_y, input [1:0] look_sample
);
    wire down = function_ == 4 || function_ == 6;
    wire quad_ready, seen, idle, known, bound_down, look_known, look_down, look_here, part_write;
    wire [23:0] bound, look_bound_0, look_bound_1, look_bound_2, look_bound_3;
    wire [12:0] bound_run, look_run, part_group;
    wire [7:0][47:0] part;
    hi_z dut(
        .clock(clock), .state_valid(state_pass), .state_pass(state_pass), .state_context(4'b0), .state_word(state_word), .state_data(state_data),
        .function_(function_), .culls(culls), .updates(updates), .claims(claims), .resets(resets), .down(down), .run(run), .forget_0(forget),
        .quad_valid(quad_valid), .quad_ready(quad_ready), .quad_end(quad_end), .quad_context(4'b0), .quad_handle(12'b0), .quad_order(16'b0), .quad_back(1'b0), .quad_buffer(3'b0),
        .quad_x(quad_x), .quad_y(quad_y), .quad_sample(quad_sample), .quad_last(1'b0), .quad_coverage(coverage),
        .quad_depth0(depth[0]), .quad_depth1(depth[1]), .quad_depth2(depth[2]), .quad_depth3(depth[3]),
        .ask_x_0(ask_x), .ask_y_0(ask_y), .look_x(look_x), .look_y(look_y), .look_sample(look_sample), .seen(seen), .idle(idle),
        .known_0(known), .bound_0(bound), .bound_down_0(bound_down), .bound_run_0(bound_run),
        .look_known(look_known), .look_bound_0(look_bound_0), .look_bound_1(look_bound_1), .look_bound_2(look_bound_2), .look_bound_3(look_bound_3), .look_down(look_down), .look_run(look_run), .look_here(look_here),
        .part_write_0(part_write), .part_group_0(part_group), .part_0(part[0]), .part_1(part[1]), .part_2(part[2]), .part_3(part[3]), .part_4(part[4]), .part_5(part[5]), .part_6(part[6]), .part_7(part[7])
    );
    (* hierconn, inside *) wire \dut.here_q , \dut.reset_q , \dut.changed_q , \dut.one_q , \dut.one_kept_q , \dut.one_first_q , \dut.one_last_q , \dut.two_q , \dut.two_first_q , \dut.two_last_q , \dut.group_down_q , \dut.sweeping_q , \dut.loads_q , \dut.pixels_0.hit , \dut.pixels_1.hit ;
    (* hierconn, inside *) wire [1:0] \dut.phase_q , \dut.samples_q , \dut.records_0.watched , \dut.record_copies_0.watched , \dut.bounds_0.watched , \dut.quads_0.watched , \dut.quads_1.watched , \dut.quads_2.watched , \dut.quads_3.watched , \dut.quads_4.watched , \dut.quads_5.watched , \dut.quads_6.watched , \dut.quads_7.watched ;
    (* hierconn, inside *) wire [3:0] \dut.pitch_q , \dut.one_quad_q , \dut.one_cover_q , \dut.two_quad_q ;
    (* hierconn, inside *) wire [5:0] \dut.pixels_0.watched , \dut.pixels_1.watched , \dut.left_copies_0.watched , \dut.right_copies_0.watched ;
    (* hierconn, inside *) wire [9:0] \dut.pass_q ;
    (* hierconn, inside *) wire [12:0] \dut.sweep_q , \dut.group_run_q ;
    (* hierconn, inside *) wire [15:0] \dut.valid_q ;
    (* hierconn, inside *) wire [17:0] \dut.group_q , \dut.one_word_q ;
    (* hierconn, inside *) wire [23:0] \dut.clear_q , \dut.far , \dut.two_most_q , \dut.so_far_q , \dut.block_0_q , \dut.block_1_q , \dut.block_2_q , \dut.block_3_q , \dut.one_depth_0_q , \dut.one_depth_1_q , \dut.one_depth_2_q , \dut.one_depth_3_q ;
    (* hierconn, inside *) wire [23:0] \dut.even_0_q , \dut.odd_0_q , \dut.even_1_q , \dut.odd_1_q , \dut.even_2_q , \dut.odd_2_q , \dut.even_3_q , \dut.odd_3_q , \dut.even_4_q , \dut.odd_4_q , \dut.even_5_q , \dut.odd_5_q , \dut.even_6_q , \dut.odd_6_q , \dut.even_7_q , \dut.odd_7_q ;
    (* hierconn, inside *) wire [40:0] \dut.records_0.word , \dut.record_copies_0.word ;
    (* hierconn, inside *) wire [47:0] \dut.pixels_0.word , \dut.pixels_1.word , \dut.pixels_0.kept , \dut.pixels_1.kept , \dut.left_copies_0.word , \dut.right_copies_0.word , \dut.bounds_0.word ;
    (* hierconn, inside *) wire [47:0] \dut.quads_0.word , \dut.quads_1.word , \dut.quads_2.word , \dut.quads_3.word , \dut.quads_4.word , \dut.quads_5.word , \dut.quads_6.word , \dut.quads_7.word ;
    wire [15:0][23:0] of_quads = {\dut.odd_7_q , \dut.even_7_q , \dut.odd_6_q , \dut.even_6_q , \dut.odd_5_q , \dut.even_5_q , \dut.odd_4_q , \dut.even_4_q , \dut.odd_3_q , \dut.even_3_q , \dut.odd_2_q , \dut.even_2_q , \dut.odd_1_q , \dut.even_1_q , \dut.odd_0_q , \dut.even_0_q };
    wire [3:0][23:0] of_blocks = {\dut.block_3_q , \dut.block_2_q , \dut.block_1_q , \dut.block_0_q };
    wire [3:0][23:0] one_depths = {\dut.one_depth_3_q , \dut.one_depth_2_q , \dut.one_depth_1_q , \dut.one_depth_0_q };
    wire [7:0][47:0] quad_words = {\dut.quads_7.word , \dut.quads_6.word , \dut.quads_5.word , \dut.quads_4.word , \dut.quads_3.word , \dut.quads_2.word , \dut.quads_1.word , \dut.quads_0.word };
    (* hierconn, inside *) wire [47:0] \dut.quads_0.kept , \dut.quads_1.kept , \dut.quads_2.kept , \dut.quads_3.kept , \dut.quads_4.kept , \dut.quads_5.kept , \dut.quads_6.kept , \dut.quads_7.kept ;
    (* hierconn, inside *) wire \dut.quads_0.hit , \dut.quads_1.hit , \dut.quads_2.hit , \dut.quads_3.hit , \dut.quads_4.hit , \dut.quads_5.hit , \dut.quads_6.hit , \dut.quads_7.hit , \dut.records_0.hit ;
    (* hierconn, inside *) wire [40:0] \dut.records_0.kept ;
    wire [7:0][47:0] quads_kept = {\dut.quads_7.kept , \dut.quads_6.kept , \dut.quads_5.kept , \dut.quads_4.kept , \dut.quads_3.kept , \dut.quads_2.kept , \dut.quads_1.kept , \dut.quads_0.kept };
    wire [7:0] quads_hit = {\dut.quads_7.hit , \dut.quads_6.hit , \dut.quads_5.hit , \dut.quads_4.hit , \dut.quads_3.hit , \dut.quads_2.hit , \dut.quads_1.hit , \dut.quads_0.hit };
    wire [1:0] phase = \dut.phase_q ;
    wire here = \dut.here_q , one = \dut.one_q , two = \dut.two_q , changed = \dut.changed_q , sweeping = \dut.sweeping_q , kept = \dut.one_kept_q , turned = \dut.group_down_q ;
    wire [9:0] pass = \dut.pass_q ;

    // The watched sample: its quad, lane and number; the words that the RAMs keep.
    (* anyconst *) reg [10:0] x;
    (* anyconst *) reg [10:0] y;
    (* anyconst *) reg [1:0] lane;
    (* anyconst *) reg [1:0] sample;
    (* anyconst *) reg [1:0] g;
    (* anyconst *) reg [5:0] pixel;
    wire [3:0] q = {y[1:0], x[1:0]};
    always @* begin
        assume ( \dut.pixels_0.watched == pixel && \dut.pixels_1.watched == pixel && \dut.left_copies_0.watched == pixel && \dut.right_copies_0.watched == pixel);
        assume ( \dut.records_0.watched == g && \dut.record_copies_0.watched == g && \dut.bounds_0.watched == g);
        assume ( \dut.quads_0.watched == g);
        assume ( \dut.quads_1.watched == g);
        assume ( \dut.quads_2.watched == g);
        assume ( \dut.quads_3.watched == g);
        assume ( \dut.quads_4.watched == g);
        assume ( \dut.quads_5.watched == g);
        assume ( \dut.quads_6.watched == g);
        assume ( \dut.quads_7.watched == g);
    end
    function automatic [23:0] toward(input [23:0] d, input way);
        toward = way ? ~d : d;
    endfunction

    // The pass: its words as they were written.
    reg opened = 0, touched = 0, loads = 0;
    reg [12:0] width = 0;
    reg [1:0] samples = 0;
    reg [23:0] clear = 0;
    wire opens = state_pass && state_word == 0;
    wire words = state_pass && (state_word == 1 || state_word == 21 || state_word == 22);
    wire [1:0] last = samples == 0 ? 0 : samples == 1 ? 1 : 3;
    wire [17:0] place = ({9'b0, y[10:2]} << \dut.pitch_q ) | x[10:2];
    wire [17:0] word = ((place << 4 | q) << samples) | sample;
    // The sample is of the target, its group is stored, and these are its words.
    wire watches = opened && {x, 1'b0} < width && place < (18'd4 >> samples) && place == g && word == pixel && sample <= last;

    // A beat.
    wire beat = quad_valid && !quad_end && quad_sample <= last;
    wire take = beat && quad_ready;
    wire same_quad = quad_x == x && quad_y == y;
    wire hits = take && same_quad && quad_sample == sample;
    // Offered before, and not taken; the quad that is being told: its place, and the next sample.
    reg offered = 0;
    reg [138:0] beat_was = 0;
    wire [138:0] beat_is = {quad_end, quad_x, quad_y, quad_sample, coverage, depth};
    reg [23:0] draw_was = 0;
    wire [23:0] draw_is = {function_, culls, updates, claims, resets, run};
    reg [1:0] middle = 0;
    reg [10:0] middle_x = 0, middle_y = 0;
    wire waits = (quad_valid || offered) && !quad_end && quad_sample <= last;
    always @* begin
        if (offered) assume (beat_is == beat_was);
        if (offered || one || two || middle != 0) assume (draw_is == draw_was);
        if (waits) assume (middle == 0 ? quad_sample == 0 : quad_sample == middle && quad_x == middle_x && quad_y == middle_y);
        if (waits) assume (opened && {quad_x, 1'b0} < width);
        // The classes of draws.
        if (updates) assume (claims);
        if (claims) assume (!resets && (function_ == 1 || function_ == 3 || function_ == 4 || function_ == 6));
        if (culls) assume (!resets && function_ != 0 && function_ != 5 && function_ != 7);
        // The pass.
        if (opens || words || forget) assume (idle && !quad_valid && !offered && middle == 0);
        if (words) assume (opened && !touched);
        if (opens) assume (!forget && state_data[12:0] != 0 && state_data[12:0] <= 4096);
        if (forget) assume (opened && !words);
        if (state_pass && state_word == 1) assume (state_data[1:0] != 3);
    end

    // The sample's depth, before the beat of this cycle.
    reg [23:0] z_r = 0;
    (* anyseq *) wire [23:0] free;
    (* anyseq *) wire lost;
    wire [23:0] z = touched ? z_r : loads ? free : clear;
    wire [23:0] d = depth[lane];
    reg passes;
    always @* case (function_)
        0: passes = 0;
        1: passes = d < z;
        2: passes = d == z;
        3: passes = d <= z;
        4: passes = d > z;
        5: passes = d != z;
        6: passes = d >= z;
        7: passes = 1;
    endcase
    wire covers = hits && coverage[lane];
    wire writes = covers && passes && (updates || (claims && !lost));

    wire [40:0] record = \dut.records_0.word ;
    wire [47:0] stated = \dut.bounds_0.word ;
    // The sample's depth when its group was written last; it may have been raised since then.
    reg [23:0] z_written = 0;
    reg moved = 0;
    wire writes_group = phase == 3 && \dut.group_q == place && !sweeping;
    // What is in cycle 1 and 2.
    reg one_hits = 0, one_in = 0, two_in = 0, one_covers = 0, one_shows = 0;
    reg [1:0] one_sample = 0, two_sample = 0;
    reg [23:0] one_z = 0;
    // A group, or pixels, were asked about a cycle ago.
    reg asked = 0, looked = 0, asked_idle = 0, asked_moved = 0, asked_resets = 0;
    reg [23:0] asked_z = 0, asked_written = 0;
    // The run of the beat that changed the sample's group last, if one did; the same when it was written last.
    reg ran = 0, ran_written = 0, asked_ran = 0, asked_ran_written = 0;
    reg [12:0] last_run = 0, run_written = 0, asked_run = 0, asked_run_written = 0;
    wire [17:0] quad_place = ({9'b0, quad_y[10:2]} << \dut.pitch_q ) | quad_x[10:2];
    always @(posedge clock) begin
        if (opens) begin
            opened <= 1;
            touched <= 0;
            width <= state_data[12:0];
        end
        if (state_pass && state_word == 1) samples <= state_data[1:0];
        if (state_pass && state_word == 21) loads <= state_data[4];
        if (state_pass && state_word == 22) clear <= state_data[23:0];
        if (forget) begin
            loads <= 1;
            touched <= 1;
        end
        if (beat) touched <= 1;
        if (take) begin
            middle <= quad_sample == last ? 0 : quad_sample + 1;
            {middle_x, middle_y} <= {quad_x, quad_y};
        end
        offered <= quad_valid ? !quad_ready : offered;
        {beat_was, draw_was} <= {beat_is, draw_is};
        z_r <= covers && resets ? free : writes ? d : z;
        one_hits <= hits;
        one_in <= take && same_quad;
        one_sample <= quad_sample;
        one_covers <= covers;
        one_shows <= covers && (passes || !culls);
        one_z <= z;
        two_in <= one_in;
        two_sample <= one_sample;
        if (writes_group) begin
            z_written <= z;
            moved <= 0;
        end else if (covers && (resets || (claims && down != stated[47]))) moved <= 1;
        if (take && quad_place == place && (updates || (resets && coverage != 0))) begin
            ran <= 1;
            last_run <= run;
        end
        if (writes_group) {ran_written, run_written} <= {ran, last_run};
        if (opens || forget) {moved, ran, ran_written} <= 0;
        {asked_ran, asked_run, asked_ran_written, asked_run_written} <= {ran, last_run, ran_written, run_written};
        asked <= watches && !sweeping && ask_x == x[10:2] && ask_y == y[10:2];
        looked <= watches && !sweeping && look_x == x && look_y == y && look_sample == sample;
        {asked_idle, asked_moved, asked_z, asked_written} <= {idle, moved, z, z_written};
        asked_resets <= one && resets;
    end
    wire [3:0][23:0] look_bound = {look_bound_3, look_bound_2, look_bound_1, look_bound_0};
    wire states = asked && known && !sweeping;
    wire shows = looked && look_known && !sweeping;
    reg both = 0, raised = 0;
    always @(posedge clock) begin
        if (states && bound_down) both <= 1;
        if (covers && resets) raised <= 1;
        if (opens) {both, raised} <= 0;
    end
`ifdef PROPERTY_hi_z_bounds
    always @* begin
        // What is said of a group: no nearer than the sample when the group was written last, and no nearer than it is, if nothing that may raise it came since then. Nothing did if nothing is under way.
        if (states) assert (toward(asked_written, bound_down) <= bound);
        if (states && !asked_moved) assert (toward(asked_z, bound_down) <= bound);
        if (states && asked_idle) assert (toward(asked_z, bound_down) <= bound);
        // Its run is that of the beat that changed it last.
        if (states && asked_ran_written) assert (bound_run == asked_run_written);
        if (shows && asked_ran && !look_here) assert (look_run == asked_run);
        // What is said of pixels, but while a draw that resets is compared.
        if (shows && !(look_here && asked_resets)) assert (toward(asked_z, look_down) <= look_bound[lane]);
        // What is said of quads.
        if (part_write && part_group == g && watches && \dut.group_q == place) assert (toward(z, turned) <= (q[0] ? part[q[3:1]][47:24] : part[q[3:1]][23:0]));
        `COVER(states && bound_down && bound != 24'hFFFFFF && bound != ~clear && asked_idle && !loads && touched && asked_ran_written)
        `COVER(states && !bound_down && raised && bound == 24'hFFFFFF && asked_idle)
        `COVER(states && asked_moved && raised && bound != 24'hFFFFFF)
        `COVER(shows && samples == 2 && look_bound[lane] < clear && !look_down && !loads)
        `COVER(shows && look_here && both && !look_down && !loads)
    end
`endif
`ifdef PROPERTY_hi_z_seen
    always @* begin
        // A beat of which a sample passes its test, or is not to be culled, is seen.
        if (watches && one_shows) assert (seen);
        `COVER(watches && one && one_hits && one_covers && culls && !seen && samples == 1 && function_ == 6)
        `COVER(watches && one_shows && culls && function_ == 2)
        `COVER(watches && one && one_hits && one_covers && culls && !seen && function_ == 2)
    end
`endif
`ifdef INVARIANTS
    wire [23:0] pix = lane == 0 ? \dut.pixels_0.word [23:0] : lane == 1 ? \dut.pixels_0.word [47:24] : lane == 2 ? \dut.pixels_1.word [23:0] : \dut.pixels_1.word [47:24];
    wire [23:0] read = lane == 0 ? \dut.pixels_0.kept [23:0] : lane == 1 ? \dut.pixels_0.kept [47:24] : lane == 2 ? \dut.pixels_1.kept [23:0] : \dut.pixels_1.kept [47:24];
    wire [23:0] of_quad = of_quads[q], in_memory = q[0] ? quad_words[q[3:1]][47:24] : quad_words[q[3:1]][23:0];
    wire unswept = sweeping && \dut.sweep_q <= g;
    wire [9:0] record_pass = record[38:29];
    wire current = record_pass == pass && !unswept, record_down = record[39], record_reset = record[40], record_valid = record[q];
    // The sample's group is here.
    wire present = watches && here && \dut.group_q == place;
    wire valid = \dut.valid_q [q];
    // Its bounds go in this cycle.
    wire clears = one && kept && resets && \dut.one_cover_q != 0;
    // What is here is newer than what was written.
    wire newer = present && (changed || (one && kept && claims) || clears || two);
    wire changes = (one && kept && updates) || clears || two;
    wire [23:0] z_here = toward(z, turned);
    wire [17:0] middle_place = ({9'b0, middle_y[10:2]} << \dut.pitch_q ) | middle_x[10:2];
    wire middle_in = middle != 0 && middle_x == x && middle_y == y;
    always @* begin
        // The pass.
        assert (\dut.loads_q == loads && \dut.clear_q == clear && \dut.samples_q == samples);
        assert (samples != 3);
        assert (opened == (pass != 0));
        if (opened) assert (width != 0 && width <= 4096 && width <= (13'd8 << \dut.pitch_q ) && \dut.pitch_q <= 9);
        if (!opened) assert (!touched && !here && !one && !two && phase == 0 && !changed && !sweeping && middle == 0 && !loads && clear == 0 && samples == 0);
        if (opened && !touched) assert (!here && !one && !two && middle == 0 && !changed && phase == 0 && !(offered && !quad_end && quad_sample <= last));
        if (sweeping) assert (\dut.sweep_q <= 3 && !one && !two && !changed && phase == 0 && middle == 0 && !here);
        // Records: none is of a later pass.
        assert ( \dut.record_copies_0.word == record);
        assert ( \dut.left_copies_0.word == \dut.pixels_0.word && \dut.right_copies_0.word == \dut.pixels_1.word );
        assert (stated[46:37] == record_pass && stated[47] == record_down && stated[36:24] == record[28:16]);
        if (!unswept) assert (record_pass <= pass);
        if (opened && !touched) assert (!current);
        if (!touched || sweeping) assert (!ran);
        // What is under way.
        if (phase == 1) assert (quad_place < (18'd4 >> samples));
        if (phase == 1) assert (offered && !quad_end && quad_sample <= last && !one && !two && !changed);
        if (phase >= 2) assert (here && changed && !one && !two);
        if (changed || two || (one && kept)) assert (here);
        if (two) assert (updates);
        if (here) assert ( \dut.group_q < (18'd4 >> samples));
        if (present && ((one && kept) || two) && claims) assert (turned == down);
        // A quad's group stays until all its samples are taken.
        if (middle != 0 && middle_place < (18'd4 >> samples)) assert (here && \dut.group_q == middle_place && phase != 1 && (!claims || turned == down));
        // What is read of a group that comes.
        if (phase == 1 && watches && quad_place == place) assert (\dut.records_0.hit && \dut.records_0.kept == record && quads_hit[q[3:1]] && quads_kept[q[3:1]] == quad_words[q[3:1]]);
        assert (middle <= last);
        // Cycles 1 and 2.
        if (one) assert (one_sample <= last && \dut.one_first_q == (one_sample == 0) && \dut.one_last_q == (one_sample == last));
        if (two) assert (two_sample <= last && \dut.two_first_q == (two_sample == 0) && \dut.two_last_q == (two_sample == last));
        if (!one) assert (!one_hits && !one_in && !one_shows && !one_covers);
        if (one_hits) assert (one_in && one_sample == sample);
        if (one_in && one_sample == sample) assert (one_hits);
        if (one_covers) assert (one_hits);
        if (one && watches) begin
            if (one_hits) assert (\dut.one_cover_q [lane] == one_covers);
            if (one_in) assert (kept && present && \dut.one_quad_q == q);
            if (kept && \dut.group_q == place && \dut.one_quad_q == q) assert (one_in);
            if (kept) assert (\dut.one_word_q == (((\dut.group_q << 4 | \dut.one_quad_q ) << samples) | one_sample));
        end
        if (two && watches) begin
            if (two_in) assert (present && \dut.two_quad_q == q);
            if (\dut.group_q == place && \dut.two_quad_q == q) assert (two_in);
        end
        if (one && middle == 0) assert (one_sample == last);
        if (one && middle != 0) assert (one_sample + 1 == middle);
        if (one && two && one_sample != 0) assert (two_sample + 1 == one_sample && two_in == one_in);
        if (!one && two && middle != 0) assert (two_sample + 1 == middle && two_in == middle_in);
        if (one && middle != 0) assert (one_in == middle_in);
        // The group that is here.
        if (present && !clears) begin
            if (valid) assert (z_here <= pix && z_here <= of_quad);
            else assert (z_here <= \dut.far );
        end
        if (present && changes) assert (ran && last_run == run);
        if (present && !changes && ran) assert (\dut.group_run_q == last_run);
        if (present && !changed && current) assert (turned == record_down);
        if (present && phase == 3) assert (z_here <= of_blocks[{q[3], q[1]}]);
        // The beat in cycle 1: what was read, and its depth.
        if (watches && one_hits) begin
            assert (\dut.pixels_0.hit && \dut.pixels_1.hit );
            if (valid) assert (toward(one_z, turned) <= read);
            else assert (toward(one_z, turned) <= \dut.far );
            if (updates) assert (z_here <= toward(one_z, turned));
            if (updates && one_covers) assert (z_here <= one_depths[lane]);
        end
        // A quad that is known as soon as all its samples are.
        if (watches && two && two_in && two_sample >= sample) assert (z_here <= pix && z_here <= (two_sample == sample ? \dut.two_most_q : \dut.so_far_q ));
        if (watches && one && one_in && updates && one_sample > sample) begin
            assert (z_here <= pix);
            if (!two) assert (z_here <= \dut.so_far_q );
        end
        if (watches && !one && middle_in && updates && middle > sample) begin
            assert (z_here <= pix);
            if (!two) assert (z_here <= \dut.so_far_q );
        end
        // The group that is written.
        if (watches && touched && !newer) begin
            if (current && record_valid) assert (toward(z, record_down) <= pix && toward(z, record_down) <= in_memory);
            if (current && !record_valid && !record_reset && !loads) assert (toward(z, record_down) <= toward(clear, record_down));
            if (!current && !loads) assert (z == clear);
            if (current && ran) assert (record[28:16] == last_run);
            if (!current) assert (!ran);
        end
        if (watches && current) begin
            assert (toward(z_written, stated[47]) <= stated[23:0]);
            if (!moved) assert (toward(z, stated[47]) <= stated[23:0]);
            if (moved) assert (newer);
            if (ran_written) assert (stated[36:24] == run_written);
        end
    end
`endif
endmodule
