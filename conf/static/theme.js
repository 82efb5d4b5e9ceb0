// Before anything is painted: the colours that the reader chose. And what search must know of a page opened as a file.
(() => {
  "use strict";
  let chosen = null;
  try {
    chosen = localStorage.getItem("theme");
  } catch { // storage is switched off: follow the system, and let the theme's own script, which asks without care, find nothing
    Object.defineProperty(window, "localStorage", { value: { getItem: () => null, setItem: () => {}, removeItem: () => {} } });
  }
  document.body.dataset.theme = chosen || "auto";
  document.addEventListener("DOMContentLoaded", () => {
    if (location.protocol !== "file:" || typeof DOCUMENTATION_OPTIONS === "undefined") return;
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false; // it would be fetched from the pages, which no browser allows of files
  });
})();
