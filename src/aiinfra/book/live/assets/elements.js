// Elements of the page: aiinfra.element("p", {class: "x"}, "text", child). Text stays text, whatever is in it.
(() => {
  "use strict";
  aiinfra.element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === true) made.setAttribute(key, "");
      else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, String(value));
    }
    made.append(...children.filter((child) => child !== "" && child !== null));
    return made;
  };
})();
