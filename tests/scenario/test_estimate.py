"""Estimates against sums worked out by hand, laws, and the mistakes that other tools' users met."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aiinfra import device, devices, errors, model
from aiinfra.architecture import load
from aiinfra.architecture.split import reductions
from aiinfra.scenario import Scenario
from aiinfra.scenario.assumptions import ASSUMED, defaults
from aiinfra.scenario.profile import Profile, requests

EIGHT = Scenario(model="llama-3.1-70b", device="h100-sxm", tp=8, batch=32, prompt=2048, output=128)
# Llama 3.1 70B: 80 layers, 8,192 wide, 64 query and 8 key/value heads of 128, MLP 28,672, two tables of 128,256 rows
LAYER = 2 * 8192 * 8192 + 2 * 8192 * 1024 + 3 * 8192 * 28672
HEAD = 8192 * 128256


def test_one_device_of_eight_by_hand():
    e = EIGHT.estimate()
    norms = 2 * 80 * 8192 + 8192
    assert e.values["memory.weights"] == 2 * ((80 * LAYER + 2 * HEAD) // 8 + norms)
    pages = -(-(2048 + 128) // 16) * 16
    assert e.values["memory.request"] == pages * 2 * 80 * 128 * 2  # one of eight key/value heads, keys and values, BF16
    mean = sum(range(2049, 2049 + 127)) / 127  # contexts of the 127 steps
    assert e.values["request.state"] == pytest.approx(mean * 2 * 80 * 128 * 2)
    assert e.values["request.flops"] == pytest.approx((2 * (80 * LAYER + HEAD) + 4 * 80 * 8192 * mean) / 8)
    read = 2 * ((80 * LAYER + HEAD) / 8 + norms + 32 * 8192)
    assert e.values["decode.weights"] == pytest.approx(read)
    state, one = 32 * mean * 2 * 80 * 128 * 2, read - 31 * 2 * 8192  # all requests may look up the same row of the token table
    assert e.values["decode.bound"] == pytest.approx((one + state) / 3.35e12)
    assert e.values["decode.memory"] == pytest.approx((read + state) / 3.35e12)
    pairs = 2048 * 2049 / 2
    assert e.values["prefill.flops"] == pytest.approx((2 * (80 * LAYER * 2048 + HEAD) + 4 * 80 * 8192 * pairs) / 8)
    # in the last layer only the last token must come through: it meets 2,048 entries
    least = (2 * (79 * LAYER * 2048 + LAYER + HEAD) + 4 * 8192 * (79 * pairs + 2048)) / 8
    assert e.values["prefill.bound"] == pytest.approx(least / 989.4e12, rel=1e-4)
    assert e.values["decode.reduced"] == 2 * 7 / 8 * 32 * 8192 * 2
    assert e.values["reductions"] == 160


def test_expected_is_put_together_as_the_formula_says():
    e, a = EIGHT.estimate(), EIGHT.assumptions
    link = 160 * (18.98e-6 + 2 * 7 / 8 * 32 * 8192 * 2 / (a["eta_link"].slow * 450e9))
    reading = e.values["decode.memory"] / a["eta_mem"].slow
    assert e.values["decode.expected.slow"] == pytest.approx(reading + link + a["t_host"].slow, rel=1e-3)
    step, prompt = e.values["decode.expected.slow"], e.values["prefill.expected.slow"]
    assert e.values["service.rate.expected.slow"] == pytest.approx(32 / (32 * prompt + 127 * step))
    assert e.values["service.tpot.expected.slow"] == pytest.approx(step + 32 * prompt / 127)


def test_kinds_of_statement():
    e = EIGHT.estimate()
    kinds = {"decode.bound": ">=", "service.tokens.bound": "<=", "decode.expected.slow": "~", "memory.weights": "=", "cost.bound": ">="}
    assert {name: e[name].relation for name in kinds} == kinds
    moe = Scenario(model="qwen3-30b-a3b", device="h100-sxm").estimate()  # experts touched on average
    kinds = {"decode.weights": "~", "decode.memory": "~", "decode.bound": ">=", "answer.bound": ">=", "service.tokens.bound": "<="}
    kinds |= {"memory.weights": "=", "decode.compute": "=", "decode.least.memory": ">=", "memory.batch_max": "<="}
    assert {name: moe[name].relation for name in kinds} == kinds


@given(
    batch=st.integers(1, 256), prompt=st.integers(1, 8000), output=st.integers(2, 2000), tp=st.sampled_from([1, 2, 4, 8]),
    key=st.sampled_from(["h100-sxm", "h200-sxm", "b200-sxm", "mi300x", "a100-80-sxm"]),
    name=st.sampled_from(["llama-3.1-8b", "qwen3-30b-a3b", "deepseek-v2-lite"]),
)  # fmt: skip
def test_nothing_expected_beats_its_bound(batch, prompt, output, tp, key, name):
    try:
        e = Scenario(model=name, device=key, tp=tp, batch=batch, prompt=prompt, output=output).estimate(strict=False)
    except errors.BadValue:
        assume(False)
    v = e.values
    for phase in ("decode", "prefill"):
        assert v[f"{phase}.bound"] <= max(v[f"{phase}.{clock}"] for clock in ("memory", "compute", "wire"))
        assert v[f"{phase}.bound"] <= v[f"{phase}.expected.fast"] <= v[f"{phase}.expected.slow"]
        assert v[f"{phase}.mfu.slow" if phase == "prefill" else "decode.mbu.slow"] <= 1
    assert v["service.rate.expected.slow"] <= v["service.rate.expected.fast"] <= v["service.rate.bound"] * (1 + 1e-12)
    assert v["service.tpot.expected.fast"] >= v["decode.expected.fast"]


def test_time_is_lost_neither_by_more_requests_nor_won_by_longer_ones():
    steps = [EIGHT.but(batch=b).estimate().values["decode.bound"] for b in (1, 8, 64, 256)]
    assert steps == sorted(steps)
    steps = [EIGHT.but(prompt=p).estimate(strict=False).values["decode.bound"] for p in (1, 1000, 10_000, 100_000)]
    assert steps == sorted(steps)


def test_the_largest_batch_is_the_last_that_fits():
    most = EIGHT.but(batch="max").estimate()
    n = most.values["batch"]
    assert n == most.values["memory.batch_max"]
    assert EIGHT.but(batch=n).estimate().fits
    with pytest.raises(errors.BadValue, match=rf"it fits with batch <= {n:,}"):
        EIGHT.but(batch=n + 1).estimate()


def test_the_longest_context_is_the_last_that_fits():
    e = EIGHT.estimate()
    longest = e.longest_context
    state = e.ledger.paged
    room = 0.92 * e.values["usable"] - e.values["memory.weights"] - e.values["memory.workspace"]
    assert 32 * state(longest) <= room < 32 * state(longest + 1)


def test_concurrency_is_shared_by_replicas():
    e = EIGHT.but(batch=None, concurrency=100, replicas=3).estimate()
    assert e.values["batch"] == 34


# Mistakes that users of other tools met


def test_kv_comes_from_key_value_heads_and_head_width_is_a_field():
    # 28 layers, 8 key/value heads of 128; the width over the query heads would be 1,024 / 16 = 64
    e = Scenario(model="qwen3-0.6b", device="h100-sxm", prompt=1, output=15).estimate()
    assert e.values["memory.request"] == 16 * 2 * 28 * 8 * 128 * 2


def test_a_latent_cache_is_not_divided_by_tp():
    one, eight = (Scenario(model="deepseek-v3", device="b200-sxm", tp=n, output=2, prompt=14, weights="fp8") for n in (1, 8))
    wanted = 16 * 61 * 576 * 2
    assert one.estimate(strict=False).values["memory.request"] == eight.estimate().values["memory.request"] == wanted


def test_memory_counts_all_parameters_and_speed_those_that_are_touched():
    e = Scenario(model="mixtral-8x7b", device="h100-sxm", tp=2, batch=1).estimate()
    assert e.values["memory.weights"] * 2 == pytest.approx(2 * 46_702_792_704, rel=1e-3)
    assert e.values["decode.weights"] * 2 == pytest.approx(2 * (12_879_925_248 - 32_000 * 4096), rel=1e-3)


def test_output_head_is_there_when_untied_and_norms_are_not_divided():
    ledger = model("llama-3.1-70b").ledger(tp=8)
    assert ledger.parameters == (80 * LAYER + 2 * HEAD) // 8 + 2 * 80 * 8192 + 8192


def test_causal_half():
    one, two = (EIGHT.but(prompt=p).estimate().values["prefill.flops"] for p in (1000, 2000))
    pairs = 2000 * 2001 / 2 - 1000 * 1001 / 2
    assert two - one == pytest.approx((2 * 80 * LAYER * 1000 + 4 * 80 * 8192 * pairs) / 8)


def test_peaks_are_dense_and_links_one_way():
    e = EIGHT.estimate()
    assert e.values["peak"] == device("h100-sxm").peak("bf16").value.value < device("h100-sxm").peak("bf16", sparse=True).value.value
    assert e.values["beta_link"] == 450e9  # of the 900 GB/s that are printed for both directions


def test_memory_is_what_the_driver_reports_and_the_engine_takes_a_share():
    e = EIGHT.estimate()
    assert e.values["usable"] == device("h100-sxm").capacity_usable.value.value
    whole = EIGHT.but(assume={"memory_share": 1}).estimate()
    assert whole.values["memory.headroom"] - e.values["memory.headroom"] == pytest.approx(0.08 * e.values["usable"])


def test_the_pool_leaves_room_for_the_largest_pass():
    small, large = (EIGHT.but(chunk=c).estimate() for c in (256, 16384))
    assert large.values["memory.workspace"] == 64 * small.values["memory.workspace"]
    assert large.values["memory.batch_max"] < small.values["memory.batch_max"]


def test_pages_are_rounded_up():
    a, b = (EIGHT.but(prompt=p, output=2).estimate().values["memory.request"] for p in (14, 15))
    assert b == 2 * a


def test_windows_are_capped():
    e = Scenario(model="gemma-3-27b", device="h200-sxm", prompt=100_000, output=100).estimate()
    full = 100_100 * 2 * 62 * 16 * 128 * 2  # if all 62 layers kept everything
    assert e.values["memory.request"] < full / 4


def test_two_times_per_token_have_two_names():
    v = EIGHT.estimate().values
    assert v["service.tpot.expected.slow"] > v["decode.expected.slow"]


def test_a_prefix_hit_saves_work_and_not_memory():
    cold, warm = EIGHT.estimate().values, EIGHT.but(prefix_hit=0.5).estimate().values
    assert warm["prefill.flops"] < cold["prefill.flops"] and warm["memory.request"] == cold["memory.request"]
    assert warm["prefill.state"] > cold["prefill.state"] == 0


# Bounds that no engine can beat


def test_a_bound_of_experts_reads_those_of_one_token():
    # Qwen3 30B-A3B: 48 layers, each with 128 experts, of which 8 are chosen, three matrices of 2,048 by 768 in BF16
    e = Scenario(model="qwen3-30b-a3b", device="h100-sxm", batch=64, prompt=16, output=8).estimate()
    expert = 2 * 3 * 2048 * 768 * 48
    less = e.values["decode.weights"] - e.values["decode.least.weights"]
    touched = 128 * (1 - (1 - 8 / 128) ** 64)
    assert less == pytest.approx((touched - 8) * expert + 63 * 2 * 2048)
    assert e.values["decode.bound"] < e.values["decode.memory"]  # all tokens may choose the same experts


def test_a_bound_after_a_prefix_hit_takes_the_cheaper_form_of_latent_attention():
    # DeepSeek-V3: 128 heads; a pair costs 2 (192 + 128) each expanded, 2 (576 + 512) absorbed; making a token's keys and values
    # anew 2 x 512 x 128 x (128 + 128). Few new tokens after a long prefix are cheaper absorbed.
    s = Scenario(model="deepseek-v3", device="b200-sxm", prompt=10_000, prefix_hit=0.999, output=2, weights="fp8")
    e = s.estimate(strict=False)
    v, fresh, cached = e.values, 10, 9990
    make, expanded, absorbed = 2 * 512 * 128 * 256, 2 * 128 * 320, 2 * 128 * 1088
    far = fresh * cached
    assert cached * make + far * expanded > far * absorbed
    more = 60 * (cached * make + far * (expanded - absorbed))
    below = v["prefill.flops"] - v["prefill.least.flops"]
    assert below > more  # the rest is the last layer
    warm, cold = (e.ledger.prefill(fresh, cached=cached, latent=form).flops for form in ("absorbed", "expanded"))
    assert v["prefill.least.flops"] < warm < cold == v["prefill.flops"]


def test_a_shared_prefix_is_read_and_held_once_by_the_bound():
    cold, warm = EIGHT.estimate(), EIGHT.but(prefix_hit=0.5).estimate()
    token = 2 * 80 * 128 * 2  # one of eight key/value heads
    mean = sum(range(2049, 2049 + 127)) / 127
    assert cold.values["decode.least.state"] == cold.values["decode.state"] == pytest.approx(32 * mean * token)
    assert warm.values["decode.least.state"] == pytest.approx((32 * (mean - 1024) + 1024) * token)
    assert warm.values["decode.bound"] < cold.values["decode.bound"]
    assert warm.values["service.tokens.bound"] > cold.values["service.tokens.bound"]
    v = warm.values
    assert v["memory.own"] == (2176 - 1024) * token
    room = v["memory_share"] * v["usable"] - v["memory.weights"] - v["memory.workspace"]
    n = v["memory.batch_shared"]
    assert (2176 + (n - 1) * 1152) * token <= room < (2176 + n * 1152) * token
    assert cold.values["memory.batch_shared"] == cold.values["memory.batch_max"] < n


SHARED = {
    "model_type": "gemma4_text", "vocab_size": 103, "hidden_size": 40, "intermediate_size": 880, "num_hidden_layers": 6,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "max_position_embeddings": 8192, "sliding_window": 8,
    "layer_types": [f"{kind}_attention" for kind in ("sliding", "full", "sliding", "sliding", "sliding", "full")],
    "global_head_dim": 24, "num_global_key_value_heads": None, "attention_k_eq_v": False,
    "hidden_size_per_layer_input": 12, "vocab_size_per_layer_input": 97, "enable_moe_block": False, "use_double_wide_mlp": False,
    "num_experts": None, "top_k_experts": None, "moe_intermediate_size": None, "tie_word_embeddings": True,
}  # fmt: skip


def test_layers_that_reuse_a_cache_may_be_left_out_of_a_prompt():
    # windows of 8 in all layers but the second and the sixth; the last three read the caches of earlier ones. All 40 tokens must come
    # through the layer below the second one's cache, the last 8 through the second, which the third keeps, and one through the others.
    whole = load(SHARED | {"num_kv_shared_layers": 0}).ledger()
    shared, plain = (Profile.of(ledger) for ledger in (load(SHARED | {"num_kv_shared_layers": 3}).ledger(), whole))
    parts = [dict(requests(p, 40, 2, 0, 16, 8192)) for p in (shared, plain)]
    layers = [part["prefill.least.flops"] / part["prefill.flops"] for part in parts]
    assert layers[0] == pytest.approx((40 + 8 + 4) / 240, abs=0.01) and layers[1] == pytest.approx((5 * 40 + 1) / 240, abs=0.02)


def test_layers_with_windows_need_the_last_tokens_only():
    # Mistral 7B: 32 layers, 4,096 wide, 32 query and 8 key/value heads of 128, MLP 14,336, windows of 4,096 tokens in all layers. The last
    # layer needs the last token, the one below it those of its window, the next one those of their windows, and so on.
    layer, head = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336, 4096 * 32_000
    for prompt in (20_000, 3000):
        wanted = 2 * head
        for below in range(32):
            first = max(prompt - (1 + below * 4095), 0)
            wanted += 2 * layer * (prompt - first) + 4 * 4096 * sum(min(i, 4096) for i in range(first + 1, prompt + 1))
        e = Scenario(model="mistral-7b", device="h100-sxm", prompt=prompt, output=2).estimate()
        assert e.values["prefill.least.flops"] == pytest.approx(wanted, rel=1e-12)


def test_side_by_side_layers_need_one_exchange():
    sizes = {"hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 100}
    neox = {"model_type": "gpt_neox", **sizes}
    assert reductions(load(neox)) == 3 and reductions(load(neox | {"use_parallel_residual": False})) == 6
    assert reductions(load({"model_type": "cohere", **sizes})) == 3
    assert reductions(load({"model_type": "llama", **sizes})) == 6
    del sizes["intermediate_size"]
    assert reductions(load({"model_type": "falcon", **sizes})) == 3
    assert reductions(load({"model_type": "falcon", **sizes, "parallel_attn": False})) == 6
    assert reductions(load({"model_type": "falcon", **sizes, "new_decoder_architecture": True})) == 3
    assert reductions(load({"model_type": "gptj", "n_embd": 64, "n_layer": 3, "n_head": 4, "vocab_size": 100})) == 3
    assert reductions(load({"model_type": "phi", **sizes, "intermediate_size": 128})) == 3
    stablelm = {"model_type": "stablelm", **sizes, "intermediate_size": 128, "num_key_value_heads": 4}
    assert reductions(load(stablelm)) == 6 and reductions(load(stablelm | {"use_parallel_residual": True})) == 3


def test_mixers_side_by_side_need_one_exchange():
    sizes = {"hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16}
    sizes |= {"intermediate_size": 128, "vocab_size": 100, "mamba_n_heads": 8, "mamba_d_head": 16, "mamba_d_ssm": 128}
    sizes |= {"mamba_n_groups": 1, "mamba_d_state": 16, "mamba_d_conv": 4}
    assert reductions(load({"model_type": "falcon_h1", **sizes})) == 2 * 3  # attention and recurrence together, and the MLP


# What a forecast adds


def test_a_prompt_in_passes_pays_for_each():
    one, four = (EIGHT.but(chunk=c).estimate().values for c in (8192, 512))
    assert (one["prefill.passes"], four["prefill.passes"]) == (1, 4)
    assert one["prefill.state"] == 0 and four["prefill.state"] == pytest.approx((512 + 1024 + 1536) * 2 * 80 * 128 * 2, rel=1e-2)
    assert four["prefill.weights"] == pytest.approx(4 * one["prefill.weights"], rel=1e-2)
    more = 3 * (160 * EIGHT.assumptions["alpha_ar"].slow + EIGHT.assumptions["t_host"].slow)
    assert four["prefill.expected.slow"] - one["prefill.expected.slow"] == pytest.approx(more)  # arithmetic binds both
    assert four["prefill.bound"] == one["prefill.bound"]


# What cannot be


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tp": 6}, "tp = 6: llama-3.1-70b has 64 query heads"),
        ({"tp": 16}, "tp = 16: the links of h100-sxm join 8 devices"),
        ({"dtype": "fp4"}, "h100-sxm has no published peak dense fp4"),
        ({"weights": "fp3"}, "weights: unknown format 'fp3'"),
        ({"kv": "none"}, "kv: unknown format 'none'"),
        ({"batch": 0}, "batch = 0: must be a whole number from 1"),
        ({"batch": "many"}, "batch = 'many': must be a whole number"),
        ({"batch": 2, "concurrency": 2}, "batch = 2 and concurrency = 2: give one of them"),
        ({"batch": None, "concurrency": 2, "replicas": 3}, "concurrency = 2: must be a whole number from 3"),
        ({"output": 1}, "output = 1: must be a whole number from 2"),
        ({"prompt": 131_072}, "prompt [+] output = 131,200: llama-3.1-70b takes 131,072 tokens at most"),
        ({"prefix_hit": 1}, "prefix_hit = 1: must be a share from 0 to below 1"),
        ({"assume": {"eta_mem": 1.5}}, "eta_mem = 1.5: must be a share above 0 and at most 1"),
        ({"assume": {"eta_meme": 0.5}}, "unknown assumption 'eta_meme'; near: eta_mem"),
        ({"assume": {"eta_mem": [0.1, 0.2, 0.3]}}, "must be a number, or two"),
        ({"assume": 3}, "assume = 3: must be a table"),
        ({"assume": {"eta_mem": [0.9, 0.5]}}, "eta_mem = .0.9, 0.5.: the slow end comes first"),
        ({"price": "cheap"}, "price: quantity 'cheap'"),
        ({"memory": "80"}, "memory: usable = 80: unit must be B|memory"),
        ({"price": 2.5}, "price = 2.5: must be text with its unit, such as"),
        ({"power": "-3 W"}, "power = '-3 W': must be a finite number above zero"),
        ({"device": "h100"}, "h100"),
        ({"device": "m3-max", "tp": 1}, "m3-max"),
        ({"device": "rtx-5090", "tp": 2}, "rtx-5090"),
        ({"activations": None}, "activations: unknown format None"),
        ({"batch": [1, 2]}, "batch = .1, 2.: must be a whole number"),
        ({"model": "x" * 10_000}, "unknown model 'xxx"),
        ({"colour": "red"}, "unknown field of a scenario 'colour'"),
    ],
)
def test_bad_input_gives_one_line(changes, says):
    with pytest.raises(errors.AIInfraError, match=says) as error:
        EIGHT.but(**changes)
    assert "\n" not in str(error.value)


def test_what_does_not_fit_says_what_would():
    with pytest.raises(errors.BadValue) as error:
        EIGHT.but(tp=1).estimate()
    assert "more than the" in str(error.value) and "tp = 4" in str(error.value)
    assert EIGHT.but(tp=4).estimate().fits
    with pytest.raises(errors.BadValue, match="no single change|it fits with"):
        EIGHT.but(tp=1, batch="max").estimate()


def test_a_file_is_a_scenario(tmp_path):
    file = tmp_path / "deployment.toml"
    file.write_text('model = "llama-3.1-70b"\ndevice = "h100-sxm"\ntp = 8\nbatch = 32\n[assume]\neta_mem = [0.5, 0.9]\n')
    assert Scenario.load(file).estimate().values["eta_mem.slow"] == 0.5
    wrong = {"tp = ": "not a TOML file", "tp = 8": "needs model", "speed = 3": "unknown field of a scenario 'speed'"}
    for text, says in wrong.items():
        file.write_text(text)
        with pytest.raises(errors.AIInfraError, match=says):
            Scenario.load(file)
    with pytest.raises(errors.BadValue, match="No such file"):
        Scenario.load(tmp_path / "nowhere.toml")


@pytest.mark.parametrize("key", devices())
def test_every_device_gives_an_estimate_or_says_what_is_absent(key):
    try:
        e = Scenario(model="llama-3.2-1b", device=key, prompt=100, output=10).estimate()
    except errors.AIInfraError as error:
        assert "no published" in str(error) and "\n" not in str(error)
        bf16 = any(p.input == "bf16" and not p.sparse for p in device(key).peaks)
        assert None in (device(key).memory_bandwidth, device(key).capacity) or not bf16
    else:
        assert 0 < e.values["decode.bound"] < e.values["decode.expected.fast"]


def test_what_was_measured_on_the_device_takes_the_place_of_defaults():
    mine, plain = Scenario(model="llama-3.1-8b", device="mi300x").assumptions, defaults()
    assert mine["eta_mem"].fast == pytest.approx(4.078 / 5.3, rel=2e-2)  # BabelStream's triad over the rated bandwidth
    assert mine["eta_comp"].fast < plain["eta_comp"].fast  # the matrix units reach about half of their peak
    assert mine["t_host"] == plain["t_host"]
    for key in devices():
        entry = device(key)
        if entry.memory_bandwidth and entry.capacity and any(p.input == "bf16" and not p.sparse for p in entry.peaks):
            for a in Scenario(model="llama-3.2-1b", device=key).assumptions.values():
                assert a.source == ASSUMED or a.source
                if a.symbol.startswith("eta"):
                    assert 0 < a.slow <= a.fast <= 1


def test_each_change_that_is_offered_fits_and_is_the_smallest():
    full = EIGHT.but(prompt=60_000, batch=40)
    with pytest.raises(errors.BadValue) as error:
        full.estimate()
    said = str(error.value)
    prompt = int(re.search(r"prompt <= ([\d,]+)", said)[1].replace(",", ""))
    assert full.but(prompt=prompt).estimate().fits and not full.but(prompt=prompt + 1).estimate(strict=False).fits
    close = EIGHT.but(batch=EIGHT.but(batch="max").estimate().values["batch"] + 1)
    with pytest.raises(errors.BadValue, match=r"chunk = 4,096, or prompt <= 2,0\d\d, or memory_share = 0.93"):
        close.estimate()
    assert close.but(chunk=4096).estimate().fits and close.but(assume={"memory_share": 0.93}).estimate().fits
