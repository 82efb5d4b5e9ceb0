"""Formulas of latency and queues against seeded simulations, against distributions of SciPy, and in their limits."""

import math

import mpmath
import numpy
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from simulation import engine, in_order, side_by_side

from aiinfra import formula

loads = st.floats(0.01, 0.99)
counts = st.integers(1, 40)
times = st.floats(1e-3, 1e3)
spreads = st.floats(0, 5)


def value(key, **inputs):
    return formula(key)(**inputs).value


def agrees(samples, expected, parts=20):
    """The expected mean lies in the interval that holds the true one with 99.9% confidence, by means of successive parts."""
    means = [part.mean() for part in numpy.array_split(numpy.asarray(samples, dtype=float), parts)]
    reach = stats.t.ppf(0.9995, parts - 1) * numpy.std(means, ddof=1) / math.sqrt(parts)
    assert expected == pytest.approx(numpy.mean(means), abs=reach)
    assert reach < 0.3 * expected  # an interval so wide that anything fits would prove nothing


def lengths(rng, kind, n):
    """Service times or answer lengths of mean one."""
    if kind == "exponential":
        return rng.exponential(1, n)
    if kind == "lognormal":
        sigma = value("lognormal-spread", cv=1.5)
        return rng.lognormal(-(sigma**2) / 2, sigma, n)
    return numpy.ones(n)


CV = {"exponential": 1, "lognormal": 1.5, "constant": 0}


def settled(waits):
    """Without the start from an empty system."""
    return waits[len(waits) // 20 :]


def poisson(rng, rate, n):
    """When n requests arrive."""
    return rng.exponential(1 / rate, n).cumsum()


# Servers in order of arrival


@pytest.mark.parametrize("load", [0.3, 0.7, 0.85])
@pytest.mark.parametrize("kind", CV)
def test_the_wait_before_one_server(load, kind):
    rng = numpy.random.default_rng([1, int(load * 100), len(kind)])
    waits = settled(in_order(rng.exponential(1 / load, 400_000), lengths(rng, kind, 400_000)))
    agrees(waits, value("mg1-wait", load=load, t_serve=1, cv_serve=CV[kind]))
    agrees(waits > 0, load)


@pytest.mark.parametrize(("servers", "load"), [(1, 0.6), (2, 0.8), (8, 0.8), (30, 0.85)])
def test_the_wait_before_several_servers(servers, load):
    rng = numpy.random.default_rng([2, servers])
    waits = settled(in_order(rng.exponential(1 / (load * servers), 400_000), rng.exponential(1, 400_000), servers))
    p_wait = value("wait-probability", servers=servers, load=load)
    inputs = {"servers": servers, "load": load, "t_serve": 1, "p_wait": p_wait}
    agrees(waits > 0, p_wait)
    agrees(waits, value("mmc-wait", **inputs))
    limit = 1.5 / (servers * (1 - load))
    agrees(waits > limit, value("wait-tail", **inputs, t_limit=limit))
    agrees(waits > value("wait-percentile", **inputs, beyond=0.05), 0.05)


NEAR = [
    ("exponential", 0.6, 1), ("exponential", 0.8, 1), ("constant", 0.6, 1.13), ("constant", 0.8, 1.06),
    ("lognormal", 0.6, 0.74), ("lognormal", 0.8, 0.79),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "load", "ratio"), NEAR)
def test_the_percentile_before_one_server_is_as_near_as_the_chapter_says(kind, load, ratio):
    rng = numpy.random.default_rng([3, len(kind)])
    waits = settled(in_order(rng.exponential(1 / load, 1_000_000), lengths(rng, kind, 1_000_000)))
    mean = value("mg1-wait", load=load, t_serve=1, cv_serve=CV[kind])
    near = value("mg1-wait-percentile", load=load, t_wait=mean, beyond=0.01)
    assert near / numpy.quantile(waits, 0.99) == pytest.approx(ratio, abs=0.03)


def equal_within(load, limit):
    """Share of waits within a limit, in service times, if these are equal: Erlang's sum, whose terms need many digits."""
    with mpmath.workdps(60):
        left = [mpmath.mpf(load) * (limit - k) for k in range(int(limit) + 1)]
        return float((1 - mpmath.mpf(load)) * sum((-x) ** k / mpmath.factorial(k) * mpmath.exp(x) for k, x in enumerate(left)))


@pytest.mark.parametrize(("load", "ratio"), [(0.175, 1.34), (0.6, 1.13), (0.8, 1.06)])
def test_the_percentile_for_equal_services_by_their_exact_distribution(load, ratio):
    mean = value("mg1-wait", load=load, t_serve=1, cv_serve=0)
    assert equal_within(load, value("mg1-wait-percentile", load=load, t_wait=mean, beyond=0.01) / ratio) == pytest.approx(0.99, abs=5e-4)
    assert equal_within(4.6 * 0.0576, 0.1 / 0.0576) == pytest.approx(0.99, abs=3e-4)  # the exercise of a stricter promise


@pytest.mark.parametrize("shape", [0.25, 0.5, 2])
@pytest.mark.parametrize("kind", CV)
def test_bursts_wait_no_longer_than_the_bound(shape, kind):
    rng = numpy.random.default_rng([4, len(kind)])
    waits = settled(in_order(rng.gamma(shape, 1 / (0.8 * shape), 400_000), lengths(rng, kind, 400_000)))
    bound = value("kingman-bound", arrivals=0.8, t_serve=1, cv_arrive=1 / math.sqrt(shape), cv_serve=CV[kind])
    assert 0.55 * bound < waits.mean() < bound


def test_goodput_is_what_is_in_time():
    rng = numpy.random.default_rng(5)
    waits = settled(in_order(rng.exponential(1 / 0.9, 400_000), rng.exponential(1, 400_000)))
    p_late = value("wait-tail", servers=1, load=0.9, t_serve=1, p_wait=0.9, t_limit=8)
    agrees((waits <= 8) * 0.9, value("goodput", arrivals=0.9, p_late=p_late))


# Servers that are shared


@pytest.mark.parametrize("kind", CV)
def test_a_shared_server_depends_on_the_mean_only(kind):
    rng = numpy.random.default_rng([6, len(kind)])
    sojourns, spent = side_by_side(rng.exponential(1 / 0.7, 200_000), lengths(rng, kind, 200_000), lambda n: n)
    agrees(sojourns, value("shared-time", load=0.7, t_serve=1))
    there = sum(n * t for n, t in spent.items()) / sum(spent.values())
    assert there == pytest.approx(value("littles-law", arrivals=0.7, t_system=sojourns.mean()), rel=0.01)


@pytest.mark.parametrize("kind", CV)
@pytest.mark.parametrize(("arrivals", "t_fixed"), [(0.6, 4.0), (0.3, 40.0)])
def test_the_batch_that_requests_make(kind, arrivals, t_fixed):
    """The unit of work is a whole answer, so the added load is the arrival rate."""
    rng = numpy.random.default_rng([7, len(kind), int(t_fixed)])
    sojourns, spent = side_by_side(rng.exponential(1 / arrivals, 200_000), lengths(rng, kind, 200_000), lambda n: t_fixed + n)
    inputs = {"added_load": arrivals, "t_fixed": t_fixed, "t_added": 1}
    mean, variance = value("decode-batch", **inputs), value("decode-batch-variance", **inputs)
    agrees(sojourns, mean / arrivals)  # by Little's law
    agrees(sojourns, value("loaded-token-time", **inputs))
    whole = sum(spent.values())
    there = sum(n * t for n, t in spent.items()) / whole
    assert there == pytest.approx(mean, rel=0.02)
    assert sum(n**2 * t for n, t in spent.items()) / whole - there**2 == pytest.approx(variance, rel=0.1)
    for limit in (int(mean), int(1.5 * mean)):
        share = sum(t for n, t in spent.items() if n <= limit) / whole
        assert value("batch-within", **inputs, batch_limit=limit) == pytest.approx(share, abs=0.02)


def test_steps_are_short_enough_to_count_as_a_flow():
    rng = numpy.random.default_rng(8)
    answers = rng.geometric(1 / 200, 30_000) + 1
    batches, steps, *_ = engine(poisson(rng, 30, 30_000), numpy.zeros(30_000), answers, 5e-3, 5e-5)
    load = value("added-load", arrivals=30, answer=201, t_added=5e-5)
    inputs = {"added_load": load, "t_fixed": 5e-3, "t_added": 5e-5}
    assert (steps * batches).sum() / steps.sum() == pytest.approx(value("decode-batch", **inputs), rel=0.03)
    assert (steps * batches).sum() / batches.sum() == pytest.approx(value("loaded-token-time", **inputs), rel=0.03)


def test_prompts_stand_in_the_gaps():
    """With a step of fixed length and prompts before it, the mean gap is stretched and the calm ones are counted."""
    rng = numpy.random.default_rng(9)
    _, gaps, *_ = engine(poisson(rng, 4, 12_000), numpy.full(12_000, 0.06), numpy.full(12_000, 101), 8e-3, 0)
    busy = gaps[100:-100]
    agrees(numpy.isclose(busy, 8e-3), value("calm-gaps", arrivals=4, t_step=8e-3))
    agrees(busy, 8e-3 / (1 - 4 * 0.06))


@pytest.mark.parametrize(("arrivals", "longer"), [(4, 1.05), (8, 1.07), (12, 1.11)])
def test_prompts_take_their_share_of_the_time_and_a_little_more(arrivals, longer):
    rng, n = numpy.random.default_rng(10), 200_000
    batches, gaps, *_ = engine(poisson(rng, arrivals, n), numpy.full(n, 0.0576), rng.geometric(1 / 255, n) + 1, 5.76e-3, 3.68e-5)
    inputs = {"arrivals": arrivals, "answer": 256, "t_fixed": 5.76e-3, "t_added": 3.68e-5, "t_prefill": 0.0576}
    assert (gaps * batches).sum() / batches.sum() / value("shared-token-time", **inputs) == pytest.approx(longer, abs=0.02)


@pytest.mark.parametrize(("arrivals", "t_first", "t_token"), [(12, 0.425, 0.064), (11, 0.352, 0.044), (10.7, 0.336, 0.040)])
def test_the_promise_of_the_chapter(arrivals, t_first, t_token):
    """The p99 of both with equal prompts and answers on eight H100; the model of the first token is a little too long."""
    n = 200_000
    came = poisson(numpy.random.default_rng(1), arrivals, n)
    ttft, tpot = engine(came, numpy.full(n, 0.0576), numpy.full(n, 256), 5.76e-3, 3.68e-5)[2:]
    assert numpy.quantile(ttft, 0.99) == pytest.approx(t_first, rel=0.04)
    assert numpy.quantile(tpot, 0.99) == pytest.approx(t_token, rel=0.08)
    wait = value("mg1-wait", load=arrivals * 0.0576, t_serve=0.0576, cv_serve=0)
    p99 = 0.0576 + value("mg1-wait-percentile", load=arrivals * 0.0576, t_wait=wait, beyond=0.01)
    assert 1 < p99 / numpy.quantile(ttft, 0.99) < 1.1


# Lengths, percentiles, arrivals


@given(st.floats(0.05, 4), st.floats(-3, 3))
def test_lognormal_is_scipy_s(cv, z):
    sigma = value("lognormal-spread", cv=cv)
    sizes = stats.lognorm(sigma, scale=math.exp(-(sigma**2) / 2))  # of mean one
    assert (sizes.mean(), sizes.std()) == (pytest.approx(1), pytest.approx(cv))
    assert value("lognormal-percentile", sigma_log=sigma, z_score=z) == pytest.approx(sizes.ppf(stats.norm.cdf(z)))


@given(st.floats(1.2, 5), st.floats(1e-4, 1))
def test_what_the_largest_hold(power, top):
    sizes = stats.pareto(power)
    above = sizes.ppf(1 - top)
    held = power / (power - 1) * above ** (1 - power)  # the integral of x over its density from there on
    assert value("pareto-top-share", tail_index=power, top_share=top) == pytest.approx(held / sizes.mean(), rel=1e-6)


def test_lengths_met_in_a_batch():
    rng = numpy.random.default_rng(11)
    normal = rng.multivariate_normal([0, 0], [[0.6, -0.2], [-0.2, 0.5]], 1_000_000)
    prompts, answers = 1000 * numpy.exp(normal.T[0]), 200 * numpy.exp(normal.T[1])
    cvs = {"cv_prompt": prompts.std() / prompts.mean(), "cv_answer": answers.std() / answers.mean()}
    related = numpy.corrcoef(prompts, answers)[0, 1]
    met = numpy.average(prompts + answers / 2, weights=answers)  # one met at random, half of its answer there
    inputs = {"prompt": round(prompts.mean()), "answer": round(answers.mean()), "correlation": related}
    assert value("context-in-batch", **cvs, **inputs) == pytest.approx(met, rel=0.002)
    assert value("length-bias", mean_size=answers.mean(), cv=cvs["cv_answer"]) == pytest.approx(numpy.average(answers, weights=answers))


def test_a_rate_that_wanders_shows_in_long_windows():
    rng = numpy.random.default_rng(12)
    counted = rng.poisson(rng.gamma(1 / 0.2**2, 5 * 0.2**2 * 60, 100_000))
    expected = value("count-dispersion", arrivals=5, t_window=60, cv_rate=0.2)
    assert counted.var() / counted.mean() == pytest.approx(expected, rel=0.03)


def test_groups_wait_to_fill_and_for_their_longest():
    rng = numpy.random.default_rng(13)
    came = rng.exponential(1 / 3, (20_000, 16)).cumsum(axis=1)
    agrees((came[:, -1:] - came).mean(axis=1), value("group-fill-time", group=16, arrivals=3))
    agrees(rng.exponential(1, (20_000, 16)).max(axis=1), value("longest-of-group", group=16))


@given(st.lists(st.floats(0, 1e3), min_size=1, max_size=200), st.floats(0.001, 1))
def test_no_percentile_beats_what_the_mean_allows(sample, beyond):
    assume(sum(sample) > 0)
    allowed = value("percentile-from-mean", mean_time=float(numpy.mean(sample)), beyond=beyond)
    assert sum(t > allowed * (1 + 1e-9) for t in sample) <= beyond * len(sample)


@given(st.floats(1e-6, 1), st.integers(1, 30))
def test_more_parts_are_late_more_often(beyond, parts):
    assert value("all-within", beyond=beyond, n_part=parts + 1) <= value("all-within", beyond=beyond, n_part=parts)
    assert value("all-within", beyond=beyond, n_part=parts) >= 1 - parts * beyond - 1e-12


@given(times, times, st.integers(2, 5000))
def test_a_request_is_its_first_token_and_its_gaps(t_first, t_token, answer):
    whole = value("request-time", t_first=t_first, t_token=t_token, answer=answer)
    assert value("time-per-output-token", t_request=whole, t_first=t_first, answer=answer) == pytest.approx(t_token, rel=1e-6)
    assert value("normalised-latency", t_first=t_first, t_token=t_token, answer=answer) == pytest.approx(whole / answer)


# Laws and limits


@given(loads, times, spreads)
def test_one_server_waits_as_the_special_cases_do(load, t_serve, cv):
    one = {"servers": 1, "load": load, "t_serve": t_serve}
    assert value("wait-probability", servers=1, load=load) == pytest.approx(load)
    assert value("mmc-wait", **one, p_wait=load) == pytest.approx(value("mg1-wait", load=load, t_serve=t_serve, cv_serve=1))
    wait = value("mg1-wait", load=load, t_serve=t_serve, cv_serve=cv)
    assert wait >= value("mg1-wait", load=load / 2, t_serve=t_serve, cv_serve=cv)
    bound = value("kingman-bound", arrivals=load / t_serve, t_serve=t_serve, cv_arrive=1, cv_serve=cv)
    assert wait <= bound * (1 + 1e-9)
    assert bound - wait == pytest.approx(t_serve * (1 / load**2 - 1) * load / (2 * (1 - load)), rel=1e-6)  # less and less beside the wait


@given(spreads)
def test_waiting_is_as_long_as_service_at_the_balance(cv):
    load = value("wait-balance", cv_serve=cv)
    assert value("mg1-wait", load=load, t_serve=1, cv_serve=cv) == pytest.approx(1)


@given(loads, counts)
def test_more_servers_wait_less(load, servers):
    here, more = (value("wait-probability", servers=n, load=load) for n in (servers, servers + 1))
    assert 0 < more < here <= load * (1 + 1e-12)
    assert value("pooling-gain", servers=servers, load=load, p_wait=here) >= servers * (1 - 1e-12)


@given(loads, counts)
def test_erlang_is_his_sum(load, servers):
    work = load * servers
    last = work**servers / math.factorial(servers) / (1 - load)
    every = sum(work**k / math.factorial(k) for k in range(servers)) + last
    assert value("wait-probability", servers=servers, load=load) == pytest.approx(last / every)


@given(loads, counts, times, st.floats(1e-4, 0.2))
def test_a_percentile_is_where_its_tail_is(load, servers, t_serve, beyond):
    p_wait = value("wait-probability", servers=servers, load=load)
    assume(p_wait > beyond)
    inputs = {"servers": servers, "load": load, "t_serve": t_serve, "p_wait": p_wait}
    limit = value("wait-percentile", **inputs, beyond=beyond)
    assert value("wait-tail", **inputs, t_limit=limit) == pytest.approx(beyond)


@given(st.integers(2, 16), st.floats(1.01, 15.9), times)
def test_a_fast_server_and_several_meet_at_one_load(servers, speedup, t_serve):
    assume(speedup < servers)
    load = (speedup - 1) / (servers - 1)
    inputs = {"arrivals": load * servers / t_serve, "t_serve": t_serve}
    several = value("split-servers-time", **inputs, servers=servers)
    assert value("fast-server-time", **inputs, speedup=speedup) == pytest.approx(several, rel=1e-6)


@given(st.floats(0.01, 0.95), st.floats(0, 400), st.integers(0, 300))
def test_the_batch_is_scipy_s_negative_binomial(load, ratio, limit):
    batch = stats.nbinom(1 + ratio, 1 - load)
    inputs = {"added_load": load, "t_fixed": ratio, "t_added": 1}
    assert value("decode-batch", **inputs) == pytest.approx(batch.mean())
    assert value("decode-batch-variance", **inputs) == pytest.approx(batch.var())
    assert value("batch-within", **inputs, batch_limit=limit) == pytest.approx(batch.cdf(limit), rel=1e-6, abs=1e-300)


@pytest.mark.parametrize("share", [0.05, 0.01, 0.001])
@pytest.mark.parametrize(("load", "ratio"), [(0.05, 156), (0.2, 156), (0.5, 40)])
def test_a_percentile_of_the_batch_is_nearly_normal(share, load, ratio):
    inputs = {"added_load": load, "t_fixed": ratio, "t_added": 1}
    mean, variance = value("decode-batch", **inputs), value("decode-batch-variance", **inputs)
    near = value("decode-batch-percentile", batch_mean=mean, batch_variance=variance, z_score=float(stats.norm.ppf(1 - share)))
    assert near == pytest.approx(stats.nbinom(1 + ratio, 1 - load).ppf(1 - share), rel=0.13)


@given(loads, times, times, st.integers(2, 4000))
def test_prompts_only_add_to_the_time_of_a_token(load, t_fixed, t_added, answer):
    arrivals = load / ((answer - 1) * t_added)
    alone = value("loaded-token-time", added_load=load, t_fixed=t_fixed, t_added=t_added)
    inputs = {"answer": answer, "arrivals": arrivals, "t_fixed": t_fixed, "t_added": t_added}
    assert value("shared-token-time", **inputs, t_prefill=(1 - load) / arrivals / 2) == pytest.approx(2 * alone)
    most = value("most-arrivals", answer=answer, t_prefill=(1 - load) / arrivals, t_added=t_added)
    assert most == pytest.approx(arrivals)


@given(st.floats(1, 100), st.floats(0.1, 10), st.floats(0.01, 0.99))
def test_a_backlog_drains_in_the_area_that_it_filled(excess, t_burst, load):
    backlog = value("backlog", peak_arrivals=10 + excess, service_rate=10, t_burst=t_burst)
    t_drain = value("drain-time", backlog=backlog, service_rate=10, arrivals=10 * load)
    assert (10 + excess) * t_burst + 10 * load * t_drain == pytest.approx(10 * (t_burst + t_drain))


@pytest.mark.parametrize("work", [10, 100, 1000])
@pytest.mark.parametrize(("z", "least", "most"), [(2, 0.02, 0.04), (1, 0.15, 0.25), (0, 0.6, 1)])
def test_a_root_of_reserve_keeps_waiting_rare_at_every_size(work, z, least, most):
    wanted = max(math.ceil(value("square-root-staffing", arrivals=work, t_serve=1, z_score=z)), work + 1)
    assert least < value("wait-probability", servers=wanted, load=work / wanted) < most


@pytest.mark.parametrize("load", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("cv", [0, 1, 2])
def test_the_wait_is_a_geometric_sum_of_what_is_left_of_services(load, cv):
    """The other form of the law of Pollaczek and Khinchine."""
    moment = (1 + cv**2) / 2  # mean of what is left of a service of mean one
    mean = sum((1 - load) * load**n * n * moment for n in range(2000))
    assert value("mg1-wait", load=load, t_serve=1, cv_serve=cv) == pytest.approx(mean)
