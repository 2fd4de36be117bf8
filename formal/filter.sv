// Properties of the filter of quads (`hdl/src/visibility/filter/quad_filter.rs`), bounded, from power-up, by the ports alone, on its exported Verilog. What is said of ONE arbitrary quad and ONE arbitrary `done` (the solver chooses their numbers) holds
// for all that fit into the cycles.
//
// The environment is free: quads of one or two beats, or ends, with any coverage and depths, any words of state (the RAMs say anything, as in hide.sv) and any answers of Hi-Z a cycle later; dones in any cycle but within a quad; the output
// may stall for ever. A quad's order is its number. Assumed is that a quad's beats have one number, and that a draw's words of state stay while its quads are told.
`include "prelude.svh"
`ANY_RAM(async_ram_8_32, 32)
`ANY_RAM(async_ram_8_1, 1)

module filter_proof(
    input clock, input state_pass, input [31:0] state_data, input told_valid, told_end, told_last, input [3:0] coverage, input [3:0][23:0] depth, input told_done, quad_ready,
    input known, bound_down, bound_here, input [3:0][23:0] bound, input [12:0] bound_run, run, newest_run
);
    wire told_ready, quad_valid, quad_end, quad_last, tile_done, cull_valid;
    wire [15:0] quad_order;
    wire [3:0] quad_coverage;
    wire [2:0] quad_sample;
    // Numbers of the quad that is told and of the beat in it.
    reg [3:0] count = 0;
    reg beat = 0;
    wire told = told_valid && told_ready;
    quad_filter dut(
        .clock(clock), .state_valid(state_pass), .state_pass(state_pass), .state_context(4'b0), .state_word(6'd1), .state_data(state_data),
        .told_valid(told_valid), .told_ready(told_ready), .told_end(told_end), .told_context(4'b0), .told_handle(12'b0), .told_order({12'b0, count}), .told_back(1'b0), .told_buffer(3'b0),
        .told_x(11'b0), .told_y(11'b0), .told_sample({2'b0, beat}), .told_last(told_last), .told_coverage(coverage),
        .told_depth0(depth[0]), .told_depth1(depth[1]), .told_depth2(depth[2]), .told_depth3(depth[3]), .told_done(told_done),
        .known(known), .bound_0(bound[0]), .bound_1(bound[1]), .bound_2(bound[2]), .bound_3(bound[3]), .bound_down(bound_down), .bound_here(bound_here), .bound_run(bound_run), .run(run), .newest_run(newest_run),
        .quad_valid(quad_valid), .quad_ready(quad_ready), .quad_end(quad_end), .quad_order(quad_order), .quad_sample(quad_sample), .quad_last(quad_last), .quad_coverage(quad_coverage),
        .tile_done(tile_done), .cull_valid(cull_valid)
    );
    (* hierconn, inside *) wire [31:0] \dut.classes.words_read_data , \dut.classes.plain_0_read_data , \dut.classes.plain_1_read_data , \dut.classes.plain_2_read_data , \dut.classes.plain_3_read_data ;
    (* hierconn, inside *) wire [2:0] \dut.classes.targets_q ;
    (* hierconn, inside *) wire \dut.classes.has_depth_q ;
    wire [31:0] modes = \dut.classes.words_read_data ;
    wire [2:0] compare = modes[7:5], targets = \dut.classes.targets_q ;
    wire [3:0] plain = {\dut.classes.plain_3_read_data [0], \dut.classes.plain_2_read_data [0], \dut.classes.plain_1_read_data [0], \dut.classes.plain_0_read_data [0]};
    wire whole_targets = (targets < 1 || plain[0]) && (targets < 2 || plain[1]) && (targets < 3 || plain[2]) && (targets < 4 || plain[3]);
    wire grows = compare == 4 || compare == 6;
    wire opaque = \dut.classes.has_depth_q && modes[9:8] == 3 && (compare == 1 || compare == 3 || grows) && !modes[10] && !modes[12] && !modes[15] && modes[19:16] == 0 && whole_targets;

    (* anyconst *) reg [3:0] w;
    // The watched quad: it is an end, it has been told whole, a sample of it may be seen, its beats have gone out, and as what it was told.
    reg whole = 0, ends = 0, shows = 0, shown = 0, comes = 0, two = 0;
    reg [1:0] gone = 0;
    reg [3:0] coverage_was = 0, first_coverage = 0, second_coverage = 0;
    reg [3:0][23:0] depth_was = 0;
    // A sample of last cycle's beat is not strictly behind.
    reg open;
    integer k;
    always @* begin
        open = 0;
        for (k = 0; k < 4; k = k + 1)
            if (coverage_was[k] && !((grows ? ~depth_was[k] : depth_was[k]) > bound[k])) open = 1;
        if (!opaque || !known || bound_down != grows || !(newest_run == run || (bound_run == run && !bound_here))) open = 1;
    end
    wire goes = quad_valid && quad_ready;
    // Dones that came and went.
    reg [4:0] dones = 0, done_out = 0;
    (* anyconst *) reg [4:0] d;
    // The quad told last before done `d`.
    reg [3:0] mark = 0;
    reg marked = 0;
    // Greatest number that has gone out whole; cycles without anything to do.
    reg [3:0] newest = 0;
    reg some = 0;
    reg [4:0] rest = 0;
    always @(posedge clock) begin
        coverage_was <= coverage;
        depth_was <= depth;
        comes <= told && count == w && !told_end;
        if (comes && open) shows <= 1;
        if (told) begin
            beat <= !told_last && !told_end;
            if (told_last || told_end) count <= count + 1;
            if (count == w) begin
                whole <= told_last || told_end;
                ends <= told_end;
                two <= beat;
                if (beat) second_coverage <= coverage; else first_coverage <= coverage;
            end
        end
        if (goes && quad_order[3:0] == w) gone <= gone + 1;
        if (told_done) begin
            dones <= dones + 1;
            if (dones == d) begin
                marked <= 1;
                mark <= count;
            end
        end
        if (tile_done) done_out <= done_out + 1;
        if (goes && (quad_last || quad_end)) begin
            newest <= quad_order[3:0];
            some <= 1;
        end
        rest <= told_valid || told_done || !quad_ready ? 0 : rest + 1;
    end
    always @* begin
        // A second beat is the last; an end has one. Few enough quads to be numbered.
        if (beat) assume (told_last && !told_end);
        assume (count != 15 || !told_valid);
        if (beat) assume (!told_done);
    end
`ifdef PROPERTY_filter_stays
    always @* begin
        // A quad that shows, and an end, go out whole, before any that was told later: what goes out next is never a later one while it owes beats.
        if (quad_valid && quad_order[3:0] > w && whole) assert (gone == (two ? 2 : 1) || (gone == 0 && !ends && !shows));
        if (quad_valid) assert (quad_order[15:4] == 0 && (!some || quad_order[3:0] > newest));
        // It goes out as it was told.
        if (quad_valid && quad_order[3:0] == w) assert (whole && quad_end == ends && gone <= two && (ends || (quad_sample == {2'b0, gone[0]} && quad_last == (gone == two) && quad_coverage == (gone == 0 ? first_coverage : second_coverage))));
        // None is lost at the end.
        if (rest >= 12 && whole && !beat) assert (gone == (two ? 2 : 1) || (gone == 0 && !ends && !shows));
        `COVER(goes && quad_order == 2 && w == 1 && gone == 0 && whole && two)
        `COVER(rest >= 12 && gone == 2)
    end
`endif
`ifdef PROPERTY_filter_dones
    always @* begin
        // No more dones go than came. Done `d` goes only when all that was told before it has gone or was dropped: nothing older comes out later. All have gone when there is nothing else to do.
        assert (done_out <= dones);
        if (marked && done_out > d && quad_valid) assert (quad_order[3:0] >= mark);
        if (rest >= 12 && !beat) assert (done_out == dones);
        `COVER(marked && done_out > d && goes && mark == 2 && d == 1 && quad_order == 2)
        `COVER(rest >= 12 && dones == 3 && count == 2)
    end
`endif
endmodule
