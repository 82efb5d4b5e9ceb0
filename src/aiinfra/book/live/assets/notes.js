// Below the page: cite one of its sections, copy a citation, and report a wrong number with the text that was selected.
(() => {
  "use strict";
  const { element } = aiinfra;
  const article = document.querySelector("article[role=main]"), notes = document.querySelector(".page-notes");
  if (!article || !notes) return;

  const plain = (heading) => {
    const copy = heading.cloneNode(true);
    copy.querySelectorAll(".headerlink, .section-number, .katex-mathml").forEach((node) => node.remove());
    return copy.textContent.trim();
  };
  const number = (heading) => (heading.querySelector(".section-number")?.textContent || "").trim().replace(/\.$/, "");
  const sections = [...article.querySelectorAll("section[id] > :is(h2, h3)")];
  const last = (test) => sections.filter(test).pop();

  // What the server wrote of the page is kept, and a section puts its own in.
  const parts = [...notes.querySelectorAll("[data-part]")].map((node) => ({ node, name: node.dataset.part, page: node.textContent }));
  const cite = (heading) => {
    const id = heading && heading.parentElement.id;
    const own = {
      title: (page) => `${page}: ${plain(heading)}`,
      place: (page) => (number(heading) ? `, section ${number(heading)}` : page),
      address: (page) => `${page}#${id}`,
      key: (page) => `${page}-${id}`,
    };
    own.tex = (page) => `${page}: ${plain(heading).replace(/[&%$#_{}]/g, "\\$&")}`;
    for (const { node, name, page } of parts) node.textContent = heading ? own[name](page) : page;
  };

  const box = notes.querySelector(".cite");
  const choice = element("select", { id: "cite-section" }, element("option", { value: "" }, "the whole page"));
  choice.append(...sections.map((h) => element("option", { value: h.parentElement.id }, `${number(h)} ${plain(h)}`.trim())));
  if (sections.length) box.querySelector("summary").after(element("p", {}, element("label", { for: choice.id }, "Section "), choice));
  const chosen = () => sections.find((h) => h.parentElement.id === choice.value);
  choice.addEventListener("change", () => cite(chosen()));
  box.addEventListener("toggle", () => {
    const at = box.open && location.hash && document.getElementById(location.hash.slice(1));
    const inside = at && last((h) => h.parentElement.contains(at));
    if (!inside || choice.value) return; // the section that the address names, until another is chosen
    choice.value = inside.parentElement.id;
    cite(inside);
  });

  for (const text of box.querySelectorAll(".citation")) {
    const said = element("span", { role: "status" });
    const button = element("button", { type: "button" }, text.matches("pre") ? "Copy BibTeX" : "Copy text");
    button.addEventListener("click", async () => {
      getSelection().selectAllChildren(text); // also where a page may not write to the clipboard
      try {
        await navigator.clipboard.writeText(text.matches("pre") ? text.textContent : text.textContent.replace(/\s+/g, " "));
        said.textContent = "Copied.";
      } catch {
        said.textContent = "Selected; copy it from here.";
      }
    });
    text.after(element("p", {}, button, " ", said));
  }

  const report = notes.querySelector(".report");
  if (!report) return;
  const base = report.href, words = report.textContent;
  const fill = (selection) => {
    const text = selection ? selection.toString().replace(/\s+/g, " ").trim().slice(0, 300) : "";
    const address = new URL(base);
    report.textContent = text ? `${words}: “${text.length > 40 ? `${text.slice(0, 39)}…` : text}”` : words;
    if (text) {
      const from = selection.getRangeAt(0).startContainer;
      const near = (from.parentElement || from).closest(".counted, figure, .formula, .table-wrapper");
      const label = near && near.querySelector(".counted-title strong, .caption-number, .eqno");
      const before = last((h) => h.parentElement.contains(from));
      const place = [before && `${number(before)} ${plain(before)}`.trim(), label && label.textContent.replace(/[¶#.\s]+$/, "")];
      address.searchParams.set("where", [...place.filter(Boolean), address.searchParams.get("where")].join(", "));
      address.searchParams.set("printed", text);
    }
    report.href = address;
  };
  document.addEventListener("selectionchange", () => {
    const selection = getSelection();
    if (selection.anchorNode && article.contains(selection.anchorNode)) fill(selection); // a click on the link ends the selection
  });
})();
