"""The checkpoints of test/families: one row each, as its config.json would be published. Small and random, of odd sizes where the family allows."""

HIDDEN, VOCAB, POSITIONS, LENGTH = 48, 83, 96, 40
ENDS = {"bos_token_id": 1, "eos_token_id": 2}
NULL = object()
LONGROPE = {"short_factor": [1.0, 1.04, 1.1, 1.3, 1.7, 2.5], "long_factor": [1.0, 1.2, 1.9, 4.0, 9.0, 30.0]}


def llama_like(architecture, model_type, **more):
    """The fields that most decoders share; None removes one, NULL makes it null."""
    config = {"architectures": [architecture], "model_type": model_type, "hidden_size": HIDDEN, "intermediate_size": 100, "num_hidden_layers": 2,
              "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_act": "silu", "rms_norm_eps": 1e-5, "max_position_embeddings": POSITIONS,
              "rope_theta": 10000.0, "vocab_size": VOCAB, "tie_word_embeddings": False, "torch_dtype": "float32", **ENDS}
    config.update(more)
    return {name: None if value is NULL else value for name, value in config.items() if value is not None}


def llama(**more):
    return llama_like("LlamaForCausalLM", "llama", **more)


def qwen2(**more):
    return llama_like("Qwen2ForCausalLM", "qwen2", **{"use_sliding_window": False, "sliding_window": 64, "max_window_layers": 2, "rope_theta": 1e6, **more})


def qwen3(**more):
    return llama_like("Qwen3ForCausalLM", "qwen3", **{"head_dim": 20, "attention_bias": False, "use_sliding_window": False, "sliding_window": NULL,
                                                      "max_window_layers": 2, "rope_theta": 1e6, **more})


def qwen3_moe(**more):
    """With a window as published: there, but switched off."""
    return llama_like("Qwen3MoeForCausalLM", "qwen3_moe", **{
        "head_dim": 20, "attention_bias": False, "use_sliding_window": False, "sliding_window": NULL, "max_window_layers": 2, "rope_theta": 1e6, "num_experts": 6,
        "num_experts_per_tok": 2, "moe_intermediate_size": 48, "norm_topk_prob": True, "decoder_sparse_step": 1, "mlp_only_layers": [],
        "output_router_logits": False, "router_aux_loss_coef": 0.001, **more})


def mixtral(**more):
    return llama_like("MixtralForCausalLM", "mixtral", **{"num_local_experts": 8, "num_experts_per_tok": 2, "sliding_window": NULL, "rope_theta": 1e6,
                                                          "output_router_logits": False, "router_aux_loss_coef": 0.02, **more})


def olmoe(**more):
    return llama_like("OlmoeForCausalLM", "olmoe", **{"num_key_value_heads": 4, "intermediate_size": 40, "clip_qkv": NULL, "attention_bias": False, "norm_topk_prob": False,
                                                      "num_experts": 7, "num_experts_per_tok": 3, "output_router_logits": False,
                                                      "router_aux_loss_coef": 0.01, **more})


def gemma(architecture, model_type, **more):
    return llama_like(architecture, model_type, **{"head_dim": 20, "hidden_act": "gelu_pytorch_tanh", "hidden_activation": "gelu_pytorch_tanh",
                                                   "rms_norm_eps": 1e-6, "attention_bias": False, "tie_word_embeddings": True, **more})


def gemma2(**more):
    return gemma("Gemma2ForCausalLM", "gemma2", **{"num_hidden_layers": 3, "attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0,
                                                   "query_pre_attn_scalar": 15, "sliding_window": 9, **more})


def gemma3(**more):
    return gemma("Gemma3ForCausalLM", "gemma3_text", **{"num_hidden_layers": 4, "query_pre_attn_scalar": 15, "sliding_window": 9, "sliding_window_pattern": 3,
                                                        "rope_theta": 1e6, "rope_local_base_freq": 10000.0, **more})


def phi3(**more):
    return llama_like("Phi3ForCausalLM", "phi3", **{"original_max_position_embeddings": POSITIONS, "pad_token_id": 0, "rope_scaling": NULL, **more})


def phi3_longrope(kind):
    """A window wider than the context, as the published ones."""
    return phi3(original_max_position_embeddings=64, max_position_embeddings=512, rope_scaling={"type": kind, **LONGROPE}, sliding_window=262144)


def gpt2(**more):
    return {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "activation_function": "gelu_new", "n_ctx": POSITIONS, "n_positions": POSITIONS,
            "n_embd": HIDDEN, "n_head": 4, "n_layer": 2, "layer_norm_epsilon": 1e-5, "vocab_size": VOCAB, **ENDS, **more}


def gpt_neox(**more):
    return llama_like("GPTNeoXForCausalLM", "gpt_neox", **{"num_key_value_heads": None, "rms_norm_eps": None, "layer_norm_eps": 1e-5, "hidden_act": "gelu",
                                                           "rope_theta": None, "rotary_emb_base": 10000, "rotary_pct": 0.5,
                                                           "use_parallel_residual": True, **more})


def phi(**more):
    return llama_like("PhiForCausalLM", "phi", **{"num_key_value_heads": 4, "rms_norm_eps": None, "layer_norm_eps": 1e-5, "hidden_act": "gelu_new",
                                                  "partial_rotary_factor": 0.5, "qk_layernorm": False, **more})


def stablelm(**more):
    return llama_like("StableLmForCausalLM", "stablelm", **{"rms_norm_eps": None, "layer_norm_eps": 1e-5, "partial_rotary_factor": 0.5, "use_qkv_bias": False,
                                                            "qk_layernorm": False, "use_parallel_residual": False, **more})


def falcon(**more):
    return {"architectures": ["FalconForCausalLM"], "model_type": "falcon", "alibi": False, "bias": False, "hidden_size": HIDDEN, "num_hidden_layers": 2,
            "num_attention_heads": 4, "layer_norm_epsilon": 1e-5, "multi_query": True, "parallel_attn": True, "new_decoder_architecture": False,
            "vocab_size": VOCAB, "max_position_embeddings": POSITIONS, "rope_theta": 10000.0, "tie_word_embeddings": True, **ENDS, **more}


def first_falcon():
    """As the first release spelled it."""
    older = {"num_hidden_layers": "n_layer", "num_attention_heads": "n_head"}
    return {older.get(key, key): value for key, value in falcon(architectures=["RWForCausalLM"], model_type="RefinedWebModel").items()}


def opt(**more):
    return {"architectures": ["OPTForCausalLM"], "model_type": "opt", "activation_function": "relu", "hidden_size": HIDDEN, "num_hidden_layers": 2,
            "num_attention_heads": 4, "ffn_dim": 100, "do_layer_norm_before": True, "word_embed_proj_dim": HIDDEN, "max_position_embeddings": POSITIONS,
            "vocab_size": VOCAB, "pad_token_id": 1, "bos_token_id": 2, "eos_token_id": 2, **more}


def starcoder2(**more):
    return llama_like("Starcoder2ForCausalLM", "starcoder2", **{"rms_norm_eps": None, "norm_epsilon": 1e-5, "norm_type": "layer_norm", "mlp_type": "default",
                                                               "hidden_act": "gelu_pytorch_tanh", "use_bias": True, "sliding_window": NULL,
                                                               "tie_word_embeddings": True, **more})


def granite(architecture="GraniteForCausalLM", model_type="granite", **more):
    return llama_like(architecture, model_type, **{"embedding_multiplier": 3.0, "logits_scaling": 2.0, "residual_multiplier": 0.4,
                                                   "attention_multiplier": 0.2, "tie_word_embeddings": True, **more})


def granite_moe(**more):
    return granite("GraniteMoeForCausalLM", "granitemoe", **{"intermediate_size": 40, "num_local_experts": 6, "num_experts_per_tok": 3,
                                                             "output_router_logits": False, "router_aux_loss_coef": 0.001, **more})


def cohere(architecture="CohereForCausalLM", model_type="cohere", **more):
    return llama_like(architecture, model_type, **{"rms_norm_eps": None, "layer_norm_eps": 1e-5, "logit_scale": 0.25, "tie_word_embeddings": True,
                                                   "use_qk_norm": False, "pad_token_id": 0, **more})


def bert(architecture="BertModel", model_type="bert", **more):
    return {"architectures": [architecture], "model_type": model_type, "hidden_size": HIDDEN, "num_hidden_layers": 2, "num_attention_heads": 4,
            "intermediate_size": 100, "hidden_act": "gelu", "layer_norm_eps": 1e-12, "max_position_embeddings": POSITIONS, "type_vocab_size": 2,
            "vocab_size": VOCAB, "pad_token_id": 0, "position_embedding_type": "absolute", **more}


DISTILBERT = {"architectures": ["DistilBertModel"], "model_type": "distilbert", "activation": "gelu", "dim": HIDDEN, "hidden_dim": 100, "n_heads": 4,
              "n_layers": 2, "max_position_embeddings": POSITIONS, "vocab_size": VOCAB, "pad_token_id": 0, "sinusoidal_pos_embds": False}
LLAMA3_ROPE = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 32}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 24}

CONFIGS = {
    "llama-mha": llama(hidden_size=36, num_attention_heads=3, num_key_value_heads=3, rms_norm_eps=1e-6),
    "llama-mqa-tied": llama(num_key_value_heads=1, tie_word_embeddings=True, torch_dtype="float16", hidden_act="gelu"),
    "llama-biases": llama(attention_bias=True, mlp_bias=True, head_dim=20),
    "llama-rope-linear": llama(rope_scaling={"type": "linear", "factor": 4.0}),
    "llama-rope-llama3": llama(rope_theta=500000.0, rope_scaling=LLAMA3_ROPE, torch_dtype="bfloat16"),
    "llama-rope-yarn": llama(rope_scaling=YARN),
    "llama-rope-yarn-options": llama(head_dim=24, rope_scaling={**YARN, "beta_fast": 16.0, "beta_slow": 2.0, "attention_factor": 1.3}),
    "llama-rope-yarn-mscale": llama(head_dim=24, rope_scaling={**YARN, "mscale": 1.0, "mscale_all_dim": 0.5, "truncate": False}),
    "llama-rope-dynamic": llama(rope_scaling={"type": "dynamic", "factor": 2.0}),
    "llama-rope-longrope": llama(max_position_embeddings=128, rope_scaling={"rope_type": "longrope", "factor": 4.0, "attention_factor": 1.1,
                                                                            "original_max_position_embeddings": 64, **LONGROPE}),
    "mistral": llama_like("MistralForCausalLM", "mistral", head_dim=16, sliding_window=9),
    "mistral-no-window": llama_like("MistralForCausalLM", "mistral", sliding_window=NULL),
    "qwen2": qwen2(tie_word_embeddings=True),
    "qwen2-windows": qwen2(num_hidden_layers=4, use_sliding_window=True, sliding_window=10),
    "qwen3": qwen3(),
    "qwen3-windows-biases": qwen3(num_hidden_layers=4, attention_bias=True, use_sliding_window=True, sliding_window=10, tie_word_embeddings=True),
    "qwen3-moe": qwen3_moe(),
    "qwen3-moe-dense-layers": qwen3_moe(num_hidden_layers=5, num_experts=5, num_experts_per_tok=3, moe_intermediate_size=32, norm_topk_prob=None,
                                        decoder_sparse_step=2, mlp_only_layers=[3], attention_bias=True, tie_word_embeddings=True),
    "mixtral": mixtral(),
    "olmoe": olmoe(),
    "gemma": gemma("GemmaForCausalLM", "gemma", num_key_value_heads=1),
    "gemma2": gemma2(),
    "gemma2-head-scale": gemma2(query_pre_attn_scalar=20, num_hidden_layers=2, attn_logit_softcapping=20.0, final_logit_softcapping=10.0),
    "gemma2-default-caps": gemma2(query_pre_attn_scalar=20, attn_logit_softcapping=None, final_logit_softcapping=None, sliding_window=None),
    "gemma2-no-caps": gemma2(attn_logit_softcapping=NULL, final_logit_softcapping=NULL),
    "gemma3": gemma3(),
    "gemma3-rope-linear": gemma3(rope_scaling={"rope_type": "linear", "factor": 8.0}),
    "gemma3-head-scale": gemma3(query_pre_attn_scalar=20, num_hidden_layers=7, sliding_window_pattern=6),
    "phi3": phi3(partial_rotary_factor=0.5, tie_word_embeddings=True),
    "phi3-window": phi3(sliding_window=9, num_key_value_heads=4),
    "phi3-longrope": phi3_longrope("su"),
    "phi4-mini": phi3(original_max_position_embeddings=64, max_position_embeddings=256, partial_rotary_factor=0.5, tie_word_embeddings=True,
                      rope_scaling={"type": "longrope", **{name: values[:3] for name, values in LONGROPE.items()}}, attention_bias=False, mlp_bias=False,
                      lm_head_bias=False, full_attn_mod=1, interpolate_factor=1, sliding_window=262144),
    "gpt2": gpt2(),
    "gpt2-scaled-layers": gpt2(n_inner=100, n_layer=3, scale_attn_by_inverse_layer_idx=True),
    "gpt-neox": gpt_neox(),
    "gpt-neox-sequential": gpt_neox(use_parallel_residual=False, attention_bias=False, rotary_pct=1.0),
    "olmo": llama_like("OlmoForCausalLM", "olmo", rms_norm_eps=None, clip_qkv=None),
    "olmo2": llama_like("Olmo2ForCausalLM", "olmo2", rms_norm_eps=1e-6),
    "phi": phi(intermediate_size=4 * HIDDEN),
    "phi-qk-norm": phi(qk_layernorm=True, num_key_value_heads=2),
    "stablelm": stablelm(use_qkv_bias=True),
    "stablelm-parallel": stablelm(use_parallel_residual=True, qk_layernorm=True),
    "falcon": falcon(),
    "falcon-grouped": falcon(new_decoder_architecture=True, num_kv_heads=2, multi_query=False),
    "falcon-first-release": first_falcon(),
    "falcon-sequential": falcon(multi_query=False, parallel_attn=False, bias=True),
    "opt": opt(),
    "opt-projected": opt(do_layer_norm_before=False, word_embed_proj_dim=20),
    "opt-no-biases": opt(enable_bias=False, activation_function="gelu"),
    "starcoder2": starcoder2(),
    "starcoder2-window": starcoder2(sliding_window=9, tie_word_embeddings=False, use_bias=False),
    "internlm2": llama(),
    "granite": granite(),
    "granite-moe": granite_moe(),
    "granite-biases": granite(attention_bias=True, mlp_bias=True, tie_word_embeddings=False),
    "smollm3": llama_like("SmolLM3ForCausalLM", "smollm3", num_hidden_layers=4, no_rope_layers=[1, 1, 1, 0], no_rope_layer_interval=4, use_sliding_window=False,
                          pad_token_id=0, tie_word_embeddings=True),
    "cohere": cohere(),
    "cohere-qk-norm": cohere(use_qk_norm=True, attention_bias=True),
    "cohere2": cohere("Cohere2ForCausalLM", "cohere2", num_hidden_layers=4, sliding_window=9, sliding_window_pattern=4, use_qk_norm=None),
    "bert": bert(),
    "bert-masked-lm": bert("BertForMaskedLM", hidden_act="gelu_new", layer_norm_eps=1e-6),
    "roberta": bert("RobertaModel", "roberta", pad_token_id=1, type_vocab_size=1, max_position_embeddings=POSITIONS + 2, layer_norm_eps=1e-5),
    "xlm-roberta": bert("XLMRobertaModel", "xlm-roberta", pad_token_id=1, type_vocab_size=1, max_position_embeddings=POSITIONS + 2, layer_norm_eps=1e-5),
    "distilbert": DISTILBERT,
}

# Values that fields may have beside those above. Only what is imported is evaluated for these (test_import.py).
VARIANTS = {
    "llama-gelu-accurate": llama(hidden_act="gelu_accurate"),
    "llama-gelu-fast": llama(hidden_act="gelu_fast"),
    "llama-rope-parameters": llama(rope_theta=None, rope_parameters={"rope_theta": 5000.0, "rope_type": "default"}),
    "llama-rope-yarn-own-length": llama(rope_scaling={"rope_type": "yarn", "factor": 4.0}),
    "qwen2-layer-types": qwen2(use_sliding_window=True, sliding_window=9, layer_types=["sliding_attention", "full_attention"]),
    "qwen3-default-heads": qwen3(head_dim=None),
    "qwen3-moe-fused": qwen3_moe(torch_dtype="bfloat16"),
    "qwen3-moe-window": qwen3_moe(use_sliding_window=True, sliding_window=9, max_window_layers=1, num_experts=3, num_experts_per_tok=1, norm_topk_prob=False),
    "mixtral-fused": mixtral(sliding_window=9, num_local_experts=4, num_experts_per_tok=4, intermediate_size=52, rope_theta=None, head_dim=20),
    "olmoe-normalised": olmoe(norm_topk_prob=True, attention_bias=True, num_key_value_heads=2, hidden_act="gelu"),
    "gemma-first-release": gemma("GemmaForCausalLM", "gemma", hidden_act="gelu", hidden_activation=NULL),
    "gemma-untied-biases": gemma("GemmaForCausalLM", "gemma", tie_word_embeddings=False, attention_bias=True),
    "gemma2-layer-types": gemma2(layer_types=["full_attention", "sliding_attention", "sliding_attention"]),
    "gemma3-layer-ropes": gemma3(rope_theta=None, rope_local_base_freq=None, final_logit_softcapping=3.0, rope_parameters={
        "full_attention": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 24, "rope_theta": 1e6},
        "sliding_attention": {"rope_type": "linear", "factor": 2.0, "rope_theta": 500.0}}),
    "phi3-longrope-own-length": phi3(original_max_position_embeddings=64, max_position_embeddings=64, rope_scaling={"type": "longrope", **LONGROPE}),
    "phi3-longrope-factor": phi3(original_max_position_embeddings=64, max_position_embeddings=512,
                                 rope_scaling={"type": "longrope", "factor": 2.0, **LONGROPE}),
    "gpt2-unscaled-untied": gpt2(scale_attn_weights=False, reorder_and_upcast_attn=True, tie_word_embeddings=False),
    "gpt-neox-tied-linear": gpt_neox(tie_word_embeddings=True, rope_scaling={"type": "linear", "factor": 2.0}),
    "olmo-biases-tied": llama_like("OlmoForCausalLM", "olmo", rms_norm_eps=None, attention_bias=True, tie_word_embeddings=True),
    "phi-whole-heads": phi(partial_rotary_factor=1.0, num_key_value_heads=1),
    "stablelm-head-norms": stablelm(qk_layernorm=True, hidden_act="gelu"),
    "falcon-one-norm": falcon(new_decoder_architecture=True, num_kv_heads=2, num_ln_in_parallel_attn=1, ffn_hidden_size=100),
    "falcon-heads-parallel": falcon(multi_query=False, tie_word_embeddings=False, bias=True),
    "opt-post-norms": opt(do_layer_norm_before=False),
    "opt-untied-projected": opt(tie_word_embeddings=False, word_embed_proj_dim=64, _remove_final_layer_norm=True),
    "granite-moe-untied-biases": granite_moe(attention_bias=True, tie_word_embeddings=False, num_local_experts=2, num_experts_per_tok=2),
    "granite-defaults": granite(embedding_multiplier=None, logits_scaling=None, residual_multiplier=None, attention_multiplier=None),
    "smollm3-windows": llama_like("SmolLM3ForCausalLM", "smollm3", num_hidden_layers=4, no_rope_layers=[1, 0, 1, 0], use_sliding_window=True, sliding_window=9,
                                  layer_types=["full_attention", "sliding_attention", "sliding_attention", "full_attention"], pad_token_id=0),
    "smollm3-interval": llama_like("SmolLM3ForCausalLM", "smollm3", num_hidden_layers=5, no_rope_layer_interval=2, attention_bias=True, mlp_bias=True,
                                   pad_token_id=0),
    "cohere2-layer-types": cohere("Cohere2ForCausalLM", "cohere2", num_hidden_layers=3, sliding_window=9, use_qk_norm=None, head_dim=20,
                                  layer_types=["full_attention", "sliding_attention", "full_attention"]),
    "roberta-padding-0": bert("RobertaModel", "roberta", pad_token_id=0, type_vocab_size=1, max_position_embeddings=POSITIONS + 2),
    "distilbert-relu": {**DISTILBERT, "activation": "relu"},
}

# What transformers loads where it no longer knows the published fields.
LOADED = {"falcon-first-release": falcon(), "phi3-longrope": phi3_longrope("longrope")}
# What transformers writes on demand: the matrices of all experts in one tensor.
FUSED = ("qwen3-moe-fused", "mixtral-fused")
# Families whose norms multiply by 1 + weight.
CENTRED_NORMS = ("gemma", "gemma2", "gemma3_text")
ENCODERS = ("bert", "roberta", "xlm-roberta", "distilbert")
# What the sentence-transformers files beside a checkpoint say: (pooling, normalize); the others have none of these files.
POOLING = {"bert": ("mean", True), "roberta": ("cls", False), "distilbert": ("mean", False), "xlm-roberta": ("cls", True)}
# Names that published files have and transformers no longer writes: (pattern, replacement) pairs, and tensors that say nothing.
PUBLISHED_NAMES = {"gpt2": [(r"^transformer\.", "")], "bert-masked-lm": [(r"LayerNorm\.weight", "LayerNorm.gamma"), (r"LayerNorm\.bias", "LayerNorm.beta")]}
LEFT_OVERS = {"llama-mha": {"model.layers.0.self_attn.rotary_emb.inv_freq": [6], "model.layers.1.self_attn.rotary_emb.inv_freq": [6]},
              "gpt2": {"h.0.attn.bias": [1, 1, POSITIONS, POSITIONS], "h.1.attn.bias": [1, 1, POSITIONS, POSITIONS]},
              "gpt-neox": {"gpt_neox.layers.0.attention.masked_bias": [], "gpt_neox.layers.0.attention.bias": [1, 1, POSITIONS, POSITIONS],
                           "gpt_neox.layers.1.attention.rotary_emb.inv_freq": [3]}}
