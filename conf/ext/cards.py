"""The picture that others show beside a link to a page: the book, the part and the title."""

from textwrap import wrap

BACK, FRONT, SOFT, MARK = "#184278", "#ffffff", "#c5d6ea", "#f2a33a"
WIDE, HIGH = 1200, 630  # pixels, the shape that Open Graph cards are shown in


def draw_card(path, book, part, title):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDE / 100, HIGH / 100), dpi=100, facecolor=BACK)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDE), ylim=(0, HIGH))
    axes.axis("off")
    axes.plot([800, 980, 1200], [60, 250, 250], color=SOFT, linewidth=6, alpha=0.5)  # a roofline
    axes.plot([980], [250], "o", color=MARK, markersize=22)
    lines = wrap(title, 24)[:3]
    axes.text(80, 540, book, color=MARK, fontsize=26, weight="bold", va="center")
    for at, line in enumerate(lines):
        axes.text(80, 420 - 90 * at, line, color=FRONT, fontsize=46, weight="bold", va="center", parse_math=False)
    axes.text(80, 80, part, color=SOFT, fontsize=22, va="center", parse_math=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Software": None})
