// A reading point on a plot: under the pointer, or moved with the arrow keys. aiinfra.reading(box, title, view) works on any element
// that covers the axes; the view says what they hold: {x, y: {label, log, low, high, years}, series: [{label, role, xs, ys, off}], points}.
(() => {
  "use strict";
  const { element } = aiinfra;
  const { amount } = aiinfra.ticks;

  // Where a value stands between the ends of an axis, from 0 to 1.
  const share = (value, { low, high, log }) => (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
  const colour = (role) => `var(--draw-${aiinfra.looks.roles[role] || "ink"})`;
  const shown = (value, axis) => (axis.years ? value.toFixed(0) : amount(value));

  // The value of a curve at x, straight between its points as it is drawn; null where the curve is not.
  const along = ({ xs, ys }, x, view) => {
    let low = 0, high = xs.length - 1;
    if (high < 0 || x < xs[0] || x > xs[high]) return null;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (xs[middle] <= x) low = middle;
      else high = middle;
    }
    if (x === xs[low]) return ys[low];
    if (x === xs[high]) return ys[high];
    if (ys[low] === null || ys[high] === null) return null;
    const into = (share(x, view.x) - share(xs[low], view.x)) / (share(xs[high], view.x) - share(xs[low], view.x));
    return view.y.log ? ys[low] * (ys[high] / ys[low]) ** into : ys[low] + (ys[high] - ys[low]) * into;
  };

  // What can be read: every x at which a curve has a point; where there is no curve, the points from left to right.
  const stops = (view) => {
    const curves = view.series.filter((s) => !s.off);
    if (curves.length) return [...new Set(curves.flatMap((s) => s.xs))].sort((a, b) => a - b).map((x) => ({ x }));
    return (view.points || []).map(([x, y, text]) => ({ x, y, text })).sort((a, b) => a.x - b.x || a.y - b.y);
  };

  const read = (stop, view) => {
    if (stop.text !== undefined) return [{ label: stop.text, value: stop.y }];
    return view.series.filter((s) => !s.off).map((s) => ({ label: s.label || view.y.label, role: s.role, value: along(s, stop.x, view) }));
  };

  class Reading {
    constructor(box, title, view) {
      Object.assign(this, { box, view, at: -1 });
      box.classList.add("reading");
      box.setAttribute("role", "slider");
      box.setAttribute("tabindex", "0");
      box.setAttribute("aria-label", `Read values: ${title}`);
      this.line = element("div", { class: "reading-line" });
      this.tip = element("div", { class: "reading-tip", "aria-hidden": "true" });
      this.dots = element("div");
      this.marker = element("div", { hidden: true, class: "reading-marker", "aria-hidden": "true" }, this.line, this.dots, this.tip);
      box.append(this.marker);
      this.refresh();
      const point = (event) => this.point(event);
      box.addEventListener("pointermove", point);
      box.addEventListener("pointerdown", point);
      box.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && !box.matches(":focus-visible") && this.hide());
      box.addEventListener("focus", () => box.matches(":focus-visible") && this.go(this.at));
      box.addEventListener("blur", () => this.hide());
      box.addEventListener("keydown", (event) => this.key(event));
    }

    // What the view holds has changed.
    refresh() {
      const before = this.stops && this.at >= 0 ? this.stops[this.at].x : null;
      this.stops = stops(this.view());
      const last = this.stops.length - 1;
      if (before !== null) this.at = this.nearest(before);
      if (this.at < 0) this.at = last >> 1;
      this.box.setAttribute("aria-valuemin", "0");
      this.box.setAttribute("aria-valuemax", String(Math.max(0, last)));
      this.go(this.at, this.marker.hidden);
    }

    nearest(x, y = null) {
      const { x: across, y: up } = this.view();
      const { clientWidth: width, clientHeight: height } = this.box;
      const aside = (stop) => (share(stop.x, across) - share(x, across)) * width;
      const above = (stop) => (y === null || stop.y === undefined ? 0 : (share(stop.y, up) - share(y, up)) * height);
      const away = (stop) => Math.hypot(aside(stop), above(stop));
      return this.stops.reduce((best, stop, i) => (best < 0 || away(stop) < away(this.stops[best]) ? i : best), -1);
    }

    point(event) {
      const box = this.box.getBoundingClientRect(), { x, y } = this.view();
      const value = (part, { low, high, log }) => (log ? low * (high / low) ** part : low + (high - low) * part);
      const across = value((event.clientX - box.left) / box.width, x), up = value(1 - (event.clientY - box.top) / box.height, y);
      this.go(this.nearest(across, up));
    }

    key(event) {
      const last = this.stops.length - 1, far = Math.max(1, Math.round(last / 10));
      const moves = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -far, PageUp: far, Home: -last, End: last };
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === "Escape") this.hide();
      if (!Object.hasOwn(moves, event.key)) return;
      event.preventDefault();
      this.go(Math.min(last, Math.max(0, this.at + moves[event.key])));
    }

    // The text stands away from the dots, on the side of the line that has more room in sight: a wide drawing scrolls on a narrow screen.
    beside(across, below) {
      const outer = this.box.offsetParent, seen = this.box.offsetLeft + across - outer.scrollLeft;
      const left = seen > outer.clientWidth / 2, gap = 10;
      const room = (left ? seen : outer.clientWidth - seen) - gap;
      Object.assign(this.tip.style, {
        top: below ? "auto" : 0,
        bottom: below ? 0 : "auto",
        maxWidth: `${Math.max(100, room)}px`,
        left: left ? "auto" : `${across + gap}px`,
        right: left ? `${this.box.clientWidth - across + gap}px` : "auto",
      });
    }

    hide() {
      this.marker.hidden = true;
    }

    go(at, quiet = false) {
      const stop = this.stops[at];
      if (!stop) {
        this.box.setAttribute("aria-valuetext", "No curve is shown.");
        return this.hide();
      }
      this.at = at;
      const view = this.view(), found = read(stop, view), across = share(stop.x, view.x);
      const where = `${view.x.label}: ${shown(stop.x, view.x)}`;
      const said = found.map((f) => `${f.label}: ${f.value === null ? "no value" : shown(f.value, view.y)}`);
      this.box.setAttribute("aria-valuenow", String(at));
      this.box.setAttribute("aria-valuetext", [where, ...said].join("; "));
      if (quiet) return undefined;
      const row = (f) =>
        element(
          "div",
          { class: "reading-row" },
          element("span", f.role ? { style: `color:${colour(f.role)}` } : {}, f.role ? "■" : ""),
          element("span", {}, f.label),
          element("b", {}, f.value === null ? "–" : shown(f.value, view.y)),
        );
      this.tip.replaceChildren(element("div", { class: "reading-x" }, where), ...found.map(row));
      const there = found.filter((f) => f.value !== null).map((f) => ({ ...f, up: share(f.value, view.y) }));
      const dots = there.filter((f) => f.up >= -0.01 && f.up <= 1.01);
      this.dots.replaceChildren(...dots.map((f) => {
        const dot = element("div", { class: "reading-dot" });
        Object.assign(dot.style, { left: `${100 * across}%`, top: `${100 * (1 - f.up)}%`, background: colour(f.role) });
        return dot;
      }));
      this.line.style.left = `${100 * across}%`;
      this.beside(across * this.box.clientWidth, dots.reduce((sum, f) => sum + f.up, 0) > dots.length / 2);
      this.marker.hidden = false;
      return undefined;
    }
  }

  aiinfra.share = share;
  aiinfra.reading = (box, title, view) => new Reading(box, title, view);
})();
