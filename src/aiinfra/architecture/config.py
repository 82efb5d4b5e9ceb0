"""Checked reading of a ``config.json``: every field is named, typed and bounded, or refused in one line."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from aiinfra.errors import BadType, BadValue, ConfigError, brief

MOST = {"layers": 2_000, "items": 200_000, "size": 2**31}  # beyond these a config is a slip, not a model
NONE = object()  # "no default": the field must be there
DTYPES = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float8_e4m3fn": "fp8"}


class Config:
    """A mapping of a config, with the place it came from; reading records which fields were used."""

    def __init__(self, table: Mapping, where: str = "config", top: Config | None = None):
        if not isinstance(table, Mapping):
            raise ConfigError(f"{where}: expected a mapping of fields, not {brief(table)}")
        if strange := [name for name in table if not isinstance(name, str) or not name]:
            raise ConfigError(f"{where}: {brief(strange[0])} is no name of a field")
        self.table, self.where, self.top = table, where, top
        self.read: set[str] = set()
        self.parts: list[Config] = []  # all that were made of it, however deep
        if top is not None:
            top.parts.append(self)

    def __contains__(self, name: str) -> bool:
        """Whether a field is there and not null."""
        return self.table.get(name) is not None

    def raw(self, *names: str, default: object = NONE) -> object:
        """The first of several names that is there and not null."""
        self.read.update(names)
        for name in names:
            if self.table.get(name) is not None:
                return self.table[name]
        if default is NONE:
            raise ConfigError(f"{self.where}: field {' or '.join(names)} is missing")
        return default

    def refuse(self, name: str, allowed: str) -> ConfigError:
        """The error for a field whose value cannot be."""
        return ConfigError(f"{self.where}: {name} = {brief(self.table.get(name))}: must be {allowed}")

    def _name(self, names: tuple[str, ...]) -> str:
        return next((n for n in names if self.table.get(n) is not None), names[0])

    def count(self, *names: str, default: object = NONE, least: int = 1, most: int = MOST["size"]) -> int:
        """A whole number; ``default`` is taken as it is."""
        value = self.raw(*names, default=None if default is not NONE else NONE)
        if value is None:
            return default
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self.refuse(self._name(names), f"a whole number from {least:,} to {most:,}")
        return value

    def layers(self, *names: str) -> int:
        """The number of layers."""
        return self.count(*names, most=MOST["layers"])

    def flag(self, name: str, default: bool = False) -> bool:
        """True or false."""
        value = self.raw(name, default=default)
        if not isinstance(value, bool):
            raise self.refuse(name, "true or false")
        return value

    def word(self, *names: str, default: object = NONE, among: tuple[str, ...] = ()) -> str:
        """A text, where ``among`` names what it may be."""
        value = self.raw(*names, default=default)
        if value is default:
            return value
        if not isinstance(value, str) or (among and value not in among):
            raise self.refuse(self._name(names), "one of " + ", ".join(among) if among else "text")
        return value

    def number(self, *names: str, default: object = NONE) -> float:
        """A finite number above zero."""
        value = self.raw(*names, default=default)
        if value is default:
            return value
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e30:
            raise self.refuse(self._name(names), "a number above zero")
        return value

    def counts(self, name: str, length: int, default: object = NONE, least: int = 0) -> list[int]:
        """A list of whole numbers, one for each layer."""
        found = self.items(name, length, default)
        if found is not default and any(isinstance(v, bool) or not isinstance(v, int) or not least <= v <= MOST["size"] for v in found):
            raise self.refuse(name, f"whole numbers of {least} or more")
        return found

    def words(self, name: str, length: int, among: tuple[str, ...], default: object = NONE) -> list[str]:
        """A list of words, one for each layer."""
        found = self.items(name, length, default)
        if found is not default and (strange := [v for v in found if v not in among]):
            raise ConfigError(f"{self.where}: {name} holds {brief(strange[0])}; known: {', '.join(among)}")
        return found

    def items(self, name: str, length: int | None, default: object = NONE) -> list:
        """A list, of one item for each layer where ``length`` is given."""
        value = self.raw(name, default=default)
        if value is default:
            return value
        if not isinstance(value, (list, tuple)):
            raise self.refuse(name, "a list")
        if length is not None and len(value) != length:
            raise ConfigError(f"{self.where}: {name} has {len(value)} items for {length} layers")
        if len(value) > MOST["items"]:
            raise ConfigError(f"{self.where}: {name} has {len(value):,} items, more than {MOST['items']:,}")
        return list(value)

    def part(self, name: str, default: object = NONE) -> Config | None:
        """A nested mapping."""
        value = self.raw(name, default=default)
        if value is default:
            return default
        return Config(value, f"{self.where}.{name}" if self.where != "config" else name, self.top or self)

    def dtype(self) -> str:
        """The format of the published weights where nothing is quantised."""
        for place in (self, self.top):
            found = {} if place is None else {n: place.raw(n) for n in ("dtype", "torch_dtype") if n in place}
            for field, name in found.items():
                if not isinstance(name, str) or name.removeprefix("torch.") not in DTYPES:
                    raise place.refuse(field, "one of " + ", ".join(DTYPES))
            formats = [DTYPES[name.removeprefix("torch.")] for name in found.values()]
            if len(set(formats)) > 1:
                raise ConfigError(f"{place.where}: dtype = {found['dtype']}, but torch_dtype = {found['torch_dtype']}")
            if formats:
                return formats[0]
        return "bf16"

    def refuse_if(self, name: str, why: str, allowed: tuple = (None, False, 0)) -> None:
        """Refuse a field whose value this reader does not compute."""
        value = self.raw(name, default=None)
        if not any(value is a or (type(value) is type(a) and value == a) for a in allowed):
            raise ConfigError(f"{self.where}: {name} = {brief(value)}: {why}")

    def unread(self) -> list[str]:
        """Fields that nothing has read and that may say something of the shape."""
        found = [
            n for n, v in self.table.items() if n not in self.read and n not in HARMLESS and v not in (None, False, [], {}) and n[0] != "_"
        ]
        return sorted(n for n in found if not n.endswith(HARMLESS_ENDS))

    def untouched(self, nested: tuple[str, ...]) -> dict[str, list[str]]:
        """Fields that must be of the shape and that nothing has read, by place: this level and the parts of a language model."""
        places: dict[str, list[Config]] = {}
        for config in (self, *self.parts):
            if config is self or config.where.rpartition(".")[2] in nested:
                places.setdefault(config.where, []).append(config)
        found = {}
        for place, configs in places.items():
            read = set().union(*(c.read for c in configs))
            found[place] = [n for n in configs[0].unread() if n not in read and STRUCTURAL.search(n) and not ELSEWHERE.search(n)]
        return found


# Words in the name of a field without which a shape, a count or the state cannot be right
STRUCTURAL = re.compile(
    "expert|lora_rank|window|ssm|mamba|compress|recurrent|head|layers$|layer_types|hidden_size|intermediate|latent|conv|chunk|kv_|mla"
    "|moe_(layer|inter|num)|index_|nextn|state_size|shared|hc_|sparse|per_layer|cross_|linear_(num|key|value|conv|attn)|n_embd"
    "|d_model|ffn|d_ff|rnn|lru|delta|kda|block|n_layer$|n_inner|dense_replace|multi_query|^use_cla|^cla_|loops$|recurrence"
)
# Fields with such a word that are of images or sound, of how a training or a kernel runs, or of repeated passes of one layer
ELSEWHERE = re.compile(
    "^im(g|age)_|video|vision|audio|^use_mamba_kernels|_mtp_iteration|^(mamba_)?chunk_size(_feed_forward)?$|_(loss|score|scoring)|^pp_|tensor_parallel"
)
# Fields that change neither a shape nor a count of operations
HARMLESS = frozenset(
    """
    activation_function architectures auto_map attention_dropout attn_pdrop bad_words_ids begin_suppress_tokens bos_token_id
    chunk_size_feed_forward classifier_dropout cross_attention_hidden_size decoder_start_token_id diversity_penalty do_sample
    dtype torch_dtype early_stopping embd_pdrop embedding_dropout encoder_no_repeat_ngram_size eos_token_id ep_size
    exponential_decay_length_penalty finetuning_task forced_bos_token_id forced_eos_token_id hidden_act hidden_activation
    hidden_dropout hidden_dropout_prob id2label initializer_range is_decoder is_encoder_decoder label2id layer_norm_eps
    layer_norm_epsilon length_penalty max_length min_length model_type no_repeat_ngram_size norm_eps norm_topk_prob num_beam_groups
    num_beams num_return_sequences output_attentions output_hidden_states output_router_logits output_scores pad_token_id prefix
    pretraining_tp problem_type remove_invalid_values repetition_penalty resid_pdrop return_dict
    return_dict_in_generate rms_norm_eps rope_parameters rope_scaling rope_theta rotary_emb_base rotary_pct partial_rotary_factor
    router_aux_loss_coef aux_loss_alpha router_jitter_noise router_z_loss_coef routed_scaling_factor scoring_func seq_aux
    sep_token_id summary_activation summary_first_dropout summary_proj_to_labels summary_type summary_use_proj suppress_tokens
    logit_scale scale_attn_weights scale_attn_by_inverse_layer_idx reorder_and_upcast_attn attention_softmax_in_fp32
    scale_attention_softmax_in_fp32
    attention_layers swiglu_alpha attn_scale floor_scale dropout activation
    norm_epsilon initial_context_length moe_norm_min layerdrop init_std
    clip_qkv rotary_dim slow_but_exact
    task_specific_params temperature tf_legacy_loss tie_encoder_decoder tokenizer_class top_k top_p torchscript transformers_version
    typical_p unk_token_id use_bfloat16 use_cache query_pre_attn_scalar attn_logit_softcapping final_logit_softcapping
    rope_local_base_freq rope_interleave rope_ratio logits_scaling embedding_multiplier residual_multiplier attention_multiplier
    max_window_layers original_max_position_embeddings max_sequence_length seq_length n_ctx name_or_path name transformers.js_config
    """.split()
)
HARMLESS_ENDS = ("_token_id", "_token_ids", "_token_index", "_dropout", "_eps", "_std", "_init", "_range", "_coef", "_theta", "_loss_alpha")


def load_json(path: Path) -> dict:
    """A mapping from a file, or one line that says why not."""
    try:
        if path.stat().st_size > 50_000_000:
            raise BadValue(f"{path}: more than 50 MB is no config.json")
        table = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not JSON: {brief(str(error))}") from None
    if not isinstance(table, dict):
        raise BadType(f"{path}: expected an object with fields, not {brief(table)}")
    return table
