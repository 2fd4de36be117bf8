//! The ports of a load/store/atomic pipeline, which those of shared storage have too: an instruction onto the request ports, a beat off the completion ports. Macros, since
//! the two blocks have the names in common but no type.
#![allow(unused_macros, unused_imports)]

/// Puts an instruction on the request ports; its place in the program makes unit, warp and sequence number.
macro_rules! present {
    ($block:expr, $instruction:expr, $number:expr) => {{
        let (block, i, number) = ($block, $instruction, $number as u64);
        block.req_unit.next = (number % 8).into();
        block.req_warp.next = (number % 16).into();
        block.req_seq.next = (number % 256).into();
        block.req_mask.next = u64::from(i.mask).into();
        block.req_dst.next = u64::from(i.dst).into();
        block.req_op.next = u64::from(i.op as u8).into();
        let addr = [&mut block.req_addr0, &mut block.req_addr1, &mut block.req_addr2, &mut block.req_addr3];
        for (port, value) in addr.into_iter().zip(i.addr) {
            port.next = u64::from(value).into();
        }
        let words = [
            [&mut block.req_w0_0, &mut block.req_w0_1, &mut block.req_w0_2, &mut block.req_w0_3],
            [&mut block.req_w1_0, &mut block.req_w1_1, &mut block.req_w1_2, &mut block.req_w1_3],
            [&mut block.req_w2_0, &mut block.req_w2_1, &mut block.req_w2_2, &mut block.req_w2_3],
            [&mut block.req_w3_0, &mut block.req_w3_1, &mut block.req_w3_2, &mut block.req_w3_3],
        ];
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
            seq: b.rsp_seq.val().to_u8(),
            warp: b.rsp_warp.val().to_u8(),
            unit: b.rsp_unit.val().to_u8(),
            mask: b.rsp_mask.val().to_u8(),
            dst: b.rsp_dst.val().to_u8(),
            wen: b.rsp_wen.val(),
            last: b.rsp_last.val(),
            value: [b.rsp_value0.val(), b.rsp_value1.val(), b.rsp_value2.val(), b.rsp_value3.val()].map(|v| v.to_u32()),
        }
    }};
}

pub(crate) use {beat, present};
