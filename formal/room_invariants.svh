// What makes the properties of the waiting room inductive: places, tickets and the message in hand are the ghost's list. Proved together with the properties, never assumed.
    // A ghost's word as the room has it, and the other way about for the message in hand.
    function automatic [31:0] wide(input [10:0] w);
        wide = {w[4], w[5], w[3], w[2:0], 14'b0, w[7:6], 7'b0, w[10:8]};
    endfunction
    wire [10:0] hand_word = {sem[2:0], body[11:10], body[30], body[31], body[29], body[28:26]};
    // Counted cycles until the step under way is over.
    wire [6:0] answer = from == 1 ? 7'd1 + `ENTRY_WITHIN - (tries ? waits : 5'd0) : 7'd1 + `TRY_WITHIN - (tries ? tried : 5'd0);
    wire [6:0] to_end = reads ? 7'd2 + answer : judges ? 7'd1 + answer : tries ? answer : 7'd0;
`ifdef INVARIANTS
    wire [3:0][12:0] waiting_of;
    generate
        for (i = 0; i < 4; i = i + 1) begin : places
            wire [3:0] older;
            for (j = 0; j < 4; j = j + 1) begin : pairs
                assign older[j] = j < i && q[j][10:8] == q[i][10:8];
            end
            wire [12:0] rank = {12'b0, older[0]} + older[1] + older[2] + older[3];
            wire [1:0] of = q[i][9:8];
            wire [12:0] turn = tickets[at[i]][12:0] - rows[of][12:0];
            always @* if (i < live) begin
                assert (bodies[at[i]] == wide(q[i]));
                assert (!q[i][10]);
                // Its ticket says how many of its semaphore wait before it.
                assert (turn == rank);
            end
        end
        for (i = 0; i < 4; i = i + 1) begin : semaphores
            wire [3:0] here;
            for (j = 0; j < 4; j = j + 1) begin : members
                assign here[j] = j < live && q[j][10:8] == i;
            end
            wire [12:0] count = rows[i][25:13] - rows[i][12:0];
            always @* assert (count == {12'b0, here[0]} + here[1] + here[2] + here[3]);
        end
    endgenerate
    always @* begin
        assert (state < 5 && last < 3 && from < 3 && !\dut.clearing_q );
        assert (span <= `PLACES);
        if (round) assert (kept <= passed && passed <= span);
        if (new_hand) assert (span < `PLACES);
        assert (n == live + new_hand);
        if (takes) assert (in_held && !round && live == 0);
        if (reads) assert (from != 0);
        if (in_hand) assert (last == from);
        if (in_hand && from == 1) assert (live != 0);
        if (in_hand && from == 2) assert (round && left != 0);
        if (reads) assert (body_read == bodies[hand_place[1:0]] && ticket_read[12:0] == tickets[hand_place[1:0]][12:0]);
        if (judges || tries) begin
            assert (sem == {6'b0, body[9:0]});
            if (from == 0) assert (body == wide(q[live[2:0]]));
            else assert (body == bodies[hand_place[1:0]] && ticket == tickets[hand_place[1:0]][12:0]);
            if (sem < 4) assert (row_read == rows[sem[1:0]]);
        end
        if (tries) begin
            assert (bare == (from != 1));
            if (from == 0) assert (sem >= 4 || body[30] && row_read[25:13] == row_read[12:0]);
            if (from == 1) assert (vacant_was);
            if (from == 2) assert (body[30] && ticket == row_read[12:0]);
        end
        if (tried != 0) assert (tries && bare);
        if (waits != 0) assert (vacant_was && (tries && !bare || straight && in_held));
    end
`endif
