"""Fail on what LaTeX only mentions: lines past the margin, characters that no font has, references to nowhere."""

import re
import sys
from pathlib import Path

ALLOWED_PT = 10
OVERFULL = re.compile(r"^Overfull \\hbox \((?P<pt>[\d.]+)pt too wide\).*?(?:lines? (?P<line>\d+))?(?:--\d+)?$")
OTHER = re.compile(r"^(Missing character: .*|LaTeX Warning: (?:Reference|Citation|Hyper reference) .* undefined.*|"
                   r"LaTeX Warning: Label .* multiply defined.*)$")  # fmt: skip


def problems(log):
    """Yield (line of the .tex file or None, what is wrong)."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if found := OVERFULL.match(line):
            if float(found["pt"]) > ALLOWED_PT:
                yield found["line"] and int(found["line"]), f"{found['pt']} pt past the margin: {following.strip()[:100]}"
        elif found := OTHER.match(line):
            at = re.search(r"on input line (\d+)", line)
            yield at and int(at[1]), found[1]


def chapter_of(source, number):
    """The label of the section that holds this line of the .tex file: `folder/file:heading`."""
    text = source.read_text(encoding="utf-8").splitlines()[:number]
    labels = re.findall(r"\\label\{\\detokenize\{([^}]*)\}\}", "\n".join(text))
    return labels[-1] if labels else "front matter"


def check(log):
    """Print every problem with its place; return how many there are."""
    source, count = log.with_suffix(".tex"), 0
    for count, (number, message) in enumerate(sorted(set(problems(log)), key=str), start=1):
        place = f"{source}:{number}: in {chapter_of(source, number)}" if number else str(log)
        print(f"{place}: {message}", file=sys.stderr)
    return count


if __name__ == "__main__":
    sys.exit(1 if check(Path(sys.argv[1])) else 0)
