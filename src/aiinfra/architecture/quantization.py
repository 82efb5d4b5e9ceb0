"""A config's own ``quantization_config``: which matrices are stored in which format.

Never quantised unless a config names them: token tables, the head, norms, convolutions, routers, the gate of shared experts,
the weights of an index's heads, what compresses a history or mixes residual streams, the projections around experts and into
layers that predict further tokens, vision towers and projectors. A bias stays in the config's dtype.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from aiinfra.architecture.config import Config, load_json
from aiinfra.architecture.names import Names
from aiinfra.architecture.rows import Row
from aiinfra.errors import ConfigError, brief
from aiinfra.formats import FORMATS, Format, grouped

if TYPE_CHECKING:
    from aiinfra.architecture.model import Architecture

KEPT = ("router", "shared gate", "latent down", "latent up")  # names of rows
KEPT_MODULES = ("weights_proj", "gate", "router", "shared_expert_gate", "eh_proj")  # last parts of their paths


def kept(row: Row) -> bool:
    """Whether a matrix is left alone by all that quantise, unless they name it."""
    last = row.module.rpartition(".")[2]
    squeezing = "compressor" in row.module and last != "q_b_proj"  # the queries of an index beside it are quantised
    return row.name in KEPT or last in KEPT_MODULES or row.part == "hyper-connection" or squeezing


class Quantization:
    """The formats of a config: for experts, for the other matrices of the layers, and for what it names one by one."""

    def __init__(
        self,
        method: str,
        names: Names,
        format: Format | None = None,
        experts: Format | None = None,
        *,
        head: bool = False,
        indexed: bool = False,
        note: str = "",
    ):
        self.method, self.names, self.format, self.experts = method, names, format, experts
        self.head, self.indexed, self.note = head, indexed, note

    def __repr__(self) -> str:
        return f"<Quantization {self.method}: {self.format or 'some matrices'}>"

    def format_of(self, row: Row, layer: int) -> Format | None:
        """The format of a matrix in one layer; None where it is kept in the config's dtype."""
        named, format = self.names.choose(row, layer)
        if named:
            return format
        if kept(row):
            return None
        return self.experts if self.experts is not None and ".experts." in row.module else self.format

    def split(self, row: Row, own: Format) -> Iterator[Row]:
        """The row in its format, or several where its layers differ; a bias beside a quantised matrix is a row of its own."""
        if row.kind != "matrix" or row.section not in ("language", "mtp"):
            yield row.but(format=own)
        elif not row.indices:
            format = self.names.outside(row)[1] if row.part == "head" else None
            yield from self._stored(row, format or (self.format if self.head and row.part == "head" else None), own)
        else:
            layers: dict[Format | None, list[int]] = {}
            for same in self.names.alike(row) if self.names else (row.indices,):
                layers.setdefault(self.format_of(row, same[0]), []).extend(same)
            for format, found in layers.items():
                one = row if len(layers) == 1 else row.but(indices=tuple(sorted(found)), layers=len(found))
                yield from self._stored(one, format, own)

    def _stored(self, row: Row, format: Format | None, own: Format) -> Iterator[Row]:
        if format is None:
            yield row.but(format=own)
            return
        if self.indexed:  # a 32-bit group number for each input
            format = format._replace(tensor=format.tensor + 4 * row.value(row.d_in))
        yield row.but(format=format, bias=False)
        if row.bias:
            yield row.but(name=f"{row.name} bias", kind="vector", d_in="1", bias=False, format=own)

    def check(self, architecture: Architecture) -> tuple[str, ...]:
        """Refuse what cannot be counted, and say which of the patterns match nothing."""
        rows = [row for row in architecture.rows() if row.section in ("language", "mtp")] if self.names else []
        for row in rows:
            if row.kind == "matrix" and row.indices:
                for same in self.names.alike(row):
                    self.names.choose(row, same[0])
                if self.names.experts and row.copies != "1":
                    for layer in row.indices:
                        self.names.counted(row, layer)
        idle = list(self.names.idle(rows)) if rows else []
        found = [f"{len(idle)} of its patterns match no matrix here, such as {brief(idle[0])}"] if idle else []
        if self.format is None and self.experts is not None and architecture.dense:
            found.append(f"{self.method} is of experts, of which this model has none: nothing is quantised")
        return tuple(f"{self.names.where}: {text}" for text in (*found, self.note) if text)


def place(config: Config) -> Config | None:
    """Where the quantisation stands: beside the fields of the language model, or outside a wrapper."""
    places = [c for c in (config.top, config) if c is not None and "quantization_config" in c]
    for other in places:
        other.read.add("quantization_config")
    if not places:
        for other in (config, config.top):
            for name in ("quantization", "load_in_8bit", "load_in_4bit"):
                if other is not None:
                    other.refuse_if(name, "what it says of the stored weights is not read; known: quantization_config")
        return None
    found = places[0].part("quantization_config")
    return found.part("quantization") if "quantization" in found else found


def read(config: Config) -> Quantization | None:
    """The quantisation of a config; None where its weights are in the format of its dtype."""
    found = place(config)
    if found is None:
        return None
    method = found.raw("quant_method", default=None)
    if "quant_algo" in found and method in (None, "modelopt", "modelopt_fp4", "modelopt_mixed"):
        method = "modelopt"
    if not isinstance(method, str) or method not in METHODS:
        known = ", ".join(sorted(METHODS))
        why = f": {REFUSED[method]}" if isinstance(method, str) and method in REFUSED else ""
        raise ConfigError(f"{found.where}: quant_method = {brief(method)}: not known{why}; known: {known}")
    n_layer = config.raw("num_hidden_layers", "n_layer", default=0)
    return METHODS[method](found, config, n_layer if isinstance(n_layer, int) else 0)


def beside(path: Path, table: dict) -> dict:
    """A config with the quantisation that a ``hf_quant_config.json`` beside it adds.

    That file is ModelOpt's. What both say of the weights must agree; the format of the cache may stand in it alone.
    """
    stem = path.name.removesuffix("config.json")
    other = path.with_name(f"{stem}hf_quant_config.json")
    if not path.name.endswith("config.json") or not other.is_file():
        return table
    more = load_json(other)
    settings = more.get("quantization", more)
    if not isinstance(settings, dict):
        raise ConfigError(f"{other.name}: quantization: expected a mapping of fields, not {brief(settings)}")
    own = table.get("quantization_config")
    if own is None:
        return {**table, "quantization_config": {"quant_method": "modelopt", **settings}}
    if not isinstance(own, dict):
        return table
    if own.get("quant_algo", settings.get("quant_algo")) != settings.get("quant_algo"):
        raise ConfigError(
            f"quantization_config: quant_algo = {brief(own['quant_algo'])}, but {other.name} says {brief(settings.get('quant_algo'))}"
        )
    cache = {n: settings[n] for n in ("kv_cache_quant_algo",) if settings.get(n) is not None and own.get("kv_cache_scheme") is None}
    return {**table, "quantization_config": {**own, **cache}}


def listed(config: Config, *names: str) -> list:
    """The names of modules of the first of several lists that is there."""
    for name in names:
        if name in config:
            return config.items(name, None)
    return []


def block(config: Config, element: str = "fp8", scale: float = 4, tensor: float = 0) -> Format:
    """The format of FP8 in blocks, or with one scale a matrix."""
    if "weight_block_size" not in config:
        return FORMATS["fp8-tensor"]._replace(tensor=4 + tensor)
    sizes = config.items("weight_block_size", None)
    if len(sizes) != 2 or not all(type(s) is int and 0 < s <= 2**20 for s in sizes):
        raise config.refuse("weight_block_size", "two whole numbers: outputs and inputs of a block")
    out, into = sizes
    name = f"{element}-block{into}" if out == into else f"{element}-block{out}x{into}"
    return Format(name + ("" if scale == 4 else "-e8m0"), 1, scale, into, out)


def read_fp8(found: Config, config: Config, n_layer: int) -> Quantization:
    """FP8, in blocks as in DeepSeek-V3 or with a scale a matrix; routed experts may be in a 4-bit format."""
    static = found.word("activation_scheme", default="dynamic", among=("dynamic", "static")) == "static"
    v4 = config.raw("model_type", default=None) == "deepseek_v4"
    dtype = config.word("expert_dtype", default=None, among=("fp4", "fp8"))
    if dtype is None and (found.raw("expert_dtype", "store_dtype", "routed_experts_quant_method", default=None) in ("fp4", "mxfp4") or v4):
        dtype = "fp4"
    format = block(found, scale=1 if v4 and dtype == "fp4" else 4, tensor=4 if static else 0)
    given: list[tuple[str, Format | None]] = []
    if "quantized_layers" in found:  # 4-bit experts inside an FP8 checkpoint
        given = quantized_layers(found)
    else:
        given = [(name, None) for name in listed(found, "ignored_layers", "modules_to_not_convert")]
    experts = FORMATS["mxfp4"] if dtype == "fp4" else None
    return Quantization("fp8", Names(given, found.where, n_layer), format, experts)


def read_mxfp4(found: Config, config: Config, n_layer: int) -> Quantization:
    """MXFP4 experts, all else in the config's dtype, as in GPT-OSS."""
    names = Names([(name, None) for name in listed(found, "modules_to_not_convert", "ignored_layers")], found.where, n_layer)
    return Quantization("mxfp4", names, None, FORMATS["mxfp4"])


def read_mxfp8(found: Config, config: Config, n_layer: int) -> Quantization:
    """MXFP8 matrices."""
    names = Names([(name, None) for name in listed(found, "modules_to_not_convert", "ignored_layers")], found.where, n_layer)
    return Quantization("mxfp8", names, FORMATS["mxfp8"])


def read_awq(found: Config, config: Config, n_layer: int) -> Quantization:
    """INT4 with a scale and a zero point for a group of inputs."""
    bits = found.count("bits", "w_bit", most=8)
    if bits != 4:
        raise found.refuse(found._name(("bits", "w_bit")), "4")
    size = group(found, "group_size", "q_group_size")
    names = Names([(name, None) for name in listed(found, "modules_to_not_convert")], found.where, n_layer)
    return Quantization("awq", names, grouped("awq", 4, size, zero=True))


def read_gptq(found: Config, config: Config, n_layer: int) -> Quantization:
    """INT2 to INT8 with a scale and a zero point for a group of inputs, and each input's group."""
    bits = found.count("bits", most=8)
    if bits not in (2, 3, 4, 8):
        raise found.refuse("bits", "2, 3, 4 or 8")
    found.flag("sym", default=True)
    found.flag("desc_act", default=False)
    found.refuse_if("modules_in_block_to_quantize", "a choice of modules is not read", allowed=(None, []))
    size = group(found, "group_size")
    given: list[tuple[str, Format | None]] = [(name, None) for name in listed(found, "modules_to_not_convert")]
    own = found.raw("dynamic", default={})
    if not isinstance(own, dict):
        raise found.refuse("dynamic", "a mapping from patterns to settings")
    for pattern, settings in own.items():
        if not isinstance(pattern, str) or not isinstance(settings, dict):
            raise found.refuse("dynamic", "a mapping from patterns to settings")
        part = Config(settings, f"{found.where}.dynamic")
        format = grouped(
            f"gptq{part.count('bits', default=bits, most=8)}",
            part.count("bits", default=bits, most=8),
            group(part, "group_size", own=size),
            zero=True,
        )
        given.append(("re:" + pattern.lstrip("+-:"), None if pattern.startswith("-") else format))
    head = found.flag("lm_head", default=False)
    return Quantization("gptq", Names(given, found.where, n_layer), grouped(f"gptq{bits}", bits, size, zero=True), head=head, indexed=True)


def group(config: Config, *names: str, own: int | None = None) -> int:
    """Inputs that share a scale; 0 where all of an output's do."""
    value = config.raw(*names, default=-1 if own is None else own or -1)
    return 0 if value == -1 else config.count(*names, default=own, most=2**20)


def compressed(part: Config, outer: Config) -> Format:
    """The format of a group of compressed-tensors, from its number of bits, type, strategy and group size."""
    weights = part.part("weights")
    bits, kind = weights.count("num_bits", most=16), weights.word("type", default="int", among=("int", "float"))
    layout = part.raw("format", default=outer.raw("format", default=None))
    size = weights.count("group_size", default=None, least=-1, most=2**20)
    size = None if size in (-1, 0) else size
    strategies = ("tensor", "channel", "group", "block", "tensor_group")
    strategy = weights.word("strategy", default="group" if size else "tensor", among=strategies)
    inputs = part.part("input_activations", default=None)
    static = (
        inputs is not None and not inputs.flag("dynamic", default=False)
        if inputs is None or type(inputs.raw("dynamic", default=False)) is bool
        else False
    )
    if kind == "float" and bits == 4:
        if isinstance(layout, str) and "mxfp4" in layout or weights.raw("scale_dtype", default=None) == "torch.uint8" or (size == 32):
            return FORMATS["mxfp4"]
        if size != 16:
            raise weights.refuse("group_size", "16 (NVFP4) or 32 (MXFP4) for 4-bit floats")
        return FORMATS["nvfp4"]._replace(tensor=8 if inputs is not None else 4)
    if kind == "float" and bits == 8:
        if isinstance(layout, str) and "mxfp8" in layout or size == 32:
            return FORMATS["mxfp8"]
        if strategy == "block":
            sizes = weights.items("block_structure", None)
            if len(sizes) != 2 or not all(type(s) is int and 0 < s <= 2**20 for s in sizes):
                raise weights.refuse("block_structure", "two whole numbers")
            return Format(f"fp8-block{sizes[1]}", 1, 2, sizes[1], sizes[0])
        if strategy == "channel":
            return Format("fp8-channel", 1, 2, 0, 1, 2 if static else 0)
        if strategy == "tensor":
            return Format("fp8-tensor", 1, tensor=4 if static else 2)
        raise weights.refuse("strategy", "tensor, channel or block for 8-bit floats")
    if kind == "int" and bits in (2, 3, 4, 8):
        if strategy not in ("channel", "group"):
            raise weights.refuse("strategy", "channel or group for whole numbers")
        if strategy == "group" and size is None:
            raise ConfigError(f"{weights.where}: strategy is group, but group_size is missing")
        packed = layout in (None, "pack-quantized")
        zero = not weights.flag("symmetric", default=True)
        order = 0  # a group number for each input would be kept where the order of inputs is by group
        weights.refuse_if("actorder", "reordered inputs keep an index that is not counted", allowed=(None, False, "weight", "static"))
        return grouped(f"int{bits}", bits, (size or 0) if strategy == "group" else 0, zero=zero, tensor=order + (16 if packed else 0))
    raise weights.refuse("num_bits", "2, 3, 4 or 8 (int), 4 or 8 (float)")


def read_compressed(found: Config, config: Config, n_layer: int) -> Quantization:
    """compressed-tensors: groups of modules by name, by regular expression or by class, and a list of those left alone."""
    sparse = found.raw("sparsity_config", default=None) or {}
    if not isinstance(sparse, dict) or sparse.get("format", "dense") != "dense":
        raise ConfigError(f"{found.where}: sparsity_config: sparse weights are not counted")
    found.refuse_if("transform_config", "rotations while running are not counted", allowed=(None, {}))
    groups = found.part("config_groups")
    given: list[tuple[str, Format | None]] = [(name, None) for name in listed(found, "ignore")]
    default = None
    for key in groups.table:
        part = groups.part(key)
        if "weights" not in part:
            continue
        format = compressed(part, found)
        for target in part.items("targets", None, default=["Linear"]):
            if target in ("Linear", "re:.*"):
                if default is not None and default != format:
                    raise ConfigError(f"{found.where}: two config_groups target Linear")
                default = format
            else:
                given.append((target, format))
    return Quantization("compressed-tensors", Names(given, found.where, n_layer), default)


def algorithm(part: Config, static: bool = True) -> Format:
    """The format of one of ModelOpt's algorithms; ``static``: a scale of the inputs is kept as well."""
    name = part.word("quant_algo").upper()
    extra = 4 if static else 0
    formats: dict[str, Callable[[], Format]] = {
        "FP8": lambda: FORMATS["fp8-tensor"]._replace(tensor=4 + extra),
        "FP8_PER_CHANNEL_PER_TOKEN": lambda: FORMATS["fp8-channel"],
        "FP8_PB_WO": lambda: FORMATS["fp8-block128"],
        "FP8_BLOCK_SCALES": lambda: FORMATS["fp8-block128"],
        "NVFP4": lambda: FORMATS["nvfp4"]._replace(tensor=4 + extra),
        "W4A16_NVFP4": lambda: FORMATS["nvfp4"],
        "MXFP8": lambda: FORMATS["mxfp8"],
    }
    if name not in formats:
        raise part.refuse("quant_algo", "one of " + ", ".join((*formats, "MIXED_PRECISION")))
    if "NVFP4" in name and part.count("group_size", default=16) != 16:
        raise part.refuse("group_size", "16 for NVFP4")
    return formats[name]()


def quantized_layers(found: Config) -> list[tuple[str, Format | None]]:
    """Modules of a mixed checkpoint, each with its format."""
    given: list[tuple[str, Format | None]] = []
    known: dict[tuple, Format] = {}
    for name, settings in found.part("quantized_layers").table.items():
        if not isinstance(settings, dict):
            raise ConfigError(f"{found.where}.quantized_layers: {brief(name)}: expected a mapping with quant_algo")
        algo, size = settings.get("quant_algo"), settings.get("group_size")
        plain = type(algo) is str and type(size) in (int, type(None))
        if not plain or (algo, size) not in known:
            format = algorithm(Config(settings, f"{found.where}.quantized_layers"))
            known[(algo, size) if plain else ()] = format
        given.append((name, known[(algo, size) if plain else ()]))
    return given


def read_modelopt(found: Config, config: Config, n_layer: int) -> Quantization:
    """NVIDIA ModelOpt: one algorithm for all but the modules left alone, or mixed: the modules named one by one."""
    skipped: list[tuple[str, Format | None]] = [(name, None) for name in listed(found, "ignore", "exclude_modules")]
    if found.word("quant_algo").upper() != "MIXED_PRECISION":
        note = "" if skipped else "names no modules that are left alone: all matrices of the layers are counted in its format"
        return Quantization("modelopt", Names(skipped, found.where, n_layer), algorithm(found), note=note)
    return Quantization("modelopt", Names([*skipped, *quantized_layers(found)], found.where, n_layer))


METHODS: dict[str, Callable[[Config, Config, int], Quantization]] = {
    "fp8": read_fp8, "mxfp4": read_mxfp4, "mxfp8": read_mxfp8, "compressed-tensors": read_compressed, "modelopt": read_modelopt,
    "awq": read_awq, "gptq": read_gptq,
}  # fmt: skip
REFUSED = dict.fromkeys(
    ("bitsandbytes", "quanto", "torchao", "hqq", "eetq"), "it quantises while loading, and what is stored is not in the config"
)


def cache_format(config: Config) -> str | None:
    """The format of the cache that a config's quantisation asks for, if any."""
    found = place(config)
    if found is None:
        return None
    name = found.raw("kv_cache_quant_algo", "kv_cache_scheme", default=None)
    if isinstance(name, dict):
        scheme = Config(name, f"{found.where}.kv_cache_scheme")
        name = f"{scheme.word('type', default='int', among=('int', 'float'))}{scheme.count('num_bits', most=16)}"
    known = {"FP8": "fp8", "float8": "fp8", "INT8": "int8", "int8": "int8", "NVFP4": "nvfp4-cache", "float4": "nvfp4-cache"}
    if name is not None and (not isinstance(name, str) or name not in known):
        raise ConfigError(f"{found.where}: cache format {brief(name)}: known: {', '.join(known)}")
    return None if name is None else known[name]
