// The insides of the waiting room that invariants look at, and what follows from them: which places are live, and in which order.
    (* hierconn, inside *) wire [2:0] \dut.state_q ;
    (* hierconn, inside *) wire [12:0] \dut.head_q , \dut.keep_q , \dut.scan_q , \dut.tail_q , \dut.ticket_q ;
    (* hierconn, inside *) wire \dut.round_q , \dut.again_q , \dut.bare_q , \dut.clearing_q , \dut.straight , \dut.choose_round , \dut.choose_oldest ;
    (* hierconn, inside *) wire [1:0] \dut.last_q , \dut.from_q ;
    (* hierconn, inside *) wire [31:0] \dut.body_q , \dut.bodies_read_data , \dut.tickets_read_data , \dut.table_read_data ;
    (* hierconn, inside *) wire [15:0] \dut.sem_q ;
    (* hierconn, inside *) wire [31:0] \dut.bodies.view0 , \dut.bodies.view1 , \dut.bodies.view2 , \dut.bodies.view3 ;
    (* hierconn, inside *) wire [31:0] \dut.tickets.view0 , \dut.tickets.view1 , \dut.tickets.view2 , \dut.tickets.view3 ;
    (* hierconn, inside *) wire [31:0] \dut.table_.view0 , \dut.table_.view1 , \dut.table_.view2 , \dut.table_.view3 ;
    wire [3:0][31:0] bodies = {\dut.bodies.view3 , \dut.bodies.view2 , \dut.bodies.view1 , \dut.bodies.view0 };
    wire [3:0][31:0] tickets = {\dut.tickets.view3 , \dut.tickets.view2 , \dut.tickets.view1 , \dut.tickets.view0 };
    wire [3:0][31:0] rows = {\dut.table_.view3 , \dut.table_.view2 , \dut.table_.view1 , \dut.table_.view0 };
    wire [2:0] state = \dut.state_q ;
    wire [12:0] head = \dut.head_q , keep = \dut.keep_q , scan = \dut.scan_q , tail = \dut.tail_q , ticket = \dut.ticket_q ;
    wire round = \dut.round_q , again = \dut.again_q , bare = \dut.bare_q , straight = \dut.straight ;
    wire round_step = \dut.choose_round , oldest_step = \dut.choose_oldest ;
    wire [1:0] last = \dut.last_q , from = \dut.from_q ;
    wire [31:0] body = \dut.body_q , body_read = \dut.bodies_read_data , ticket_read = \dut.tickets_read_data , row_read = \dut.table_read_data ;
    wire [15:0] sem = \dut.sem_q ;
    wire open = state == 0, takes = state == 1, reads = state == 2, judges = state == 3, tries = state == 4;
    // Live places: those that the round has kept, and those behind its place.
    wire [12:0] kept = keep - head, span = tail - head, passed = scan - head;
    wire [12:0] left = round ? tail - scan : span;
    wire [12:0] live = round ? kept + left : span;
    // The message in hand: new from the port, or at a live place.
    wire in_hand = reads || judges || tries;
    wire new_hand = (judges || tries) && from == 0;
    // Its rank among the live ones; the oldest message is at the round's place if the round has kept none before it.
    wire [12:0] hand_rank = from == 2 ? kept : 13'd0;
    wire [12:0] hand_place = from == 2 || (round && kept == 0) ? scan : head;
    // Every place is taken, or is a gap that the round has left.
    wire full = span == `PLACES;
    genvar i, j;
    // Place of the live message of rank i.
    wire [3:0][1:0] at;
    generate for (i = 0; i < 4; i = i + 1) begin : ranks
        wire [12:0] position = !round || i < kept ? head + i : scan + (i - kept);
        assign at[i] = position[1:0];
    end endgenerate
