// Calculators: the form, the results and the plot in the place of the first case that the page shows without scripts.
(() => {
  "use strict";
  const { Refused, brief, parse, show, digits, unitOf, sameDims, clean, ask, answerText, answerNumber, element } = aiinfra;
  const KIND = { "=": "exact", ">=": "lower bound", "<=": "upper bound", "~": "model" };
  const STEPS = 1000; // of a slider
  const POINTS = 96; // of a curve

  class Calculator {
    constructor(page, data, place) {
      Object.assign(this, { page, data, place, fields: new Map(), values: {} });
      this.box = place.closest("[id]");
      this.form = element("form", { class: "calculator-form", autocomplete: "off", "aria-label": this.title() });
      this.form.addEventListener("submit", (event) => event.preventDefault());
      this.form.append(this.inputs(), this.outputs());
      this.first = place.querySelector(".first-case");
      this.worked = [...this.first.querySelectorAll(".worked-line")].map((line) => line.cloneNode(true)); // print has the first case whole
      if (data.plot) this.form.append((this.plot = element("div", { class: "calculator-plot" })));
      if (this.worked.length) this.form.append(this.numbers());
      this.form.append(this.tools());
      this.reset();
      place.append(this.form);
      if (this.plot) this.watch();
      this.follow();
    }

    title() {
      const line = this.box && this.box.querySelector(".counted-title");
      return line ? line.textContent.replace(/[#¶]\s*$/, "").trim() : this.data.name;
    }

    // Inputs

    inputs() {
      const group = element("div", { class: "calculator-inputs" });
      for (const row of this.data.inputs) {
        const field = row.options ? this.choice(row) : this.number(row);
        this.fields.set(row.name, field);
        group.append(field.whole);
      }
      return group;
    }

    frame(row, control, ...more) {
      const id = `${this.data.name}-${row.name}`;
      control.id = id;
      const refused = element("p", { class: "refused", id: `${id}-refused`, role: "alert", hidden: true });
      control.setAttribute("aria-describedby", refused.id);
      const label = element("label", { for: id }, row.label, row.unit ? element("span", { class: "unit" }, ` (${row.unit})`) : "");
      return { row, control, refused, whole: element("div", { class: "field" }, label, control, ...more, refused) };
    }

    choice(row) {
      const options = row.options.map((key, i) => element("option", { value: key }, row.labels[i]));
      const field = this.frame(row, element("select", {}, ...options));
      field.set = (key) => {
        const at = row.options.indexOf(key);
        if (at < 0) throw new Refused(row.options.length < 9 ? `must be one of ${row.options.join(", ")}` : `${brief(key)} is not among the choices`);
        field.control.value = key;
        field.value = key;
      };
      field.control.addEventListener("change", () => this.change(field, field.control.value));
      return field;
    }

    number(row) {
      const info = this.page.symbols[row.name], whole = info.whole || row.whole;
      const text = element("input", { type: "text", inputmode: "decimal", spellcheck: "false" });
      const slider = row.from === undefined ? null : element("input", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": `${row.label}, slider` });
      const field = this.frame(row, text, slider || "");
      const factor = row.unit ? unitOf(row.unit).factor : 1;
      const read = (given) => {
        const q = parse(given);
        if (q.bare && info.unit.dims.some(Boolean)) {
          if (!row.unit) throw new Refused(`a unit is missing, such as ${info.unit.text}`);
          return q.value * factor;
        }
        if (!sameDims(q.dims, info.unit.dims)) throw new Refused(`unit must be ${row.unit || info.unit.text || "none"}`);
        return q.value;
      };
      const written = (value) => {
        if (row.unit) return String(Number((value / factor).toPrecision(6)));
        return info.unit.dims.some(Boolean) ? show(value, info.unit, ".6g") : String(Number(value.toPrecision(12)));
      };
      field.set = (value, typed) => {
        field.value = clean(this.page, row.name, typeof value === "string" ? read(value) : value);
        if (!typed) text.value = written(field.value);
        if (slider) {
          const share = row.log ? Math.log(field.value / row.from) / Math.log(row.to / row.from) : (field.value - row.from) / (row.to - row.from);
          slider.value = Math.round(STEPS * Math.min(1, Math.max(0, Number.isNaN(share) ? 0 : share)));
          slider.setAttribute("aria-valuetext", `${written(field.value)} ${row.unit}`.trim());
        }
      };
      text.addEventListener("input", () => this.change(field, text.value, true));
      if (slider) {
        slider.addEventListener("input", () => {
          const share = slider.value / STEPS;
          const value = row.log ? row.from * (row.to / row.from) ** share : row.from + (row.to - row.from) * share;
          this.change(field, whole ? Math.round(value) : Number(value.toPrecision(4)));
        });
      }
      return field;
    }

    settings() {
      return new Map([...this.fields.values()].map((field) => [field, field.value]));
    }

    // Values of before; a number that a reader tried stays in its field, to be mended.
    restore(settings, tried = null) {
      for (const [field, value] of settings) {
        if (field === tried && !field.row.options) field.value = value;
        else if (field === tried || field.value !== value) field.set(value);
      }
    }

    // A value that is refused is said so beside its field, and nothing else changes; it may hold once another one is changed.
    change(field, value, typed = false) {
      if (!this.take(field, value, typed)) return;
      for (const other of this.fields.values()) {
        if (other === field || other.refused.hidden) continue;
        if (other.row.options) this.say(other, "");
        else this.take(other, other.tried, true);
      }
    }

    take(field, value, typed) {
      const before = this.settings();
      field.tried = value;
      try {
        field.set(value, typed);
        this.update();
        this.say(field, "");
        return true;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.restore(before, field);
        this.say(field, error.message);
        return false;
      }
    }

    say(field, message) {
      field.refused.textContent = message;
      field.refused.hidden = !message;
      if (message) field.control.setAttribute("aria-invalid", "true");
      else field.control.removeAttribute("aria-invalid");
    }

    // Outputs

    outputs() {
      const body = element("tbody");
      this.results = this.data.outputs.map((row) => {
        const value = element("td", { class: "result" }), kind = element("td", { class: "kind" });
        const line = element("tr", {}, element("th", { scope: "row" }, row.label), value, kind);
        body.append(line);
        return { row, line, value, kind };
      });
      const head = element("thead", {}, element("tr", {}, ...["Result", "Value", "What it is"].map((t) => element("th", { scope: "col" }, t))));
      return element("div", { class: "table-wrapper" }, element("table", { class: "calculator-results", "aria-live": "polite" }, head, body));
    }

    given() {
      const found = {};
      for (const { row, value } of this.fields.values()) {
        found[row.sets || row.name] = row.sets ? row.values[row.options.indexOf(value)] : value;
      }
      return found;
    }

    // The answers for some inputs, symbols in base units and entries by key.
    answers(inputs) {
      return this.data.outputs.map((row) => ask(this.page, row.ask, inputs));
    }

    // All results are computed before any is shown: where one is refused, the page stays as it was.
    update() {
      const inputs = this.given();
      const answers = this.answers(inputs);
      const racing = answers.filter((_, i) => this.data.outputs[i].race);
      const most = Math.max(...racing.map((a) => a.value));
      this.results.forEach(({ row, line, value, kind }, i) => {
        const binds = Boolean(row.race) && racing.length > 1 && answers[i].value === most;
        value.textContent = answerText(answers[i]);
        kind.textContent = [KIND[answers[i].relation], binds ? "binds" : "", row.note || ""].filter(Boolean).join(", ");
        line.classList.toggle("binds", binds);
      });
      this.data.outputs.filter((row) => row.worked).forEach((row, i) => this.write(row, this.worked[i], answers[this.data.outputs.indexOf(row)]));
      if (this.plot) this.draw(inputs);
      this.done();
    }

    // Results stand on the page: the first case is for print from now on.
    done() {
      this.shown = this.settings();
      this.first.hidden = true;
    }

    numbers() {
      const box = element("details", { class: "numbers", open: true }, element("summary", {}, "The numbers put in"));
      box.append(...this.worked);
      for (const line of this.worked) {
        line.querySelectorAll(".katex-mathml").forEach((node) => node.remove()); // it holds the first case; the table above is read out
      }
      return box;
    }

    write(row, line, answer) {
      const put = (name, text) => {
        for (const place of line.querySelectorAll(`.n-${name}`)) {
          if (place.textContent === text) continue;
          const space = place.lastElementChild && place.lastElementChild.matches(".mspace") ? place.lastElementChild : "";
          place.replaceChildren(element("span", { class: "mord text" }, text), space);
        }
      };
      for (const name of row.numbers) put(name, show(answer.values[name], this.page.symbols[name].unit, "", this.page.symbols[name].whole));
      put("result", answerText(answer));
    }

    // The plot is drawn once it comes near; until then nobody waits for it.
    watch() {
      const near = new IntersectionObserver(
        (entries) => {
          if (!entries.some((entry) => entry.isIntersecting)) return;
          near.disconnect();
          this.near = true;
          this.update();
        },
        { rootMargin: "50% 0px" },
      );
      near.observe(this.plot);
    }

    draw(inputs) {
      if (!this.near) return;
      const { x, label, y, log, series } = this.data.plot;
      const row = this.fields.get(x).row, info = this.page.symbols[x];
      const factor = row.unit ? unitOf(row.unit).factor : 1;
      const values = new Set();
      for (let i = 0; i < POINTS; i++) {
        const share = i / (POINTS - 1);
        const value = row.log ? row.from * (row.to / row.from) ** share : row.from + (row.to - row.from) * share;
        values.add(info.whole || row.whole ? Math.round(value) : value);
      }
      const xs = [...values];
      const curve = (request) =>
        xs.map((value) => {
          try {
            return answerNumber(ask(this.page, request, { ...inputs, [x]: value }));
          } catch (error) {
            if (error instanceof Refused) return null;
            throw error;
          }
        });
      const lines = series.map((s) => ({ label: s.label, role: s.role, dash: s.dash, xs: xs.map((v) => v / factor), ys: curve(s.ask) }));
      const here = { x: inputs[x] / factor, text: "now" };
      const spec = { title: this.title(), x: { label, log: row.log }, y: { label: y, log }, series: lines, marks: [here] };
      if (!aiinfra.chart) return;
      if (this.chart) this.chart.update(spec);
      else this.chart = aiinfra.chart(this.plot, spec);
    }

    // Reset, and a link that carries the state

    tools() {
      const button = (text, act) => {
        const found = element("button", { type: "button" }, text);
        found.addEventListener("click", act);
        return found;
      };
      this.status = element("p", { class: "status", role: "status" });
      const reset = button("Reset", () => {
        this.reset();
        this.status.textContent = "The first case again.";
      });
      return element("div", { class: "calculator-tools" }, reset, button("Copy a link to this case", () => this.copy()), this.status);
    }

    reset() {
      for (const field of this.fields.values()) {
        field.set(field.row.start);
        this.say(field, "");
      }
      this.update();
    }

    link() {
      const address = new URL(location.href);
      for (const name of [...address.searchParams.keys()]) if (name.startsWith(`${this.data.name}.`)) address.searchParams.delete(name);
      for (const { row, value } of this.fields.values()) if (value !== row.start) address.searchParams.set(`${this.data.name}.${row.name}`, String(value));
      address.hash = this.box ? this.box.id : "";
      return address.href;
    }

    async copy() {
      const address = this.link();
      try {
        history.replaceState(null, "", address);
        await navigator.clipboard.writeText(address);
        this.status.textContent = "The link is copied.";
      } catch {
        this.status.textContent = "The link is in the address bar.";
      }
    }

    // What a link says; where it is damaged, the first case stands and the page says so.
    follow() {
      const prefix = `${this.data.name}.`, query = new URLSearchParams(location.search);
      const names = [...query.keys()].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
      if (!names.length) return;
      this.linked = true;
      try {
        for (const name of names) if (!this.fields.has(name)) throw new Refused(`${brief(name)} is no input`);
        for (const [name, field] of this.fields) for (const text of query.getAll(prefix + name)) this.read(field, text);
        this.update();
        this.status.textContent = "This case came with the link.";
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.damaged(error);
      }
    }

    read(field, text) {
      try {
        const q = field.row.options ? null : parse(text);
        if (q && !q.bare) throw new Refused(`${brief(text)} is not a plain number`);
        field.set(q ? q.value : text);
      } catch (error) {
        if (error instanceof Refused) error.message = `${field.row.label}: ${error.message}`;
        throw error;
      }
    }

    damaged(error) {
      this.linked = false;
      this.reset();
      this.status.textContent = `The link is damaged (${error.message}), so the first case is shown.`;
    }
  }

  aiinfra.Calculator = Calculator;
  aiinfra.calculators = {};
  aiinfra.page = (page) => {
    page.defines = {};
    for (const [key, f] of Object.entries(page.formulas)) if (f.resolves) page.defines[f.symbol] = key;
    for (const data of page.calculators) {
      const place = document.querySelector(`[data-calculator="${data.name}"]`);
      try {
        if (place) aiinfra.calculators[data.name] = new Calculator(page, data, place);
      } catch (error) {
        console.error(`calculator ${data.name}:`, error); // its first case stays, and the others of the page work
      }
    }
  };
})();
