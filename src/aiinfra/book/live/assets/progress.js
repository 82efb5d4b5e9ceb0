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

  // What is wider than its place scrolls in itself, and then the tab key reaches it.
  const open = () => {
    for (const box of article.querySelectorAll(".table-wrapper")) {
      const wide = box.scrollWidth > box.clientWidth + 1;
      box.classList.toggle("wide", wide);
      if (wide) {
        box.tabIndex = 0;
        box.setAttribute("role", "region");
        box.setAttribute("aria-label", box.querySelector("caption")?.textContent.trim() || "Table, scrolls sideways");
      } else ["tabindex", "role", "aria-label"].forEach((name) => box.removeAttribute(name));
    }
  };
  addEventListener("resize", open);
  open();

  // The equation that a number refers to, where it stands on this page.
  const preview = make("div", "equation-preview");
  preview.hidden = true;
  preview.setAttribute("aria-hidden", "true"); // the link leads to the equation itself
  document.body.append(preview);
  const close = () => (preview.hidden = true);
  const peek = (event) => {
    const link = event.target.closest?.("a.reference[href*='#equation-']");
    if (!link) return event.type === "pointerover" ? close() : undefined;
    const place = link.pathname === location.pathname && document.getElementById(decodeURIComponent(link.hash.slice(1)));
    const found = place && (place.closest(".formula") || place.parentElement).querySelector(".equation .katex-display");
    if (!found) return close();
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
