"""The parts of a layer, typed: each says which rows it adds to a ledger and what it keeps of a request.

The fields that are whole numbers carry the names of the book's symbols; rows refer to them by these names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from aiinfra.architecture.rows import FIXED, FULL, Dim, Reach, Row, StateRow


@dataclass(frozen=True, kw_only=True)
class Part:
    """A piece of a layer. ``path`` is where checkpoints keep its tensors."""

    part: ClassVar[str] = ""
    path: str = ""

    def rows(self) -> Iterator[Row]:
        """The rows of this part in one layer."""
        return iter(())

    def state(self) -> Iterator[StateRow]:
        """What it keeps of a request, in one layer."""
        return iter(())

    def sizes(self) -> dict[str, int]:
        """Its whole numbers by symbol."""
        return {name: value for name, value in vars(self).items() if type(value) is int}

    def matrix(self, name: str, d_in: Dim, d_out: Dim, bias: bool = False, kind: str = "matrix", **more) -> Row:
        """A row of a matrix, whose checkpoint name is its own unless ``module`` says otherwise."""
        module = more.pop("module", name)
        return Row(self.part, name, kind, d_in, d_out, bias, module=f"{self.path}.{module}" if self.path else module, **more)

    def vector(self, name: str, width: Dim, bias: bool = False, **more) -> Row:
        """A row of a vector: one input, and with ``bias`` as many elements again."""
        return self.matrix(name, "1", width, bias, "vector", **more)


@dataclass(frozen=True, kw_only=True)
class Norm(Part):
    """Normalisation of a vector: a weight per element, with ``bias`` a shift per element too."""

    part = "norm"
    name: str = "norm"
    width: Dim = "d_model"
    bias: bool = False

    def rows(self) -> Iterator[Row]:
        yield self.vector(self.name, self.width, self.bias)


@dataclass(frozen=True, kw_only=True)
class Index(Part):
    """The index of sparse attention: its queries score all cached index keys; the best ``chosen`` entries are attended to.

    ``source`` is the vector that index queries are made from; ``per_head_weight`` is a matrix that weighs the heads.
    """

    part = "index"
    path: str = "self_attn.indexer"
    n_index: int
    d_index: int
    source: Dim = "d_model"
    d_latent_q: int | None = None  # where queries are made from it
    key_norm: str = "layer"  # layer (with a shift) or rms
    query_norm: bool = False
    per_head_weight: bool = True
    shared: bool = False  # True: takes the choice of an earlier layer, and has no weights
    names: tuple[str, str, str, str] = ("wq_b", "wk", "k_norm", "weights_proj")

    def rows(self) -> Iterator[Row]:
        if self.shared:
            return
        query, key, norm, weigh = self.names
        yield self.matrix(query, self.source, "n_index*d_index")
        if self.query_norm:
            yield self.vector("q_norm", "d_index")
        yield self.matrix(key, "d_model", "d_index")
        yield self.vector(norm, "d_index", self.key_norm == "layer")
        if self.per_head_weight:
            yield self.matrix(weigh, "d_model", "n_index")
        yield Row(self.part, "index scores", "index", reach=FULL)

    def state(self) -> Iterator[StateRow]:
        if not self.shared:
            yield StateRow(self.part, "index keys", "d_index", "index scores")


@dataclass(frozen=True, kw_only=True)
class Attention(Part):
    """Attention with query heads and key/value heads of their own (MHA, MQA, GQA), over the whole context or part of it.

    ``gate`` scales the heads' result: by a matrix of its own with an output per ``head``, or by what comes out of the ``query``'s
    matrix beside the queries. ``norm`` normalises queries and keys, per ``head`` or over their ``full`` width. ``reuse`` is a
    layer that reads another layer's cache and has no keys and values of its own.
    """

    part = "attention"
    path: str = "self_attn"
    n_q: int
    n_kv: int
    d_head: int
    d_value: int | None = None  # None: as wide as a key
    bias: bool = False  # of queries, keys and values
    bias_o: bool = False
    norm: str = ""
    norm_bias: bool = False
    gate: str = ""
    sinks: bool = False
    same: bool = False  # True: values are the keys, projected once
    value_from_key: bool = False  # True: values are made from the projected keys, but both are kept
    reuse: bool = False
    reach: Reach = FULL
    stored: Reach | None = None  # where more is kept than a token meets
    names: tuple[str, str, str, str] = ("q_proj", "k_proj", "v_proj", "o_proj")
    fused: str = ""  # the one matrix that gives queries, keys and values, where they are stored so

    @property
    def value_width(self) -> str:
        return "d_head" if self.d_value is None else "d_value"

    def rows(self) -> Iterator[Row]:
        q, k, v, o = self.names
        wide = self.value_width
        if self.fused:
            yield self.matrix(self.fused, "d_model", "n_q*d_head+2*n_kv*d_head", self.bias)
        else:
            yield self.matrix(q, "d_model", "2*n_q*d_head" if self.gate == "query" else "n_q*d_head", self.bias)
        if not self.reuse and not self.fused:
            yield self.matrix(k, "d_model", "n_kv*d_head", self.bias)
            if not self.same and not self.value_from_key:
                yield self.matrix(v, "d_model", f"n_kv*{wide}", self.bias)
        if self.gate == "head":
            yield self.matrix("gate_proj", "d_model", "n_q")
        yield self.matrix(o, f"n_q*{wide}", "d_model", self.bias_o)
        if self.norm:
            heads = ("", "") if self.norm == "head" else ("n_q*", "n_kv*")
            yield self.vector("q_norm", f"{heads[0]}d_head", self.norm_bias)
            if not self.reuse:
                yield self.vector("k_norm", f"{heads[1]}d_head", self.norm_bias)
        if self.sinks:
            yield self.vector("sinks", "n_q")
        yield Row(self.part, "scores and values", "attention", reach=self.reach, d_key="d_head", d_value=wide)

    def state(self) -> Iterator[StateRow]:
        width = f"n_kv*d_head+n_kv*{self.value_width}" if self.d_value is not None else "2*n_kv*d_head"
        if self.same:
            width = "n_kv*d_head"
        kept = self.stored or self.reach
        read = self.reach if self.stored else None
        yield StateRow(self.part, "keys and values", width, "scores and values", kept, read, layers=0 if self.reuse else 1, readers=1)


@dataclass(frozen=True, kw_only=True)
class LatentAttention(Part):
    """Multi-head latent attention: keys and values of all heads are made from one cached vector and one rotary key.

    While a prompt is processed, keys and values are expanded; in decoding their matrices are absorbed into the query and
    the output, so that scores are taken with the cached vector itself.
    """

    part = "attention"
    path: str = "self_attn"
    n_q: int
    d_latent: int
    d_nope: int
    d_rope: int
    d_value: int
    d_latent_q: int | None = None  # None: queries are made from the residual stream directly
    bias: bool = False  # of the projections down
    bias_o: bool = False
    gate: str = ""
    reach: Reach = FULL
    stored: Reach | None = None

    def rows(self) -> Iterator[Row]:
        key = "n_q*d_nope+n_q*d_rope"
        if self.d_latent_q is None:
            yield self.matrix("q_proj", "d_model", key)
        else:
            yield self.matrix("q_a_proj", "d_model", "d_latent_q", self.bias)
            yield self.vector("q_a_layernorm", "d_latent_q")
            yield self.matrix("q_b_proj", "d_latent_q", key)
        yield self.matrix("kv_a_proj_with_mqa", "d_model", "d_latent+d_rope", self.bias)
        yield self.vector("kv_a_layernorm", "d_latent")
        yield self.matrix("kv_b_proj", "d_latent", "n_q*d_nope+n_q*d_value", per="latent")
        if self.gate:
            yield self.matrix("g_proj", "d_model", "n_q*d_value" if self.gate == "element" else "n_q")
        yield self.matrix("o_proj", "n_q*d_value", "d_model", self.bias_o)
        for phase, key, value in (("expanded", "d_nope+d_rope", "d_value"), ("absorbed", "d_latent+d_rope", "d_latent")):
            name = f"scores and values, {phase}"
            yield Row(self.part, name, "attention", reach=self.reach, d_key=key, d_value=value, phase=phase)

    def state(self) -> Iterator[StateRow]:
        read = self.reach if self.stored else None
        yield StateRow(self.part, "latent and rotary key", "d_latent+d_rope", "scores and values", self.stored or self.reach, read)


@dataclass(frozen=True, kw_only=True)
class MLP(Part):
    """Two matrices around an activation, or three where a second input matrix gates it."""

    part = "mlp"
    path: str = "mlp"
    d_ff: int
    gated: bool = True
    bias: bool = False
    names: tuple[str, str, str] = ("gate_proj", "up_proj", "down_proj")
    fused: str = ""  # the one matrix that gives gate and input, where they are stored so

    def rows(self) -> Iterator[Row]:
        gate, up, down = self.names
        if self.fused:
            yield self.matrix(self.fused, "d_model", "2*d_ff", self.bias)
        elif self.gated:
            yield self.matrix(gate, "d_model", "d_ff", self.bias)
        if not self.fused:
            yield self.matrix(up, "d_model", "d_ff", self.bias)
        yield self.matrix(down, "d_ff", "d_model", self.bias)


@dataclass(frozen=True, kw_only=True)
class Experts(Part):
    """A router, routed experts of which each token passes through a few, and shared experts for all tokens.

    ``d_moe`` is the width that experts receive where the vector is projected down before and up after them.
    """

    part = "experts"
    path: str = "mlp"
    n_expert: int
    n_chosen: int
    d_expert: int
    d_shared: int | None = None  # inner width of all shared experts together; None: there are none
    d_moe: int | None = None
    gated: bool = True
    shared_gated: bool = True
    bias: bool = False
    router_bias: bool = False
    correction: bool = False  # a bias per expert that balances loads; kept in checkpoints, not trained by gradients
    correction_trained: bool = False  # it is a parameter of the reference code nevertheless
    shared_gate: bool = False  # a matrix that scales the shared experts' result
    shared_bias: bool = False  # of the shared experts and the projections around the routed ones
    shared_path: str = "shared_experts"
    moe_norms: int = 0  # norms of width d_moe
    router_path: str = "gate"

    def rows(self) -> Iterator[Row]:
        wide = "d_model" if self.d_moe is None else "d_moe"
        routed = {"copies": "n_expert", "used": "n_chosen"}
        yield self.matrix("router", "d_model", "n_expert", self.router_bias, module=self.router_path)
        if self.correction:
            yield self.vector("router correction", "n_expert", buffer=not self.correction_trained, module=f"{self.router_path}.bias")
        if self.d_moe is not None:
            yield self.matrix("latent down", "d_model", "d_moe", self.shared_bias, module="fc1_latent_proj")
        for number in range(self.moe_norms):
            yield self.vector(f"latent norm {number + 1}", "d_moe", module="latent_norm")
        if self.gated:
            yield self.matrix("experts gate_proj", wide, "d_expert", self.bias, module="experts.0.gate_proj", **routed)
        yield self.matrix("experts up_proj", wide, "d_expert", self.bias, module="experts.0.up_proj", **routed)
        yield self.matrix("experts down_proj", "d_expert", wide, self.bias, module="experts.0.down_proj", **routed)
        if self.d_moe is not None:
            yield self.matrix("latent up", "d_moe", "d_model", self.shared_bias, module="fc2_latent_proj")
        if self.d_shared is not None:
            if self.shared_gated:
                yield self.matrix("shared gate_proj", "d_model", "d_shared", self.shared_bias, module=f"{self.shared_path}.gate_proj")
            yield self.matrix("shared up_proj", "d_model", "d_shared", self.shared_bias, module=f"{self.shared_path}.up_proj")
            yield self.matrix("shared down_proj", "d_shared", "d_model", self.shared_bias, module=f"{self.shared_path}.down_proj")
        if self.shared_gate:
            yield self.matrix("shared gate", "d_model", "1", module="shared_expert_gate")


@dataclass(frozen=True, kw_only=True)
class Other(Part):
    """Rows that only one family has, written out by its reader."""

    part = "other"
    given: tuple[Row, ...] = ()
    kept: tuple[StateRow, ...] = ()
    values: tuple[tuple[str, int], ...] = ()

    def rows(self) -> Iterator[Row]:
        return iter(self.given)

    def state(self) -> Iterator[StateRow]:
        return iter(self.kept)

    def sizes(self) -> dict[str, int]:
        return dict(self.values)


@dataclass(frozen=True, kw_only=True)
class Recurrent(Part):
    """A layer with a state of fixed size per head: Mamba-2, gated delta-net, KDA, lightning attention.

    ``rule`` is the update: ``gated recurrence`` or ``delta rule``. ``inputs`` names the projections with their widths, and
    ``convolved`` the width that passes through a short convolution. Of that it keeps as many inputs as there are taps, as
    transformers does; engines keep one fewer.
    """

    part = "recurrent"
    path: str = "linear_attn"
    n_rec: int
    n_rec_k: int
    d_rec_k: int
    d_rec_v: int
    taps: int | None = None  # None: no convolution
    rule: str = "delta rule"
    inputs: tuple[tuple[str, Dim, Dim], ...] = ()  # name, input, output
    vectors: tuple[tuple[str, Dim], ...] = ()
    convolved: tuple[tuple[str, Dim], ...] = ()  # name and channels of each convolution
    convolution_bias: bool = False
    bias: bool = False
    bias_o: bool | None = None  # None: as the inputs
    output: str = "out_proj"
    state_format: str = "fp32"
    convolution_format: str = "kv"

    def rows(self) -> Iterator[Row]:
        for name, d_in, d_out in self.inputs:
            yield self.matrix(name, d_in, d_out, self.bias)
        for name, channels in self.convolved:
            yield self.matrix(name, "taps", channels, self.convolution_bias, "convolution")
        for name, width in self.vectors:
            yield self.vector(name, width)
        yield self.matrix(self.output, "n_rec*d_rec_v", "d_model", self.bias if self.bias_o is None else self.bias_o)
        yield Row(self.part, "state update", self.rule)

    def state(self) -> Iterator[StateRow]:
        yield StateRow(self.part, "recurrent state", "n_rec*d_rec_k*d_rec_v", "state update", FIXED, format=self.state_format)
        for name, channels in self.convolved:
            width = "+".join(f"{self.taps}*{term}" for term in channels.split("+"))
            yield StateRow(self.part, f"{name} inputs", width, name, FIXED, format=self.convolution_format)
