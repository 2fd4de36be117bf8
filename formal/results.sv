// Properties of the result store (`hdl/src/output/results.rs`), bounded, on its exported Verilog. One property per run: the macro PROPERTY_name selects its assertions and its covers.
//
// The environment is the collector, the warps and blending, all free: up to 8 quads (4 for `tickets`) of one sample, each kept or dropped, shaded or not. A word or an end has four lanes of any quads that are known,
// in any order: pairs, groups, and pairs that are ordered both ways are among them. A lane ends once, and writes no word after that. Blending may stall for ever.
// What the words are, and whose coverage is left, is cut off: the large RAMs say anything (`ram_*` below). Order and waiting do not depend on them.
`ifdef PROPERTY_tickets
`define QUADS 4
`else
`define QUADS 8
`endif
`include "prelude.svh"

module ram_1024(input clock, input [11:0] read_address, write_address, input [31:0] write_data, input write_enable, output [31:0] read_data);
    (* anyseq *) wire [31:0] any;
    assign read_data = any;
endmodule

module ram_byte_1024(input clock, input [11:0] read_address, write_address, input [31:0] write_data, input [3:0] write_mask, output [31:0] read_data);
    (* anyseq *) wire [31:0] any;
    assign read_data = any;
endmodule

module ram_byte_256(input clock, input [11:0] read_address, write_address, input [31:0] write_data, input [3:0] write_mask, output [31:0] read_data);
    (* anyseq *) wire [31:0] any;
    assign read_data = any;
endmodule

module result_proof(
    input clock, input tell, input keep, input shaded, input [3:0] covered, input commit_ready,
    input word_valid, input [3:0] word_mask, input [3:0][4:0] word_lane, input colour,
    input end_valid, input [3:0] end_covered, input [3:0][4:0] end_lane
);
    wire word_ready, end_ready, commit_valid, commit_last, idle;
    wire [15:0] commit_order;
    wire told = tell && count < `QUADS;
    result_store dut(
        .clock(clock), .idle(idle), .state_valid(1'b0), .state_pass(1'b0), .state_context(4'b0), .state_word(6'b0), .state_data(32'b0),
        .collected_sample(told), .collected_keep(told && keep), .collected_end(1'b0), .collected_ticket({2'b0, count}), .collected_number(2'b0),
        .collected_lanes(covered), .collected_depth0(24'b0), .collected_depth1(24'b0), .collected_depth2(24'b0), .collected_depth3(24'b0),
        .collected_context(4'b0), .collected_handle(12'b0), .collected_order({12'b0, count}), .collected_back(1'b0), .collected_buffer(3'b0),
        .collected_x(11'b0), .collected_y(11'b0), .collected_warps({2'b0, shaded}), .collected_alone(1'b0),
        .word_valid(word_valid), .word_ready(word_ready), .word_mask(word_mask), .word_word(colour ? 4'd0 : 4'd9),
        .word_ticket0({3'b0, word_lane[0]}), .word_ticket1({3'b0, word_lane[1]}), .word_ticket2({3'b0, word_lane[2]}), .word_ticket3({3'b0, word_lane[3]}),
        .word_sample0(2'b0), .word_sample1(2'b0), .word_sample2(2'b0), .word_sample3(2'b0), .word_data0(32'b0), .word_data1(32'b0), .word_data2(32'b0), .word_data3(32'b0),
        .end_valid(end_valid), .end_ready(end_ready), .end_covered(end_covered),
        .end_ticket0({3'b0, end_lane[0]}), .end_ticket1({3'b0, end_lane[1]}), .end_ticket2({3'b0, end_lane[2]}), .end_ticket3({3'b0, end_lane[3]}),
        .end_sample0(2'b0), .end_sample1(2'b0), .end_sample2(2'b0), .end_sample3(2'b0),
        .commit_valid(commit_valid), .commit_ready(commit_ready), .commit_last(commit_last), .commit_order(commit_order)
    );

    // Quads with a ticket, those that have committed; of each lane (4 * quad + lane) whether a warp runs for it.
    reg [3:0] count = 0, left = 0;
    reg [7:0] needs = 0;
    reg [31:0] runs = 0;
    wire [31:0] ends = end_valid && end_ready
        ? (32'd1 << end_lane[0]) | (32'd1 << end_lane[1]) | (32'd1 << end_lane[2]) | (32'd1 << end_lane[3]) : 32'd0;
    wire commits = commit_valid && commit_ready;
    always @(posedge clock) begin
        if (told && keep) begin
            count <= count + 1;
            needs[count[2:0]] <= shaded;
        end
        runs <= (runs & ~ends) | (told && keep && shaded ? 32'd15 << {count[2:0], 2'b0} : 32'd0);
        left <= left + (commits && commit_last);
    end

    // Lanes of an end are four different ones that run; a word's too, and no end of such a lane is offered before.
    wire [31:0] written = word_valid
        ? (32'd1 << word_lane[0]) | (32'd1 << word_lane[1]) | (32'd1 << word_lane[2]) | (32'd1 << word_lane[3]) : 32'd0;
    integer i, j;
    reg apart;
    always @* begin
        apart = 1;
        for (i = 0; i < 4; i = i + 1)
            for (j = 0; j < i; j = j + 1) begin
                if (end_lane[i] == end_lane[j] && end_valid) apart = 0;
                if (word_lane[i] == word_lane[j] && word_valid) apart = 0;
            end
        assume (apart);
        if (end_valid) begin
            assume (runs[end_lane[0]] && runs[end_lane[1]] && runs[end_lane[2]] && runs[end_lane[3]]);
            assume (!written[end_lane[0]] && !written[end_lane[1]] && !written[end_lane[2]] && !written[end_lane[3]]);
        end
        if (word_valid) assume (word_mask != 0 && runs[word_lane[0]] && runs[word_lane[1]] && runs[word_lane[2]] && runs[word_lane[3]]);
    end
    // What is offered stays until it is taken.
    reg word_held = 0, end_held = 0, colour_was;
    reg [3:0] mask_was, covered_was;
    reg [3:0][4:0] word_was, end_was;
    always @(posedge clock) begin
        word_held <= word_valid && !word_ready;
        end_held <= end_valid && !end_ready;
        {mask_was, covered_was, word_was, end_was, colour_was} <= {word_mask, end_covered, word_lane, end_lane, colour};
    end
    always @* begin
        if (word_held) assume (word_valid && word_mask == mask_was && word_lane == word_was && colour == colour_was);
        if (end_held) assume (end_valid && end_covered == covered_was && end_lane == end_was);
    end

`ifdef PROPERTY_tickets
    // The quad that commits is the one with the oldest ticket, and all its lanes have ended. So fragments of one sample commit in the order of their tickets.
    reg turned = 0;
    always @(posedge clock) if (ends[7:4] != 0 && runs[3:0] == 4'b1111) turned <= 1;
    always @* begin
        if (commit_valid) assert (commit_order == {12'b0, left} && left < count && commit_last);
        if (commit_valid) assert (runs[{left[2:0], 2'b0} +: 4] == 0);
        if (idle) assert (left == count);
        // A younger quad's lanes end first.
        `COVER(turned && commits && left == 1 && needs[1:0] == 3)
        // A quad that needs no warp waits for the older one.
        `COVER(commits && left == 1 && needs[1:0] == 1)
    end
`endif
`ifdef PROPERTY_exports
    // A word or an end is taken within WORD or END cycles, whatever older fragments do: those in which a sample is told do not count.
    // An end goes before the next word, so a word's count begins anew with each.
    localparam WORD = 7, END = 4;
    reg [3:0] word_waits = 0, end_waits = 0;
    always @(posedge clock) begin
        word_waits <= !word_valid || word_ready || (end_valid && end_ready) ? 0 : word_waits + !told;
        end_waits <= !end_valid || end_ready ? 0 : end_waits + !told;
    end
    // The stream of two pairs that are ordered both ways: quads 1 and 2 are one warp, 0 and 3 the other.
    wire inner = end_lane[0][4:2] == 1 && end_lane[1][4:2] == 1 && end_lane[2][4:2] == 2 && end_lane[3][4:2] == 2;
    reg [1:0] pairs = 0;
    always @(posedge clock) if (end_valid && end_ready && inner && runs[3:0] == 15 && runs[15:12] == 15) pairs <= pairs + 1;
    always @* begin
        assert (word_waits <= WORD);
        assert (end_waits <= END);
        // Younger quads' lanes end while the oldest runs, and are not waited for.
        `COVER(word_valid && word_ready && word_lane[0][4:2] == 2 && runs[3:0] == 15 && !commit_ready)
        `COVER(pairs == 2 && runs[11:4] == 0 && runs[3:0] == 15)
    end
`endif
endmodule
