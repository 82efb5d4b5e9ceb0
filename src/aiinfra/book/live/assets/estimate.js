// An estimate of a deployment, computed on the page from the same steps, formulas and sums of ledgers as `aiinfra estimate`.
(() => {
  "use strict";
  const { Refused, show, runStep } = aiinfra;

  // The terms of a ledger's sums for requests of some length: `after` tokens of context, of which `before` were there.
  class Given {
    constructor(formulas, reaches, page, before, after, { answers = 1, entries = false, own = false } = {}) {
      Object.assign(this, { formulas, reaches, page, before, after, answers, entries, own, tokens: after - before });
    }

    sum(terms) {
      return terms.reduce((total, [coefficient, ...term]) => total + coefficient * this.term(...term), 0);
    }

    term(kind, ...of) {
      if (kind === "tokens" || kind === "answers") return this[kind];
      if (kind === "one") return 1;
      if (kind === "length") return this.after;
      if (kind === "rows") return Math.min(this.tokens, of[0]);
      if (kind === "experts") return this.formula("experts-touched", { n_expert: of[0], n_chosen: of[1], tokens: this.tokens });
      if (kind === "latest") return Math.min(this.tokens, of[0]);
      const reach = this.reaches[of[0]];
      if (kind === "others") return this.count(reach, "entries", this.after + 1) - 1;
      if (kind === "pages") {
        const pages = this.pages(reach, this.after);
        return this.own ? Math.min(pages, this.pages(reach, this.tokens)) : pages;
      }
      if (kind === "reach" && this.entries) return this.count(reach, "entries", this.after);
      const before = kind === "reach" ? this.before : this.after - Math.min(this.tokens, of[1]);
      return this.count(reach, "pairs", this.after) - this.count(reach, "pairs", before);
    }

    pages([kind, size], length) {
      const { page } = this, held = this.count([kind, size], "entries", length);
      if (kind === "window" && length > size) return Math.min(Math.ceil(length / page), Math.ceil((size - 1) / page) + 1) * page;
      return Math.ceil(held / page) * page;
    }

    count([kind, size, best], what, length) {
      if (length <= 0) return 0;
      if (kind === "fixed") return what === "entries" ? 1 : length;
      if (kind === "full" && what === "entries") return length;
      const sizes = { window: ["window"], chunk: ["chunk"], compressed: ["ratio"], chosen: ["ratio", "chosen"], blocks: ["chunk", "chosen"] }[kind] || [];
      const given = { sequence: length };
      sizes.forEach((name, i) => (given[name] = [size, best][i]));
      const key = (of) => (of === "pairs" && kind === "compressed" ? "chosen-pairs" : `${kind === "full" ? "causal" : kind}-${of}`);
      const source = (name) => ({ own_pairs: "chunk-pairs", earlier: "blocks-before" })[name] || key(name);
      const put = (name) => {
        const values = {};
        for (const input of this.formulas[name].inputs) values[input] = input in given ? given[input] : put(source(input));
        return this.formula(name, values);
      };
      return put(key(what));
    }

    formula(key, values) {
      return this.formulas[key].of(values);
    }
  }

  // What one device's ledger says of requests of one kind, by the names of the results.
  const counts = (base, profile, s) => {
    const { prompt, output, cached, page, chunk } = s, steps = output - 1, fresh = prompt - cached;
    const given = (before, after, more) => new Given(base.formulas, profile.reaches, page, before, after, more);
    const [weights, stored] = profile.weights[s.weights], { state, found, shared, held, kept } = profile.kv[s.kv];
    const ready = given(cached, prompt), done = given(prompt, prompt + steps, { answers: steps }), there = given(0, cached, { entries: true });
    const passes = Math.ceil(fresh / chunk), last = cached + (passes - 1) * chunk;
    const ends = [cached, last].map((at) => given(0, at, { entries: true }).sum(state));
    return {
      output, prompt, fresh, "pass.tokens": chunk, "widest.in": profile.widest[0], "widest.out": profile.widest[1], "memory.weights": stored,
      "memory.request": given(0, prompt + output).sum(held), "memory.own": given(cached, prompt + output, { own: true }).sum(held),
      "memory.mean": done.sum(kept) / steps,
      "prefill.passes": passes, "prefill.weights": (passes - 1) * given(0, chunk).sum(weights) + given(0, prompt - last).sum(weights),
      "prefill.state": given(cached, last).sum(state) / chunk + (ends[0] + ends[1]) / 2,
      "prefill.flops": ready.sum(profile.processed), "prefill.least.flops": ready.sum(profile.processed_least),
      "prefill.least.weights": given(0, 1).sum(weights), "prefill.least.state": there.sum(found), "request.state": done.sum(state) / steps,
      "request.flops": done.sum(profile.decoded) / steps, "request.least.flops": done.sum(profile.decoded_least) / steps,
      "request.shared": there.sum(shared), "decode.weights": given(0, s.batch).sum(weights), batch: s.batch,
    };
  };

  // The format computed in: the one of the weights where the device has it, else that of the activations.
  const computedIn = (base, model, device, weights) => {
    const { kind } = base.formats[weights || model.widest];
    return kind in device.formats ? kind : "bf16";
  };

  const checked = (base, s) => {
    const model = base.models[s.model], device = base.devices[s.device];
    if (!model.tp.includes(s.tp)) throw new Refused(`tp = ${s.tp}: ${s.model} can be cut for ${model.tp.join(", ")}`);
    if (device.domain !== null && s.tp > device.domain) throw new Refused(`tp = ${s.tp}: the links of ${s.device} join ${device.domain} devices; replicas can be more`);
    if (s.tp > 1 && !("beta_link" in device.facts)) throw new Refused(`${s.device} has no published link bandwidth, so that no bound can be given`);
    const most = model.most, length = s.prompt + s.output;
    if (most !== null && length > most) throw new Refused(`prompt + output = ${length.toLocaleString("en")}: ${s.model} takes ${most.toLocaleString("en")} tokens at most`);
    return [model, device];
  };

  const ENDS = [".slow", ".fast"];

  // All results by name, as the library has them.
  const estimate = (base, profiles, s) => {
    const [model, device] = checked(base, s), profile = profiles[s.tp];
    if (typeof profile.weights[s.weights] === "string") throw new Refused(profile.weights[s.weights]);
    const dtype = computedIn(base, model, device, s.weights), format = device.formats[dtype];
    const values = { ...device.facts, peak: format.peak, ...counts(base, profile, s), tp: s.tp, b_act: base.activation, d_model: model.d_model };
    values.reductions = s.tp > 1 ? model.reductions : 0;
    values["prefill.least.reductions"] = s.tp > 1 ? model.least : 0;
    values["decode.least.weights"] = values["prefill.least.weights"];
    for (const [name, ends] of Object.entries(format.assumed)) ENDS.forEach((end, i) => (values[name + end] = ends[i]));
    values.memory_share = Math.min(...format.assumed.memory_share);
    values.reserve = Math.max(...format.assumed.reserve);
    for (const [name, key, inputs, ends] of base.steps) {
      if (base.cost.includes(name) && !("price" in values)) continue;
      if (s.tp === 1 && base.links.includes(key)) {
        for (const end of ends ? ENDS : [""]) values[name + end] = 0; // one device sends nothing
        continue;
      }
      if (base.energy.includes(name) && !("power" in values)) continue;
      for (const end of ends ? ENDS : [""]) {
        const given = {};
        for (const input of base.formulas[key].inputs) {
          const from = inputs[input];
          given[input] = typeof from === "number" ? from : values[end && from + end in values ? from + end : from];
        }
        values[name + end] = runStep(base.formulas[key], key, given);
      }
    }
    return { values, dtype, model, device, format, profile };
  };

  const binds = (v, phase) => {
    const clocks = [["memory", v[`${phase}.memory`]], ["compute", v[`${phase}.compute`]], ["links", v[`${phase}.wire`]]];
    const [most] = clocks.reduce((a, b) => (b[1] > a[1] ? b : a));
    if (most !== "memory") return most;
    return v[`${phase}.weights`] >= v[`${phase}.state`] ? "weights" : "state";
  };

  const longest = (base, found, s) => {
    const room = found.values["memory.headroom"] + s.batch * found.values["memory.request"];
    const { held } = found.profile.kv[s.kv];
    let low = 0, high = found.model.most ?? 1e9;
    while (low < high) {
      const middle = Math.floor((low + high + 1) / 2);
      if (s.batch * new Given(base.formulas, found.profile.reaches, s.page, 0, middle).sum(held) <= room) low = middle;
      else high = middle - 1;
    }
    return low;
  };

  const BYTE = { dims: aiinfra.units.bases.map((n) => (n === "B" ? 1 : 0)), text: "B" };
  const bytes = (value) => show(value, BYTE);
  const precise = (value) => show(value, { dims: BYTE.dims.map(() => 0), text: "" }, ".3g");
  const grouped = (value) => value.toLocaleString("en-US");

  const memory = (base, found, s) => {
    const v = found.values;
    return [
      ["weights", bytes(v["memory.weights"])], ["workspace", bytes(v["memory.workspace"])],
      ["state of all requests", bytes(v["memory.request"] * s.batch)], ["of one request", bytes(v["memory.request"])],
      ["used", bytes(v["memory.used"])], ["left", bytes(v["memory.headroom"])],
      ["largest batch", grouped(v["memory.batch_max"])], ["at their mean length", grouped(v["memory.batch_mean"])],
      ["longest context", grouped(longest(base, found, s))],
    ];
  };

  const speeds = (base, found, s) => {
    const v = found.values, rows = [];
    const text = (name, spec) => show(v[name], base.units[name], spec);
    for (const [label, bound, stem] of base.rows) {
      if (!(`${stem}.slow` in v)) continue;
      const spec = label === "price per token" ? ".3g $/Mtoken" : "";
      const first = bound in v && bound ? `${base.relations[bound]} ${text(bound, spec)}` : "–";
      rows.push([label, first, `${text(`${stem}.slow`, spec)} to ${text(`${stem}.fast`, spec)}`]);
      if (stem === "service.tokens.expected") {
        const each = ["bound", "expected.slow", "expected.fast"].map((end) => show(v[`service.tokens.${end}`] / s.tp, base.units[bound]));
        rows.push(["  of one device", `<= ${each[0]}`, `${each[1]} to ${each[2]}`]);
      }
    }
    const user = ENDS.map((end) => precise(1 / v[`service.tpot.expected${end}`]));
    rows.push(["tokens a second, a user", `<= ${precise(1 / v["decode.bound"])}`, user.join(" to ")]);
    return rows;
  };

  const notes = (base, found, s) => {
    const { model, device, dtype, format } = found, said = [...model.notes];
    const stored = s.weights || model.widest, element = base.formats[stored].element;
    if (!device.measured) said.push(`${s.device}: usable memory is not published; the capacity on the label is taken, which is more`);
    if (dtype === "bf16" && element < base.activation) said.push(`${s.device} has no peak for ${stored}: weights are converted, computed in BF16`);
    if (model.others.length) said.push(`only the language model is counted, not ${model.others.join(", ")}`);
    if (s.cached) said.push("memory and what is expected count a cached prefix for each request; bounds and memory.batch_shared let them share it");
    if (!model.dense) said.push("what is expected reads the experts that even routing touches on average; bounds read those of one token");
    if (base.formats[dtype].element < base.activation) said.push(`all operations are counted at the peak of ${dtype}; scores, head or router in wider formats take longer`);
    return [...said, ...format.elsewhere[s.tp > 1 ? 1 : 0]];
  };

  // The results alone, as for a curve.
  aiinfra.estimated = (base, profiles, s) => estimate(base, profiles, s).values;

  // What the command prints for a deployment, in pieces; a deployment that does not fit is refused with by how much.
  aiinfra.estimate = (base, profiles, s) => {
    const found = estimate(base, profiles, s), v = found.values;
    const over = -v["memory.headroom"], fits = over <= 0;
    return {
      values: v, fits, dtype: found.dtype, memory: memory(base, found, s), speeds: speeds(base, found, s), notes: notes(base, found, s),
      binds: { prefill: binds(v, "prefill"), decode: binds(v, "decode") }, budget: v.memory_share * v.usable,
      refusal: fits ? "" : `needs ${bytes(over)} more than the ${bytes(v.memory_share * v.usable)} of a device`,
    };
  };
})();
