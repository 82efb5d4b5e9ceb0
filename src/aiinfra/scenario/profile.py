"""What a ledger says of requests of any length, as plain data: sums of coefficients times a few terms.

A ledger has hundreds of rows, but what depends on prompt, output, cached tokens and batch are few things that many rows share.
A profile holds the sums of the rows' coefficients, ready for JSON; points and NumPy arrays are evaluated by the same lines.

Each sum is a list of ``[coefficient, term, …]``:

========================  ==================================================================================================
term                      stands for
========================  ==================================================================================================
``one``                   1
``tokens``                tokens that the work serves: the prompt's new ones, or one for each decode step
``answers``               tokens that the head works on: the prompt's last one, or one for each decode step
``length``                tokens whose keys and values are made from latent vectors: of a prompt all, also the cached
``reach, i``              entries that tokens meet in reach ``i``: pairs where tokens are processed, entries where state is read
``last, i``               entries that the last token of the prompt meets in reach ``i``
``pages, i``              entries of whole pages in reach ``i``
``experts, E, k``         experts touched of ``E``, of which each token chooses ``k``, on average
``rows, n``               rows of a table of ``n`` that tokens look up
``latent, i, m, e, a``    least operations of latent attention: ``m`` to make one cached token's keys and values anew, ``e`` for a pair in
                          the expanded form, ``a`` in the absorbed one
========================  ==================================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from aiinfra.architecture.rows import Reach
from aiinfra.engine.table import table

if TYPE_CHECKING:
    from aiinfra.architecture.ledger import Ledger
    from aiinfra.architecture.rows import Row

Sum = tuple[tuple, ...]


class _Sums(dict):
    """Coefficients by term, added up; reaches get numbers in the order in which they occur."""

    def __init__(self, reaches: list[Reach]):
        super().__init__()
        self.reaches = reaches

    def add(self, coefficient: float, *term) -> None:
        if coefficient:
            term = tuple(self.number(part) if isinstance(part, Reach) else part for part in term)
            self[term] = self.get(term, 0) + coefficient

    def number(self, reach: Reach) -> int:
        if reach not in self.reaches:
            self.reaches.append(reach)
        return self.reaches.index(reach)

    @property
    def sum(self) -> Sum:
        return tuple((coefficient, *term) for term, coefficient in self.items())


@dataclass(frozen=True)
class Profile:
    """The sums of one device's ledger.

    >>> from aiinfra import model
    >>> profile = Profile.of(model("llama-3.1-70b").ledger())
    >>> profile.decoded
    ((136902082560, 'tokens'), (2621440, 'reach', 0), (2101346304, 'answers'))
    >>> profile.state, profile.reaches
    (((327680, 'reach', 0),), (('full', 0, 0),))
    """

    reaches: tuple[tuple, ...]  # kind, size, best
    processed: Sum  # operations of a prompt
    processed_least: Sum  # those that no engine can leave out
    decoded: Sum  # operations of decode steps
    decoded_least: Sum
    weights: Sum  # bytes that a pass reads
    state: Sum  # bytes of state that a step reads for one request
    shared: Sum  # of these, what requests with a common prefix may read together
    held: Sum  # bytes of whole pages
    weight_bytes: float
    widest: tuple[int, int]  # input and output of the matrix that needs the most room

    @classmethod
    def of(cls, ledger: Ledger) -> Profile:
        """The profile of the language model in a ledger."""
        rows, states = list(ledger.chosen(("language",))), [s for s in ledger.state_rows if s.section == "language"]
        reaches: list[Reach] = []
        processed, least, decoded, decoded_least, weights, state, shared, held = (_Sums(reaches) for _ in range(8))
        keeps = max((i for s in states if s.layers for i in s.indices), default=0)  # nothing above this layer is kept of a request
        latent = [row for row in rows if row.per == "latent"]
        for row in rows:
            token, pair = row.flops(1, 0), row.flops(0, 1) if row.reach else 0
            here = {"last": "answers", "latent": "length"}.get(row.per, "tokens")
            if row.phase != "absorbed":
                processed.add(token, here)
                processed.add(pair, "reach", row.reach)
            if row.phase != "expanded":
                decoded.add(token, "answers" if row.per == "last" else "tokens")
                decoded.add(pair, "reach", row.reach)
                cheaper = _other(row, rows).flops(0, 1) if row.phase else pair  # an engine may keep keys and values expanded
                decoded_least.add(token, "answers" if row.per == "last" else "tokens")
                decoded_least.add(min(pair, cheaper), "reach", row.reach)
            _least(least, row, rows, latent, keeps)
            _read(weights, row)
        for s in states:
            entry, read = s.entry(ledger.kv.element), s.read or s.stored
            state.add(entry * s.reading, "reach", read)
            if s.grows:
                shared.add(entry * s.reading, "reach", read)
            held.add(entry * s.layers, *(("pages", s.stored) if s.grows else ("one",)))
        sums = (a.sum for a in (processed, least, decoded, decoded_least, weights, state, shared, held))
        return cls(tuple(map(tuple, reaches)), *sums, ledger.bytes, _widest(rows))

    def data(self) -> dict:
        """The same as lists and numbers for JSON."""
        return asdict(self)

    def evaluate(self, total: Sum, given: Given):
        """A sum for given lengths."""
        return sum(coefficient * given.term(*term) for coefficient, *term in total)


def _widest(rows: list[Row]) -> tuple[int, int]:
    matrices = [row for row in rows if row.kind == "matrix" and row.part != "head"]
    row = max(matrices, key=lambda row: row.value(row.used) * (row.value(row.d_in) + row.value(row.d_out)))
    return row.value(row.used) * row.value(row.d_in), row.value(row.used) * row.value(row.d_out)


def _other(row: Row, rows: list[Row]) -> Row:
    """The row of the other form of latent attention in the same layers."""
    ends = ("expanded", "absorbed") if row.phase == "expanded" else ("absorbed", "expanded")
    name = row.name.removesuffix(ends[0]) + ends[1]
    return next(r for r in rows if r.name == name and r.indices == row.indices and r.part == row.part)


def _read(weights: _Sums, row: Row) -> None:
    """Weight bytes of one row."""
    if row.kind == "table":
        weights.add(row.bytes / row.value(row.d_in), "rows", row.value(row.d_in))
    elif row.copies == row.used:
        weights.add(row.bytes_of_one * row.value(row.copies) * row.layers, "one")
    else:
        weights.add(row.bytes_of_one * row.layers, "experts", row.value(row.copies), row.value(row.used))


def _least(least: _Sums, row: Row, rows: list[Row], latent: list[Row], keeps: int) -> None:
    """Operations of one row that a prompt needs in any case.

    From the last layer that keeps something of a request on, only the last token must come through: what others would give there is
    read by nobody. (That the keys and values of this layer itself are needed of all tokens is left out.)
    """
    below = sum(index < keeps for index in row.indices) / max(len(row.indices), 1)  # 0 outside the layers: may be theirs
    token, pair = row.flops(1, 0), row.flops(0, 1) if row.reach else 0
    least.add(token * below, "answers" if row.per == "last" else "tokens")
    least.add(token * (1 - below), "answers")
    if row.phase:
        if row.phase == "expanded":
            makes = sum(r.flops(1, 0) * len(set(r.indices) & set(row.indices)) / len(r.indices) for r in latent)
            absorbed = _other(row, rows).flops(0, 1)
            least.add(below, "latent", row.reach, makes, pair, absorbed)
            least.add(min(pair, absorbed) * (1 - below), "last", row.reach)
        return
    least.add(pair * below, "reach", row.reach)
    least.add(pair * (1 - below), "last", row.reach)


class Given:
    """Lengths of requests, as numbers or as arrays that broadcast: ``after`` tokens of context, of which ``before`` were there.

    A reach counts the pairs of the new tokens, or with ``entries`` the entries after them. Pages are those after all tokens, or with
    ``own`` the least that a request needs beside a prefix that it shares.
    """

    def __init__(self, reaches, before, after, *, answers=1, entries=False, own=False, page: int = 1, arrays: bool = False):
        self.reaches, self.page, self.arrays, self.entries, self.own = reaches, page, arrays, entries, own
        self.before, self.after, self.answers, self.tokens = before, after, answers, after - before

    def term(self, kind: str, *of):
        """The value of one term."""
        if kind in ("tokens", "answers"):
            return getattr(self, kind)
        if kind == "one":
            return 1
        if kind == "length":
            return self.after
        if kind == "rows":
            return self._least(self.tokens, of[0])
        if kind == "experts":
            return self._formula("experts-touched", {"n_expert": of[0], "n_chosen": of[1], "tokens": self.tokens})
        reach = Reach(*self.reaches[of[0]])
        if kind == "pages":
            pages = self._pages(reach, self.after)
            return self._least(pages, self._pages(reach, self.tokens)) if self.own else pages
        if kind == "last" or (kind == "reach" and self.entries):
            return self._count(reach, "entries", self.after)
        pairs = self._count(reach, "pairs", self.after) - self._count(reach, "pairs", self.before)
        return pairs if kind == "reach" else self._latent(pairs, *of[1:])

    def _latent(self, pairs, makes: float, expanded: float, absorbed: float):
        """Least operations for pairs: those among new tokens, whose keys are made once, and those with cached tokens.

        A cached token is met by at most all new ones, so that making its keys anew costs each of its pairs a share of at least one over
        the new tokens; the absorbed form spares that and pays more for a pair.
        """
        n = self.tokens
        near = self._least(pairs, n * (n + 1) // 2)
        return near * min(expanded, absorbed) + (pairs - near) * self._least(expanded + makes / n, absorbed)

    def _pages(self, reach: Reach, length):
        page, held = self.page, self._count(reach, "entries", length)
        pages = -(-held // page)
        if reach.kind != "window":
            return pages * page
        touched = self._least(-(-length // page), -(-(reach.size - 1) // page) + 1)  # a window may begin inside a page
        return self._where(length > reach.size, touched, pages) * page

    def _count(self, reach: Reach, what: str, length):
        if reach.kind == "fixed":
            return self._where(length > 0, 1 if what == "entries" else length, 0)
        key = reach.formula(what)
        return self._where(length > 0, self._put(reach, key, {"sequence": length} | reach.inputs()), 0) if key else length

    def _put(self, reach: Reach, key: str, given: dict):
        inputs = table().record(key).inputs
        return self._formula(key, {n: given[n] if n in given else self._put(reach, reach.source(n), given) for n in inputs})

    def _formula(self, key: str, given: dict):
        record = table().record(key)
        function = table().arrays()[key][0] if self.arrays else record.point
        return function(*[given[name] for name in record.inputs])

    def _least(self, a, b):
        if not self.arrays:
            return min(a, b)
        import numpy

        return numpy.minimum(a, b)

    def _where(self, condition, then, otherwise):
        if not self.arrays:
            return then if condition else otherwise
        import numpy

        return numpy.where(condition, then, otherwise)


def requests(profile: Profile, prompt, output, cached, page: int, chunk: int, arrays: bool = False) -> Iterator[tuple[str, object]]:
    """What one device's ledger says of requests of one kind, by name; nothing in it depends on the batch."""
    p, steps, fresh = profile, output - 1, prompt - cached

    def given(before, after, **more) -> Given:
        return Given(p.reaches, before, after, page=page, arrays=arrays, **more)

    ready, done, there = given(cached, prompt), given(prompt, prompt + steps, answers=steps), given(0, cached, entries=True)
    yield from (("output", output), ("prompt", prompt), ("fresh", fresh), ("pass.tokens", chunk))
    yield from (("widest.in", p.widest[0]), ("widest.out", p.widest[1]), ("memory.weights", p.weight_bytes))
    yield "memory.request", p.evaluate(p.held, given(0, prompt + output))
    yield "memory.own", p.evaluate(p.held, given(cached, prompt + output, own=True))
    yield from _chunks(p, given, cached, prompt, chunk)
    yield "prefill.flops", p.evaluate(p.processed, ready)
    yield "prefill.least.flops", p.evaluate(p.processed_least, ready)
    yield "prefill.least.weights", p.evaluate(p.weights, given(0, 1))
    yield "prefill.least.state", p.evaluate(p.state, there)
    yield "request.state", p.evaluate(p.state, done) / steps
    yield "request.flops", p.evaluate(p.decoded, done) / steps
    yield "request.least.flops", p.evaluate(p.decoded_least, done) / steps
    yield "request.shared", p.evaluate(p.shared, there)


def _chunks(p: Profile, given, cached, prompt, chunk: int) -> Iterator[tuple[str, object]]:
    """Passes of a prompt, their weights, and the state that they find there.

    The state that passes find is that of tokens cached, and of one chunk more each time: summed as the pairs between the first and
    the last of these lengths over the chunk, with half of what both ends read; exact but for half an entry a pass.
    """
    fresh = prompt - cached
    passes = -(-fresh // chunk)
    last = cached + (passes - 1) * chunk
    rest = prompt - last  # tokens of the last pass
    whole = p.evaluate(p.weights, given(0, chunk + 0 * fresh))
    yield "prefill.passes", passes
    yield "prefill.weights", (passes - 1) * whole + p.evaluate(p.weights, given(0, rest))
    ends = [p.evaluate(p.state, given(0, at, entries=True)) for at in (cached, last)]
    between = p.evaluate(p.state, given(cached, last))
    yield "prefill.state", between / chunk + (ends[0] + ends[1]) / 2
