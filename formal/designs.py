"""Where the properties of `properties.py` are proved: designs with the block, its parameters and its properties, the module that states each property, and how deep it is searched.

The page of the proofs is made from this table too, without a solver (`page.py`). It can be wrong by a property that no design has: that one is not proved, and `prove.py` does not miss it."""
from properties import BACK, BOTH, BUS, DOUBLE, ENTITY, FILTER, GROUPS, HIDE, HI_Z, MERGE, PATH, REFERENCES, RESULTS, ROOM, START, TILE

SMALL = ["semaphores=4", "semaphore_pool=4"]
# With other links all but the bounded one.
WALK = [p for p in ENTITY if p[0] != "granted"]
# With option A: lists, and what the waiting room is promised.
OWNER = [p for p in ENTITY if p[0] in ("list", "errors", "effect", "taken", "answers", "empties")]
# name, block, parameters, definitions, properties
DESIGNS = [
    ("entity", "semaphore_entity", SMALL, [], ENTITY),
    ("entity-owner", "semaphore_entity", SMALL + ["semaphore_release=owner"], ["OPTION_B=0"], OWNER),
    ("entity-start", "semaphore_entity", SMALL, [], START),
    ("entity-double", "semaphore_entity", SMALL + ["semaphore_links=double"], ["DOUBLE_LINKS"], [p for p in DOUBLE if p[0] != "granted"]),
    ("entity-walk", "semaphore_entity", SMALL + ["semaphore_tail=off"], ["WALKS=1"], WALK),
    ("entity-walk-double", "semaphore_entity", SMALL + ["semaphore_tail=off", "semaphore_links=double"], ["WALKS=1"], WALK),
    ("room", "waiting_room", SMALL + ["places=4"], [], ROOM),
    ("path", "waiting_room+semaphore_entity", SMALL + ["units=1", "warps=2"], [], PATH),
    ("bus-crossbar", "message_bus", ["rows=1", "bus=crossbar"], [], BUS),
    ("bus-shared", "message_bus", ["rows=1", "bus=shared"], [], BUS),
    ("results", "result_store", [], [], RESULTS),
    ("merge", "merge_queue", ["merge_queue=2"], [], MERGE),
    ("merge-groups", "merge_queue", ["graphics=on", "merge=on", "merge_queue=3", "merge_group=4"], [], GROUPS),
    ("hide", "hide_test", ["graphics=on", "hi-z=visibility"], [], HIDE[1:]),
    ("hide-earlier", "raster_hi_z", ["graphics=on", "hi-z=rasteriser"], [], HIDE[:1]),
    ("tile", "tile_test", ["graphics=on", "hi-z=visibility+binner"], [], TILE),
    ("filter", "quad_filter", ["graphics=on", "hi-z=visibility"], [], FILTER),
    ("hi-z", "hi_z", ["graphics=on", "hi-z=visibility", "hi-z-levels=four", "tbimr=window", "cull-pipeline=depth", "places=4"], [], HI_Z),
    ("back", "back_levels", ["graphics=on", "hi-z=visibility", "hi-z-update=back", "places=4"], [], BACK),
    ("references", "geometry_references", ["graphics=on", "places=4"], [], REFERENCES),
    ("merge-both", "merge_queue", ["graphics=on", "merge=on", "split=on", "warps=8", "merge_queue=2"], [], BOTH),
]
# Properties with a module of their own, bounded: its file, its name, cycles of the proof, cycles in which its situations and its planted bug are searched.
BOUNDED = {
    "start": ("entity_start.sv", "start_proof", 9, 16),
    "granted": ("entity_grant.sv", "grant_proof", 41, 41),
    "path_passes": ("path.sv", "path_proof", 36, 36),
    "path_arrival": ("path.sv", "path_proof", 24, 24),
    "path_entries": ("path.sv", "path_proof", 24, 24),
    "tickets": ("results.sv", "result_proof", 13, 13),
    "exports": ("results.sv", "result_proof", 28, 28),
    "merge_once": ("merge.sv", "merge_proof", 12, 14),
    "merge_rest": ("merge.sv", "merge_proof", 12, 14),
    "merge_pairs": ("merge.sv", "merge_proof", 11, 14),
    "merge_order": ("merge.sv", "merge_proof", 12, 14),
    "merge_waits": ("merge.sv", "merge_proof", 20, 24),
    "merge_groups": ("merge.sv", "merge_proof", 12, 16),
    "filter_stays": ("filter.sv", "filter_proof", 18, 20),
    "filter_dones": ("filter.sv", "filter_proof", 18, 20),
    "both_once": ("both.sv", "both_proof", 12, 16),
    "both_samples": ("both.sv", "both_proof", 12, 16),
    "both_rest": ("both.sv", "both_proof", 12, 16),
    "both_pairs": ("both.sv", "both_proof", 10, 18),
    "both_order": ("both.sv", "both_proof", 12, 16),
    "both_waits": ("both.sv", "both_proof", 26, 30),
}
# Module of the properties of a block.
MODULES = {
    "semaphore_entity": ("entity.sv", "entity_proof"),
    "waiting_room": ("room.sv", "room_proof"),
    "message_bus": ("bus.sv", "bus_proof"),
}
# Properties with a module of their own, proved by induction over one cycle: its file, its name.
UNBOUNDED = {
    "hide_earlier": ("hide.sv", "hide_proof"),
    "hide_ahead": ("hide.sv", "hide_proof"),
    "tile_behind": ("tile.sv", "tile_proof"),
    "hi_z_bounds": ("hi_z.sv", "hi_z_proof"),
    "hi_z_seen": ("hi_z.sv", "hi_z_proof"),
    "back_bounds": ("back.sv", "back_proof"),
    "references_held": ("references.sv", "references_proof"),
    "references_free": ("references.sv", "references_proof"),
}
# Cycles from power-up in which the situations of the others have to be reached and their planted bugs to be found.
DEPTH = 16
# Where a fault shows only when a bound of cycles is passed it takes longer.
DEEP = {"no_loss": 24, "given": 40, "passes": 40, "retried": 50, "refills": 50}
