// Our surroundings of the foreign CPU: 4 KiB of memory on both of its Wishbone buses, acknowledged after 0 to 3 wait states that a shift register draws,
// and a result register at address 0x80000000. A write to 0x80000004 ends the program.
module vexriscv_system(
    input clk,
    input reset,
    output reg [31:0] result,
    output reg result_valid,
    output reg done,
    output [29:0] i_adr,
    output i_stb,
    output [29:0] d_adr,
    output d_stb,
    output d_we,
    output [3:0] d_sel,
    output [31:0] d_mosi
);
    reg [31:0] memory [0:1023];
    reg [15:0] lfsr;
    reg [1:0] i_wait;
    reg [1:0] d_wait;
    reg i_ack;
    reg d_ack;
    reg [31:0] i_data;
    reg [31:0] d_data;

    integer k;
    initial begin
        for (k = 0; k < 1024; k = k + 1) memory[k] = 32'd0;
        $readmemh("vexriscv_program.hex", memory, 0, 129);
    end

    VexRiscv cpu(
        .externalResetVector(32'h00000000),
        .timerInterrupt(1'b0),
        .softwareInterrupt(1'b0),
        .externalInterruptArray(32'h00000000),
        .iBusWishbone_CYC(),
        .iBusWishbone_STB(i_stb),
        .iBusWishbone_ACK(i_ack),
        .iBusWishbone_WE(),
        .iBusWishbone_ADR(i_adr),
        .iBusWishbone_DAT_MISO(i_data),
        .iBusWishbone_DAT_MOSI(),
        .iBusWishbone_SEL(),
        .iBusWishbone_ERR(1'b0),
        .iBusWishbone_CTI(),
        .iBusWishbone_BTE(),
        .dBusWishbone_CYC(),
        .dBusWishbone_STB(d_stb),
        .dBusWishbone_ACK(d_ack),
        .dBusWishbone_WE(d_we),
        .dBusWishbone_ADR(d_adr),
        .dBusWishbone_DAT_MISO(d_data),
        .dBusWishbone_DAT_MOSI(d_mosi),
        .dBusWishbone_SEL(d_sel),
        .dBusWishbone_ERR(1'b0),
        .dBusWishbone_CTI(),
        .dBusWishbone_BTE(),
        .clk(clk),
        .reset(reset)
    );

    always @(posedge clk) begin
        i_ack <= 1'b0;
        d_ack <= 1'b0;
        result_valid <= 1'b0;
        lfsr <= {lfsr[14:0], lfsr[15] ^ lfsr[13] ^ lfsr[12] ^ lfsr[10]};
        if (i_stb && !i_ack) begin
            i_wait <= i_wait - 2'd1;
            if (i_wait == 2'd0) begin
                i_wait <= lfsr[1:0];
                i_ack <= 1'b1;
                i_data <= memory[i_adr[9:0]];
            end
        end
        if (d_stb && !d_ack) begin
            d_wait <= d_wait - 2'd1;
            if (d_wait == 2'd0) begin
                d_wait <= lfsr[5:4];
                d_ack <= 1'b1;
                d_data <= memory[d_adr[9:0]];
                if (d_we && d_adr[29]) begin
                    if (d_adr[0]) done <= 1'b1;
                    else begin
                        result <= d_mosi;
                        result_valid <= 1'b1;
                    end
                end
                if (d_we && !d_adr[29]) begin
                    if (d_sel[0]) memory[d_adr[9:0]][7:0] <= d_mosi[7:0];
                    if (d_sel[1]) memory[d_adr[9:0]][15:8] <= d_mosi[15:8];
                    if (d_sel[2]) memory[d_adr[9:0]][23:16] <= d_mosi[23:16];
                    if (d_sel[3]) memory[d_adr[9:0]][31:24] <= d_mosi[31:24];
                end
            end
        end
        if (reset) begin
            lfsr <= 16'hace1;
            i_wait <= 2'd0;
            d_wait <= 2'd0;
            result <= 32'd0;
            done <= 1'b0;
        end
    end
endmodule
