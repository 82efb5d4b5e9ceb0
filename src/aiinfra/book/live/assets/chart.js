// A chart whose data change, drawn by uPlot, with which this script is one file; charts.js asks for it.
(() => {
  "use strict";
  const { element, share, ticks } = aiinfra;
  const FONT = "12px system-ui, sans-serif", HEIGHT = 280;

  const finite = (values, log) => values.filter((v) => Number.isFinite(v) && (!log || v > 0));

  // The ends of an axis, as in the drawings: to the ends of the curves across, with some air above and below.
  const ends = (values, log, pad) => {
    let low = values.reduce((a, b) => Math.min(a, b), Infinity), high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    if (low > high) [low, high] = [1, 10];
    if (low === high) return log ? [low / 2, high * 2] : [low - Math.abs(low) / 2 - 0.5, high + Math.abs(high) / 2 + 0.5];
    if (!pad) return [low, high];
    if (log) return ((grow) => [low / grow, high * grow])((high / low) ** 0.06);
    const grow = 0.06 * (high - low);
    return [low >= 0 && low < 0.35 * high ? 0 : low - grow, high + grow];
  };

  // What the axes hold, for the reading point and for the drawing.
  const viewOf = (spec, off) => {
    const { roles, order, dashes } = aiinfra.looks;
    const series = spec.series.map((s, i) => {
      const role = Object.hasOwn(roles, s.role || "") ? s.role : order[i % order.length];
      const dash = dashes[(s.dash === undefined || s.dash === null ? i : s.dash) % dashes.length];
      return { label: s.label, xs: s.xs, ys: s.ys, role, dash, off: off.has(s.label) };
    });
    const marks = spec.marks || [], log = { x: Boolean(spec.x.log), y: Boolean(spec.y.log) };
    const [left, right] = ends(finite(series.flatMap((s) => s.xs), log.x), log.x, false);
    const [low, high] = ends(finite([...series.flatMap((s) => s.ys), ...marks.map((m) => m.y)], log.y), log.y, true);
    const axes = { x: { ...spec.x, log: log.x, low: left, high: right }, y: { ...spec.y, log: log.y, low, high } };
    return { ...axes, series, marks, bands: spec.bands || [] };
  };

  // All curves over one list of x: null breaks a curve, undefined only says that another one has a point there.
  const aligned = (view) => {
    const first = view.series[0].xs;
    const clean = ({ ys }) => ys.map((v) => (Number.isFinite(v) && (!view.y.log || v > 0) ? v : null));
    const alike = ({ xs }) => xs.length === first.length && xs.every((x, i) => x === first[i]);
    if (view.series.every(alike)) return [first, ...view.series.map(clean)];
    const xs = [...new Set(view.series.flatMap((s) => s.xs))].sort((a, b) => a - b);
    const place = new Map(xs.map((x, i) => [x, i]));
    return [xs, ...view.series.map((s) => {
      const ys = new Array(xs.length).fill(undefined);
      clean(s).forEach((y, i) => (ys[place.get(s.xs[i])] = y));
      return ys;
    })];
  };

  const described = (view) => {
    const curve = (s) => {
      const there = s.xs.map((x, i) => [x, s.ys[i]]).filter(([, y]) => Number.isFinite(y));
      if (!there.length) return `${s.label}: no value.`;
      const [[x0, y0], [x1, y1]] = [there[0], there[there.length - 1]];
      return `${s.label}: from ${ticks.amount(y0)} at ${ticks.amount(x0)} to ${ticks.amount(y1)} at ${ticks.amount(x1)}.`;
    };
    return [`Plot of “${view.y.label}” against “${view.x.label}”.`, ...view.series.map(curve)].join(" ");
  };

  class Chart {
    constructor(host, spec) {
      Object.assign(this, { host, off: new Set(), plot: null });
      this.axis = element("div", { class: "chart-axis", "aria-hidden": "true" });
      this.canvas = element("div", { class: "chart-canvas" });
      this.below = element("div", { class: "chart-axis chart-x", "aria-hidden": "true" });
      this.legend = element("div", { class: "plot-series", role: "group", "aria-label": "Curves that are shown" });
      this.root = element("div", { class: "chart" }, this.axis, this.canvas, this.below, this.legend);
      host.append(this.root);
      this.take(spec);
      this.sizes = new ResizeObserver(() => this.resize());
      this.theme = new MutationObserver(() => this.recolour());
      this.scheme = matchMedia("(prefers-color-scheme: dark)");
      this.changed = () => this.recolour();
      this.make();
      this.sizes.observe(this.canvas);
      this.theme.observe(document.body, { attributes: true, attributeFilter: ["data-theme"] });
      this.scheme.addEventListener("change", this.changed);
    }

    take(spec) {
      this.spec = spec;
      this.view = viewOf(spec, this.off);
      this.axis.textContent = spec.y.label;
      this.below.textContent = spec.x.label;
      const look = JSON.stringify([this.view.x.log, this.view.y.log, ...this.view.series.map((s) => [s.label, s.role, s.dash])]);
      const other = look !== this.look;
      this.look = look;
      if (other) this.buttons();
      return other;
    }

    // Other data, in the same frame.
    update(spec) {
      const other = this.take(spec);
      if (other) {
        this.plot.destroy();
        this.make();
        return;
      }
      this.plot.setData(aligned(this.view));
      this.say();
      this.reading.refresh();
    }

    say() {
      this.picture.setAttribute("aria-label", [this.spec.title, described(this.view)].filter(Boolean).join(". "));
    }

    buttons() {
      const few = this.view.series.length < 2;
      this.legend.hidden = few && !(this.view.series[0] && this.view.series[0].label);
      this.legend.replaceChildren(...this.view.series.map((s) => {
        const state = { type: "button", "aria-pressed": String(!s.off), disabled: few };
        const button = element("button", state, aiinfra.sample(s.role, s.dash), s.label);
        button.addEventListener("click", () => {
          if (this.off.has(s.label)) this.off.delete(s.label);
          else this.off.add(s.label);
          button.setAttribute("aria-pressed", String(!this.off.has(s.label)));
          this.view = viewOf(this.spec, this.off);
          this.view.series.forEach((one, i) => this.plot.setSeries(i + 1, { show: !one.off }));
          this.reading.refresh();
        });
        return button;
      }));
    }

    recolour() {
      this.colours();
      this.plot.redraw(false, true);
    }

    colours() {
      const style = getComputedStyle(document.body);
      const hues = Object.values(aiinfra.looks.roles);
      const names = new Set(["ink", "muted", "grid", ...hues, ...hues.map((n) => `${n}-fill`)]);
      const tones = Object.fromEntries([...names].map((n) => [n, style.getPropertyValue(`--draw-${n}`).trim()]));
      this.tone = (name) => tones[name];
    }

    resize() {
      const width = Math.floor(this.canvas.clientWidth);
      if (width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: HEIGHT });
    }

    make() {
      this.colours();
      const axis = (name, side) => ({
        side, font: FONT, gap: 6, ticks: { show: false },
        stroke: () => this.tone("muted"),
        grid: { stroke: () => this.tone("grid"), width: 1 },
        splits: () => {
          const { low, high, log } = this.view[name];
          const most = name === "y" ? 7 : Math.max(3, Math.min(9, Math.floor(this.canvas.clientWidth / 60)));
          return log ? ticks.logarithmic(low, high, most) : ticks.linear(low, high, most);
        },
        filter: (_, found) => found,
        values: (_, found) => ticks.labels(found),
        size: name === "x" ? 24 : (plot, names) => {
          if (!names) return 40;
          plot.ctx.save();
          plot.ctx.font = FONT;
          const wide = Math.max(...names.map((n) => plot.ctx.measureText(n).width));
          plot.ctx.restore();
          return Math.ceil(wide) + 10;
        },
      });
      const scale = (name) => ({
        time: false, distr: this.view[name].log ? 3 : 1, log: 10, range: () => [this.view[name].low, this.view[name].high],
      });
      const line = (s, i) => ({
        label: s.label, show: !s.off, width: 2, dash: s.dash.map((d) => 1.4 * d), cap: "butt", pxAlign: 0,
        points: { show: false },
        spanGaps: false,
        stroke: () => this.tone(aiinfra.looks.roles[this.view.series[i].role]),
      });
      this.plot = new uPlot({
        width: Math.max(200, Math.floor(this.canvas.clientWidth)), height: HEIGHT, padding: [8, 14, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        select: { show: false },
        scales: { x: scale("x"), y: scale("y") },
        axes: [axis("x", 2), axis("y", 3)],
        series: [{}, ...this.view.series.map(line)],
        hooks: { drawClear: [(u) => this.ground(u)], draw: [(u) => this.marks(u)] },
      }, aligned(this.view), this.canvas);
      this.picture = this.plot.root.querySelector("canvas");
      this.picture.setAttribute("role", "img");
      this.say();
      this.reading = aiinfra.reading(this.plot.over, this.spec.title || this.view.y.label, () => this.view);
    }

    // In pixels of the canvas.
    across(plot, x) {
      return plot.bbox.left + share(x, this.view.x) * plot.bbox.width;
    }
    up(plot, y) {
      return plot.bbox.top + (1 - share(y, this.view.y)) * plot.bbox.height;
    }

    inside(plot, draw) {
      const { ctx, bbox } = plot;
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
      ctx.clip();
      Object.assign(ctx, { textAlign: "left", textBaseline: "alphabetic" });
      ctx.font = FONT.replace("12px", `${12 * devicePixelRatio}px`);
      draw(ctx, bbox);
      ctx.restore();
    }

    ground(plot) {
      this.inside(plot, (ctx, { left, top, width, height }) => {
        for (const { from, to, text = "", axis = "x", role = "other" } of this.view.bands) {
          ctx.fillStyle = this.tone(`${aiinfra.looks.roles[role]}-fill`);
          ctx.globalAlpha = 0.5;
          if (axis === "x") ctx.fillRect(this.across(plot, from), top, this.across(plot, to) - this.across(plot, from), height);
          else ctx.fillRect(left, this.up(plot, to), width, this.up(plot, from) - this.up(plot, to));
          ctx.globalAlpha = 1;
          ctx.fillStyle = this.tone("muted");
          if (axis === "x") ctx.fillText(text, this.across(plot, from) + 6, top + 14 * devicePixelRatio);
          else ctx.fillText(text, left + 6, this.up(plot, to) + 14 * devicePixelRatio);
        }
      });
    }

    marks(plot) {
      this.inside(plot, (ctx, { left, top, width, height }) => {
        const pixel = devicePixelRatio;
        ctx.strokeStyle = ctx.fillStyle = this.tone("ink");
        for (const { x, y, text = "" } of this.view.marks) {
          const has = { x: Number.isFinite(x), y: Number.isFinite(y) };
          const at = [has.x ? this.across(plot, x) : left, has.y ? this.up(plot, y) : top];
          ctx.beginPath();
          if (has.x && has.y) {
            ctx.arc(...at, 3.5 * pixel, 0, 2 * Math.PI);
            ctx.fill();
          } else if (has.x || has.y) {
            ctx.lineWidth = pixel;
            ctx.setLineDash([4 * pixel, 3 * pixel]);
            ctx.moveTo(...at);
            ctx.lineTo(has.x ? at[0] : left + width, has.y ? at[1] : top + height);
            ctx.stroke();
          }
          const right = has.x && at[0] > left + 0.7 * width;
          ctx.textAlign = right ? "right" : "left";
          ctx.fillText(text, at[0] + (right ? -6 : 6) * pixel, has.y ? at[1] - 6 * pixel : top + height - 6 * pixel);
        }
      });
    }

    destroy() {
      this.sizes.disconnect();
      this.theme.disconnect();
      this.scheme.removeEventListener("change", this.changed);
      this.plot.destroy();
      this.root.remove();
    }
  }

  // A short piece of a line, as it is drawn.
  aiinfra.sample = (role, dash) => {
    const make = (name, attributes) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      return made;
    };
    const line = make("path", { d: "M0 5H24", fill: "none", "stroke-width": 2, "stroke-dasharray": dash.map((d) => 1.4 * d).join(" ") });
    line.style.stroke = `var(--draw-${aiinfra.looks.roles[role]})`;
    const found = make("svg", { viewBox: "0 0 24 10", width: 24, height: 10, "aria-hidden": "true" });
    found.append(line);
    return found;
  };

  aiinfra.Chart = Chart;
})();
