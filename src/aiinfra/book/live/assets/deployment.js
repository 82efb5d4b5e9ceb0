// The page of deployments: fields, the memory of a device as a bar, the tables of `aiinfra estimate`, and the command that prints them.
(() => {
  "use strict";
  const { Refused, element, estimate, estimated } = aiinfra;
  const NUMBERS = [
    ["batch", "requests decoded together", 1, 4096],
    ["prompt", "tokens of a prompt", 1, 131072],
    ["output", "tokens of an answer", 2, 32768],
  ];
  const PARTS = [["weights", "memory.weights"], ["state", "state"], ["workspace", "memory.workspace"], ["reserve", "reserve"]];
  const LOADING = "Loading the model …";
  const waiting = {}, loaded = {}, root = document.currentScript ? new URL(".", document.currentScript.src).href : "_static/";

  // The sums of a model's ledgers, fetched once as a script: files opened from a folder have no other way.
  const profilesOf = (key) => {
    if (!loaded[key]) {
      loaded[key] = new Promise((resolve, reject) => {
        waiting[key] = resolve;
        const script = element("script", { src: `${root}deployments/${key}.js` });
        const ended = () => {
          reject(new Refused("the data of the model could not be loaded")); // where they were, this says nothing
          script.remove();
        };
        script.addEventListener("load", ended);
        script.addEventListener("error", ended);
        document.head.append(script);
      });
      loaded[key].catch(() => delete loaded[key]); // the next try may succeed
    }
    return loaded[key];
  };
  aiinfra.deploymentModel = (key, profiles) => waiting[key](profiles);

  const table = (head, name) => {
    const body = element("tbody");
    const top = element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text))));
    const whole = element("div", { class: "table-wrapper" }, element("table", { class: "calculator-results", "aria-label": name }, top, body));
    const fill = (rows) => {
      body.replaceChildren(
        ...rows.map(([first, ...rest]) => element("tr", {}, element("th", { scope: "row" }, first), ...rest.map((t) => element("td", {}, t)))),
      );
    };
    return { whole, fill };
  };

  class Deployment extends aiinfra.Calculator {
    // A model that cannot be cut into so many parts takes the most that it can.
    inputs() {
      const group = super.inputs(), model = this.fields.get("model"), parts = this.fields.get("tp"), { set } = model;
      model.set = (key) => {
        set(key);
        const now = Number(parts.value || parts.row.start), { tp } = this.page.models[key];
        parts.row.options = tp.map(String);
        parts.control.replaceChildren(...tp.map((n) => element("option", { value: n }, n)));
        parts.set(String(Math.max(...tp.filter((n) => n <= now))));
      };
      return group;
    }

    outputs() {
      this.bar = element("div", { class: "memory-bar", role: "img" });
      this.key = element("p", { class: "memory-key" });
      this.verdict = element("p", { class: "verdict", "aria-live": "polite" });
      this.tables = [table(["memory of one device", "value"], "Memory"), table(["result", "bound", "expected, slow to fast"], "Speed, price and energy")];
      this.said = element("ul", { class: "notes" });
      this.command = element("pre", { class: "command", tabindex: 0, "aria-label": "The same on the command line" });
      this.output = element("div", { hidden: true }, this.verdict, this.bar, this.key, ...this.tables.map((t) => t.whole), this.said, element("p", {}, "The same on the command line:"), this.command);
      return this.output;
    }

    given() {
      const found = {};
      for (const [name, { value }] of this.fields) found[name] = value;
      const cached = Math.min(Math.trunc(found.prompt * found.prefix_hit), found.prompt - 1);
      return { ...found, tp: Number(found.tp), weights: found.weights === "published" ? "" : found.weights, kv: found.kv === "published" ? "" : found.kv, cached, page: 16, chunk: 8192 };
    }

    // A model brings its own sums; what can be said without them is said at once.
    update() {
      const s = this.given(), profiles = this.profiles && this.profiles[s.model];
      if (!profiles) {
        this.load(s.model);
        return;
      }
      const e = estimate(this.page, profiles, s);
      this.verdict.textContent = e.fits
        ? `It fits. ${e.binds.prefill[0].toUpperCase()}${e.binds.prefill.slice(1)} binds a prompt, ${e.binds.decode} a step; computed in ${e.dtype}.`
        : `It does not fit: ${e.refusal}.`;
      this.verdict.classList.toggle("over", !e.fits);
      this.memory(e, s);
      this.tables[0].fill(e.memory);
      this.tables[1].fill(e.speeds);
      this.tables[1].whole.hidden = !e.fits;
      this.said.replaceChildren(...e.notes.map((text) => element("li", {}, text)));
      this.said.hidden = !e.notes.length;
      this.command.textContent = this.line(s);
      this.draw(s);
      this.output.hidden = false;
      this.wanted = null;
      if (this.status.textContent === LOADING) this.status.textContent = "";
      this.done();
    }

    // Until they are there, the last results stand; where they do not come, or refuse what is chosen, its fields do too.
    load(wanted) {
      if (this.wanted === wanted) return;
      this.wanted = wanted;
      const still = (act) => (found) => this.wanted === wanted && act(found);
      const refuse = (error) => {
        if (!(error instanceof Refused)) throw error;
        this.wanted = null;
        if (this.linked && !this.shown) this.damaged(error);
        else {
          if (this.shown) this.restore(this.shown);
          this.status.textContent = "";
          this.say(this.fields.get("model"), error.message);
        }
      };
      this.status.textContent = LOADING;
      const take = (found) => {
        this.profiles = { ...this.profiles, [wanted]: found };
        this.update();
        this.say(this.fields.get("model"), "");
      };
      profilesOf(wanted).then(still(take)).catch(still(refuse));
    }

    memory(e, s) {
      const v = { ...e.values, state: e.values["memory.request"] * s.batch };
      const whole = Math.max(e.values.usable, e.values["memory.used"]);
      const shown = (bytes) => aiinfra.show(bytes, this.page.units["memory.used"]);
      const pieces = PARTS.filter(([, name]) => v[name] > 0).map(([label, name]) => {
        const piece = element("span", { class: `part ${label}`, title: `${label} ${shown(v[name])}` });
        piece.style.width = `${(100 * v[name]) / whole}%`;
        return piece;
      });
      const limit = element("span", { class: "limit", title: `what the engine may take: ${shown(e.budget)}` });
      limit.style.left = `${(100 * e.budget) / whole}%`;
      this.bar.replaceChildren(...pieces, limit);
      const words = PARTS.filter(([, name]) => v[name] > 0).map(([label, name]) => `${label} ${shown(v[name])}`);
      this.bar.setAttribute("aria-label", `Memory of one device: ${words.join(", ")}; the engine may take ${shown(e.budget)} of ${shown(e.values.usable)}.`);
      const keys = PARTS.filter(([, name]) => v[name] > 0).flatMap(([label, name]) => [element("span", { class: `swatch ${label}`, "aria-hidden": "true" }), ` ${label} ${shown(v[name])}  `]);
      this.key.replaceChildren(...keys, `of ${shown(e.budget)} that the engine may take`);
    }

    line(s) {
      const options = [["model", s.model], ["device", s.device], ["tp", s.tp], ["batch", s.batch], ["prompt", s.prompt], ["output", s.output]];
      if (s.prefix_hit) options.push(["prefix-hit", s.prefix_hit]);
      if (s.weights) options.push(["weights", s.weights]);
      if (s.kv) options.push(["kv", s.kv]);
      return `aiinfra estimate ${options.map(([name, value]) => `--${name} ${value}`).join(" ")}`;
    }

    draw(s) {
      if (!this.near) return;
      const profiles = this.profiles[s.model], found = new Map();
      for (let i = 0; i < 48; i++) {
        const batch = Math.round(4096 ** (i / 47));
        if (found.has(batch)) continue;
        try {
          const values = estimated(this.page, profiles, { ...s, batch });
          if (values["memory.headroom"] < 0) break;
          found.set(batch, values);
        } catch (error) {
          if (error instanceof Refused) break;
          throw error;
        }
      }
      this.plot.hidden = found.size < 2;
      if (found.size < 2) return;
      const xs = [...found.keys()], ys = (name) => [...found.values()].map((v) => v[name]);
      const series = [
        { label: "bound", role: "other", dash: 1, xs, ys: ys("service.tokens.bound") },
        { label: "expected, slow", role: "memory", xs, ys: ys("service.tokens.expected.slow") },
        { label: "expected, fast", role: "compute", xs, ys: ys("service.tokens.expected.fast") },
      ];
      const marks = xs.includes(s.batch) || s.batch < xs.at(-1) ? [{ x: s.batch, text: "now" }] : [];
      const spec = { title: "Answer tokens a second over the batch", x: { label: "requests decoded together, as far as they fit", log: true }, y: { label: "answer tokens a second of one instance", log: true }, series, marks };
      if (!aiinfra.chart) return;
      if (this.chart) this.chart.update(spec);
      else this.chart = aiinfra.chart(this.plot, spec);
    }
  }

  const inputsOf = (base, first) => {
    const choice = (name, label, options, labels) => ({ name, label, options, labels: labels || options, start: String(first[name]) });
    const named = (kind) => [Object.keys(base[kind]), Object.values(base[kind]).map((row) => row.name)];
    const numbers = NUMBERS.map(([name, label, from, to]) => ({ name, label, unit: "", from, to, log: true, whole: true, start: first[name] }));
    const formats = (name) => base[name].map((format) => format || "published");
    return [
      choice("model", "model", ...named("models")), choice("device", "device", ...named("devices")),
      choice("tp", "devices that share an instance", base.models[first.model].tp.map(String)), ...numbers,
      { name: "prefix_hit", label: "share of the prompt found in the cache", unit: "", from: 0, to: 0.99, log: false, start: first.prefix_hit || 0 },
      { ...choice("weights", "format of the weights", formats("weights")), start: first.weights || "published" },
      { ...choice("kv", "format of the cache", formats("kv")), start: first.kv || "published" },
    ];
  };

  aiinfra.deployments = (base) => {
    const count = { meaning: "", unit: { dims: aiinfra.units.bases.map(() => 0), text: "" }, whole: true, positive: true, minimum: 0, allowed: "a whole number above zero" };
    const share = { ...count, whole: false, positive: false, allowed: "a share from 0 to below 1" };
    base.symbols = { batch: count, prompt: count, output: { ...count, minimum: 1, allowed: "a whole number, 2 or more" }, prefix_hit: { ...share, below: 1 } };
    for (const place of document.querySelectorAll("[data-deployment]")) {
      const first = JSON.parse(place.dataset.first);
      const data = { name: place.dataset.deployment, inputs: inputsOf(base, first), outputs: [], plot: {} };
      aiinfra.calculators[data.name] = new Deployment(base, data, place);
    }
  };
})();
