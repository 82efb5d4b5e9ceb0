// What is wider than its place scrolls inside itself; the keyboard reaches it, and only then.
(() => {
  "use strict";
  const kinds = { ".math > .equation": "Wide formula", ".table-wrapper": "Wide table", ".highlight > pre": "Long lines" };

  function mark() {
    for (const [selector, name] of Object.entries(kinds)) {
      for (const box of document.querySelectorAll(selector)) {
        const wide = box.scrollWidth > box.clientWidth + 1;
        if (wide === box.classList.contains("scrolls")) continue;
        box.classList.toggle("scrolls", wide);
        if (wide) {
          box.tabIndex = 0;
          box.setAttribute("role", "group");
          box.setAttribute("aria-label", `${name}, scrolls sideways`);
        } else {
          for (const attribute of ["tabindex", "role", "aria-label"]) box.removeAttribute(attribute);
        }
      }
    }
  }

  let waiting = 0;
  function soon() {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(mark);
  }

  window.addEventListener("load", soon);
  window.addEventListener("resize", soon);
  document.addEventListener("toggle", soon, true); // a solution was unfolded
  document.fonts.ready.then(soon);
})();
