// Charts whose data change: aiinfra.chart(element, {title, x: {label, log}, y: {label, log}, series: [{label, xs, ys, role, dash}],
// marks: [{x, y, text}], bands: [{from, to, text}]}) gives {update(spec), destroy()}. What draws them, chart.js, is asked for when the
// first one of a page is made; until it is there, the last data wait.
(() => {
  "use strict";
  const { element } = aiinfra;
  const home = document.currentScript && document.currentScript.src;
  let asked = null;

  const load = () => {
    asked = asked || new Promise((done, failed) => {
      const script = element("script", { src: new URL("chart.js", home) });
      Object.assign(script, { onload: done, onerror: failed });
      document.head.append(script);
    });
    return asked;
  };

  aiinfra.chart = (host, spec) => {
    let last = spec, chart = null, gone = false;
    const make = () => {
      if (!gone) chart = new aiinfra.Chart(host, last);
    };
    load().then(make, () => host.append("The chart could not be loaded."));
    return {
      update(next) {
        last = next;
        if (chart) chart.update(next);
      },
      destroy() {
        gone = true;
        if (chart) chart.destroy();
      },
    };
  };
})();
