"""What PyTorch and `transformers` say of a config: parameters, matrix FLOPs and the shapes of the cache.

Parameters are those of the model on the meta device. FLOPs are `torch.utils.flop_counter`'s over a prompt and one further token of a
small model on the CPU, with eager attention: masks are added, not skipped, so every query meets every key (the rectangle). What the
reference code computes or keeps otherwise than the architecture asks is set right here, each time with the reason in `corrections`.
"""

import re
from collections import Counter
from functools import cache
from math import prod

import torch
import transformers
from cases import BATCH, CASES, TOKENS, TOKENS_OF
from torch.utils.flop_counter import FlopCounterMode

transformers.logging.set_verbosity_error()

# Where a tensor or an operation belongs, from its path in the model and the class there; the first pattern that fits decides.
PARTS = [
    ("norm", r"norm|\.ln_"),
    ("index", r"indexer"),
    ("other", r"_hc\b|hc_head|altup|laurel|\.per_layer"),
    ("experts", r"\.experts\b|latent_proj|shared_expert|\.router\b|(mlp|mixer)\.gate\b"),
    ("head", r"lm_head|project_out"),
    ("embedding", r"embed|\bwte\b|\bwpe\b|project_in"),
    ("attention", r"attn|attention|mixer\.[qkvo]_proj"),
    ("mlp", r"mlp|ffn|\.fc[12]\b|feed_forward|mixer\.(up|down)_proj"),
]
SCANS = ("GatedDeltaNet", "DeltaAttention", "Mamba2Mixer", "LightningAttention")
RECURRENT = (*SCANS, "ShortConv")


class WithHead(torch.nn.Module):
    """A text model with a head, where `transformers` has no class for the two alone."""

    def __init__(self, model):
        super().__init__()
        self.model, self.config = model, model.config
        self.lm_head = torch.nn.Linear(self.config.hidden_size, self.config.vocab_size, bias=False, dtype=model.dtype)

    def forward(self, ids, **kwargs):
        out = self.model(ids, **kwargs)
        self.lm_head(out.last_hidden_state)
        return out


def build(config, device="cpu"):
    """The model of a config, with eager attention and experts run one after the other."""
    made = transformers.AutoConfig.for_model(**config)
    how = {"attn_implementation": "eager", "experts_implementation": "eager", "dtype": torch.bfloat16}
    with torch.device(device):
        if made.model_type == "step3p5":
            return WithHead(transformers.Step3p7TextModel._from_config(made, **how)).eval()
        return transformers.AutoModelForCausalLM.from_config(made, **how).eval()


def classes(model):
    """Path of each module → name of its class."""
    return {path: type(module).__name__ for path, module in model.named_modules()}


def part(path, kinds):
    """The part of the model that a module or tensor belongs to."""
    steps = path.split(".")
    above = [kinds.get(".".join(steps[:end]), "") for end in range(1, len(steps) + 1)]
    if any(kind.endswith(RECURRENT) for kind in above):
        return "recurrent"
    return next((name for name, pattern in PARTS if re.search(pattern, f".{path}:{above[-1].lower()}")), "other")


def parameters(config):
    """Total, shapes by name, matrices by part, and what a checkpoint keeps beside parameters. A tied tensor counts once."""
    model = build(config, "meta")
    kinds, buffers = classes(model), dict(model.named_buffers())
    tensors = {name: list(tensor.shape) for name, tensor in model.named_parameters()}
    parts = Counter()
    for name, shape in tensors.items():
        if len(shape) > 1 and not name.endswith(("bias", "A_log")):
            parts[part(name, kinds)] += prod(shape)
    kept = {name: list(buffers[name].shape) for name in model.state_dict() if name in buffers}
    return {"total": sum(map(prod, tensors.values())), "parts": dict(parts), "tensors": tensors, "kept": kept}


@cache
def run(name):
    """FLOPs of a prompt and of one step after it, and what the cache holds in between."""
    config, tokens = CASES[name], TOKENS_OF.get(name, TOKENS)
    torch.manual_seed(0)
    model = build(config)
    ids = torch.randint(3, 90, (BATCH, tokens))  # below every vocabulary, above the special tokens
    prompt, step = FlopCounterMode(display=False), FlopCounterMode(display=False)
    with torch.no_grad():
        with prompt:
            kept = model(ids, use_cache=True).cache
        found = {"tokens": tokens, "batch": BATCH, "state": state(kept, config)}
        found["prefill"] = flops(model, prompt, tokens, kept, tokens)
        with step:
            model(ids[:, :1], cache=kept, use_cache=True)
        found["decode"] = flops(model, step, 1, kept, tokens + 1)
    return found


def training(name):
    """FLOPs of forward and backward together, as counted."""
    torch.manual_seed(0)
    counter = FlopCounterMode(display=False)
    with counter:
        build(CASES[name])(torch.randint(3, 90, (BATCH, TOKENS))).logits.sum().backward()
    return counter.get_total_flops()


def met(model, cache, index, tokens, context):
    """Entries that each query of a layer meets: as the reference code has it, and as the architecture asks for."""
    layer, config = cache.layers[index], model.config
    kind = type(layer).__name__
    sliding = getattr(layer, "is_sliding", False) or kind == "DummyLayer" and config.layer_types[index] == "sliding_attention"
    window = (getattr(layer, "sliding_window", None) or config.sliding_window) if sliding else context
    computed, asked = min(window, context) if tokens == 1 else context, min(window, context)
    if chunk := sliding and getattr(config, "attention_chunk_size", None):
        asked = (context - 1) % chunk + 1 if tokens == 1 else min(chunk, context)
    if kind == "DynamicIndexedLayer":
        asked = min(asked, config.index_topk)
    if kind == "MiniMaxM3VLSparseCacheLayer":  # whole blocks, and of the last what there is
        last = (context - 1) % config.index_block_size + 1
        last = config.index_block_size if tokens > 1 else last
        asked = min(context, (config.index_topk_blocks - 1) * config.index_block_size + last)
    if pools := getattr(layer, "compressed_kv", None):
        count = pools["compressor"].shape[1]
        computed, asked = computed + count, asked + (min(count, config.index_topk) if "indexer" in pools else count)
    return computed, asked


def flops(model, counter, tokens, cache, context):
    """FLOPs by part: of matrices that are parameters, of products of activations, of depthwise convolutions."""
    root, kinds, modules = type(model).__name__, classes(model), dict(model.named_modules())
    counts = {path.removeprefix(root).removeprefix("."): ops for path, ops in counter.get_flop_counts().items() if path != "Global"}
    own = {path: Counter(ops) for path, ops in counts.items()}
    for path, ops in counts.items():  # a module's count holds those below it
        while path:
            path = path.rpartition(".")[0]
            if path in counts:
                own[path].subtract(ops)
                break
    parts, corrections = Counter(), []
    for path, op, count in [(path, op, count) for path, ops in own.items() for op, count in ops.items() if count]:
        module, kind, where = modules[path], kinds[path], part(path, kinds)
        product = not any(tensor.dim() > 1 for tensor in module.parameters(recurse=False))
        ideal, why = count, ""
        if op is torch.ops.aten.convolution:
            filters = getattr(module, "conv", None) or module.conv1d
            ideal, why = 2 * BATCH * tokens * filters.weight.numel(), "the input is padded, and outputs too many are cut off"
        elif kind == "Llama4TextExperts":
            ideal = count * modules[path.rpartition(".")[0]].top_k // module.num_experts
            why = "every expert runs on every token, most results weighted by zero"
        elif kind.endswith(SCANS) and product:
            ideal, why = 0, "products of a scan in chunks, whose size the implementation chooses; the recurrence itself has none to count"
        elif kind.endswith("DecoderLayer"):
            ideal, why = 0, "sums over a few copies of the residual stream are left out, as everything by element is"
        elif kind in ("DeepseekV32Indexer", "GlmMoeDsaIndexer"):
            ideal = count * module.head_dim // (module.head_dim + 1)
            why = "the weighted sum of the heads' scores is left out, as everything by element is"
        elif where == "attention" and product:
            computed, asked = met(model, cache, int(re.search(r"\.(\d+)\.", path)[1]), tokens, context)
            ideal, why = count * asked // computed, "entries are masked that a window, or the choice of an index, leaves out"
        if ideal != count:
            corrections.append([path, count, ideal, why])
        parts[where] += ideal
    return {"counted": counter.get_total_flops(), "parts": dict(+parts), "total": sum(parts.values()), "corrections": corrections}


def state(cache, config):
    """For each layer: shape and element size of every tensor that the cache holds, and bytes per request as the architecture asks for."""
    rows = []
    linear = getattr(cache, "linear_cache", [])  # MiniMax keeps a list of its own
    for index, layer in enumerate(cache.layers):
        held = dict(vars(layer)) | ({"linear": linear[index]} if index < len(linear) else {})
        named, shapes, size, seen = {}, {}, 0, set()
        for name, value in held.items():
            named |= {f"{name}.{key}": each for key, each in value.items()} if isinstance(value, dict) else {name: value}
        for name, tensor in named.items():
            if not isinstance(tensor, torch.Tensor) or not tensor.is_floating_point() or id(tensor) in seen:
                continue
            seen.add(id(tensor))  # DeepSeek-V4's keys are its values
            shape = list(tensor.shape)
            shapes[name] = [*shape, tensor.element_size()]
            if name in ("keys", "values") and getattr(layer, "is_sliding", False) and "attention_chunk_size" not in config:
                shape = [*shape[:2], shape[2] + 1, shape[3]]  # a place is left for the token that comes
            if name in ("keys", "values") and config["model_type"] == "falcon":
                shape = [shape[0], config.get("num_kv_heads", 1), *shape[2:]]  # keys and values are repeated for each query head
            if not name.startswith(("buffer", "overlap")):  # what waits to be compressed is kept by each engine in its own way
                size += prod(shape) // BATCH * tensor.element_size()
        rows.append({"layer": type(layer).__name__, "shapes": shapes, "bytes": size})
    return rows
