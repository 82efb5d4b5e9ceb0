// Round numbers for axes and the way they print, as in the drawings: aiinfra.ticks.logarithmic(1, 1e4, 8).
(() => {
  "use strict";
  const PREFIXES = ["", "k", "M", "G", "T", "P", "E"];
  const plain = { dims: aiinfra.units.bases.map(() => 0), text: "" };
  const format = (value, spec) => aiinfra.show(value, plain, spec);
  const minus = (text) => text.replace("-", "\u2212");
  const size = (value) => Math.log10(Math.abs(value));

  const prefixed = (value) => {
    const step = value === 0 ? 0 : Math.max(0, Math.floor(size(value) / 3 + 1e-9));
    return minus(format(value / 1000 ** step, ".4g")) + PREFIXES[step];
  };

  const power = (value) => {
    if (value === 0) return "0";
    const exponent = Math.floor(size(value) + 1e-9);
    const lead = format(value / 10 ** exponent, ".3g");
    const ten = "10" + [...String(exponent)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("");
    return lead === "1" ? ten : minus(`${lead}·${ten}`);
  };

  // Four significant digits, commas as in the text, a prefix from ten million on.
  const amount = (value) => {
    const most = Math.abs(value);
    if (value === 0) return "0";
    if (most >= 1e7 || most < 1e-3) return most >= 1e7 && most < 1e21 ? prefixed(value) : power(value);
    const shown = format(value, `,.${Math.max(0, 3 - Math.floor(size(value)))}f`);
    return minus(shown.includes(".") ? shown.replace(/0+$/, "").replace(/\.$/, "") : shown);
  };

  // Multiples of 1, 2, 2.5 or 5 times a power of ten inside a range.
  const linear = (low, high, most = 7) => {
    const span = high - low;
    if (span <= 0) return [low];
    const ten = 10 ** Math.floor(Math.log10(span / most));
    const step = [1, 2, 2.5, 5, 10, 20].map((s) => s * ten).find((s) => span / s <= most);
    const found = [];
    for (let i = Math.ceil(low / step - 1e-9); i <= Math.floor(high / step + 1e-9); i++) found.push(i * step);
    return found;
  };

  // 1, 2, 5 or 1, 3 in each decade while they are few, else powers of ten, thinned evenly.
  const logarithmic = (low, high, most = 8, base = 10) => {
    if (high / low < 3) return linear(low, high, most);
    const [first, last] = [low, high].map((v) => Math.round((Math.log(v) / Math.log(base)) * 1e9) / 1e9);
    if (base === 10) {
      for (const digits of [[1, 2, 3, 4, 5, 6, 8], [1, 2, 5], [1, 3]]) {
        const found = [];
        for (let e = Math.floor(first); e <= Math.ceil(last); e++) {
          for (const d of digits) {
            const at = Number(`${d}e${e}`);
            if (at >= low * (1 - 1e-9) && at <= high * (1 + 1e-9)) found.push(at);
          }
        }
        if (found.length >= 2 && found.length <= most && (digits.length < 7 || high / low < 8)) return found;
      }
    }
    const exponents = [];
    for (let e = Math.ceil(first - 1e-9); e <= Math.floor(last + 1e-9); e++) exponents.push(e);
    const every = Math.max(1, Math.ceil(exponents.length / most));
    const found = exponents.filter((_, i) => i % every === 0).map((e) => (base === 10 ? Number(`1e${e}`) : base ** e));
    return found.length ? found : [low];
  };

  // One label a tick: plain digits while they are short, else a prefix or a power of ten.
  const labels = (values) => {
    const sizes = values.map(Math.abs);
    const largest = Math.max(...sizes), smallest = Math.min(...sizes.filter(Boolean), largest || 1);
    if ((smallest && smallest < 1e-3) || largest >= 1e21) return values.map(power);
    const short = largest >= 1e5 && values.every((v) => prefixed(v).length <= 5);
    return values.map(short ? prefixed : amount);
  };

  aiinfra.ticks = { amount, linear, logarithmic, labels };
})();
