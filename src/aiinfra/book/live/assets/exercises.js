// Exercises that check themselves: aiinfra.judge("21 ms", field) says how an answer stands to the value of the formula.
(() => {
  "use strict";
  const { Refused, brief, parse, unitOf, sameDims, spell } = aiinfra;
  const WITHIN = 0.01; // what working with rounded numbers may cost
  const EXACT = 1e-9; // what typing all digits may cost

  // Separators of thousands where nobody can read them as a decimal comma; the library itself refuses every comma.
  const ungroup = (text, whole) => {
    const found = /^(\s*\$?\s*[+-]?)(\d{1,3}(?:,\d{3})+)(?![\d,])(\.?)/.exec(text);
    if (!found) return text;
    const plain = found[2].replaceAll(",", "");
    if (!whole && !found[3] && found[2].indexOf(",") === found[2].lastIndexOf(",")) {
      throw new Refused(`${brief(found[2])} is read in two ways; write ${plain} or ${found[2].replace(",", ".")}`);
    }
    return found[1] + plain + text.slice(found[1].length + found[2].length);
  };

  const powers = (base, why) => [1, 2, 3, 4].map((n) => [base ** n, n === 1 ? `${base}` : `${base}^${n}`, why]);
  const slips = ({ dims, unit }) => {
    const bytes = dims[aiinfra.units.bases.indexOf("B")] !== 0;
    return [
      [2, "2", "something is counted twice or once"],
      [8, "8", bytes ? "bits are taken for bytes, or bytes for bits" : "a byte has 8 bits"],
      ...powers(1000, "look at the prefix of the unit, such as ms for s or GB for TB"),
      ...powers(1024, "look at the binary prefix of the unit, such as MiB for GiB"),
      ...(bytes ? powers(1.024, "decimal and binary prefixes are mixed, such as GB and GiB") : []),
      ...(unit === "%" ? [[100, "100", "the answer is in per cent"]] : []),
    ];
  };

  const judge = (text, field) => {
    const { value, dims, unit, printed, half, whole } = field;
    const given = parse(ungroup(text, whole));
    if (!given.bare && !sameDims(given.dims, dims)) {
      const plain = dims.every((e) => !e);
      return { kind: "unit", text: `Wrong unit: ${given.unit} does not measure this; ${plain ? "it is a plain number" : `use ${unit || spell(dims)}`}.` };
    }
    const answer = given.bare && unit ? given.value * unitOf(unit).factor : given.value;
    const size = Math.abs(value), off = Math.abs(answer - value);
    const near = (a, b, share) => Math.abs(a - b) <= share * Math.abs(b);
    const rest = unit === "%" && value < 1 && value * (1 + WITHIN) >= 1 ? 1 - value : size; // 99% is not 99.95%
    if (off <= EXACT * size || near(answer, printed, EXACT) || off <= Math.min(half, value ? WITHIN * size : half)) {
      return { kind: "right", text: "Right." };
    }
    if (off <= WITHIN * rest && !(whole && size < 1000)) return { kind: "rounded", text: "Right within rounding." };
    if (!value || !answer) return { kind: "wrong", text: "Wrong." };
    if (near(-answer, value, WITHIN)) return { kind: "sign", text: "The sign is wrong." };
    for (const [factor, name, why] of slips(field)) {
      for (const [end, way] of [[value * factor, "large"], [value / factor, "small"]]) {
        if (near(answer, end, factor === 1.024 ? WITHIN / 2 : WITHIN)) return { kind: "factor", factor: name, way, text: `Too ${way} by a factor of ${name}: ${why}.` };
      }
    }
    return { kind: "wrong", text: "Wrong." };
  };

  // Which exercises are answered is kept in this browser; where it may not be kept, the page does without.
  const KEY = "aiinfra-exercises";
  const answered = () => {
    try {
      const found = JSON.parse(localStorage.getItem(KEY) || "[]");
      return new Set(Array.isArray(found) ? found.filter((n) => typeof n === "string") : []);
    } catch {
      return new Set();
    }
  };
  let done = answered();
  const keep = () => {
    try {
      if (done.size) localStorage.setItem(KEY, JSON.stringify([...done]));
      else localStorage.removeItem(KEY);
    } catch { /* a private window forgets when it closes */ }
  };

  const make = (tag, attributes = {}, ...children) => {
    const found = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => found.setAttribute(name, value));
    found.append(...children);
    return found;
  };

  const tick = () => make("span", { class: "tick", role: "img", "aria-label": "answered", hidden: "" }, "✓");

  const check = (box, changed) => {
    const name = box.dataset.exercise, fields = JSON.parse(box.dataset.fields);
    const form = make("form", { novalidate: "" });
    const rows = fields.map((field, i) => {
      const id = `${name}-answer-${i}`;
      const hint = field.unit ? `with its unit, or a bare number in ${field.unit}` : "a plain number";
      const input = make("input", { id, type: "text", autocomplete: "off", spellcheck: "false", "aria-describedby": `${id}-hint ${id}-result` });
      const result = make("output", { id: `${id}-result`, for: id, "aria-live": "polite" });
      form.append(make("div", {}, make("label", { for: id }, field.label || "Your answer"), input, make("small", { id: `${id}-hint` }, hint), result));
      return { field, input, result };
    });
    form.append(make("button", { type: "submit" }, "Check"), tick());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const some = rows.some(({ input }) => input.value.trim()); // of several numbers some may wait
      const kinds = rows.map(({ field, input, result }) => {
        let found = { kind: "open", text: "" };
        try {
          if (input.value.trim() || !some) found = judge(input.value, field);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          found = { kind: "refused", text: error.message };
        }
        result.textContent = found.text;
        result.className = found.kind;
        input.setAttribute("aria-invalid", String(found.kind === "refused"));
        return found.kind;
      });
      if (kinds.every((kind) => kind === "right" || kind === "rounded")) {
        done = answered().add(name);
        keep();
        changed();
      }
    });
    box.append(form);
    box.hidden = false;
  };

  const start = () => {
    const boxes = [...document.querySelectorAll("[data-exercise]")];
    const links = [...document.querySelectorAll("ul.answers a[href*='#']")];
    const names = links.length ? links.map((a) => decodeURIComponent(a.hash.slice(1))) : boxes.map((b) => b.dataset.exercise);
    if (!names.length) return;
    const count = make("span", { "aria-live": "polite" });
    const forget = make("button", { type: "button" }, "Forget");
    const changed = () => {
      count.textContent = `${names.filter((n) => done.has(n)).length} of ${names.length} exercises answered`;
      forget.hidden = !names.some((n) => done.has(n));
      boxes.forEach((b) => { b.querySelector(".tick").hidden = !done.has(b.dataset.exercise); });
      links.forEach((a, i) => { a.parentElement.querySelector(".tick").hidden = !done.has(names[i]); });
    };
    forget.addEventListener("click", () => {
      done = answered();
      names.forEach((n) => done.delete(n));
      keep();
      changed();
    });
    boxes.forEach((box) => check(box, changed));
    links.forEach((a) => a.parentElement.append(" ", tick()));
    const first = links.length ? links[0].closest("ul") : document.querySelector(".counted.exercise");
    if (first) first.before(make("p", { class: "exercises-done" }, count, " ", forget));
    changed();
  };

  Object.assign(aiinfra, { judge });
  if (typeof document !== "undefined") start();
})();
