// Numbers with units as the library reads and prints them: aiinfra.parse("21 ms"), aiinfra.show({value, unit}).
(() => {
  "use strict";
  const { atoms, clear, counts, bases, si, small } = aiinfra.units;
  const MOST = Number.MAX_VALUE;
  const NUMBER = /^\s*([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?)(?![\d.,_])\s*(.*?)\s*$/;
  const plain = () => bases.map(() => 0);

  class Refused extends Error {}

  // A text of others, short enough to be shown beside a field.
  const brief = (text) => JSON.stringify(text.length > 40 ? text.slice(0, 39) + "…" : text);

  const unitOf = (text) => {
    let factor = 1, sign = 1;
    const dims = plain();
    for (const part of text.trim().split(/([/·*])/)) {
      const word = part.trim().replace("\u03bc", "µ");
      if (word && "/·*".includes(word)) {
        sign = word === "/" ? -1 : sign;
        continue;
      }
      const [name, power = "", ...rest] = word.split("^");
      if (Object.hasOwn(clear, name)) throw new Refused(`${brief(name)} is read in two ways; write ${clear[name]}`);
      if (!Object.hasOwn(atoms, name) || rest.length || !/^\d?$/.test(power)) throw new Refused(`unknown unit ${brief(word)}`);
      const exponent = sign * (power ? Number(power) : 1);
      const [f, d] = atoms[name];
      factor *= f ** exponent;
      d.forEach((e, i) => (dims[i] += e * exponent));
    }
    return { factor, dims, text: text.trim() };
  };

  // A number with its unit in base units; a bare number has the unit of no dimension.
  const parse = (text) => {
    let source = text.replace(/\u2212/g, "-").replace(/[\u00a0\u2009\u202f]/g, " ").trim();
    let found;
    if (source.startsWith("$")) {
      found = NUMBER.exec(source.slice(1));
      source = found ? `${found[1]} USD${found[2]}` : "";
    }
    found = /^[\x20-\x7e\u00b5\u03bc\u00b7]*$/.test(source) ? NUMBER.exec(source) : null;
    if (!found) throw new Refused(`${brief(text)} is not a number${text.trim() ? "" : ": the field is empty"}`);
    const unit = found[2] ? unitOf(found[2]) : { factor: 1, dims: plain(), text: "" };
    const number = Number(found[1].replaceAll("_", ""));
    // 0.3 ms is 3e-4 s to the last digit where the product of the two would not be
    const scaled = unit.factor < 1 && Number.isInteger(1 / unit.factor) ? number / (1 / unit.factor) : number * unit.factor;
    if (!(Math.abs(scaled) <= MOST)) throw new Refused(`${brief(text)} is larger than any number`);
    return { value: scaled, dims: unit.dims, unit: unit.text, bare: !found[2] };
  };

  const same = (a, b) => a.every((e, i) => e === b[i]);

  const spell = (dims) => {
    const power = (name, e) => (e === 1 ? name : `${name}^${e}`);
    const over = bases.flatMap((n, i) => (dims[i] > 0 ? [power(n, dims[i])] : [])).join("·");
    const under = bases.flatMap((n, i) => (dims[i] < 0 ? [power(n, -dims[i])] : []));
    return under.length ? [over || "1", ...under].join("/") : over;
  };

  const grouped = (digits) => digits.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));

  // A number's first n digits and its exponent, ties to even as Python has them; a script's own ties go up.
  const cut = (value, n) => {
    const [mantissa, e] = Math.abs(value).toExponential(100).split("e"); // all digits of what is stored
    const all = mantissa.replace(".", ""), kept = BigInt(all.slice(0, Math.max(n, 0)) || "0"), rest = n < 0 ? "0" : all.slice(n);
    const half = "5".padEnd(rest.length, "0");
    const up = rest > half || (rest === half && kept % 2n === 1n);
    const digits = (kept + (up ? 1n : 0n)).toString().padStart(n, "0");
    return digits.length > Math.max(n, 0) && n > 0 ? [digits.slice(0, n), Number(e) + 1] : [digits, Number(e)];
  };
  const sign = (value) => (value < 0 || Object.is(value, -0) ? "-" : "");
  const exponential = (value, decimals) => {
    const [all, e] = cut(value, decimals + 1);
    const shown = decimals ? `${all[0]}.${all.slice(1)}` : all;
    return `${sign(value)}${shown}e${e < 0 ? "-" : "+"}${String(Math.abs(e)).padStart(2, "0")}`;
  };
  const fixed = (value, decimals) => {
    const e = Number(value.toExponential(100).split("e")[1]);
    const [all, up] = cut(value, e + 1 + decimals);
    let text = up > e && e + 1 + decimals > 0 ? all + "0" : all;
    if (Math.abs(value) >= 2 ** 53) text = BigInt(Math.abs(value)).toString() + "0".repeat(decimals); // whole, all its digits
    text = text.padStart(decimals + 1, "0");
    return sign(value) + (decimals ? `${text.slice(0, -decimals)}.${text.slice(-decimals)}` : text);
  };
  const precise = (value, significant) => (Number.isFinite(value) ? Number(exponential(value, significant - 1)) : value);

  // What closes without need: 3.35 is not measured to 3.350.
  const shortest = (mantissa, exponent, value) => {
    const short = mantissa.includes(".") ? mantissa.replace(/0+$/, "").replace(/\.$/, "") : mantissa;
    const read = Number(short.replaceAll(",", "") + exponent);
    return (Number.isFinite(read) && Math.abs(read - value) <= 1e-12 * Math.max(Math.abs(read), Math.abs(value)) ? short : mantissa) + exponent;
  };

  // Half away from zero on the shortest digits: 794.5 is 795 to a reader.
  const halfUp = (value, decimals) => {
    const [mantissa, e] = Math.abs(value).toExponential().split("e");
    const digits = BigInt(mantissa.replace(".", "")), places = mantissa.replace(".", "").length - 1 - Number(e);
    let scaled = digits * 10n ** BigInt(Math.max(0, decimals - places));
    if (places > decimals) {
      const unit = 10n ** BigInt(places - decimals);
      scaled = (digits + unit / 2n) / unit;
    }
    if (decimals < 0) scaled *= 10n ** BigInt(-decimals);
    const text = scaled.toString().padStart(decimals + 1, "0");
    const shown = decimals > 0 ? `${text.slice(0, -decimals)}.${text.slice(-decimals)}` : text;
    return (value < 0 && scaled ? "-" : "") + grouped(shown);
  };

  const digits = (value, significant = 3, whole = false) => {
    if (Number.isInteger(value) && Math.abs(value) < (whole ? 1e15 : 1e6)) return grouped((value || 0).toFixed(0));
    const size = Math.abs(value);
    if (!(size >= 1e-3 && size < 1e6)) {
      const [mantissa, e] = exponential(value, significant - 1).split("e");
      return shortest(mantissa, "e" + e, value);
    }
    const rounded = precise(size, significant);
    const decimals = significant - 1 - Math.floor(Math.log10(rounded));
    return decimals > 0 ? shortest(halfUp(value, decimals), "", value) : halfUp(value, decimals);
  };

  // A format specification of the book: ",", a number of decimals, and one of f, g, e.
  const formatted = (value, spec) => {
    const [, comma, decimals, kind] = /^(,?)(?:\.(\d+))?([fge]?)$/.exec(spec);
    const n = decimals === undefined ? 6 : Number(decimals);
    let text;
    if (kind === "f") text = fixed(value, n);
    else if (kind === "e") text = exponential(value, n);
    else {
      const p = n || 1, [, e] = exponential(value, p - 1).split("e");
      const trim = (t) => (t.includes(".") ? t.replace(/0+$/, "").replace(/\.$/, "") : t);
      if (Number(e) >= -4 && Number(e) < p) text = trim(fixed(value, Math.max(0, p - 1 - Number(e))));
      else text = ((m, x) => `${trim(m)}e${x}`)(...exponential(value, p - 1).split("e"));
    }
    return comma ? grouped(text) : text;
  };

  const USD = bases.indexOf("USD"), SECOND = bases.indexOf("s"), JOULE = bases.indexOf("J"), FLOP = bases.indexOf("FLOP");
  const dimsOf = (powers) => bases.map((n) => powers[n] || 0);
  const PER_HOUR = dimsOf({ USD: 1, s: -1 }), TIME = dimsOf({ s: 1 }), POWER = dimsOf({ J: 1, s: -1 }), ENERGY = dimsOf({ J: 1 });

  const ownText = (unit) => {
    try {
      return unitOf(unit.text).factor === 1 ? unit.text : spell(unit.dims);
    } catch {
      return spell(unit.dims);
    }
  };

  // Value and unit text with the prefix that leaves one to three digits before the point.
  const readable = (value, unit, significant = 3) => {
    const { dims, text } = unit;
    if (dims.every((e) => !e)) return [value, counts.includes(text.replace(/s+$/, "")) ? text : ""];
    const lead = dims.findIndex((e) => e > 0);
    const scaled = (e) => (e === 0 ? value : e > 0 ? value / 10 ** e : value * 10 ** -e);
    const size = (e) => precise(Math.abs(scaled(e)), significant);
    let scale = { "": 0 };
    if (same(dims, PER_HOUR)) return [value * 3600, "USD/h"];
    if (same(dims, TIME)) {
      if (size(0) >= 120) {
        for (const word of ["d", "h", "min"]) {
          if (size(0) >= 2 * atoms[word][0]) return [value / atoms[word][0], word];
        }
      }
      scale = { "": 0, ...small };
    } else if (text === "Hz") scale = { "": 0, ...si };
    else if (same(dims, POWER) || same(dims, ENERGY)) scale = { "": 0, ...si, m: -3 };
    else if (lead >= 0 && lead !== USD && dims[lead] === 1) scale = { "": 0, ...si, ...(lead === FLOP ? { Z: 21, Y: 24 } : {}) };
    const fitting = value ? Object.keys(scale).filter((p) => size(scale[p]) >= 1) : [""];
    const by = (list, sign) => list.reduce((a, b) => (sign * scale[b] > sign * scale[a] ? b : a));
    const prefix = fitting.length ? by(fitting, 1) : by(Object.keys(scale), -1);
    return [scaled(scale[prefix]), prefix + (same(dims, POWER) ? "W" : ownText(unit))];
  };

  // A quantity as the library prints it; ``spec`` is a number format, a unit or both: ".3g ms".
  const show = (value, unit, spec = "", whole = false) => {
    const [, number = "", target = ""] = /^(?:([<>=^+\- 0,]*\d*(?:\.\d+)?[eEfFgGd]?)(?=\s|$))?\s*(.*)$/.exec(spec);
    let text, scaled;
    if (target) [scaled, text] = [value / unitOf(target).factor, target === "1" ? "" : target];
    else [scaled, text] = readable(value, unit);
    let shown;
    if (!Number.isFinite(scaled)) shown = scaled < 0 ? "-inf" : "inf"; // dollars an hour are 3600 times those a second
    else shown = number ? formatted(scaled, number) : digits(scaled, 3, whole);
    return `${shown}${text === "%" || text === "" ? "" : " "}${text}`;
  };

  Object.assign(aiinfra, { Refused, brief, parse, unitOf, sameDims: same, spell, digits, readable, show });
})();
