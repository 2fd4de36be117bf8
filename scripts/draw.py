#!/usr/bin/env python3
"""Draws the pictures of blocks in docs/pictures: from each NAME.txt its NAME.svg (`make docs`).

A text has one shape on each line. Places and sizes are in pixels, from the upper left corner.

    size WIDTH HEIGHT
    title TEXT
    band X Y W H | TEXT                     a stripe behind boxes, named at its top
    group X Y W H | TEXT                    a frame around boxes, named at its top
    box NAME KIND X Y W H | TITLE | LINE..  KIND: logic, memory, control, outside, event
    arrow FROM TO [bend=N] [via=N] [at=N] [shift=DX,DY] [both] | LABEL
    text X Y | LINE

FROM and TO are `box.side` or `box.side:part`. A side is l, r, t or b; the part says where on it, 0
to 1, and is a half if it is not given. An arrow bends once in its middle, or at the part `bend`.
Its label stands at the part `at` of its longest piece, moved by `shift`. A line that begins with @ names
blocks of the RTL. It is drawn small, and a test compares these names with the exporter's list.

The background is drawn with the picture, and its colours follow the reader's light or dark theme.
So the text can be read on any page, also where the theme is not known.

It can be wrong by text that does not fit its box and by boxes that lie on one another. Both are
errors here, by an estimate of the width of letters. What an arrow crosses is for the eye.

Usage: draw.py [--check] [--theme light|dark --out DIR] [NAME ...]
"""

import argparse
import html
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "docs" / "pictures"
# Kind: fill and line, light and dark.
KINDS = {
    "logic": ("#eaf1fc", "#3b5b92", "#1d2c45", "#7ea2dd"),
    "memory": ("#fcf3e4", "#96692b", "#3a2c14", "#d9a860"),
    "control": ("#e9f6ec", "#35783f", "#17331d", "#79c487"),
    "outside": ("#f3f4f6", "#6b7280", "#262c36", "#9aa5b5"),
    "event": ("#fdeef0", "#a33b45", "#3f1c22", "#e58a94"),
}
TITLE, LINE, SMALL = 14, 12, 11
# Mean width of a letter as a part of its size, of the sans-serif faces that browsers choose.
LETTER = 0.54


class Mistake(Exception):
    """A text that cannot be drawn, with its line."""


def style(theme):
    """The style sheet: both themes, or the one that is asked for (to look at a picture without a browser)."""

    def rules(panel, frame, ink, faint, line, kind):
        out = [
            f".p{{fill:{panel};stroke:{frame}}}.h{{fill:{panel}}}.i{{fill:{ink}}}.f{{fill:{faint}}}",
            f".a{{stroke:{line};fill:none}}.m{{fill:{line}}}.g{{fill:none;stroke:{frame}}}.n{{fill:{frame};fill-opacity:.28}}",
        ]
        for name, colours in KINDS.items():
            fill, stroke = colours[:2] if kind == "light" else colours[2:]
            out.append(f".{name}{{fill:{fill};stroke:{stroke}}}")
        return "".join(out)

    light = rules("#ffffff", "#c3ccd9", "#16233a", "#4a5872", "#4f5d75", "light")
    dark = rules("#10161f", "#3b4658", "#e8eef8", "#aab6c8", "#a3b0c4", "dark")
    if theme:
        return dark if theme == "dark" else light
    return f"{light}@media (prefers-color-scheme: dark){{{dark}}}"


def width(text, size):
    return len(text) * size * LETTER


class Picture:
    """One picture, as shapes in the order of drawing: bands and groups, arrows, boxes, labels."""

    def __init__(self, path):
        self.size, self.title = None, ""
        self.below, self.arrows, self.boxes, self.labels = [], [], [], []
        self.places = {}
        for number, line in enumerate(path.read_text().splitlines(), 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            word, _, rest = line.partition(" ")
            draw = getattr(self, "draw_" + word, None)
            try:
                if draw is None:
                    raise Mistake(f"no shape is called {word}")
                draw(rest)
            except (Mistake, ValueError, KeyError) as error:
                raise Mistake(f"{path}:{number}: {error}") from None
        if not self.size:
            raise Mistake(f"{path}: it has no size")

    def draw_size(self, rest):
        self.size = tuple(int(n) for n in rest.split())

    def draw_title(self, rest):
        self.title = rest

    def frame(self, rest, shape):
        numbers, _, text = rest.partition("|")
        x, y, w, h = (float(n) for n in numbers.split())
        self.below.append(f'<rect class="{shape}" x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="8"/>')
        self.text(self.below, x + 10, y + 17, text.strip(), LINE, "f", "start", bold=True)

    def draw_band(self, rest):
        self.frame(rest, "n")

    def draw_group(self, rest):
        self.frame(rest, "g")

    def draw_text(self, rest):
        place, _, text = rest.partition("|")
        x, y = (float(n) for n in place.split())
        self.text(self.labels, x, y, text.strip(), LINE, "f", "start")

    def draw_box(self, rest):
        head, *lines = (part.strip() for part in rest.split("|"))
        name, kind, *numbers = head.split()
        x, y, w, h = (float(n) for n in numbers)
        if kind not in KINDS:
            raise Mistake(f"no kind is called {kind}")
        for other, (ox, oy, ow, oh) in self.places.items():
            if x < ox + ow and ox < x + w and y < oy + oh and oy < y + h:
                raise Mistake(f"{name} lies on {other}")
        if x + w > self.size[0] or y + h > self.size[1]:
            raise Mistake(f"{name} is outside the picture")
        self.places[name] = (x, y, w, h)
        self.boxes.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="6"/>')
        sizes = [TITLE if i == 0 else SMALL if line.startswith("@") else LINE for i, line in enumerate(lines)]
        height = sum(size * 1.28 for size in sizes)
        if height > h - 4:
            raise Mistake(f"the text of {name} is {height:.0f} high, the box {h:g}")
        at = y + (h - height) / 2
        for i, (line, size) in enumerate(zip(lines, sizes)):
            text = line.lstrip("@")
            if width(text, size) > w - 8:
                raise Mistake(f"`{text}` is {width(text, size):.0f} wide, its box {w:g}")
            self.text(self.boxes, x + w / 2, at + size, text, size, "i" if i == 0 else "f", bold=i == 0, mono=line.startswith("@"))
            at += size * 1.28

    def end(self, text):
        """The point of an arrow's end, and whether it leaves sideways."""
        name, _, side = text.partition(".")
        side, _, part = side.partition(":")
        part = float(part) if part else 0.5
        x, y, w, h = self.places[name]
        if side in "lr":
            return x + (w if side == "r" else 0), y + h * part, True
        if side in "tb":
            return x + w * part, y + (h if side == "b" else 0), False
        raise Mistake(f"no side is called {side}")

    def draw_arrow(self, rest):
        head, _, label = rest.partition("|")
        start, stop, *options = head.split()
        bend, via, at, shift, both = 0.5, None, 0.5, (0.0, 0.0), False
        for option in options:
            key, _, value = option.partition("=")
            if key == "bend":
                bend = float(value)
            elif key == "via":
                via = float(value)
            elif key == "at":
                at = float(value)
            elif key == "shift":
                shift = tuple(float(n) for n in value.split(","))
            elif key == "both":
                both = True
            else:
                raise Mistake(f"no option is called {key}")
        x0, y0, side0 = self.end(start)
        x1, y1, side1 = self.end(stop)
        # Ends that are nearly opposite are joined by a straight line.
        if side0 and side1 and abs(y0 - y1) < 5:
            y1 = y0
        if not side0 and not side1 and abs(x0 - x1) < 5:
            x1 = x0
        points = [(x0, y0)]
        if side0 and side1:
            middle = x0 + (x1 - x0) * bend if via is None else via
            points += [(middle, y0), (middle, y1)]
        elif side0 or side1:
            points += [(x1, y0)] if side0 else [(x0, y1)]
        else:
            middle = y0 + (y1 - y0) * bend if via is None else via
            points += [(x0, middle), (x1, middle)]
        points.append((x1, y1))
        if y0 == y1 and side0 and side1 and via is None or x0 == x1 and not side0 and not side1 and via is None:
            points = [points[0], points[-1]]
        path = " ".join(f"{'L' if i else 'M'}{x:g},{y:g}" for i, (x, y) in enumerate(points))
        begin = ' marker-start="url(#arrow)"' if both else ""
        self.arrows.append(f'<path class="a" d="{path}"{begin} marker-end="url(#arrow)"/>')
        if label.strip():
            self.label(points, at, shift, label.strip())

    def label(self, points, at, shift, label):
        pieces = list(zip(points, points[1:]))
        (ax, ay), (bx, by) = max(pieces, key=lambda piece: abs(piece[0][0] - piece[1][0]) + abs(piece[0][1] - piece[1][1]))
        x, y = ax + (bx - ax) * at + shift[0], ay + (by - ay) * at + shift[1]
        wide = width(label, SMALL) + 6
        for name, (bx, by, bw, bh) in self.places.items():
            if x - wide / 2 < bx + bw and bx < x + wide / 2 and y - 8 < by + bh and by < y + 8:
                raise Mistake(f"the label `{label}` lies on {name}")
        self.labels.append(f'<rect class="h" x="{x - wide / 2:g}" y="{y - 8:g}" width="{wide:g}" height="16" rx="3"/>')
        self.text(self.labels, x, y + 4, label, SMALL, "f")

    @staticmethod
    def text(into, x, y, text, size, colour, anchor="middle", bold=False, mono=False):
        weight = ' font-weight="600"' if bold else ""
        family = ' font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" textLength="{:g}"'.format(width(text, size)) if mono else ""
        into.append(
            f'<text class="{colour}" x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"{weight}{family}>{html.escape(text)}</text>'
        )

    def svg(self, theme=None):
        w, h = self.size
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" '
            'font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif" stroke-width="1.4">'
        )
        mark = (
            '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
            'orient="auto-start-reverse"><path class="m" d="M0,0 L10,5 L0,10 z"/></marker></defs>'
        )
        back = f'<rect class="p" x="0.7" y="0.7" width="{w - 1.4:g}" height="{h - 1.4:g}" rx="10"/>'
        shapes = self.below + self.arrows + self.boxes + self.labels
        parts = [head, f"<title>{html.escape(self.title)}</title>", f"<style>text{{stroke:none}}{style(theme)}</style>", mark, back]
        return "\n".join(parts + shapes + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Draws the pictures of blocks in docs/pictures.")
    parser.add_argument("names", nargs="*", help="pictures; without names, all of them")
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if a picture is not that of its text")
    parser.add_argument("--theme", choices=["light", "dark"], help="one theme, for viewers that do not know the reader's")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT, help="folder of the pictures")
    args = parser.parse_args()
    stale = []
    try:
        for text in sorted(ROOT.glob("*.txt")):
            if args.names and text.stem not in args.names:
                continue
            drawn, file = Picture(text).svg(args.theme), args.out / (text.stem + ".svg")
            if not args.check:
                file.write_text(drawn)
            elif not file.exists() or file.read_text() != drawn:
                stale.append(file.name)
    except Mistake as mistake:
        print(mistake, file=sys.stderr)
        return 2
    if stale:
        print(f"docs/pictures: not the picture of its text: {', '.join(stale)}; run `make docs`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
