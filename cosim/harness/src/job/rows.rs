//! `[[thread]]` rows of a job file: a list of threads with semaphore requests set by hand (SE-41,
//! SE-43, SE-51), for dependencies that `[graph]` does not draw. The dispatcher takes them in this
//! order and sends their requests before they begin. Nothing is planned and nothing added: flags
//! that do not fit the program end as a hang or a protocol error, which the run explains. Wrong in
//! silence would be a row whose flags are not those in memory; tests read them back from the
//! records.

use quadlock_hdl::config::GpuConfig;
use quadlock_isa::ThreadRecord;
use quadlock_shader::interface::Interface;

use super::Job;
use crate::base::error::Input;
use crate::machine::launch::{refuse_thread, Launch, ThreadList};
use crate::machine::layout::Region;
use crate::threads::MAX_THREADS;

impl Job {
    /// The records of `[[thread]]` rows for a program of `code` instructions and a machine; none if
    /// the job has no such rows.
    ///
    /// # Errors
    /// A row that cannot be, or does not fit program or machine, with its place in the job file.
    pub fn thread_rows(&self, interface: &Interface, code: usize, config: &GpuConfig) -> Input<Vec<ThreadRecord>> {
        if !self.spec.thread.is_empty() {
            self.check_one_warp(interface)?;
        }
        let mut records: Vec<ThreadRecord> = Vec::new();
        for row in &self.spec.thread {
            let (span, row) = (row.span(), row.get_ref());
            let error = |what: String, help: &str| self.error(span.clone(), what, help);
            let fail = |what: String, help: &str| Err(error(what, help));
            if row.data.len() > 3 {
                return fail(format!("{} data words; a thread has three", row.data.len()), "give x, y and z");
            }
            let copies = row.copies.unwrap_or(1) as usize;
            if copies == 0 || records.len() + copies > MAX_THREADS {
                let what = format!("{copies} copies of a thread behind {} others", records.len());
                return fail(what, &format!("a list has 1 to {MAX_THREADS} threads"));
            }
            if row.start.is_some() && self.spec.program.is_none() {
                let help = "leave out `start`: a compiled program has no documented places to start at";
                return fail("`start` is for assembly programs".into(), help);
            }
            if interface.semaphores.polling && !row.requests.is_empty() {
                let help = "leave out semaphores=polling, or describe the dependencies in [graph]";
                return fail("requests of semaphores, which do not exist with semaphores=polling".into(), help);
            }
            for _ in 0..copies {
                let n = records.len();
                let word = |i: usize| row.data.get(i).copied().unwrap_or(0);
                let data = if row.data.is_empty() { [n as u32, 0, 0] } else { [word(0), word(1), word(2)] };
                let (pc, mask) = (row.start.unwrap_or(0), row.lanes.unwrap_or(15));
                let requests = row.requests.iter().map(|&r| r.into()).collect();
                let record = ThreadRecord { pc, mask, data, requests };
                refuse_thread(n, &record, code, config).map_err(|(what, help)| error(what, &help))?;
                records.push(record);
            }
        }
        Ok(records)
    }
}

/// Bytes that the records take.
pub fn bytes(records: &[ThreadRecord]) -> u32 {
    4 * records.iter().map(|r| r.words().len()).sum::<usize>() as u32
}

/// Puts the records into a launch's memory, at a region of that size.
pub fn place(records: Vec<ThreadRecord>, launch: &mut Launch, region: Region) {
    launch.threads = Some(ThreadList { base: region.addr, threads: records });
    launch.place_threads();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::program::{self, CompilerOptions};
    use crate::job::Size;
    use quadlock_shader::ShaderBinary;
    use std::path::Path;

    fn binary(polling: bool) -> ShaderBinary {
        let text = "@group(0) @binding(0) var<storage, read_write> m: array<u32>;
            @compute @workgroup_size(4) fn main(@builtin(workgroup_id) g: vec3<u32>) { m[g.x] = g.z; }";
        let options = CompilerOptions { polling, ..Default::default() };
        program::compile(Path::new("a.wgsl"), text.as_bytes(), None, &options).unwrap().binary
    }

    fn job(rows: &str) -> Input<Job> {
        let head = "name = \"r\"\nshader = \"a.wgsl\"\n[[buffer]]\nbinding = 0\nfrom = { zero = 64 }\n";
        Job::parse(Path::new("job.toml"), format!("{head}{rows}"), Size::Whole)
    }

    fn prepared(rows: &str, polling: bool) -> Input<Launch> {
        Ok(job(rows)?.prepare(&binary(polling), &GpuConfig::default())?.launch)
    }

    /// SE-41, SE-43: the flags of a row are those of the record that the dispatcher reads.
    #[test]
    fn rows_are_records_with_their_flags() {
        let requests =
            "requests = [{ semaphore = 7, auto-release = true }, { semaphore = 9, acknowledge-suppress = true }]";
        let rows = format!("[[thread]]\ncopies = 2\n[[thread]]\ndata = [5, 6, 7]\nlanes = 3\n{requests}");
        let launch = prepared(&rows, false).unwrap();
        let list = launch.threads.as_ref().unwrap();
        let data: Vec<[u32; 3]> = list.threads.iter().map(|t| t.data).collect();
        assert_eq!(data, [[0, 0, 0], [1, 0, 0], [5, 6, 7]]);
        let bytes = launch.image.slice(list.base + 32, 24).unwrap();
        let words: Vec<u32> = bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        assert_eq!(words, [0x0023_0000, 5, 6, 7, 9 | 1 << 17, 7 | 1 << 16]);
        assert_eq!(launch.grid, [1; 3]);
    }

    #[test]
    fn a_row_that_cannot_be_is_refused_with_its_place() {
        let many: Vec<String> = (0..16).map(|s| format!("{{ semaphore = {s} }}")).collect();
        let many = format!("requests = [{}]", many.join(", "));
        for (row, what) in [
            ("data = [1, 2, 3, 4]", "4 data words"),
            ("lanes = 0", "lane mask 0x0"),
            ("lanes = 16", "lane mask 0x10"),
            ("copies = 0", "0 copies"),
            ("copies = 40000", "40000 copies of a thread behind 1 others"),
            ("start = 1", "`start` is for assembly programs"),
            ("requests = [{ semaphore = 64 }]", "requests semaphore 64; the machine has 64"),
            ("requests = [{ semaphore = 1 }, { semaphore = 1 }]", "semaphore 1 twice"),
            (&many, "16 semaphore requests"),
        ] {
            let e = prepared(&format!("[[thread]]\n[[thread]]\n{row}"), false).unwrap_err().to_string();
            assert!(e.starts_with("job.toml:7:1: ") && e.contains(what), "{row}: {e}");
        }
        let e = prepared("[[thread]]\nrequests = [{ semaphore = 1, auto = true }]", false).unwrap_err().to_string();
        assert!(e.starts_with("job.toml:7:") && e.contains("unknown field `auto`"), "{e}");
        let request = "[[thread]]\nrequests = [{ semaphore = 1, auto-release = true }]";
        assert!(prepared(request, false).is_ok());
        let e = prepared(request, true).unwrap_err().to_string();
        assert!(e.contains("do not exist with semaphores=polling"), "{e}");
        let e = job("[[thread]]\n[graph]\nthreads = 1").unwrap_err().to_string();
        assert!(e.contains("exactly one of `grid`, `threads`, [graph] and [[thread]]"), "{e}");
    }
}
