"""Bounds of three deployments summed up by hand: dense with a prefix hit, latent attention with experts, and a hybrid."""

import pytest

from aiinfra import device
from aiinfra.scenario import Scenario


def rates(key: str, dtype: str) -> tuple[float, float, float]:
    d = device(key)
    return tuple(float(v) for v in (d.memory_bandwidth.value.value, d.peak(dtype).value.value, d.link_bandwidth.value.value))


def test_a_dense_model_whose_prompts_share_their_first_half():
    # Llama 3.1 70B: 80 layers, 8,192 wide, 64 query and 8 key/value heads of 128, MLP 28,672, 128,256 words; BF16 on eight H100
    s = Scenario(model="llama-3.1-70b", device="h100-sxm", tp=8, batch=32, prompt=2048, output=256, prefix_hit=0.5)
    v, (beta, peak, link) = s.estimate().values, rates("h100-sxm", "bf16")
    layer = (2 * 8192 * 8192 + 2 * 8192 * 1024 + 3 * 8192 * 28672) // 8
    head, norms, token = 8192 * 128256 // 8, (2 * 80 + 1) * 8192, 2 * 80 * 128 * 2
    weights = 2 * (80 * layer + head + norms + 8192)  # one row of the token table
    cached, fresh = 1024, 1024
    mean = sum(range(2049, 2049 + 255)) / 255

    # a prompt: 79 layers for all new tokens, one for the last token
    pairs = sum(range(cached + 1, cached + fresh + 1))
    flops = 2 * (79 * layer * fresh + layer + head) + 4 * 8 * 128 * (79 * pairs + 2048)
    reading = weights + cached * token
    wire = 2 * 79 * fresh * 8192 * 2
    assert v["prefill.bound"] == pytest.approx(max(flops / peak, reading / beta, wire / link), rel=1e-12)

    # a step: 32 requests read what is their own, and the half that they share once
    state = 32 * (mean - cached) + cached
    flops = 32 * (2 * (80 * layer + head) + 4 * 8 * 128 * 80 * mean)
    wire = 2 * 80 * 32 * 8192 * 2
    assert v["decode.bound"] == pytest.approx(max(flops / peak, (weights + state * token) / beta, wire / link), rel=1e-12)
    assert v["answer.bound"] == pytest.approx(v["prefill.bound"] + 255 * v["decode.bound"], rel=1e-12)

    # in service a request needs all its operations, and 1/32 of the weights of its steps
    prompt = 2 * (79 * layer * fresh + layer + head) + 4 * 8 * 128 * (79 * pairs + 2048)
    share = max((prompt + 255 * flops / 32) / peak, 255 * (weights + state * token) / 32 / beta)
    assert v["service.tokens.bound"] == pytest.approx(256 / share, rel=1e-12)

    # requests that fit: at full length, at their mean, and with the prefix held once
    workspace = 8192 * 2 * (8192 + 28672 // 8)  # tokens of a pass, in and out of the widest matrix
    room = 0.92 * v["usable"] - (weights + 2 * (head - 8192)) - workspace
    pages = 2304 * token
    assert v["memory.batch_max"] == room // pages
    assert v["memory.batch_mean"] == room // (mean * token)
    assert v["memory.batch_shared"] == 1 + (room - pages) // (pages - cached * token)


def test_latent_attention_and_experts_after_a_prefix_hit():
    # DeepSeek-V3: 61 layers, 7,168 wide, 128 heads of 128 + 64 and 128, latents 1,536 and 512 + 64; MLP 18,432 in 3 layers, else 8 of 256
    # experts and a shared one of 2,048; 129,280 words. FP8, router, tables and norms in BF16, on eight B200
    s = Scenario(model="deepseek-v3", device="b200-sxm", tp=8, batch=32, prompt=2048, output=256, prefix_hit=0.9, weights="fp8")
    v, (beta, peak, link) = s.estimate().values, rates("b200-sxm", "fp8")
    d, heads, cached = 7168, 16, 1843
    fresh = 2048 - cached
    attention = d * 1536 + 1536 * heads * 192 + d * 576 + 512 * heads * 256 + heads * 128 * d  # latents are made on every device
    mlp, expert, router, head = 3 * d * 18432 // 8, 3 * d * 2048 // 8, d * 256, d * 129280 // 8
    norms = 61 * (2 * d + 1536 + 512) + d
    weights = 61 * attention + 3 * mlp + 58 * 9 * expert + 2 * (58 * (router + 256) + head + norms + d)  # 256: the router's correction
    assert v["decode.least.weights"] == v["prefill.least.weights"] == weights
    token = 61 * 576 * 2  # the same on every device
    mean = sum(range(2049, 2049 + 255)) / 255
    pair = min(2 * heads * (192 + 128), 2 * heads * (576 + 512))  # expanded and absorbed

    pairs = sum(range(cached + 1, 2049))
    through = 60 * attention + 3 * mlp + 57 * (9 * expert + router)  # all layers but the last
    flops = 2 * (through * fresh + attention + 9 * expert + router + head) + pair * (60 * pairs + 2048)
    wire = 2 * 60 * fresh * d * 2
    clocks = flops / peak, (weights + cached * token) / beta, wire / link
    assert v["prefill.bound"] == pytest.approx(max(clocks), rel=1e-12)

    flops = 32 * (2 * (through + attention + 9 * expert + router + head) + 61 * pair * mean)
    state = (32 * (mean - cached) + cached) * token
    clocks = flops / peak, (weights + state) / beta, 2 * 61 * 32 * d * 2 / link
    assert v["decode.bound"] == pytest.approx(max(clocks), rel=1e-12)
    touched = 256 * (1 - (1 - 8 / 256) ** 32)
    expected = weights + 58 * (touched - 8) * expert + 31 * d * 2
    assert v["decode.memory"] == pytest.approx((expected + 32 * mean * token) / beta, rel=1e-12)


def test_a_hybrid_after_a_prefix_hit():
    # Qwen3-Next 80B-A3B: 48 layers, 2,048 wide. 36 with a gated delta rule: 16 key and 32 value heads of 128, a convolution over 4 tokens;
    # 12, each fourth and the last, with attention: 16 query heads and gates and 2 key/value heads of 256. In all layers 10 of 512 experts
    # of 512 and a shared one behind a gate; 151,936 words. BF16, recurrent state in FP32, on two H200
    s = Scenario(model="qwen3-next-80b-a3b", device="h200-sxm", tp=2, batch=16, prompt=8192, output=128, prefix_hit=0.5)
    v, (beta, peak, link) = s.estimate().values, rates("h200-sxm", "bf16")
    d, cached, fresh = 2048, 4096, 4096
    keys, values = 16 * 128 // 2, 32 * 128 // 2
    delta = d * (2 * keys + 2 * values) + d * 2 * 16 + values * d  # one row for each of 16 heads: decay and step
    convolved = 4 * (2 * keys + values)
    attention = d * 2 * 8 * 256 + 2 * d * 256 + 8 * 256 * d
    expert, router, head = 3 * d * 256, d * 512, d * 151936 // 2
    mixture = 11 * expert + router + d
    small = 48 * 2 * d + d + 36 * (16 + 16 + 128) + 12 * 2 * 256  # norms, decays and steps
    weights = 2 * (36 * (delta + convolved) + 12 * attention + 48 * mixture + head + small + d)
    assert v["decode.least.weights"] == weights
    recurrent, inputs, token = 36 * 16 * 128 * 128 * 4, 36 * convolved * 2, 12 * 2 * 256 * 2
    update = 7 * 16 * 128 * 128

    # all new tokens come through 47 layers; the last one has attention and experts for the last token only
    pairs = sum(range(cached + 1, 8193))
    one = 2 * 36 * (delta + convolved) + 36 * update + 2 * 11 * attention + 2 * 47 * mixture
    flops = one * fresh + 2 * (attention + mixture + head) + 4 * 8 * 256 * (11 * pairs + 8192)
    reading = weights + recurrent + cached * token  # a recurrence goes on from its state; a convolution's inputs are left out
    clocks = flops / peak, reading / beta, 2 * 47 * fresh * d * 2 / link
    assert v["prefill.bound"] == pytest.approx(max(clocks), rel=1e-12)

    mean = sum(range(8193, 8193 + 127)) / 127
    state = 16 * (recurrent + inputs) + (16 * (mean - cached) + cached) * token
    flops = 16 * (one + 2 * (attention + mixture + head) + 4 * 8 * 256 * 12 * mean)
    clocks = flops / peak, (weights + state) / beta, 2 * 48 * 16 * d * 2 / link
    assert v["decode.bound"] == pytest.approx(max(clocks), rel=1e-12)
