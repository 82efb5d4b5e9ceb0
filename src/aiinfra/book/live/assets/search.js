// A page opened as a file may not fetch others, so the search shows no excerpts there: titles and links suffice.
if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
