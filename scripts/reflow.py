#!/usr/bin/env python3
"""Rewraps comment lines of Rust that are longer than 100 characters.

A paragraph of `//`, `///` or `//!` lines is filled anew if one of its lines is too long; so is an
item of a list, with its indent kept. Tables, headings, code blocks, lines indented as code and lines
with a URL stay as they are. An inline `code span` is not broken.

It can be wrong by changing what a comment says. So the words of each file are compared before it
is written: their order must be the same, and so must every line that is no comment.

Usage: reflow.py [--check] FILE_OR_FOLDER ...
"""

import argparse
import re
import sys
from pathlib import Path

WIDTH = 100
COMMENT = re.compile(r"^(\s*)(//[/!]?)(?: (.*)| ?)$")
ITEM = re.compile(r"^(\s*)([-*+]|\d+[.)])(\s+)(\S.*)$")
# What must not begin a line by accident: Markdown would see a list, a heading, a table or a quote.
MARKUP = re.compile(r"^([-*+>|#=]|\d+[.)]$)")
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


def fill(words, first, rest):
    """Lines of the words: `first` before the first line, `rest` before the others."""
    lines, line = [], []
    prefix = first
    for word in words:
        if line and len(prefix) + len(" ".join(line + [word])) > WIDTH:
            carried = []
            if MARKUP.match(word) and len(line) > 1:
                carried = [line.pop()]
            lines.append(prefix + " ".join(line))
            prefix, line = rest, carried + [word]
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file would change")
    parser.add_argument("paths", nargs="+", type=Path)
    args = parser.parse_args()
    files = [f for p in args.paths for f in (sorted(p.rglob("*.rs")) if p.is_dir() else [p])]
    changed = 0
    for file in files:
        text = file.read_text()
        new = reflow(text)
        if words(new) != words(text):
            sys.exit(f"{file}: the words would change; nothing written to it")
        if new != text:
            changed += 1
            print(file)
            if not args.check:
                file.write_text(new)
    return 1 if args.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
