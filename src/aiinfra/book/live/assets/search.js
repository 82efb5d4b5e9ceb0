// A page opened as a file may not fetch others, so the search shows no excerpts there: titles and links suffice.
if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// The words that a search led here by are marked without a change to the page: Sphinx's own marks go into formulas and stop at drawings.
(() => {
  "use strict";
  const key = "sphinx_highlight_terms"; // the search page leaves them, and this runs before Sphinx's script takes them
  let terms = [];
  try {
    terms = (localStorage.getItem(key) || "").toLowerCase().split(/\s+/).filter((term) => term.length > 1);
    localStorage.removeItem(key);
  } catch {
    return; // no storage, no words
  }
  const article = document.querySelector("article[role=main]");
  if (!article || !terms.length || typeof Highlight === "undefined") return;
  const found = new Highlight();
  const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    if (node.parentElement.closest("svg, .katex, button, select, textarea, script, template")) continue;
    const text = node.data.toLowerCase();
    for (const term of terms) {
      for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + term.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + term.length);
        found.add(range);
      }
    }
  }
  CSS.highlights.set("searched", found);
  document.addEventListener("keydown", (event) => event.key === "Escape" && CSS.highlights.delete("searched"));
})();
