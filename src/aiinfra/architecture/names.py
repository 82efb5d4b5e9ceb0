"""Names of modules as checkpoints write them, and the lists of patterns by which a config picks some of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from fnmatch import translate
from functools import lru_cache

from aiinfra.architecture.rows import Row
from aiinfra.errors import ConfigError, brief
from aiinfra.formats import Format

# What stands before a layer's own path, in the checkpoints that are about
LAYERS = (
    "model.layers.{}.", "model.language_model.layers.{}.", "language_model.model.layers.{}.", "backbone.layers.{}.",
    "transformer.h.{}.", "layers.{}.",
)  # fmt: skip
MTP = ("mtp.layers.{}.", "mtp.{}.", "model.mtp.layers.{}.", "model.mtp.{}.")
OUTER = {
    "head": ("lm_head", "model.lm_head", "language_model.lm_head", "head", "output"),
    "embedding": (
        "model.embed_tokens",
        "model.language_model.embed_tokens",
        "language_model.model.embed_tokens",
        "backbone.embeddings",
        "embed",
    ),
    "norm": ("model.norm", "model.language_model.norm", "language_model.model.norm", "backbone.norm_f", "norm"),
}
# Two names of one thing: families differ, and so do the tools that write lists
SAME = {
    "shared_expert": "shared_experts", "block_sparse_moe": "mlp", "ffn": "mlp", "feed_forward": "mlp", "attn": "self_attn",
    "attention": "self_attn", "w1": "gate_proj", "w3": "up_proj", "w2": "down_proj", "moe": "mlp",
}  # fmt: skip
NUMBERED = re.compile(r"((?:[\w.]*\.)?)(?:layers|h)\.(\d+)(\..*|\*?)", re.DOTALL)
V4_MTP = re.compile(r"((?:model\.)?mtp\.)(\d+)(\..*|\*?)", re.DOTALL)
# What no list needs to name: it is never quantised, or stands outside the language model
APART = re.compile(r"norm|bias|embed|vis|image|audio|projector|mm_|patch_|conv1d|rotary|lm_head|^head$|mtp|gate$|router|shared_head|hc_")
LONGEST = 400  # characters of a pattern
MOST = 200_000  # patterns of a list
WORK = 1_500_000  # matches tried for one config, about a second

Choice = tuple[bool, "Format | None"]  # whether a pattern matched, and the format it asks for; None: as it is


@lru_cache(maxsize=8192)
def wild(text: str) -> bool:
    """Whether a path holds a wildcard; the star that stands for every expert is none."""
    return any(c in text.replace("experts.*", "experts") for c in "*?[")


@lru_cache(maxsize=8192)
def canonical(path: str) -> str:
    """A path in one spelling: experts without their numbers, the names that mean the same made one.

    >>> canonical("block_sparse_moe.experts.7.w1")
    'mlp.experts.*.gate_proj'
    """
    parts = []
    for part in path.split("."):
        bare = part.rstrip("*")
        if part.isdigit() and parts and parts[-1] == "experts":
            parts.append("*")
        else:
            parts.append(SAME.get(bare, bare) + part[len(bare) :])
    return ".".join(parts)


@lru_cache(maxsize=256)
def plain(before: str) -> bool:
    """Whether a text may stand before ``layers.``: nothing, or names of modules and a dot."""
    return re.fullmatch(r"(mtp\.)?|(?!(model\.)?mtp\.\d)[\w.]*\.", before) is not None


def numbered(text: str) -> tuple[str, str, str] | None:
    """What stands before the number of a layer, the number, and the path within the layer; None where there is none.

    >>> numbered("model.layers.3.mlp"), numbered("model.layers.3*"), numbered("lm_head")
    (('model.', '3', 'mlp'), ('model.', '3', '*'), None)
    """
    before, mark, rest = text.rpartition("layers.")
    number, dot, path = rest.partition(".")
    if mark and dot and number.isdecimal() and plain(before):  # as almost all are written, at a tenth of the cost of a pattern
        return before, number, path.lstrip(".") or "*"
    found = V4_MTP.fullmatch(text) or NUMBERED.fullmatch(text)
    return None if found is None else (found[1], found[2], found[3].lstrip(".") or "*")


@lru_cache(maxsize=256)
def section(before: str) -> str:
    """Whose layers these are, by what stands before their number."""
    if "mtp" in before:
        return "mtp"
    return "other" if APART.search(before.removesuffix("language_model.")) else "language"


@lru_cache(maxsize=4096)
def glob(text: str) -> Callable[[str], object]:
    """The test of a path against a wildcard."""
    if text[-1] == "*" and not wild(text[:-1]) and "experts.*" not in text:
        return lambda path, head=text[:-1]: path.startswith(head)
    return re.compile(translate(text)).match


def regex(text: str, where: str) -> re.Pattern:
    """A pattern of a config as a regular expression, unless it could take for ever."""
    if re.search(r"\)\s*[*+{]", text) or len(re.findall(r"(?<!\\)[*+{]", re.sub(r"(\.\*)+", ".*", text))) > 4:
        raise ConfigError(f"{where}: pattern {brief(text)}: repeats too much to be matched safely")
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise ConfigError(f"{where}: pattern {brief(text)}: {brief(str(error))}") from None


class Pattern:
    """One pattern that names no layer by number: a plain name, a wildcard (``*``) or a regular expression (``re:``)."""

    def __init__(self, text: str, where: str):
        self.text = text
        self._exact, self._below = self._compile(text, where)
        # Only with a digit, or with what may stand for one digit, can a pattern treat two layers differently
        one = r"\d|\\[dwDW]|[\[?{]|(?<!\\)\.(?![*+])" if text.startswith("re:") else r"\d|[\[?]"
        self.varies = re.search(one, text.removeprefix("re:")) is not None

    @staticmethod
    def _compile(text: str, where: str) -> tuple[re.Pattern | str, re.Pattern | None]:
        if text.startswith("re:"):
            return regex(text[3:], where), None
        if any(c in text for c in "*?["):
            return re.compile(translate(canonical(text))), re.compile(translate(canonical(text) + ".*"))
        return f".{canonical(text)}.", None

    def matches(self, name: str) -> bool:
        """Whether it stands for a module of this name."""
        if isinstance(self._exact, str):
            return self._exact in f".{canonical(name)}."
        if self._below is None:
            return self._exact.match(name) is not None
        return any(p.match(canonical(name)) for p in (self._exact, self._below))


class Names:
    """Patterns with the format each asks for; the first that matches a module of a layer decides."""

    def __init__(self, given: Iterable[tuple[str, Format | None]], where: str, n_layer: int = 0):
        self.where, self.n_layer = where, n_layer
        self.layers: dict[tuple[str, int], dict[str, Format | None]] = {}
        self.experts: dict[tuple[str, int, str], set[str]] = {}
        self.hit: set[str] = set()
        self.work = 0
        places: dict[tuple[str, str], tuple[tuple[str, int], dict]] = {}  # by what a name begins with: the layer and its entries
        free: dict[str, Format | None] = {}  # the first of those with one text
        for number, (text, format) in enumerate(given):
            if not isinstance(text, str) or not 0 < len(text) <= LONGEST:
                raise ConfigError(f"{where}: {brief(text)} is not the name of a module")
            if number > MOST:
                raise ConfigError(f"{where}: more than {MOST:,} names of modules")
            parts = None if text.startswith("re:") else numbered(text)
            if parts is None:
                free.setdefault(text, format)
                continue
            before, layer, raw = parts
            if (place := places.get((before, layer))) is None:
                if len(layer) > 6:
                    raise ConfigError(f"{where}: {brief(text)}: no layer has this number")
                key = section(before), int(layer)
                place = places[(before, layer)] = key, self.layers.setdefault(key, {})
            key, entries = place
            rest = canonical(raw)
            entries.setdefault(rest, format)
            if rest != raw and "experts.*" in rest:
                self.experts.setdefault((*key, rest), set()).add(raw)
        self.free = [(Pattern(text, where), format) for text, format in free.items()]
        self.varies = any(pattern.varies for pattern, _ in self.free)
        self._kinds: dict[frozenset, int] = {}  # layers whose entries are alike share a number
        self._kind: dict[tuple[str, int], int] = {}
        self._alike: dict[tuple, tuple[tuple[int, ...], ...]] = {}
        self._memo: dict[tuple, Choice] = {}

    def __bool__(self) -> bool:
        return bool(self.layers or self.free)

    def _keys(self, row: Row, layer: int) -> list[tuple[str, int]]:
        return [("mtp", layer - self.n_layer), ("language", layer)] if row.section == "mtp" else [("language", layer)]

    def kind(self, key: tuple[str, int]) -> int:
        """A number that layers with the same entries share."""
        if key not in self._kind:
            self._kind[key] = self._kinds.setdefault(frozenset(self.layers[key].items()), len(self._kinds))
        return self._kind[key]

    def choose(self, row: Row, layer: int) -> Choice:
        """What the patterns say of a row's module in one layer."""
        keys = [key for key in self._keys(row, layer) if key in self.layers] if self.layers else []
        memo = (row.module, row.section, *map(self.kind, keys), layer if self.varies else None)
        if memo not in self._memo:
            self._memo[memo] = self._choose(row, layer, keys)
        return self._memo[memo]

    def alike(self, row: Row) -> tuple[tuple[int, ...], ...]:
        """The layers of a row, those together of which the patterns say the same."""
        key = row.section, row.indices
        if key not in self._alike:
            found: dict[object, list[int]] = {}
            for layer in row.indices:
                kind = tuple(self.kind(k) for k in self._keys(row, layer) if k in self.layers)
                found.setdefault(layer if self.varies else kind, []).append(layer)
            self._alike[key] = tuple(map(tuple, found.values()))
        return self._alike[key]

    def _choose(self, row: Row, layer: int, keys: list[tuple[str, int]]) -> Choice:
        module = canonical(row.module)
        for key in keys:
            if (rest := self._met(self.layers[key], module)) is not None:
                return True, self.layers[key][rest]
        return self.match(self.spelt(row, layer))

    def spelt(self, row: Row, layer: int) -> list[str]:
        """The full names that checkpoints may give a row's module in one layer."""
        names = [stem.format(layer) + row.module for stem in LAYERS]
        if row.section == "mtp":
            names += [stem.format(layer - self.n_layer) + row.module for stem in MTP]
        return names + [n.replace("shared_experts", "shared_expert") for n in names if "shared_experts" in n]

    @staticmethod
    def _met(entries: Collection[str], module: str) -> str | None:
        """The entry of a layer that names a module: itself, what it stands in, or a wildcard."""
        path = module
        while path:
            if path in entries:
                return path
            path = path.rpartition(".")[0]
        return next((rest for rest in entries if wild(rest) and glob(rest)(module)), None)

    def match(self, names: list[str] | tuple[str, ...]) -> Choice:
        """What the patterns without a layer number say of a module that may have any of these names."""
        self.work += len(self.free) * len(names)
        if self.work > WORK:
            raise ConfigError(f"{self.where}: {len(self.free):,} patterns for modules of any layer are too many to try for each")
        for pattern, format in self.free:
            if any(pattern.matches(name) for name in names):
                self.hit.add(pattern.text)
                return True, format
        return False, None

    def outside(self, row: Row) -> Choice:
        """What the patterns say of a row outside the layers: a token table, the last norm, the head."""
        return self.match(OUTER.get(row.part, ()))

    def counted(self, row: Row, layer: int) -> None:
        """Refuse a list that names some of a layer's experts only."""
        module = canonical(row.module)
        for key in self._keys(row, layer):
            named = self.experts.get((*key, module))
            if named is not None and len(named) != row.value(row.copies):
                raise ConfigError(
                    f"{self.where}: names {len(named)} of {row.value(row.copies)} experts of layer {layer} for {row.name}: "
                    "experts of one layer in different formats are not counted"
                )

    def idle(self, rows: Iterable[Row]) -> Iterator[str]:
        """Patterns that match none of the rows, without those that name nothing of the layers."""
        rows = list(rows)
        modules: dict[tuple[int, ...], set[str]] = {}  # by the layers that have them
        for row in rows:
            modules.setdefault(row.indices, set()).add(canonical(row.module))
        owners = [(frozenset(layers), found) for layers, found in modules.items()]
        alike: dict[tuple, list[str]] = {}  # layers with the same entries and the same modules leave the same entries over
        for key, entries in self.layers.items():
            if key[0] == "language":
                here = tuple(key[1] in layers for layers, _ in owners)
                if (kind := (self.kind(key), here)) not in alike:
                    known = set().union(*(found for (_, found), is_in in zip(owners, here, strict=True) if is_in))
                    over = (rest for rest in entries if rest not in known and not APART.search(rest))
                    alike[kind] = [rest for rest in over if not any(self._met((rest,), module) for module in known)]
                yield from (f"layers.{key[1]}.{rest}" for rest in alike[kind])
        left = [p for p, _ in self.free if p.text not in self.hit and not APART.search(p.text)]
        names = {n for row in rows for n in (self.spelt(row, row.indices[0]) if row.indices else OUTER.get(row.part, ()))} if left else ()
        yield from (pattern.text for pattern in left if not any(map(pattern.matches, names)))
