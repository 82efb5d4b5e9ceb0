"""Queues simulated event by event: one loop for each kind of server."""

import heapq
import math
from collections import defaultdict

import numpy


def in_order(gaps, services, servers=1):
    """Waits of requests that are served in order of arrival, each ``gaps`` after the one before."""
    free, now, waits = [0.0] * servers, 0.0, []
    for gap, service in zip(gaps, services, strict=True):
        now += gap
        start = max(now, heapq.heappop(free))
        heapq.heappush(free, start + service)
        waits.append(start - now)
    return numpy.array(waits)


def side_by_side(gaps, work, slowness):
    """Requests that share a server: with n of them, each gets one unit of work in a time of ``slowness(n)``.

    Gives the sojourn of each request, and how long the number of requests was what it was.
    """
    arrivals, sojourns, spent = numpy.cumsum(gaps), [], {}
    now = done = 0.0  # done: the work that a request has got that was there from the start
    ends, nxt = [], 0
    while nxt < len(arrivals) or ends:
        n = len(ends)
        finish = now + (ends[0][0] - done) * slowness(n) if ends else math.inf
        arrive = arrivals[nxt] if nxt < len(arrivals) else math.inf
        then = min(finish, arrive)
        spent[n] = spent.get(n, 0.0) + then - now
        if n:
            done += (then - now) / slowness(n)
        now = then
        if finish <= arrive:
            _, since = heapq.heappop(ends)
            sojourns.append((since, now - since))
        else:
            heapq.heappush(ends, (done + work[nxt], now))
            nxt += 1
    return numpy.array([t for _, t in sorted(sojourns)]), spent


def engine(came, prompts, answers, t_fixed, t_added):
    """An engine that steps: before each step it processes the prompts of all who have come, and they join the batch.

    ``came``, ``prompts`` and ``answers`` hold for each request when it arrives, how long its prompt takes, and its tokens. Gives
    the batch of each step and the time from the tokens before it to its own, and per request the times to the first and per token.
    """
    first, last = numpy.zeros(len(came)), numpy.zeros(len(came))
    batches, gaps, leave = [], [], defaultdict(list)  # leave: who has the last token in which step
    now, step, batch, nxt = 0.0, 0, 0, 0
    while nxt < len(came) or batch:
        if not batch:
            now = max(now, came[nxt])
        before = now
        while nxt < len(came) and came[nxt] <= now:
            now += prompts[nxt]
            first[nxt] = now
            leave[step + answers[nxt] - 1].append(nxt)
            batch, nxt = batch + 1, nxt + 1
        now += t_fixed + t_added * batch
        step += 1
        batches.append(batch)
        gaps.append(now - before)
        for request in leave.pop(step, ()):
            last[request] = now
            batch -= 1
    return numpy.array(batches), numpy.array(gaps), first - came, (last - first) / (answers - 1)
