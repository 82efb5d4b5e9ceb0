"""One small config per architecture, written as its config.json would be: few layers, small odd widths, the real structure.

The library and `transformers` read the same dict. Widths differ wherever they can, so that a product of the wrong two cannot pass.
"""

TOKENS, BATCH = 24, 2  # longer than every window, pool and choice of positions below
TOKENS_OF = {
    "deepseek_v4": 266,  # two pools of 128, and something left over of both kinds of pools
    "llama4": 23,  # in the middle of a chunk
    "minimax_m3": 23,  # in the middle of a block
}
ROPE = {"rope_theta": 10000.0, "rope_type": "default"}
TWO_ROPES = {"sliding_attention": ROPE, "full_attention": {**ROPE, "rope_theta": 1000000.0}}


def dense(model_type, **fields):
    """A Llama-like config: four query heads of 16 on two key/value heads, gated MLP."""
    return {
        "model_type": model_type,
        "vocab_size": 103,
        "hidden_size": 40,
        "intermediate_size": 88,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "hidden_act": "silu",
        "max_position_embeddings": 64,
        "rms_norm_eps": 1e-6,
        "rope_theta": 10000.0,
        "tie_word_embeddings": False,
        "attention_bias": False,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
    } | fields


def plain(model_type, **fields):
    """The same without a width of heads of its own."""
    config = dense(model_type, **fields)
    if "head_dim" not in fields:
        del config["head_dim"]
    return config


def windows(model_type, layers="slsl", **fields):
    """Local and global layers in turn: one letter each, s sliding, l long."""
    kinds = {"s": "sliding_attention", "l": "full_attention"}
    return dense(model_type, num_hidden_layers=len(layers), sliding_window=8, layer_types=[kinds[x] for x in layers], **fields)


def latent(model_type, **fields):
    """Multi-head latent attention with a mixture of experts behind one dense layer, as DeepSeek has it."""
    config = plain(model_type, num_key_value_heads=4, num_hidden_layers=3) | {
        "q_lora_rank": 28,
        "kv_lora_rank": 20,
        "qk_nope_head_dim": 12,
        "qk_rope_head_dim": 8,
        "v_head_dim": 14,
        "first_k_dense_replace": 1,
        "moe_layer_freq": 1,
        "moe_intermediate_size": 24,
        "n_routed_experts": 8,
        "n_shared_experts": 2,
        "num_experts_per_tok": 2,
        "n_group": 4,
        "topk_group": 2,
        "norm_topk_prob": True,
        "routed_scaling_factor": 2.5,
        "num_nextn_predict_layers": 0,
    }
    return config | fields


EXPERTS = {"num_experts": 6, "num_experts_per_tok": 2, "moe_intermediate_size": 24, "norm_topk_prob": True}
LOCAL_EXPERTS = {"num_local_experts": 6, "num_experts_per_tok": 2}
DELTA = {
    "linear_conv_kernel_dim": 4,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 12,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "full_attention_interval": 4,
    "layer_types": ["linear_attention"] * 3 + ["full_attention"],
    "num_hidden_layers": 4,
    "attn_output_gate": True,
}
PARTIAL = {"rope_parameters": ROPE | {"partial_rotary_factor": 0.5}}
INDEX = {"index_head_dim": 10, "index_n_heads": 3, "index_topk": 6}

CASES = {
    # dense
    "gpt2": {
        "model_type": "gpt2", "vocab_size": 103, "n_positions": 64, "n_ctx": 64, "n_embd": 40, "n_layer": 3, "n_head": 4, "n_inner": None,
        "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5,
    },
    "opt": {
        "model_type": "opt", "vocab_size": 103, "hidden_size": 40, "num_hidden_layers": 3, "ffn_dim": 88, "num_attention_heads": 4,
        "max_position_embeddings": 64, "word_embed_proj_dim": 40, "do_layer_norm_before": True, "enable_bias": True,
        "layer_norm_elementwise_affine": True, "activation_function": "relu", "_remove_final_layer_norm": False,
    },
    "opt-350m": {  # the one with a narrower embedding and norms behind the blocks
        "model_type": "opt", "vocab_size": 103, "hidden_size": 40, "num_hidden_layers": 3, "ffn_dim": 88, "num_attention_heads": 4,
        "max_position_embeddings": 64, "word_embed_proj_dim": 20, "do_layer_norm_before": False, "enable_bias": True,
        "layer_norm_elementwise_affine": True, "activation_function": "relu", "_remove_final_layer_norm": False,
    },
    "bloom": {"model_type": "bloom", "vocab_size": 103, "hidden_size": 40, "n_layer": 3, "n_head": 4, "layer_norm_epsilon": 1e-5},
    "mpt": {
        "model_type": "mpt", "vocab_size": 103, "d_model": 40, "n_heads": 4, "n_layers": 3, "expansion_ratio": 4, "max_seq_len": 64,
        "no_bias": True, "learned_pos_emb": True, "norm_type": "low_precision_layernorm",
        "attn_config": {"alibi": True, "attn_type": "multihead_attention", "clip_qkv": None, "qk_ln": False},
    },
    "falcon-7b": {
        "model_type": "falcon", "vocab_size": 103, "hidden_size": 40, "num_hidden_layers": 3, "num_attention_heads": 5, "alibi": False,
        "multi_query": True, "parallel_attn": True, "new_decoder_architecture": False, "bias": False, "layer_norm_epsilon": 1e-5,
    },
    "falcon-40b": {
        "model_type": "falcon", "vocab_size": 103, "hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 6, "num_kv_heads": 2,
        "alibi": False, "multi_query": True, "parallel_attn": True, "new_decoder_architecture": True, "bias": False,
        "layer_norm_epsilon": 1e-5,
    },
    "gpt_neox": {
        "model_type": "gpt_neox", "vocab_size": 103, "hidden_size": 40, "intermediate_size": 88, "num_hidden_layers": 3,
        "num_attention_heads": 5, "max_position_embeddings": 64, "rotary_pct": 0.25, "use_parallel_residual": True, "hidden_act": "gelu",
        "tie_word_embeddings": False, "attention_bias": True, "layer_norm_eps": 1e-5,
    },
    "phi": plain("phi", partial_rotary_factor=0.4, layer_norm_eps=1e-5, hidden_act="gelu_new", qk_layernorm=False),
    "phi3": plain("phi3", sliding_window=8),
    "llama": dense("llama", mlp_bias=False),
    "llama-bias": plain("llama", mlp_bias=True, attention_bias=True, tie_word_embeddings=True, num_key_value_heads=4),
    "mistral": dense("mistral", sliding_window=8),
    "qwen2": plain("qwen2", use_sliding_window=False, sliding_window=8, max_window_layers=3),
    "qwen3": dense("qwen3", use_sliding_window=False, sliding_window=None, tie_word_embeddings=True),
    "gemma2": windows(
        "gemma2", hidden_activation="gelu_pytorch_tanh", query_pre_attn_scalar=16, attn_logit_softcapping=50.0,
        final_logit_softcapping=30.0, tie_word_embeddings=True,
    ),
    "gemma3": windows(
        "gemma3_text", "sssssls", hidden_activation="gelu_pytorch_tanh", query_pre_attn_scalar=16, tie_word_embeddings=True,
        rope_local_base_freq=10000.0,
    ),
    "gemma3n": windows(
        "gemma3n_text", "sslssl", hidden_activation="gelu_pytorch_tanh", tie_word_embeddings=True, vocab_size_per_layer_input=97,
        hidden_size_per_layer_input=12, altup_num_inputs=4, altup_active_idx=0, altup_coef_clip=120.0, altup_correct_scale=True,
        num_kv_shared_layers=3, laurel_rank=6, activation_sparsity_pattern=[0.0] * 6, intermediate_size=[88] * 6,
        rope_parameters=TWO_ROPES,
    ),
    "gemma4": windows(
        "gemma4_text", "ssslsl", hidden_activation="gelu_pytorch_tanh", tie_word_embeddings=True, global_head_dim=24,
        num_global_key_value_heads=1, attention_k_eq_v=True, hidden_size_per_layer_input=0, vocab_size_per_layer_input=103,
        num_kv_shared_layers=0, enable_moe_block=False, use_double_wide_mlp=False, num_experts=None, top_k_experts=None,
        moe_intermediate_size=None, rope_parameters=TWO_ROPES,
    ),
    "gemma4-moe": windows(
        "gemma4_text", "ssslsl", hidden_activation="gelu_pytorch_tanh", tie_word_embeddings=True, global_head_dim=24,
        num_global_key_value_heads=1, attention_k_eq_v=True, hidden_size_per_layer_input=0, vocab_size_per_layer_input=103,
        num_kv_shared_layers=0, enable_moe_block=True, use_double_wide_mlp=False, num_experts=6, top_k_experts=2,
        moe_intermediate_size=24, rope_parameters=TWO_ROPES,
    ),
    "gemma4-per-layer": windows(  # the small ones: an embedding per layer, later layers reuse keys and values
        "gemma4_text", "sslssl", hidden_activation="gelu_pytorch_tanh", tie_word_embeddings=True, global_head_dim=24,
        num_global_key_value_heads=None, attention_k_eq_v=False, hidden_size_per_layer_input=12, vocab_size_per_layer_input=97,
        num_kv_shared_layers=3, enable_moe_block=False, use_double_wide_mlp=True, num_experts=None, top_k_experts=None,
        moe_intermediate_size=None, rope_parameters=TWO_ROPES,
    ),
    "olmo2": plain("olmo2"),
    "olmo3": {k: v for k, v in windows("olmo3", "sssl").items() if k != "head_dim"},
    "cohere2": windows("cohere2", "sssl", layer_norm_eps=1e-5, logit_scale=0.25, tie_word_embeddings=True),
    "granite": plain(
        "granite", mlp_bias=False, embedding_multiplier=12.0, logits_scaling=8.0, residual_multiplier=0.22, attention_multiplier=0.1,
        tie_word_embeddings=True,
    ),
    # mixtures of experts
    "mixtral": plain("mixtral", **LOCAL_EXPERTS, sliding_window=None),
    "qwen2_moe": plain(
        "qwen2_moe", **EXPERTS, shared_expert_intermediate_size=32, decoder_sparse_step=1, mlp_only_layers=[], use_sliding_window=False,
        sliding_window=8, max_window_layers=3,
    ),
    "qwen3_moe": dense("qwen3_moe", **EXPERTS, decoder_sparse_step=1, mlp_only_layers=[1], use_sliding_window=False, sliding_window=None),
    "olmoe": plain("olmoe", num_experts=6, num_experts_per_tok=2, norm_topk_prob=False, intermediate_size=24, clip_qkv=None),
    "gpt_oss": windows("gpt_oss", **LOCAL_EXPERTS, experts_per_token=2, intermediate_size=24, attention_bias=True, swiglu_limit=7.0),
    "llama4": dense(
        "llama4_text", num_hidden_layers=4, num_local_experts=4, num_experts_per_tok=1, interleave_moe_layer_step=2,
        intermediate_size=24, intermediate_size_mlp=88, attention_chunk_size=8, use_qk_norm=True, no_rope_layer_interval=4,
    ),
    "glm4_moe": dense(
        "glm4_moe", attention_bias=True, use_qk_norm=True, partial_rotary_factor=0.5, moe_intermediate_size=24, n_routed_experts=6,
        n_shared_experts=1, num_experts_per_tok=2, n_group=1, topk_group=1, first_k_dense_replace=1, norm_topk_prob=True,
        routed_scaling_factor=1.0, num_nextn_predict_layers=0,
    ),
    "minimax_m2": dense(
        "minimax_m2", **LOCAL_EXPERTS, intermediate_size=24, rotary_dim=8, use_qk_norm=True, qk_norm_type="per_layer",
        use_routing_bias=True, shared_intermediate_size=0, scoring_func="sigmoid",
    ),
    "minimax_m3": dense(
        "minimax_m3_vl_text", num_local_experts=6, num_experts_per_tok=2, intermediate_size=24, dense_intermediate_size=88,
        shared_intermediate_size=32, n_shared_experts=1, moe_layer_freq=[0, 1, 1], rotary_dim=8, use_qk_norm=True,
        qk_norm_type="per_head", use_gemma_norm=True, use_routing_bias=True, scoring_func="sigmoid", routed_scaling_factor=2.0,
        sparse_attention_config={
            "use_sparse_attention": True, "sparse_attention_freq": [0, 1, 1], "sparse_num_index_heads": 2, "sparse_index_dim": 12,
            "sparse_block_size": 4, "sparse_topk_blocks": 2, "sparse_local_block": 1,
        },
    ),
    "step3p7": dense(
        "step3p5", num_hidden_layers=4, layer_types=["full_attention"] + ["sliding_attention"] * 3, sliding_window=8,
        attention_other_setting={"attention_type": "sliding_attention", "num_attention_heads": 6, "num_attention_groups": 2},
        moe_layers_enum="1,2,3", moe_num_experts=6, moe_top_k=2, moe_intermediate_size=24, share_expert_dim=32,
        moe_router_scaling_factor=3.0, use_moe_router_bias=True, use_head_wise_attn_gate=True, num_nextn_predict_layers=0,
    ),
    # latent, indexed and compressed attention
    "deepseek_v2": latent("deepseek_v2", topk_method="group_limited_greedy"),
    "deepseek_v2-lite": latent("deepseek_v2", topk_method="greedy", q_lora_rank=None, n_group=1, topk_group=1, norm_topk_prob=False),
    "deepseek_v3": latent("deepseek_v3", topk_method="noaux_tc", scoring_func="sigmoid"),
    "deepseek_v32": latent("deepseek_v32", topk_method="noaux_tc", scoring_func="sigmoid", **INDEX),
    "glm_moe_dsa": latent(
        "glm_moe_dsa", topk_method="noaux_tc", scoring_func="sigmoid", n_group=1, topk_group=1, head_dim=8, qk_head_dim=20,
        indexer_types=["full", "full", "shared"], mlp_layer_types=["dense", "sparse", "sparse"], **INDEX,
    ),
    "deepseek_v4": {
        "model_type": "deepseek_v4", "vocab_size": 103, "hidden_size": 40, "moe_intermediate_size": 24, "num_hidden_layers": 5,
        "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 16, "qk_rope_head_dim": 8, "q_lora_rank": 28, "o_groups": 2,
        "o_lora_rank": 12, "n_routed_experts": 6, "n_shared_experts": 1, "num_experts_per_tok": 2, "scoring_func": "sqrtsoftplus",
        "norm_topk_prob": True, "routed_scaling_factor": 1.5, "topk_method": "noaux_tc", "num_hash_layers": 2, "swiglu_limit": 10.0,
        "sliding_window": 8, "compress_ratios": [0, 4, 128, 4, 128, 0], "compress_rope_theta": 160000, "hc_mult": 4,
        "hc_sinkhorn_iters": 3, "hc_eps": 1e-6, "num_nextn_predict_layers": 1, "rope_theta": 10000.0, "max_position_embeddings": 512,
        "hidden_act": "silu", "rms_norm_eps": 1e-6, "attention_bias": False, "tie_word_embeddings": False, "index_head_dim": 10,
        "index_n_heads": 3, "index_topk": 4,
    },
    # linear attention, recurrence and short convolutions
    "minimax": plain(
        "minimax", **LOCAL_EXPERTS, head_dim=16, block_size=8, num_hidden_layers=4,
        layer_types=["linear_attention"] * 3 + ["full_attention"], sliding_window=None,
    ),
    "qwen3_next": dense(
        "qwen3_next", **DELTA, **EXPERTS, shared_expert_intermediate_size=32, decoder_sparse_step=1, mlp_only_layers=[],
        partial_rotary_factor=0.5,
    ),
    "qwen3_5": dense("qwen3_5_text", **DELTA, **PARTIAL),
    "qwen3_5_moe": dense("qwen3_5_moe_text", **DELTA, **PARTIAL, **EXPERTS, shared_expert_intermediate_size=32),
    "mamba2": {
        "model_type": "mamba2", "vocab_size": 103, "hidden_size": 40, "num_hidden_layers": 3, "num_heads": 10, "head_dim": 8,
        "state_size": 12, "expand": 2, "conv_kernel": 4, "n_groups": 2, "use_bias": False, "use_conv_bias": True, "chunk_size": 8,
        "hidden_act": "silu", "layer_norm_epsilon": 1e-5, "rms_norm": True, "tie_word_embeddings": False, "time_step_rank": 3,
    },
    "nemotron_h": {
        "model_type": "nemotron_h", "vocab_size": 103, "hidden_size": 40, "num_hidden_layers": 6, "hybrid_override_pattern": "MEM*-E",
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 88, "mlp_hidden_act": "relu2",
        "ssm_state_size": 12, "mamba_num_heads": 6, "mamba_head_dim": 8, "n_groups": 2, "conv_kernel": 4, "expand": 2, "chunk_size": 8,
        "use_conv_bias": True, "use_bias": False, "mlp_bias": False, "attention_bias": False, "mamba_proj_bias": False,
        "n_routed_experts": 6, "n_shared_experts": 1, "moe_intermediate_size": 24, "moe_shared_expert_intermediate_size": 32,
        "moe_latent_size": 20, "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1, "norm_topk_prob": True,
        "routed_scaling_factor": 2.5, "num_nextn_predict_layers": 0, "tie_word_embeddings": False, "layer_norm_epsilon": 1e-5,
        "max_position_embeddings": 64, "sliding_window": None,
    },
    "lfm2": {
        "model_type": "lfm2", "vocab_size": 103, "hidden_size": 40, "num_hidden_layers": 4, "num_attention_heads": 4,
        "num_key_value_heads": 2, "intermediate_size": 96, "block_auto_adjust_ff_dim": True, "block_multiple_of": 16,
        "block_ffn_dim_multiplier": 1.0, "conv_L_cache": 3, "conv_bias": False, "norm_eps": 1e-5, "max_position_embeddings": 64,
        "layer_types": ["conv", "conv", "full_attention", "conv"], "tie_word_embeddings": True, "rope_theta": 1000000.0,
    },
    "kimi_linear": {
        "model_type": "kimi_linear", "vocab_size": 103, "hidden_size": 40, "intermediate_size": 88, "num_hidden_layers": 5,
        "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 18, "kv_lora_rank": 20, "q_lora_rank": None,
        "qk_nope_head_dim": 12, "qk_rope_head_dim": 8, "v_head_dim": 14, "mla_use_nope": True, "first_k_dense_replace": 1,
        "moe_layer_freq": 1, "moe_intermediate_size": 24, "num_experts": 6, "num_experts_per_token": 2, "num_shared_experts": 1,
        "num_expert_group": 1, "topk_group": 1, "moe_renormalize": True, "moe_router_activation_func": "sigmoid",
        "routed_scaling_factor": 2.446, "use_grouped_topk": True, "num_nextn_predict_layers": 0, "hidden_act": "silu",
        "rms_norm_eps": 1e-5, "model_max_length": 64, "tie_word_embeddings": False, "rope_theta": 10000.0, "pad_token_id": 0,
        "linear_attn_config": {
            "kda_layers": [1, 2, 3, 5], "full_attn_layers": [4], "num_heads": 3, "head_dim": 16, "short_conv_kernel_size": 4,
        },
    },
}
