// The plots of the text: the drawing stays, and a reading point lies over its axes. Its values are asked for when somebody first reads.
(() => {
  "use strict";
  const { element } = aiinfra;

  // Whatever the address of the page, also in a folder that is opened without a server.
  const values = (name, address) =>
    new Promise((done, failed) => {
      const script = element("script", { src: address });
      script.onload = () => done(aiinfra.plots[name]);
      script.onerror = failed;
      document.head.append(script);
    });

  class Plot {
    constructor(root) {
      Object.assign(this, { root, draw: root.querySelector(".draw"), drawing: root.querySelector(".draw > svg"), off: new Set() });
      this.share = root.dataset.box.split(" ").map(Number);
      this.title = this.drawing.querySelector("title").textContent;
      this.box = element("div", { class: "plot-axes", role: "slider", tabindex: 0, "aria-label": `Read values: ${this.title}` });
      for (const name of ["aria-valuenow", "aria-valuemin", "aria-valuemax"]) this.box.setAttribute(name, "0");
      this.draw.append(this.box);
      new ResizeObserver(() => this.place()).observe(this.drawing);
      const first = (event) => this.open(event);
      for (const name of ["pointermove", "pointerdown", "focus"]) this.box.addEventListener(name, first);
      root.querySelectorAll(".plot-series button").forEach((button, i) => button.addEventListener("click", () => this.toggle(button, i)));
    }

    place() {
      const outer = this.draw.getBoundingClientRect(), inner = this.drawing.getBoundingClientRect();
      const [left, top, width, height] = this.share.map((part, i) => (part / 100) * (i % 2 ? inner.height : inner.width));
      const start = { left: inner.left - outer.left + this.draw.scrollLeft + left, top: inner.top - outer.top + this.draw.scrollTop + top };
      for (const [name, pixels] of Object.entries({ ...start, width, height })) this.box.style[name] = `${pixels}px`;
    }

    async open(event) {
      this.last = event; // where the pointer is when the values are there
      if (this.asked) return;
      this.asked = true;
      try {
        const found = await values(this.root.dataset.plot, this.root.dataset.src);
        this.data = { ...found, series: found.series.map((s) => ({ ...s, xs: found.xs[s.xs] })) };
      } catch {
        this.asked = false; // the next try may succeed
        return;
      }
      this.reading = aiinfra.reading(this.box, this.title, () => this.view());
      if (this.last.type === "focus") this.reading.go(this.reading.at);
      else this.reading.point(this.last);
    }

    view() {
      return { ...this.data, series: this.data.series.map((s, i) => ({ ...s, off: this.off.has(i) })) };
    }

    toggle(button, i) {
      const off = !this.off.delete(i);
      if (off) this.off.add(i);
      button.setAttribute("aria-pressed", String(!off));
      for (const part of this.drawing.querySelectorAll(`.curve-${i}`)) part.classList.toggle("curve-off", off);
      if (this.reading) this.reading.refresh();
    }
  }

  document.querySelectorAll(".plot").forEach((root) => new Plot(root));
})();
