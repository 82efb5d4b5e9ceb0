// Reading: how far the page is read, what an equation number refers to, how to cite a page, and a way by keyboard into what is wide.
(() => {
  "use strict";
  const article = document.querySelector("article[role=main]");
  if (!article) return;
  const make = (tag, className, text = "") => Object.assign(document.createElement(tag), { className, textContent: text });

  const bar = make("div", "reading-progress");
  bar.setAttribute("aria-hidden", "true");
  document.body.append(bar);
  const move = () => {
    const room = document.documentElement.scrollHeight - innerHeight;
    bar.style.transform = `scaleX(${room > 0 ? Math.min(1, scrollY / room) : 0})`;
  };
  addEventListener("scroll", move, { passive: true });
  addEventListener("resize", move);
  move();

  // A link into a page leads to its target, although scripts then add to what stands above it. Who comes back is where they were.
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target && performance.getEntriesByType("navigation")[0]?.type === "navigate") {
    const keep = new ResizeObserver(() => target.scrollIntoView({ behavior: "instant" }));
    const stop = () => keep.disconnect();
    keep.observe(article);
    for (const name of ["wheel", "touchstart", "pointerdown", "keydown"]) addEventListener(name, stop, { once: true, passive: true });
    addEventListener("load", () => setTimeout(stop, 1500));
  }

  // What is wider than its place scrolls in itself: its edge says so, and the tab key reaches it.
  const boxes = [...article.querySelectorAll(".table-wrapper, .equation")];
  const edge = (box, left, rest) => {
    box.classList.toggle("before", left > 1);
    box.classList.toggle("more", rest > 1);
  };
  const edges = (box) => [box.scrollLeft, box.scrollWidth - box.clientWidth - box.scrollLeft];
  const reach = (box, [left, rest]) => {
    edge(box, left, rest);
    if (left + rest <= 1 || box.hasAttribute("tabindex")) return;
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    const kind = box.matches(".equation") ? "Equation" : "Table";
    box.setAttribute("aria-label", box.querySelector("caption")?.textContent.trim() || `${kind}, scrolls sideways`);
  };
  const measure = (found) => {
    const sizes = found.map(edges); // all are measured before anything changes
    found.forEach((box, i) => reach(box, sizes[i]));
  };
  // Measured when they come near: what is far away has not been laid out yet.
  const near = new Set();
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { target: box, isIntersecting } of entries) isIntersecting ? near.add(box) : near.delete(box);
      measure(entries.filter((entry) => entry.isIntersecting).map((entry) => entry.target));
    },
    { rootMargin: "50% 0px" },
  );
  boxes.forEach((box) => watch.observe(box));
  const again = () => measure([...near]);
  const moved = ({ target }) => boxes.includes(target) && edge(target, ...edges(target));
  article.addEventListener("scroll", moved, { capture: true, passive: true });
  addEventListener("resize", again);
  article.addEventListener("toggle", again, true); // what was folded has a width now
  document.fonts.ready.then(again);

  // The equation that a number refers to: from this page, or from a script that is asked for once.
  const home = document.currentScript.src;
  const asked = {};
  const elsewhere = (name) => {
    asked[name] = asked[name] || new Promise((done) => {
      const script = Object.assign(document.createElement("script"), { src: new URL(`equations/${name}.js`, home) });
      script.onload = () => done(Object.assign(document.createElement("template"), { innerHTML: aiinfra.equations[name] }).content);
      script.onerror = () => done(null);
      document.head.append(script);
    });
    return asked[name];
  };
  const equation = (link) => {
    const name = link.hash.slice(1);
    if (link.pathname !== location.pathname) return elsewhere(name);
    const place = document.getElementById(name);
    return place && (place.closest(".formula") || place.parentElement).querySelector(".equation .katex-display");
  };

  const preview = make("div", "equation-preview");
  preview.hidden = true;
  preview.setAttribute("aria-hidden", "true"); // the link leads to the equation itself
  document.body.append(preview);
  let wanted = null;
  const close = () => {
    wanted = null;
    preview.hidden = true;
  };
  const peek = async (event) => {
    const link = event.target.closest?.("a.reference[href*='#equation-']");
    if (!link) return event.type === "pointerover" ? close() : undefined;
    if (link === wanted || event.pointerType === "touch" || (event.type === "focusin" && !link.matches(":focus-visible"))) return;
    close();
    wanted = link;
    const found = await equation(link);
    if (!found || wanted !== link) return; // the reader has gone on
    preview.replaceChildren(found.cloneNode(true));
    preview.hidden = false;
    const at = link.getBoundingClientRect(), box = preview.getBoundingClientRect();
    const top = at.bottom + 6 + box.height < innerHeight ? at.bottom + 6 : at.top - box.height - 6;
    preview.style.top = `${top + scrollY}px`;
    preview.style.left = `${Math.max(8, Math.min(at.left, document.documentElement.clientWidth - box.width - 8)) + scrollX}px`;
  };
  document.addEventListener("pointerover", peek);
  document.addEventListener("focusin", peek);
  document.addEventListener("focusout", close);
  document.addEventListener("keydown", (event) => event.key === "Escape" && close());
})();
