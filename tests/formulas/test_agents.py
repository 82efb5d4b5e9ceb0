"""Agents, other inputs and reinforcement learning: formulas against counting, simulation and distributions."""

import random

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiinfra import formula

counts = st.integers(1, 60)
sizes = st.integers(1, 5000)
shares = st.floats(0.01, 1)
times = st.floats(1e-3, 1e3)


def value(key, **inputs):
    return formula(key)(**inputs).value


@given(counts, sizes, sizes, st.integers(0, 5000))
def test_prompts_of_an_agent_counted_turn_by_turn(turns, prompt, answer, observed):
    """A cache is a set of positions: what a turn finds there it does not process."""
    length, cached, sent, processed = prompt, 0, 0, 0
    for _ in range(turns):
        sent += length
        processed += length - cached
        cached = length + answer - 1  # the last token of the answer was given, not processed
        length += answer + observed
    inputs = {"turns": turns, "prompt": prompt, "answer": answer, "observed": observed}
    assert value("agent-input-tokens", **inputs) == sent
    assert value("agent-unseen-tokens", turns=turns, prompt=prompt, observed=observed) == processed
    assert value("agent-processed-tokens", hit=1, **inputs) == processed
    assert value("agent-processed-tokens", hit=0, **inputs) == sent
    assert processed <= value("agent-processed-tokens", hit=0.5, **inputs) <= sent


def test_a_cache_that_forgets_at_random_processes_what_the_model_says():
    rng, inputs = random.Random(1), {"turns": 30, "prompt": 4000, "answer": 300, "observed": 900}

    def run(hit):
        length, processed = inputs["prompt"], inputs["prompt"]
        for _ in range(inputs["turns"] - 1):
            length += inputs["answer"] + inputs["observed"]
            processed += inputs["observed"] + 1 if rng.random() < hit else length
        return processed

    for hit in (0.2, 0.9):
        runs = [run(hit) for _ in range(4000)]
        error = numpy.std(runs) / len(runs) ** 0.5
        assert numpy.mean(runs) == pytest.approx(value("agent-processed-tokens", hit=hit, **inputs), abs=4 * error)


def test_price_of_an_attempt_by_hand():
    turns, prompt, answer, observed = 3, 100, 10, 20
    inputs = {"turns": turns, "prompt": prompt, "answer": answer, "observed": observed, "hit": 1}
    # prompts of 100, 130 and 160 tokens, of which 100, 21 and 21 are new; 30 tokens of answers
    cost = value("attempt-cost", price_in=3, price_cached=0.3, price_out=15, **inputs)
    assert cost == pytest.approx(142 * 3 + 248 * 0.3 + 30 * 15)
    assert value("attempt-cost", price_in=3, price_cached=3, price_out=15, **inputs) == pytest.approx(390 * 3 + 450)


@given(counts, times, times)
def test_a_chain_of_turns_is_a_sum(turns, t_answer, t_tool):
    clock = 0.0
    for number in range(turns):
        clock += t_answer + (t_tool if number < turns - 1 else 0)
    assert value("agent-time", turns=turns, t_answer=t_answer, t_tool=t_tool) == pytest.approx(clock)


def closed_loop(sessions, serve, pause, rounds, rng):
    """Rate and mean response of sessions that pause, then queue for one server in order of arrival."""
    import heapq

    arrivals = [(pause(rng), n) for n in range(sessions)]
    heapq.heapify(arrivals)
    free, done, waits, start = 0.0, 0, 0.0, None
    for number in range(rounds * sessions):
        now, who = heapq.heappop(arrivals)
        begin = max(now, free)
        free = begin + serve(rng)
        if number == rounds * sessions // 5:
            start = free
        if start is not None:
            done += 1
            waits += free - now
        heapq.heappush(arrivals, (free + pause(rng), who))
    return done / (free - start), waits / done


@pytest.mark.parametrize("sessions", [1, 4, 8, 30])
@pytest.mark.parametrize("kind", ["fixed", "exponential"])
def test_sessions_against_a_simulation(sessions, kind):
    t_demand, t_tool = 1.0, 7.0
    serve, pause = (
        (lambda rng: t_demand, lambda rng: t_tool)
        if kind == "fixed"
        else (lambda rng: rng.expovariate(1 / t_demand), lambda rng: rng.expovariate(1 / t_tool))
    )
    rate, response = closed_loop(sessions, serve, pause, 90_000 // sessions, random.Random(sessions))
    bound = value("session-rate-bound", sessions=sessions, t_alone=t_demand, t_tool=t_tool, t_demand=t_demand)
    assert rate <= bound * 1.03
    if kind == "fixed":  # sessions that never meet by chance reach the bound
        assert rate == pytest.approx(bound, rel=0.01)
    assert value("session-response", sessions=sessions, session_rate=rate, t_tool=t_tool) == pytest.approx(response, rel=0.05, abs=0.05)
    assert value("saturation-sessions", t_alone=t_demand, t_tool=t_tool, t_demand=t_demand) == 8


def batch_machine(sessions, places, t_prefill, step, answer, pause, rounds):
    """Rate of sessions whose prompts have the machine to themselves and whose answers are decoded in one batch."""
    import heapq

    arrivals, waiting, left, clock, done = [pause() for _ in range(sessions)], 0, [], 0.0, 0
    heapq.heapify(arrivals)
    while done < rounds * sessions:
        while arrivals and arrivals[0] <= clock:
            heapq.heappop(arrivals)
            waiting += 1
        if waiting and len(left) < places:
            waiting, clock = waiting - 1, clock + t_prefill
            left.append(answer - 1)
        elif left:
            clock += step(len(left))
            left = [n - 1 for n in left]
            for _ in range(left.count(0)):
                heapq.heappush(arrivals, clock + pause())
                done += 1
            left = [n for n in left if n]
        else:
            clock = arrivals[0]
    return done / clock


@pytest.mark.parametrize("sessions", [1, 5, 10, 20, 60])
def test_a_machine_that_batches_stays_below_the_bound_of_its_batch(sessions):
    """Demand at the batch that fits bounds the rate; demand at as many places as there are sessions bounds it closer."""
    rng, places, t_prefill, answer, t_tool = random.Random(sessions), 12, 0.2, 50, 10.0

    def step(batch):
        return 0.02 + 0.002 * batch

    def bound(batch):
        t_demand = t_prefill + (answer - 1) * step(batch) / batch
        t_alone = t_prefill + (answer - 1) * step(1)
        return value("session-rate-bound", sessions=sessions, t_alone=t_alone, t_tool=t_tool, t_demand=t_demand)

    rate = batch_machine(sessions, places, t_prefill, step, answer, lambda: rng.expovariate(1 / t_tool), 4000 // sessions)
    assert rate <= bound(min(sessions, places)) * 1.03 <= bound(places) * 1.03 + 1e-12
    assert rate > 0.5 * bound(places)


@given(st.integers(1, 1000), times, times, times)
def test_the_two_limits_of_a_round_meet_at_saturation(sessions, t_alone, t_tool, t_demand):
    knee = value("saturation-sessions", t_alone=t_alone, t_tool=t_tool, t_demand=t_demand)
    rate = value("session-rate-bound", sessions=sessions, t_alone=t_alone, t_tool=t_tool, t_demand=t_demand)
    assert rate == pytest.approx(min(sessions, knee) / (t_alone + t_tool))
    assert rate <= 1 / t_demand * (1 + 1e-12)


@given(times, st.floats(1e9, 1e12), st.floats(1e6, 1e11))
def test_keeping_and_making_again_cost_the_same_at_the_limit(t_prefill, pool, state):
    pause = value("keep-time", t_prefill=t_prefill, state_room=pool, request_state=state)
    assert pause * state / pool == pytest.approx(t_prefill)


@given(shares, st.integers(1, 50))
def test_attempts_until_success(success, attempts):
    made = sum((1 - success) ** i for i in range(attempts))
    within = sum(success * (1 - success) ** i for i in range(attempts))
    assert value("attempts-made", success=success, attempts=attempts) == pytest.approx(made, rel=1e-9)
    assert value("success-within", success=success, attempts=attempts) == pytest.approx(within, rel=1e-9)
    assert value("cost-per-success", attempt_cost=2, success=success) == pytest.approx(2 * made / within, rel=1e-9)


@given(st.integers(1, 40), st.floats(0.5, 1), st.floats(0, 10))
def test_checks_pay_only_where_steps_fail(turns, step_success, check):
    without = value("unchecked-chain-cost", turns=turns, step_cost=1, step_success=step_success)
    checked = value("checked-chain-cost", turns=turns, step_cost=1, check_cost=check, step_success=step_success)
    assert without >= turns and checked >= turns * (1 + check)
    assert value("checked-chain-cost", turns=turns, step_cost=1, check_cost=0, step_success=step_success) <= without * (1 + 1e-12)
    if step_success == 1:
        assert without == turns <= checked


def test_chains_against_a_simulation():
    rng, turns, p = random.Random(2), 12, 0.9

    def unchecked():
        cost = 0
        while True:
            cost += turns
            if all(rng.random() < p for _ in range(turns)):
                return cost

    def checked():
        cost = 0
        for _ in range(turns):
            cost += 1.5
            while rng.random() >= p:
                cost += 1.5
        return cost

    for run, key, extra in ((unchecked, "unchecked-chain-cost", {}), (checked, "checked-chain-cost", {"check_cost": 0.5})):
        costs = [run() for _ in range(20_000)]
        error = numpy.std(costs) / len(costs) ** 0.5
        assert numpy.mean(costs) == pytest.approx(value(key, turns=turns, step_cost=1, step_success=p, **extra), abs=4 * error)


@pytest.mark.parametrize("branches", [1, 2, 5, 20, 100])
def test_no_distribution_beats_the_bound_of_the_slowest_and_one_reaches_it(branches):
    rng = numpy.random.default_rng(3)
    bound = value("slowest-branch", t_branch=3, t_spread=2, branches=branches)
    u = rng.random((100_000, branches))
    worst = branches * u ** (branches - 1) - 1 if branches > 1 else u - 0.5  # the quantiles for which Cauchy–Schwarz is an equation
    spread = (branches - 1) / (2 * branches - 1) ** 0.5 if branches > 1 else 12**-0.5
    for shape in (
        -numpy.log(u) - 1,  # exponential
        (u - 0.5) * 12**0.5,  # even
        numpy.where(u < 0.9, -1 / 3, 3),  # two values
        worst / spread,
    ):
        slowest = (3 + 2 * shape).max(axis=1)
        error = slowest.std() / len(slowest) ** 0.5
        assert slowest.mean() <= bound + 4 * error
    assert slowest.mean() == pytest.approx(bound, abs=4 * error + 1e-9)


@given(st.data())
def test_greedy_schedules_lie_between_their_bounds(data):
    """Calls with random needs among earlier ones, started as soon as inputs and a place are there."""
    number, at_once = data.draw(st.integers(1, 14)), data.draw(st.integers(1, 5))
    lasts = data.draw(st.lists(st.integers(1, 9), min_size=number, max_size=number))
    needs = [data.draw(st.sets(st.integers(0, n - 1), max_size=3)) if n else set() for n in range(number)]
    longest = []
    for n in range(number):
        longest.append(lasts[n] + max((longest[m] for m in needs[n]), default=0))
    end, running, clock = {}, {}, 0
    while len(end) < number:
        for n in range(number):
            if n not in end and n not in running and needs[n] <= end.keys() and len(running) < at_once:
                running[n] = clock + lasts[n]
        clock = min(running.values())
        for n in [n for n, t in running.items() if t == clock]:
            end[n] = running.pop(n)
    inputs = {"t_work": sum(lasts), "t_path": max(longest), "at_once": at_once}
    assert value("task-time-least", **inputs) <= clock <= value("task-time-most", **inputs) + 1e-9


@given(st.integers(1, 3000), st.integers(1, 300), st.data())
def test_passages_cover_a_text(corpus, passage, data):
    shared = data.draw(st.integers(0, min(passage, corpus) - 1))
    starts = [0]
    while starts[-1] + passage < corpus:
        starts.append(starts[-1] + passage - shared)
    assert value("corpus-passages", corpus=corpus, passage=passage, shared_tokens=shared) == len(starts)


@given(st.integers(1, 3000), st.integers(1, 3000), st.integers(1, 60))
def test_squares_cover_an_image(high, wide, cell):
    squares = len({(y // cell, x // cell) for y in (*range(0, high, cell), high - 1) for x in (*range(0, wide, cell), wide - 1)})
    assert value("image-tokens", pixels_high=high, pixels_wide=wide, cell=cell) == squares


def test_sound_of_a_published_encoder():
    assert value("audio-tokens", duration=30, audio_rate=12.5) == 375  # 1,500 positions, four of which become one token


def test_a_published_count_of_denoising():
    """DiT-XL/2 prints 119 and 525 Gflops for 256 and 1,024 tokens, each multiply-add counted as one."""
    layers, width = 28, 1152
    weights = 12 * layers * width**2
    for tokens, printed in ((256, 119), (1024, 525)):
        found = value("denoising-flops", passes=1, n_block=weights, tokens=tokens, n_layer=layers, d_model=width) / 2e9
        assert found == pytest.approx(printed, rel=0.01)


@given(st.lists(st.integers(1, 500), min_size=1, max_size=40))
def test_places_of_a_rollout(lengths):
    used = sum(lengths) / (len(lengths) * max(lengths))
    mean = sum(lengths) / len(lengths)
    assert value("rollout-occupancy", mean_answer=mean, longest_answer=max(lengths)) == pytest.approx(used)
