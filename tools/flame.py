#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""flame.py [TITLE] < FOLDED > SVG: a flame graph of what `perfdata export --to folded` writes: the outermost
frame at the bottom, widths by sums. Names are shown where they fit; pointing at a frame shows its share.
For pictures in pages; flamegraph.pl, inferno and speedscope do more."""
import sys
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LETTER, LEAST = 1000, 17, 6.6, 1.5


def add(tree, frames, weight):
    for frame in frames:
        tree = tree.setdefault(frame, [0, {}])
        tree[0] += weight
        tree = tree[1]


def depth_of(tree):
    return 1 + max((depth_of(below) for _, below in tree.values()), default=-1)


def colour(name):
    """Warm, and the same for the same name."""
    n = sum((i + 1) * ord(c) for i, c in enumerate(name))
    return f"rgb({205 + n % 50},{80 + n // 7 % 130},{40 + n // 3 % 30})"


def draw(tree, left, level, scale, total, rows):
    for name, (weight, below) in sorted(tree.items()):
        width = weight * scale
        if width >= LEAST:
            y = (rows - level) * HEIGHT + 22
            letters = int((width - 4) / LETTER)
            shown = name if len(name) <= letters else name[: letters - 2] + ".." if letters > 4 else ""
            print(f'<g><title>{escape(name)}: {100 * weight / total:.1f} %</title>\n'
                  f'<rect x="{left:.1f}" y="{y}" width="{width:.1f}" height="{HEIGHT - 1}" '
                  f'fill="{colour(name)}"/>')
            if shown:
                print(f'<text x="{left + 3:.1f}" y="{y + 12}">{escape(shown)}</text>')
            print("</g>")
            draw(below, left, level + 1, scale, total, rows)
        left += width


def main(title):
    tree = {}
    for line in sys.stdin:
        stack, weight = line.rstrip("\n").rsplit(" ", 1)
        add(tree, stack.split(";"), int(weight))
    total = sum(weight for weight, _ in tree.values())
    rows = depth_of(tree)
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{rows * HEIGHT + 30}"\n'
          'font-family="monospace" font-size="11">\n<rect width="100%" height="100%" fill="#fff"/>\n'
          f'<text x="{WIDTH // 2}" y="15" text-anchor="middle" font-size="13">{escape(title)}</text>')
    draw(tree, 0, 1, WIDTH / max(total, 1), max(total, 1), rows)
    print("</svg>")


main(" ".join(sys.argv[1:]) or "Flame graph")
