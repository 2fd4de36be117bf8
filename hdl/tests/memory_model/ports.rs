//! The ports of a load/store/atomic pipeline, which those of shared storage have too: an
//! instruction onto the request ports, a beat off the completion ports. Macros, since the two
//! blocks have the names in common but no type.

/// Puts an instruction on the request ports; its place in the program makes unit, warp and sequence
/// number.
macro_rules! present {
    ($block:expr, $instruction:expr, $number:expr) => {{
        let (block, i, number) = ($block, $instruction, $number as u64);
        block.req_unit.next = (number % 8).into();
        block.req.warp.next = (number % 16).into();
        block.req.seq.next = (number % 256).into();
        block.req.mask.next = u64::from(i.mask).into();
        block.req.dst.next = u64::from(i.dst).into();
        block.req.op.next = u64::from(i.op as u8).into();
        let addr = block.req.addr.each_mut();
        for (port, value) in addr.into_iter().zip(i.addr) {
            port.next = u64::from(value).into();
        }
        let req = &mut *block.req;
        let words = [req.w0_.each_mut(), req.w1_.each_mut(), req.w2_.each_mut(), req.w3_.each_mut()];
        for (port, value) in words.into_iter().flatten().zip(i.words.into_iter().flatten()) {
            port.next = u64::from(value).into();
        }
    }};
}

/// The completion beat at the ports.
macro_rules! beat {
    ($block:expr) => {{
        let b = $block;
        $crate::memory_model::model::Beat {
            seq: b.rsp.seq.val().to_u8(),
            warp: b.rsp.warp.val().to_u8(),
            unit: b.rsp_unit.val().to_u8(),
            mask: b.rsp.mask.val().to_u8(),
            dst: b.rsp.dst.val().to_u8(),
            wen: b.rsp.wen.val(),
            last: b.rsp.last.val(),
            value: b.rsp.value.each_ref().map(|port| port.val()).map(|v| v.to_u32()),
        }
    }};
}

pub(crate) use {beat, present};
