// Kernels that use everything which a kernel may have, for `kernel.rs`, which includes this file
// twice: under rust-hdl's attribute and under this crate's.

impl Kernel<Statements> for Kernels {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: kernel of (all) \"statements\"");
        dff_setup!(self, clock, state, other);
        self.out.next = self.word.val();
        self.bit.next = false;
        if self.flag.val() {
            self.bit.next = true;
        } else if self.small.val().any() && !self.small.val().all() {
            self.state.d.next = self.small.val();
        } else {
            self.out.next = bits::<16>(0);
            self.out.next = bits::<16>(0x1F);
        }
        match self.step.q.val() {
            Step::Idle => {
                self.bit.next = true;
                self.state.d.next = bits::<4>(1);
            }
            Step::Run => self.step.d.next = Step::Idle,
            _ => {}
        }
        for i in 0..2 {
            self.states[i].clock.next = self.clock.val();
            self.states[i].d.next = self.list[i].val() + 1;
        }
        for k in 0..self._count {
            if self.list[k].val() == START {
                self.states[k].d.next = self.state.q.val();
            }
        }
    }
}

impl Kernel<Expressions> for Kernels {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, state, other);
        self.local.next = bits::<WIDE>(3) | bit_cast::<WIDE, 4>(self.small.val());
        self.local.next = bit_cast::<WIDE, 4>(self.small.val()) << 2;
        self.out.next = (self.word.val() & 0xFF) - (self.word.val() >> 8) ^ !self.word.val();
        self.out.next = self.word.val().replace_bit(3, self.flag.val());
        self.bit.next = self.word.val().get_bit(5) ^ self.small.val().xor();
        self.bit.next = (self.small.val() < 4) | (self.small.val() <= 5) | (self.small.val() > bits::<4>(6));
        self.bit.next = self.small.val() >= self.list[1].val() || self.small.val() != START;
        self.state.d.next = self.word.val().get_bits::<4>(7) + self.word.val().get_bits::<4>(OFFSET);
        self.other.d.next = bit_cast::<16, 4>(self.small.val()).into();
    }
}

impl Kernel<Words> for Kernels {
    #[hdl_gen]
    fn update(&mut self) {
        self.out.next = self.word.val();
        self.out.next.set_value_head(self.small.val());
        self.out.next.set_value_used(self.word.val().get_value_used());
        self.state.d.next = self.word.val().get_value_head();
    }
}

impl Kernel<Connections> for Kernels {
    #[hdl_gen]
    fn update(&mut self) {
        MessageIn::join(&mut self.said, &mut self.passed);
        MessageIn::link(&mut self.said, &mut self.all[1]);
        self.passed.value[1].next = self.small.val();
    }
}
