//! Plans of random graphs and of the patterns, run on lists of their own.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::lists::Lists;
use super::pattern::{Drawn, Pattern};
use super::*;
use quadlock_isa::thread::MAX_REQUESTS;

/// Up to `most` threads in layers or anywhere, numbers shuffled.
fn random(seed: u64, most: usize) -> Graph {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let n = rng.random_range(1..=most);
    let density = rng.random_range(0..60);
    let near = if rng.random() { n } else { rng.random_range(1..6) };
    let mut name: Vec<u32> = (0..n as u32).collect();
    for i in (1..n).rev().filter(|_| seed.is_multiple_of(2)) {
        name.swap(i, rng.random_range(0..=i));
    }
    let pairs = (0..n).flat_map(|b| (b.saturating_sub(near)..b).map(move |a| (a, b)));
    let edges: Vec<(u32, u32)> =
        pairs.filter(|_| rng.random_range(0..100) < density).map(|(a, b)| (name[a], name[b])).collect();
    Graph::new(n, &edges).unwrap()
}

fn plan(graph: &Graph, most: usize) -> Plan {
    Plan::new(graph, None, Mapping::Least, most, false).unwrap()
}

fn drawn(pattern: Pattern, copies: u32) -> (Graph, Drawn) {
    let d = pattern.draw(copies).unwrap();
    (Graph::new(d.threads, &d.edges).unwrap(), d)
}

/// No thread runs before all that it depends on, nothing deadlocks with any number of slots, and
/// with as many semaphores as wanted nobody waits for others.
#[test]
fn random_graphs_are_kept_with_any_number_of_semaphores() {
    for seed in 0..300 {
        let graph = random(seed, 40);
        let wanted = plan(&graph, usize::MAX).wanted.unwrap();
        for most in [1, 2, 3, 16, 1024] {
            let p = plan(&graph, most);
            assert!(p.semaphores <= most && p.wanted == Some(wanted), "seed {seed}");
            let limited = p.threads.iter().any(|t| t.requests.len() == MAX_REQUESTS);
            for slots in [1, 3, 100] {
                Lists::run(&graph, &p, slots, seed ^ slots as u64, wanted <= most && !limited, false);
            }
        }
    }
}

#[test]
fn hashed_semaphores_keep_random_graphs_too() {
    for seed in 0..200 {
        let graph = random(seed, 40);
        let keys: Vec<u32> = (0..graph.threads() as u32).map(|t| t / 3).collect();
        for most in [1, 5, 64] {
            let p = Plan::new(&graph, None, Mapping::Hash(&keys), most, false).unwrap();
            assert!(p.threads.iter().all(|t| t.requests.iter().all(|r| usize::from(r.semaphore) < most)));
            Lists::run(&graph, &p, 2 + seed as usize % 5, seed, false, false);
        }
    }
}

/// SE-50, SE-51: one semaphore is enough for each of them, for copies one each, for a wavefront one
/// for each row (or column).
#[test]
fn patterns_need_the_least_semaphores() {
    for (pattern, least) in [
        (Pattern::Chain { length: 20 }, 1),
        (Pattern::FanOut { count: 20 }, 1),
        (Pattern::FanIn { count: 20 }, 1),
        (Pattern::AllToAll { from: 7, to: 9 }, 1),
        (Pattern::FanInOut { from: 7, to: 9 }, 1),
        (Pattern::Wavefront { width: 9, height: 5 }, 5),
        (Pattern::Wavefront { width: 4, height: 11 }, 4),
    ] {
        for copies in [1, 3] {
            let (graph, d) = drawn(pattern, copies);
            let p = Plan::new(&graph, Some(&d.rank), Mapping::Least, 1024, false).unwrap();
            assert_eq!(p.semaphores, least * copies as usize, "{pattern:?}");
            (0..20).for_each(|seed| Lists::run(&graph, &p, 1 + seed as usize, seed, true, false));
        }
    }
}

/// The roles of SE-51 and the two flags of each.
#[test]
fn roles_have_their_flags() {
    let (graph, _) = drawn(Pattern::Chain { length: 3 }, 1);
    let p = plan(&graph, 16);
    let flags: Vec<_> = p.threads.iter().map(|t| (t.requests[0].suppress, t.requests[0].auto_release)).collect();
    assert_eq!(flags, [(true, false), (false, false), (false, true)]);
    let releases: Vec<usize> = p.threads.iter().map(|t| t.releases.len()).collect();
    assert_eq!(releases, [1, 1, 0]);
    assert_eq!(p.threads[2].predecessors, [1]);
}

/// Nothing is gained by an edge that follows from others.
#[test]
fn shortcuts_need_nothing() {
    let short = Graph::new(4, &[(0, 1), (1, 2), (2, 3), (0, 3), (0, 2), (1, 3)]).unwrap();
    let (chain, _) = drawn(Pattern::Chain { length: 4 }, 1);
    assert_eq!(plan(&short, 16), plan(&chain, 16));
}

#[test]
fn a_thread_has_at_most_fifteen_requests() {
    // 40 threads wait for thread 40 and each also for one of its own: 40 groups meet in thread 40's
    // successors.
    let mut edges: Vec<(u32, u32)> = (0..40).map(|t| (t, 40)).collect();
    edges.extend((0..40).map(|t| (t, 41 + t)));
    let graph = Graph::new(81, &edges).unwrap();
    let p = plan(&graph, 1024);
    assert!(p.threads.iter().all(|t| t.requests.len() <= MAX_REQUESTS));
    (0..10).for_each(|seed| Lists::run(&graph, &p, 5, seed, false, false));
}

/// SE-22 option A: a plan whose every release is by the owner, or none.
#[test]
fn where_only_the_owner_releases_plans_obey_or_are_refused() {
    let owner = |graph: &Graph, most| Plan::new(graph, None, Mapping::Least, most, true);
    let (chain, _) = drawn(Pattern::Chain { length: 9 }, 2);
    Lists::run(&chain, &owner(&chain, 2).unwrap(), 4, 1, true, true);
    let (fan, _) = drawn(Pattern::FanIn { count: 4 }, 1);
    assert_eq!(owner(&fan, 3), Err(PlanError::OwnerOnly(3)));
    Lists::run(&fan, &owner(&fan, 4).unwrap(), 9, 1, true, true);
    let mut kept = 0;
    for seed in 0..200 {
        let graph = random(seed, 30);
        if let Ok(p) = owner(&graph, 64) {
            kept += 1;
            Lists::run(&graph, &p, 4, seed, false, true);
        }
    }
    assert!(kept > 50, "{kept}");
}

#[test]
fn impossible_graphs_are_named() {
    assert_eq!(Graph::new(3, &[(0, 1), (1, 3)]), Err(GraphError::NoSuchThread { edge: 1, thread: 3, last: 2 }));
    assert_eq!(Graph::new(3, &[(2, 2)]), Err(GraphError::Itself { edge: 0, thread: 2 }));
    assert_eq!(Graph::new(0, &[]), Err(GraphError::Size(0)));
    let round = Graph::new(5, &[(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)]).unwrap();
    let GraphError::Circle(c) = round.order(None).unwrap_err() else { panic!() };
    assert_eq!(c.len(), 3);
    assert!(c.iter().all(|t| (1..=3).contains(t)));
    assert!(Pattern::FanIn { count: 0 }.draw(1).is_err());
    assert!(Pattern::Wavefront { width: 65_536, height: 65_536 }.draw(9).is_err());
}

#[test]
fn order_is_by_rank_then_number_and_keeps_a_sorted_graph() {
    let graph = random(7, 40);
    assert_eq!(graph.order(None).unwrap(), (0..graph.threads() as u32).collect::<Vec<_>>());
    let (graph, d) = drawn(Pattern::Chain { length: 3 }, 2);
    assert_eq!(graph.order(Some(&d.rank)).unwrap(), [0, 3, 1, 4, 2, 5]);
}

/// The largest graphs that are taken: planning must stay a matter of seconds (that it ends here at
/// all is what is looked at).
#[test]
fn the_largest_graphs_are_planned() {
    let many = 16_384;
    let (graph, d) = drawn(Pattern::FanOut { count: 1 }, many);
    let p = Plan::new(&graph, Some(&d.rank), Mapping::Least, 64, false).unwrap();
    assert_eq!((p.threads.len(), p.semaphores), (2 * many as usize, 64));
    let (graph, d) = drawn(Pattern::AllToAll { from: 1024, to: 1024 }, 1);
    let p = Plan::new(&graph, Some(&d.rank), Mapping::Least, 64, false).unwrap();
    assert_eq!(p.wanted, Some(1));
}

#[test]
fn more_edges_than_a_graph_has_are_refused() {
    assert_eq!(
        Pattern::AllToAll { from: 1025, to: 1024 }.draw(1).unwrap_err(),
        "1049600 edges; a graph has at most 1048576"
    );
}
