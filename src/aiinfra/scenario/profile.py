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
``latest, n``             new tokens, at most the last ``n`` of them
``late, i, n``            entries that these meet in reach ``i``
``others, i``             entries that one further token meets in reach ``i``, but for its own
``pages, i``              entries of whole pages in reach ``i``
``experts, E, k``         experts touched of ``E``, of which each token chooses ``k``, on average
``rows, n``               rows of a table of ``n`` that tokens look up
========================  ==================================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from aiinfra.architecture.rows import Reach
from aiinfra.architecture.through import Through
from aiinfra.engine.table import table

if TYPE_CHECKING:
    from aiinfra.architecture.ledger import Ledger
    from aiinfra.architecture.rows import Row, StateRow

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
    found: Sum  # bytes of a cached prefix that a prompt reads in any case
    shared: Sum  # of these, what requests with a common prefix may read together
    held: Sum  # bytes of whole pages
    kept: Sum  # bytes of entries that decode steps find held, added up over the steps
    weight_bytes: float
    widest: tuple[int, int]  # input and output of the matrix that needs the most room

    @classmethod
    def of(cls, ledger: Ledger) -> Profile:
        """The profile of the language model in a ledger."""
        rows, states = list(ledger.chosen(("language",))), [s for s in ledger.state_rows if s.section == "language"]
        reaches: list[Reach] = []
        processed, least, decoded, decoded_least, weights, state, found, shared, held, kept = (_Sums(reaches) for _ in range(10))
        through = Through.of(states)
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
            _least(least, row, rows, through)
            _read(weights, row)
        for s in states:
            entry, read = s.entry(ledger.kv.element), s.read or s.stored
            state.add(entry * s.reading, "reach", read)
            _found(found, s, entry, through)
            if s.grows:
                shared.add(entry * s.reading, "reach", read)
            held.add(entry * s.layers, *(("pages", s.stored) if s.grows else ("one",)))
            kept.add(entry * s.layers, "reach", s.stored)
        sums = (a.sum for a in (processed, least, decoded, decoded_least, weights, state, found, shared, held, kept))
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


def _least(least: _Sums, row: Row, rows: list[Row], through: Through) -> None:
    """Operations of one row that a prompt needs in any case: those of tokens that must come through.

    What a layer's own keys and values take of further tokens is left out.
    """
    token, pair = row.flops(1, 0), row.flops(0, 1) if row.reach else 0
    if row.phase:  # an engine may keep keys and values expanded, for one request or for all that share them
        pair = min(pair, _other(row, rows).flops(0, 1)) if row.phase == "expanded" else 0
        token = token if row.phase == "expanded" else 0
    for tokens, share in through.shares(row.indices).items():
        of = ("tokens",) if tokens is None else ("latest", tokens)
        least.add(token * share, *(("answers",) if row.per == "last" else of))
        least.add(pair * share, *(("reach", row.reach) if tokens is None else ("late", row.reach, tokens)))


def _found(found: _Sums, s: StateRow, entry: float, through: Through) -> None:
    """Bytes of one kind of state that a prompt reads of what was cached, once.

    Entries of all tokens are met by every new one, and a recurrence goes on from its state. Where a token meets some entries only, the
    first new token needs them, but for its own, in layers through which it must come.
    """
    read = s.read or s.stored
    if read.kind in ("full", "compressed") or s.reader == "state update":
        found.add(entry * s.reading, "reach", read)
    elif s.grows:
        found.add(entry * s.reading * sum(i < through.all for i in s.indices) / len(s.indices), "others", read)


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
        if kind == "latest":
            return self._least(self.tokens, of[0])
        reach = Reach(*self.reaches[of[0]])
        if kind == "others":
            return self._count(reach, "entries", self.after + 1) - 1
        if kind == "pages":
            pages = self._pages(reach, self.after)
            return self._least(pages, self._pages(reach, self.tokens)) if self.own else pages
        if kind == "reach" and self.entries:
            return self._count(reach, "entries", self.after)
        before = self.before if kind == "reach" else self.after - self._least(self.tokens, of[1])
        return self._count(reach, "pairs", self.after) - self._count(reach, "pairs", before)

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
    yield "memory.mean", p.evaluate(p.kept, done) / steps
    yield from _chunks(p, given, cached, prompt, chunk)
    yield "prefill.flops", p.evaluate(p.processed, ready)
    yield "prefill.least.flops", p.evaluate(p.processed_least, ready)
    yield "prefill.least.weights", p.evaluate(p.weights, given(0, 1))
    yield "prefill.least.state", p.evaluate(p.found, there)
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
