"""A small config of every family that has a reader, with the fields of real ones."""

from aiinfra.architecture.families import READERS

BASE = {
    "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128,
    "vocab_size": 256, "max_position_embeddings": 512, "rms_norm_eps": 1e-6, "hidden_act": "silu", "tie_word_embeddings": False,
    "torch_dtype": "bfloat16", "rope_theta": 10000.0, "attention_bias": False,
}  # fmt: skip
GPT = {"n_embd": 64, "n_layer": 4, "n_head": 4, "n_positions": 512, "vocab_size": 256, "activation_function": "gelu_new"}
PLAIN = {n: v for n, v in BASE.items() if n not in ("head_dim", "num_key_value_heads", "rms_norm_eps", "attention_bias")}
NO_MLP = {n: v for n, v in PLAIN.items() if n != "intermediate_size"}
MOE = BASE | {"num_local_experts": 8, "num_experts_per_tok": 2}
MOE_WIDE = BASE | {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
MLA = {n: v for n, v in BASE.items() if n != "head_dim"} | {
    "num_key_value_heads": 4, "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "n_shared_experts": 1,
    "first_k_dense_replace": 1, "moe_layer_freq": 1, "kv_lora_rank": 32, "q_lora_rank": 48, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8,
    "v_head_dim": 16, "topk_method": "noaux_tc", "n_group": 2, "topk_group": 1, "num_nextn_predict_layers": 1,
}  # fmt: skip
DSA = MLA | {"index_head_dim": 16, "index_n_heads": 4, "index_topk": 64}
V4 = {n: v for n, v in BASE.items() if n != "intermediate_size"} | {
    "num_key_value_heads": 1, "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "n_shared_experts": 1,
    "q_lora_rank": 48, "o_lora_rank": 16, "o_groups": 2, "qk_rope_head_dim": 8, "index_head_dim": 16, "index_n_heads": 4, "index_topk": 64,
    "sliding_window": 32, "num_hash_layers": 1, "hc_mult": 2, "hc_sinkhorn_iters": 2, "compress_ratios": [0, 4, 128, 4, 0],
    "num_nextn_predict_layers": 1, "scoring_func": "sqrtsoftplus",
}  # fmt: skip
LINEAR = {
    "linear_num_value_heads": 4, "linear_num_key_heads": 2, "linear_key_head_dim": 16, "linear_value_head_dim": 16,
    "linear_conv_kernel_dim": 4,
    "full_attention_interval": 4,
}  # fmt: skip
QWEN_MOE = {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "shared_expert_intermediate_size": 32}
MAMBA = {"mamba_n_heads": 8, "mamba_d_head": 16, "mamba_d_state": 16, "mamba_n_groups": 1, "mamba_d_conv": 4, "mamba_expand": 2}
NEMOTRON = BASE | {
    "hybrid_override_pattern": "M*-E", "mamba_num_heads": 8, "mamba_head_dim": 16, "ssm_state_size": 16, "n_groups": 1, "conv_kernel": 4,
    "expand": 2, "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "n_shared_experts": 1,
    "moe_shared_expert_intermediate_size": 32, "mlp_hidden_act": "relu2", "layer_norm_epsilon": 1e-5,
}  # fmt: skip
GEMMA_N = BASE | {
    "sliding_window": 32, "hidden_activation": "gelu_pytorch_tanh", "layer_types": ["sliding_attention"] * 3 + ["full_attention"],
    "vocab_size_per_layer_input": 256, "hidden_size_per_layer_input": 8, "altup_num_inputs": 2, "laurel_rank": 8, "num_kv_shared_layers": 0,
}  # fmt: skip
GEMMA4 = BASE | {
    "sliding_window": 32, "layer_types": ["sliding_attention"] * 3 + ["full_attention"], "global_head_dim": 32,
    "num_global_key_value_heads": 1,
    "hidden_size_per_layer_input": 0, "vocab_size_per_layer_input": 256, "num_kv_shared_layers": 0, "enable_moe_block": False,
}  # fmt: skip
KIMI = MLA | {
    "num_experts": 8, "num_experts_per_token": 2, "num_shared_experts": 1, "num_expert_group": 1, "moe_router_activation_func": "sigmoid",
    "num_nextn_predict_layers": 0,
    "linear_attn_config": {"full_attn_layers": [4], "kda_layers": [1, 2, 3], "num_heads": 4, "head_dim": 16, "short_conv_kernel_size": 4},
}  # fmt: skip
M3 = MOE_WIDE | {
    "num_local_experts": 8, "intermediate_size": 32, "dense_intermediate_size": 128, "shared_intermediate_size": 32, "n_shared_experts": 1,
    "rotary_dim": 8,
    "hidden_act": "swigluoai",
    "sparse_attention_config": {
        "use_sparse_attention": True, "sparse_index_dim": 16, "sparse_num_index_heads": 2, "sparse_topk_blocks": 2,
        "sparse_block_size": 16, "sparse_local_block": 1,
        "sparse_attention_freq": [0, 1, 1, 1],
    },
    "moe_layer_freq": [0, 1, 1, 1],
}  # fmt: skip
TYPES = ["full_attention", "sliding_attention", "sliding_attention", "full_attention"]
STEP = MOE_WIDE | {
    "layer_types": TYPES, "sliding_window": 32, "first_k_dense_replace": 1, "share_expert_dim": 32, "n_shared_experts": 1,
    "scoring_func": "sigmoid",
    "num_nextn_predict_layers": 1, "use_moe_router_bias": True,
}  # fmt: skip
MIMO = {n: v for n, v in MOE_WIDE.items() if n != "num_experts"} | {
    "n_routed_experts": 8, "v_head_dim": 8, "sliding_window": 32, "sliding_window_size": 32, "attention_chunk_size": 32,
    "swa_num_attention_heads": 4, "swa_num_key_value_heads": 2, "swa_head_dim": 16, "swa_v_head_dim": 8,
    "hybrid_layer_pattern": [0, 1, 1, 0],
    "moe_layer_freq": [0, 1, 1, 1], "n_shared_experts": None, "scoring_func": "sigmoid", "n_group": 1, "topk_group": 1,
    "topk_method": "noaux_tc", "add_swa_attention_sink_bias": True, "add_full_attention_sink_bias": False,
}  # fmt: skip
TOWER = {
    "depth": 2, "hidden_size": 32, "intermediate_size": 64, "num_heads": 2, "patch_size": 14, "out_hidden_size": 64,
    "spatial_merge_size": 2,
    "temporal_patch_size": 2, "in_channels": 3, "num_position_embeddings": 16, "deepstack_visual_indexes": [0], "hidden_act": "gelu",
}  # fmt: skip
SIGLIP = {
    "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "image_size": 28, "patch_size": 14,
    "num_channels": 3, "model_type": "siglip_vision_model",
}  # fmt: skip
PIXTRAL = {n: v for n, v in SIGLIP.items() if n != "model_type"} | {"model_type": "pixtral", "head_dim": 16}
MOON = {
    "mm_projector_type": "patchmerger", "vt_hidden_size": 32, "vt_intermediate_size": 64, "vt_num_hidden_layers": 2,
    "vt_num_attention_heads": 2, "patch_size": 14, "merge_kernel_size": [2, 2], "init_pos_emb_height": 4, "init_pos_emb_width": 4,
    "text_hidden_size": 64, "mm_hidden_size": 32,
}  # fmt: skip
EYE4 = {
    "hidden_size": 32, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2, "pixel_shuffle_ratio": 0.5,
    "projector_input_dim": 32, "projector_output_dim": 32, "vision_output_dim": 32, "patch_size": 14, "image_size": 28,
}  # fmt: skip

SPECIAL = {
    "mistral3": {"text_config": BASE | {"model_type": "mistral"}, "vision_config": PIXTRAL},
    "gpt2": GPT, "gpt3": GPT, "gpt_bigcode": GPT | {"multi_query": True}, "gptj": GPT | {"rotary_dim": 8},
    "gpt_neo": {"hidden_size": 64, "num_layers": 4, "num_heads": 4, "vocab_size": 256, "attention_types": [[["global", "local"], 2]],
        "window_size": 32, "max_position_embeddings": 512},
    "opt": NO_MLP | {"ffn_dim": 128, "do_layer_norm_before": True}, "gpt_neox": PLAIN | {"use_parallel_residual": True},
    "bloom": {"hidden_size": 64, "n_layer": 4, "n_head": 4, "vocab_size": 256},
    "mpt": {"d_model": 64, "n_layers": 4, "n_heads": 4, "vocab_size": 256},
    "falcon": NO_MLP | {"multi_query": True, "new_decoder_architecture": False, "parallel_attn": True, "bias": False},
    **dict.fromkeys("mixtral phimoe granitemoe minimax_m2".split(), MOE),
    "gpt_oss": MOE | {"sliding_window": 32,
        "quantization_config": {"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn"]}},
    "olmoe": BASE | {"num_experts": 8, "num_experts_per_tok": 2},
    "qwen3_moe": MOE_WIDE | {"decoder_sparse_step": 1, "mlp_only_layers": [0]},
    "qwen2_moe": MOE_WIDE | {"shared_expert_intermediate_size": 32, "decoder_sparse_step": 1},
    "hunyuan_v1_moe": BASE | {"num_experts": 8, "moe_topk": 2, "moe_intermediate_size": 128},
    "ernie4_5_moe": BASE | {"moe_num_experts": 8, "moe_k": 2, "moe_intermediate_size": 32, "moe_num_shared_experts": 1,
        "moe_layer_start_index": 1},
    "qwen3_next": BASE | LINEAR | QWEN_MOE, "qwen3_5_text": BASE | LINEAR, "qwen3_5_moe_text": BASE | LINEAR | QWEN_MOE,
    "qwen3_5": {"text_config": BASE | LINEAR, "vision_config": TOWER | {"deepstack_visual_indexes": []}},
    "qwen3_5_moe": {"text_config": BASE | LINEAR | QWEN_MOE},
    "qwen3_vl": {"text_config": BASE, "vision_config": TOWER}, "qwen3_vl_moe": {"text_config": MOE_WIDE},
    "llama4_text": MOE | {"intermediate_size_mlp": 128, "interleave_moe_layer_step": 1, "attention_chunk_size": 32},
    "llama4": {"text_config": MOE | {"intermediate_size_mlp": 128, "interleave_moe_layer_step": 1, "attention_chunk_size": 32},
        "vision_config": EYE4},
    "mamba2": {"hidden_size": 64, "num_hidden_layers": 4, "num_heads": 8, "head_dim": 16, "state_size": 16, "n_groups": 1,
        "vocab_size": 256, "expand": 2,
        "conv_kernel": 4},
    "nemotron_h": NEMOTRON, "falcon_h1": BASE | MAMBA | {"mamba_d_ssm": 128}, "bamba": BASE | MAMBA | {"attn_layer_indices": [1, 3]},
    "lfm2": BASE | {"layer_types": ["conv", "conv", "full_attention", "conv"], "conv_L_cache": 3, "block_ff_dim": 128},
    "lfm2_moe": MOE_WIDE | {"layer_types": ["conv", "conv", "full_attention", "conv"], "conv_L_cache": 3, "num_dense_layers": 1},
    "gemma3": {"text_config": BASE | {"sliding_window": 32}, "vision_config": SIGLIP, "mm_tokens_per_image": 1},
    "gemma3n_text": GEMMA_N, "gemma3n": {"text_config": GEMMA_N}, "gemma4_text": GEMMA4, "gemma4": {"text_config": GEMMA4},
    "nemotron-nas": NO_MLP | {
        "num_hidden_layers": 2,
        "block_configs": [
            {"attention": {"n_heads_in_group": 2, "no_op": False, "replace_with_linear": False}, "ffn": {"ffn_mult": 2.0, "no_op": False}},
            {"attention": {"n_heads_in_group": None, "no_op": True, "replace_with_linear": False},
                "ffn": {"ffn_mult": 1.0, "no_op": False}},
        ],
    },
    "deepseek_v2": MLA | {"topk_method": "group_limited_greedy", "num_nextn_predict_layers": 0}, "deepseek_v3": MLA, "kimi_k2": MLA,
    "deepseek_v32": DSA, "glm_moe_dsa": DSA, "deepseek_v4": V4, "deepseek_ref": V4,
    "kimi_k25": {"text_config": MLA | {"model_type": "kimi_k2"}, "vision_config": MOON}, "kimi_linear": KIMI,
    "kimi_k3": {"text_config": KIMI | {"model_type": "kimi_linear"}},
    "glm4_moe": MOE_WIDE | {"n_routed_experts": 8, "n_shared_experts": 1, "first_k_dense_replace": 1},
    "minimax_m3": M3, "minimax_m3_vl_text": M3,
    "minimax_m3_vl": {"text_config": M3, "vision_config": SIGLIP | {"model_type": "clip_vision_model"}},
    "step3p7": STEP, "step3p5": STEP, "mimo_v2_flash": MIMO,
    **dict.fromkeys("minimax minimax_text_01 minimax_m1".split(), MOE | {"attn_type_list": [0, 0, 0, 1]}),
}  # fmt: skip
SMALL = {name: {"model_type": name} | SPECIAL.get(name, BASE) for name in READERS}
