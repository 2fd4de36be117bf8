use quadlock_rtlsim::{Design, Error, Options, Source};

const COUNTER: &str = "
    module counter(input clock, input enable, output reg [7:0] count);
        initial count = 0;
        always @(posedge clock) if (enable) count <= count + 1;
    endmodule";

fn main() -> Result<(), Error> {
    let design = Design::parse(&[Source::new("counter.v", COUNTER)], None)?;
    let mut sim = design.compile(&Options::default())?;
    // by name
    sim.set("enable", 1)?;
    sim.run(5)?;
    assert_eq!(sim.get("count")?, 5);
    // by handle, which is looked up once
    let (enable, count) = (sim.input("enable")?, sim.signal("count")?);
    let saved = sim.snapshot();
    assert_eq!(sim.run_until(count, |value| value == 12, 100)?, Some(7));
    sim.poke(enable, 0);
    sim.run(10)?;
    assert_eq!((sim.peek(count), sim.cycle()), (12, 22));
    // back to cycle 5
    sim.restore(&saved)?;
    assert_eq!((sim.peek(count), sim.cycle()), (5, 5));
    Ok(())
}
