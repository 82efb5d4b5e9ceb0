// Symbols explain themselves: a card on hover, tap or focus; in a worked example with the value put in. Arrow keys walk an equation.
(() => {
  "use strict";
  const bare = (node) => node.textContent.replace(/[\u200b\s]/g, "");
  const LEAF = ".mathnormal, .mathcal, .mathrm, .text";

  // The row of a symbol that an element prints, if it prints one. An author may choose a bare letter for the moment, so in maths
  // that was written by hand only letters with an index are taken for symbols.
  const rowOf = (node, made) => {
    const leaf = node.matches(LEAF) ? node : node.querySelector(LEAF);
    const alphabet = leaf ? [...leaf.classList].find((name) => LEAF.includes("." + name)) : ""; // a Greek capital names none
    const find = (letters) => {
      const key = `${alphabet} ${letters}`;
      return (made || [...letters].length > 1) && Object.hasOwn(aiinfra.symbols.rows, key) ? aiinfra.symbols.rows[key] : null;
    };
    const whole = find(bare(node));
    if (whole) return whole;
    const low = node.querySelector(":scope > .msupsub > .vlist-t2 > .vlist-r > .vlist");
    return low ? find(bare(node.firstElementChild) + bare(low.firstElementChild)) : null; // a power of a symbol with an index
  };

  // Mark the symbols of one equation when a reader first comes to it.
  const mark = (math) => {
    if (math.dataset.marked) return;
    math.dataset.marked = "yes";
    const made = math.matches(".equation, .known") || !!math.querySelector(".equation");
    const walk = (node) => {
      if (node.classList.contains("mord")) {
        const row = rowOf(node, made);
        if (row) {
          node.classList.add("symbol");
          node.dataset.symbol = row[0];
          return;
        }
        if (node.querySelector(":scope > .msupsub > .vlist-t2") && node.children.length === 2) return; // an index that no symbol has
      }
      for (const child of node.children) walk(child);
    };
    math.querySelectorAll(".katex-html").forEach(walk);
  };

  const rowNamed = (name) => Object.values(aiinfra.symbols.rows).find((row) => row[0] === name);

  // What a worked example puts in for a symbol: the value, where it is from, and its citation.
  const given = (symbol) => {
    const { symbol: name } = symbol.dataset;
    for (const group of symbol.closest(".counted")?.querySelectorAll("[data-given]") || []) {
      const value = JSON.parse(group.dataset.given)[name];
      const cited = [...group.querySelectorAll("a.reference")].flatMap((a) => [" ", a.cloneNode(true)]);
      if (value) return [`= ${value}, ${group.dataset.origin}`, ...cited];
    }
    return null;
  };

  let card = null, shown = null;
  const build = () => {
    card = document.createElement("div");
    card.className = "symbol-card";
    card.id = "symbol-card";
    card.setAttribute("role", "status"); // read out when an arrow key moves on
    card.hidden = true;
    document.body.append(card);
  };

  const line = (className, ...parts) => {
    const p = document.createElement("p");
    p.className = className;
    p.append(...parts);
    return p;
  };

  const target = (name) => {
    const { page } = aiinfra.symbols;
    return page ? `${document.documentElement.dataset.content_root}${page}.html#notation-${name.replaceAll("_", "-").toLowerCase()}` : "";
  };

  const hide = () => {
    shown?.classList.remove("shown");
    shown = null;
    if (card) card.hidden = true;
  };

  const show = (symbol) => {
    if (symbol === shown) return;
    hide();
    if (!card) build();
    shown = symbol;
    symbol.classList.add("shown");
    const [name, meaning, unit] = rowNamed(symbol.dataset.symbol);
    const found = given(symbol);
    const sign = document.createElement("span");
    sign.className = "katex";
    sign.setAttribute("aria-hidden", "true"); // its letters read as nothing; the meaning follows
    sign.append(symbol.cloneNode(true));
    sign.firstChild.classList.remove("symbol", "shown");
    const parts = [line("meaning", sign, ` ${unit ? `${meaning} (${unit})` : meaning}`)];
    if (found) parts.push(line("given", ...found));
    const code = document.createElement("code");
    code.textContent = name;
    const place = line("name", code);
    if (target(name)) {
      const link = document.createElement("a");
      link.href = target(name);
      link.textContent = "Notation";
      place.append(" · ", link);
    }
    card.replaceChildren(...parts, place);
    card.hidden = false;
    const at = symbol.getBoundingClientRect(), box = card.getBoundingClientRect();
    const left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - box.width - 8));
    const below = at.bottom + 6 + box.height < innerHeight;
    card.style.left = `${left + scrollX}px`;
    card.style.top = `${(below ? at.bottom + 6 : at.top - box.height - 6) + scrollY}px`;
  };

  let leaving = 0;
  document.addEventListener("pointerover", (event) => {
    if (!aiinfra.symbols || event.pointerType === "touch") return;
    if (event.target.closest(".symbol-card")) return clearTimeout(leaving);
    const math = event.target.closest(".math");
    if (math) mark(math);
    const symbol = event.target.closest(".symbol");
    clearTimeout(leaving);
    if (symbol) show(symbol);
    else if (shown) leaving = setTimeout(hide, 250); // time to reach the card
  });

  document.addEventListener("click", (event) => {
    if (!aiinfra.symbols || event.target.closest(".symbol-card")) return;
    const math = event.target.closest(".math");
    if (math) mark(math);
    const symbol = event.target.closest(".symbol");
    if (!symbol || symbol.closest("a")) return hide();
    const link = event.pointerType !== "touch" && target(symbol.dataset.symbol);
    if (link) location.href = link;
    else show(symbol);
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    const box = document.activeElement?.closest(".equation");
    if (!aiinfra.symbols || !box || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter" && shown && box.contains(shown)) {
      const link = target(shown.dataset.symbol);
      if (link) location.href = link;
      return;
    }
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    mark(box);
    const all = [...box.querySelectorAll(".symbol")];
    if (!all.length) return;
    event.preventDefault();
    const at = all.indexOf(shown);
    const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : (at + step + all.length) % all.length];
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
    show(next);
  });

  document.addEventListener("focusout", (event) => {
    if (event.target.closest(".equation") && !card?.contains(event.relatedTarget)) hide();
  });

  // One stop of the tab key for an equation; the arrow keys go through its symbols. A phone has no such key, and a tap does the same.
  if (matchMedia("(hover: hover)").matches) {
    for (const box of document.querySelectorAll(".equation")) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", "Equation; arrow keys explain its symbols");
    }
  }
})();
