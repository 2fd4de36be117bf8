#!/usr/bin/env python3
"""Rewraps comments of Rust and pages in Markdown whose lines are longer than 100 characters.

A paragraph is filled again if one of its lines is too long; so is an item of a list, with its indent
kept. An inline `code span` is not broken.

- Rust: lines of `//`, `///` or `//!`. Tables, headings, code blocks, lines indented as code and
  lines with a URL stay as they are.
- Markdown: tables, headings, code blocks, quotes, definitions of links, front matter, HTML, comments
  of HTML and what is between `<!-- generated ... -->` and `<!-- end ... -->` stay as they are; so
  does a paragraph with a hard line break. So does a page whose beginning says `do not edit`.

It can be wrong by changing what a comment or a page says. So the words of each file are compared
before it is written: their order must be the same, and so must every line that is not rewrapped.

Usage: reflow.py [--check] FILE_OR_FOLDER ...
"""

import argparse
import os
import re
import sys
from pathlib import Path

WIDTH = 100
COMMENT = re.compile(r"^(\s*)(//[/!]?)(?: (.*)| ?)$")
ITEM = re.compile(r"^(\s*)([-*+]|\d+[.)])(\s+)(\S.*)$")
# What must not begin a line by accident: Markdown would see a list, a heading, a table or a quote.
MARKUP = re.compile(r"^([-*+>|#=]|\d+[.)]$)")
# The same in a page, where HTML and fences begin a block too.
BLOCK = re.compile(MARKUP.pattern + r"|^(<|```|~~~)")
# Words, where a code span is part of one word.
WORD = re.compile(r"(?:(`+)(?!`).*?(?<!`)\1(?!`)|[^\s`]|`)+")


def line_starts_in_code(text):
    """For each line, whether it begins outside strings and block comments."""
    starts, at = [True], 0
    token = re.compile(r'''//[^\n]*|/\*|"|\bb?r(#*)"|b?'(?:\\.[^']*|[^\\'\n])'|\n''')
    while match := token.search(text, at):
        at = match.end()
        found = match.group()
        if found == "\n":
            starts.append(True)
            continue
        if found == "/*":
            depth, end = 1, at
            while depth and (m := re.compile(r"/\*|\*/").search(text, end)):
                depth += 1 if m.group() == "/*" else -1
                end = m.end()
        elif found == '"':
            end = re.compile(r'(?:[^"\\]|\\.)*"', re.S).match(text, at).end()
        elif match.group(1) is not None:
            end = text.index('"' + match.group(1), at) + 1 + len(match.group(1))
        else:
            continue
        starts.extend([False] * text.count("\n", at, end))
        at = end
    return starts


def fill(words, first, rest, markup=MARKUP):
    """Lines of the words: `first` before the first line, `rest` before the others. None but the first
    begins with a word that `markup` matches, if another word can be put before it."""
    lines, line = [], []
    prefix = first
    for word in words:
        if line and len(prefix) + len(" ".join(line + [word])) > WIDTH:
            carried = [word]
            while markup.match(carried[0]) and len(line) > 1:
                carried.insert(0, line.pop())
            lines.append(prefix + " ".join(line))
            prefix, line = rest, carried
        else:
            line.append(word)
    lines.append(prefix + " ".join(line))
    return lines


def refill(indent, marker, texts):
    """The lines of a block of comments with one indent and one marker."""
    out, paragraph, lead, code = [], [], ("", ""), False

    def flush():
        nonlocal paragraph, lead
        if paragraph:
            start = indent + marker + " "
            old = [start + t for t in paragraph]
            drawn = any(re.search(r"\S   +\S|[─│┌└├]", t) or "://" in t for t in paragraph)
            if any(len(t) > WIDTH for t in old) and not drawn:
                body = " ".join([paragraph[0][len(lead[0]):]] + paragraph[1:])
                old = fill((m.group() for m in WORD.finditer(body)), start + lead[0], start + lead[1])
            out.extend(old)
        paragraph, lead = [], ("", "")

    for text in texts:
        stripped = text.strip()
        fence = stripped.startswith("```")
        if code or fence:
            flush()
            out.append((indent + marker + " " + text).rstrip())
            code ^= fence
        elif not stripped or stripped[0] in "|#" or (text.startswith("    ") and not lead[1]):
            flush()
            out.append((indent + marker + " " + text).rstrip())
        elif item := ITEM.match(text):
            flush()
            hang = item[1] + item[2] + item[3]
            paragraph, lead = [text], (hang, " " * len(hang))
        else:
            paragraph.append(text)
    flush()
    return out


def reflow(text):
    starts = line_starts_in_code(text)
    lines = text.split("\n")
    assert len(starts) == len(lines), (len(starts), len(lines))
    out, at = [], 0
    while at < len(lines):
        match = COMMENT.match(lines[at]) if starts[at] else None
        if not match:
            out.append(lines[at])
            at += 1
            continue
        texts, key = [], match.groups()[:2]
        while at < len(lines) and starts[at] and (m := COMMENT.match(lines[at])) and m.groups()[:2] == key:
            texts.append(m[3] or "")
            at += 1
        out += refill(*key, texts)
    return "\n".join(out)


class Page:
    """Rewraps one page of Markdown: lines go in one by one, and come out in `out`."""

    FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
    # Blocks that are kept line by line: heading, quote, table, definition of a link, rule.
    KEPT = re.compile(r"^\s*(#{1,6}(\s|$)|[>|]|\[[^\]]+\]:\s|([-*_])(\s*\2){2,}\s*$)")
    # A line that makes the paragraph above it a heading or a table.
    UNDERLINE = re.compile(r"^\s*(=+|-+|[-:| ]*-[-:| ]*\|[-:| ]*)\s*$")
    HARD_BREAK = re.compile(r"(\s\s|\\)$")

    def __init__(self):
        self.out = []
        self.paragraph = []
        self.first, self.rest = "", ""
        # Widths of the indents of the items around the line.
        self.items = []
        self.fence = None
        # What ends a block that is kept: a pattern, or nothing.
        self.until = None

    def flush(self, keep=False):
        """Ends the paragraph."""
        lines, self.paragraph = self.paragraph, []
        broken = any(self.HARD_BREAK.search(line) for line in lines[:-1])
        if not keep and not broken and any(len(line) > WIDTH for line in lines):
            body = " ".join([lines[0][len(self.first):]] + [line.strip() for line in lines[1:]])
            words_ = (m.group() for m in WORD.finditer(body))
            lines = fill(words_, self.first, self.rest, BLOCK)
        self.out += lines

    def keep(self, line):
        self.flush()
        self.out.append(line)

    def open(self, line, first, rest):
        self.flush()
        self.paragraph, self.first, self.rest = [line], first, rest

    def add(self, line):
        stripped = line.strip()
        if self.fence:
            self.out.append(line)
            fence = self.FENCE.match(line)
            if fence and fence[1].startswith(self.fence) and stripped == fence[1]:
                self.fence = None
        elif self.until:
            self.out.append(line)
            if self.until.search(line):
                self.until = None
        elif not self.out and not self.paragraph and line == "---":
            self.keep(line)
            self.until = re.compile(r"^---$")
        elif fence := self.FENCE.match(line):
            self.keep(line)
            self.fence = fence[1]
        elif stripped.startswith("<!-- generated"):
            self.keep(line)
            self.until = re.compile(r"^\s*<!-- end")
        elif stripped.startswith("<!--"):
            self.keep(line)
            self.until = None if "-->" in line else re.compile("-->")
        elif re.match(r"</?[a-zA-Z]", stripped) and not self.paragraph and not re.match(r"<\w+:", stripped):
            self.keep(line)
            self.until = re.compile(r"^\s*$")
        elif not stripped:
            self.keep(line)
        else:
            self.text(line)

    def text(self, line):
        """A line that belongs to a paragraph, an item, or a block that is kept."""
        indent = len(line) - len(line.lstrip())
        if not self.paragraph:
            while self.items and indent < self.items[-1]:
                self.items.pop()
        around = self.items[-1] if self.items else 0
        item = ITEM.match(line)
        if self.paragraph and self.UNDERLINE.match(line):
            self.flush(keep=True)
            self.out.append(line)
            self.until = re.compile(r"^\s*$") if "|" in line else None
        elif not self.paragraph and indent >= around + 4:
            self.out.append(line)
        elif self.KEPT.match(line):
            self.keep(line)
        elif item:
            hang = item[1] + item[2] + item[3]
            self.items = [width for width in self.items if width <= indent] + [len(hang)]
            self.open(line, hang, " " * len(hang))
        elif self.paragraph:
            self.paragraph.append(line)
        else:
            self.open(line, line[:indent], line[:indent])


def is_made(text):
    """A page that a command makes as a whole says so at its beginning."""
    return "do not edit" in " ".join(text.split("\n")[:20])


def reflow_page(text):
    if is_made(text):
        return text
    page = Page()
    for line in text.split("\n"):
        page.add(line)
    page.flush()
    return "\n".join(page.out)


def words_of_page(text):
    """Every word in order, and the lines that no paragraph has."""
    return text.split(), [line for line in text.split("\n") if Page.KEPT.match(line) or not line.strip()]


def words(text):
    """Every word of the comments in order, and every other line."""
    spoken, others = [], []
    for start, line in zip(line_starts_in_code(text), text.split("\n")):
        match = COMMENT.match(line) if start else None
        if match:
            spoken += (match[3] or "").split()
        else:
            others.append(line)
    return spoken, others


def files(paths):
    """The files of the paths; of a folder those in Rust and Markdown, without what is built or taken over."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        for folder, inner, names in os.walk(path):
            inner[:] = sorted(name for name in inner if name[0] != "." and name not in ("target", "out", "vendor"))
            yield from (Path(folder, name) for name in sorted(names) if name.endswith((".rs", ".md")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file would change")
    parser.add_argument("paths", nargs="+", type=Path)
    args = parser.parse_args()
    changed = 0
    for file in files(args.paths):
        text = file.read_text()
        rewrap, spoken = (reflow_page, words_of_page) if file.suffix == ".md" else (reflow, words)
        new = rewrap(text)
        if spoken(new) != spoken(text):
            sys.exit(f"{file}: the words would change; nothing written to it")
        if new != text:
            changed += 1
            print(file)
            if not args.check:
                file.write_text(new)
    return 1 if args.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
