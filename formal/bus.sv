// Properties of the message bus (`hdl/src/bus/message_bus.rs`), proved on its exported Verilog with 3 senders and 3 receivers. One property per run: the macro PROPERTY_name selects its
// assertions and its covers. What is asserted of ONE arbitrary sender `s` and receiver `r` (constants the solver chooses) holds for all pairs.
//
// The environment is free: any message in any cycle, to receivers 0 to 2 and to one that does not exist, replaced before it is taken or not, and any stall. Of a message one bit of the head and one of the
// body are free, the others 0: the bus does not look at them.
`include "prelude.svh"

module bus_proof(
    input clock,
    input [2:0] in_valid, input [2:0][1:0] in_to, input [2:0] in_flag, input [2:0] in_bit, input [2:0] out_ready
);
    wire [2:0] in_ready, out_valid;
    wire [2:0][3:0] out_from;
    wire [2:0][15:0] out_head;
    wire [2:0][31:0] out_body;
    wire idle;
    message_bus dut(
        .clock(clock), .idle(idle),
        .in_valid_0(in_valid[0]), .in_ready_0(in_ready[0]), .in_to_0({2'b0, in_to[0]}), .in_head_0({15'b0, in_flag[0]}), .in_body_0({31'b0, in_bit[0]}),
        .in_valid_1(in_valid[1]), .in_ready_1(in_ready[1]), .in_to_1({2'b0, in_to[1]}), .in_head_1({15'b0, in_flag[1]}), .in_body_1({31'b0, in_bit[1]}),
        .in_valid_2(in_valid[2]), .in_ready_2(in_ready[2]), .in_to_2({2'b0, in_to[2]}), .in_head_2({15'b0, in_flag[2]}), .in_body_2({31'b0, in_bit[2]}),
        .out_valid_0(out_valid[0]), .out_ready_0(out_ready[0]), .out_from_0(out_from[0]), .out_head_0(out_head[0]), .out_body_0(out_body[0]),
        .out_valid_1(out_valid[1]), .out_ready_1(out_ready[1]), .out_from_1(out_from[1]), .out_head_1(out_head[1]), .out_body_1(out_body[1]),
        .out_valid_2(out_valid[2]), .out_ready_2(out_ready[2]), .out_from_2(out_from[2]), .out_head_2(out_head[2]), .out_body_2(out_body[2])
    );

    (* anyconst *) reg [1:0] s;
    (* anyconst *) reg [1:0] r;
    always @* assume (s < 3 && r < 3);

    wire sent = in_valid[s] && in_ready[s] && in_to[s] == r;
    wire here = out_valid[r] && out_from[r] == {2'b0, s};
    wire given = here && out_ready[r];
    // Messages from `s` to `r` that are inside, the oldest is q0.
    reg [1:0] inside = 0;
    reg [1:0] q0 = 0, q1 = 0;
    wire [1:0] message = {in_flag[s], in_bit[s]};
    always @(posedge clock) begin
        if (given && inside != 0) begin
            inside <= inside - 1;
            q0 <= q1;
        end
        if (sent) begin
            inside <= inside + 1 - (given && inside != 0);
            if (inside - (given && inside != 0) == 0) q0 <= message;
            if (inside - (given && inside != 0) == 1) q1 <= message;
        end
    end

`ifdef PROPERTY_no_loss
    // A message taken is at its receiver's port from the next cycle until it is taken there.
    always @* begin
        if (inside != 0) assert (here && !idle);
        assert (inside < 2);
        `COVER(inside != 0 && !out_ready[r] && in_valid == 3'b111 && in_to[s] == r)
        `COVER(sent && given)
    end
`endif
`ifdef PROPERTY_no_duplicate
    // What a receiver takes was sent to it and was not taken before.
    always @* begin
        if (given) assert (inside != 0);
        if (out_valid[r]) assert (out_from[r] < 3);
        `COVER(given && out_from[0] == 2 && out_valid == 3'b111)
        `COVER(!given && inside == 0 && out_valid == 3'b111)
    end
`endif
`ifdef PROPERTY_order
    // Between one sender and one receiver messages arrive in the order they were sent, unchanged.
    always @* begin
        if (given && inside != 0) assert ({out_head[r], out_body[r]} == {15'b0, q0[1], 31'b0, q0[0]});
        `COVER(given && sent && message != q0)
        `COVER(given && q0 == 3)
    end
`endif
`ifdef PROPERTY_bounded_wait
    // A message waits for at most 2 others (senders - 1) to its receiver, or of all on the shared bus: counted in the cycles in which its receiver could take it.
    reg [1:0] waited = 0;
    reg held = 0;
    wire could = in_valid[s] && in_to[s] == r && (!out_valid[r] || out_ready[r]);
    always @(posedge clock) begin
        held <= in_valid[s] && in_to[s] == r && !in_ready[s];
        waited <= !(in_valid[s] && in_to[s] == r) || in_ready[s] ? 2'd0 : waited == 3 ? 2'd3 : waited + could;
    end
    always @* begin
        if (held) assume (in_valid[s] && in_to[s] == r);
        if (could && waited == 2) assert (in_ready[s]);
        assert (waited <= 2);
        `COVER(waited == 2)
        `COVER(sent && waited == 2)
    end
`endif
endmodule
