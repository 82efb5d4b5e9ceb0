// Requests evaluated on the page: from what a reader gives and the catalogue, through the formulas that link them, to a quantity.
(() => {
  "use strict";
  const { Refused, unitOf, sameDims, spell, digits, show } = aiinfra;
  const SIGNS = { "=": "=", ">=": "<=", "<=": ">=", "~": "~" };
  const both = (a, b) => (a === "=" ? b : b === "=" || a === b ? a : "~");

  // A number that a symbol takes, or one line that says what it takes.
  const clean = (page, name, value) => {
    const info = page.symbols[name];
    const low = info.minimum === null ? -Infinity : info.minimum;
    const inside = Number.isFinite(value) && !(value >= info.below) && (value > low || (value === low && !info.positive));
    if (!inside || (info.whole && !Number.isInteger(value))) throw new Refused(`must be ${info.allowed}`);
    return value;
  };

  const wanted = (page, name, entries) => {
    const { meaning, unit } = page.symbols[name];
    const why = entries.map((e) => e.lacks[name]).filter(Boolean);
    return `${name} (${[meaning + (unit.text ? `, in ${unit.text}` : ""), ...why].join("; ")})`;
  };

  // The formulas to evaluate, in order, from known values to one result.
  const plan = (page, key, known, entries) => {
    const steps = [], made = new Set(), missing = new Set();
    const need = (name, chain) => {
      if (name in known || made.has(name)) return;
      const source = page.defines[name];
      if (!source || chain.includes(name)) {
        missing.add(name);
        return;
      }
      for (const entry of entries) {
        if (name in entry.refuses) throw new Refused(`${key} needs ${name} (${page.symbols[name].meaning}); ${entry.refuses[name]}`);
      }
      for (const input of page.formulas[source].inputs) need(input, [...chain, name]);
      made.add(name);
      steps.push(source);
    };
    const { symbol, inputs } = page.formulas[key];
    for (const input of inputs) need(input, [symbol]);
    if (missing.size) throw new Refused(`${key} needs ${[...missing].map((name) => wanted(page, name, entries)).join("; ")}`);
    return [...steps, key];
  };

  const step = (f, key, values) => {
    for (const [holds, text] of f.checks) {
      if (!holds(values)) throw new Refused(`${key} holds only for ${text}${f.holds ? ` (${f.holds})` : ""}`);
    }
    const result = f.of(values);
    if (!Number.isFinite(result)) throw new Refused(`${key} has no finite value here`);
    return result;
  };

  const run = (page, steps, values) => {
    for (const key of steps) values[page.formulas[key].symbol] = step(page.formulas[key], key, values);
    return values[page.formulas[steps.at(-1)].symbol];
  };

  // What a request within a request gives, held to what the symbol takes.
  const nested = (page, name, request, inputs) => {
    const { value } = ask(page, request, inputs);
    try {
      return clean(page, name, value);
    } catch (error) {
      if (error instanceof Refused) error.message = `${name} = ${digits(value)}: ${error.message}`;
      throw error;
    }
  };

  const plans = new WeakMap();

  // One formula with what it is given: inputs that a reader sets outweigh those of the request,
  // but for what a nested request spells out, and are left out where they have no part.
  const call = (page, term, all) => {
    const inputs = term.kept.length ? Object.fromEntries(Object.entries(all).filter(([name]) => !term.kept.includes(name))) : all;
    const entries = [], supplied = {};
    const chosen = { ...term.entries };
    for (const kind of ["model", "device"]) if (inputs[kind] !== undefined) chosen[kind] = inputs[kind];
    const model = chosen.model && page.models[chosen.model], device = chosen.device && page.devices[chosen.device];
    const format = inputs.dtype ?? term.dtype ?? (model ? model.format : "");
    if (model) entries.push(model), Object.assign(supplied, model.values[""]);
    if (device) entries.push(device), Object.assign(supplied, device.values[format] ?? device.values[""]);
    const given = {};
    for (const [name, value] of Object.entries(term.given)) given[name] = typeof value === "object" ? nested(page, name, value.ask, inputs) : value;
    for (const [name, value] of Object.entries(inputs)) if (typeof value === "number") given[name] = value;
    const values = { ...supplied, ...given };
    const known = `${chosen.model}|${chosen.device}|${format}|${Object.keys(inputs)}`; // of these the plan depends on nothing else
    if (!plans.has(term)) plans.set(term, new Map());
    const kept = plans.get(term);
    if (!kept.has(known)) kept.set(known, plan(page, term.key, values, entries));
    const result = run(page, kept.get(known), values);
    const f = page.formulas[term.key];
    return { value: result, unit: page.symbols[f.symbol].unit, relation: f.relation, whole: page.symbols[f.symbol].whole, values };
  };

  const times = (a, b) => {
    const unit = b.unit.dims.some(Boolean) ? a.unit.dims.map((e, i) => e + b.unit.dims[i]) : null;
    const relation = both(a.relation, b.relation);
    return { value: a.value * b.value, unit: unit ? { dims: unit, text: spell(unit) } : a.unit, relation };
  };
  const over = (a, b) => {
    if (b.value === 0) throw new Refused("a division by zero");
    const unit = b.unit.dims.some(Boolean) ? a.unit.dims.map((e, i) => e - b.unit.dims[i]) : null;
    const relation = both(a.relation, SIGNS[b.relation]);
    return { value: a.value / b.value, unit: unit ? { dims: unit, text: spell(unit) } : a.unit, relation };
  };

  // The answer to a request: value in base units, unit, relation, and how it is printed.
  const ask = (page, request, inputs) => {
    const found = [], added = [];
    request.terms.forEach((term, i) => {
      const value = term.key ? call(page, term, inputs) : term;
      const sign = i ? request.signs[i - 1] : "+";
      if (sign === "*") found.push(times(found.pop(), value));
      else if (sign === "/") found.push(over(found.pop(), value));
      else found.push(value), added.push(sign);
    });
    let total = found[0];
    found.slice(1).forEach((value, i) => {
      if (!sameDims(total.unit.dims, value.unit.dims)) throw new Refused("cannot add quantities of unlike units");
      const minus = added[i + 1] === "-";
      const relation = both(total.relation, minus ? SIGNS[value.relation] : value.relation);
      total = { value: minus ? total.value - value.value : total.value + value.value, unit: total.unit, relation };
    });
    let { spec } = request;
    if (spec === "floor" || spec === "ceil") [total, spec] = [{ ...total, value: Math[spec](total.value), whole: true }, ""];
    if (!Number.isFinite(total.value)) throw new Refused("no finite value here");
    return { ...total, spec: `${spec} ${request.unit}`.trim(), target: request.unit };
  };

  const text = (answer) => show(answer.value, answer.unit, answer.spec, answer.whole);
  const number = (answer) => (answer.target ? answer.value / unitOf(answer.target).factor : answer.value);

  Object.assign(aiinfra, { clean, ask, answerText: text, answerNumber: number, runStep: step });
})();
