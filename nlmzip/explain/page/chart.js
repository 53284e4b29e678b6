// A chart of norms by lag on a logarithmic axis: stems for gradients of the loss, lines beside them.

const WIDTH = 620, LEFT = 52, RIGHT = 14, TOP = 12, FLOOR = 250;
const MOST_ABOVE = 1e4; // how far a bound may rise over what is measured before it leaves the chart

/** What the lines are, where a state is called by a letter. */
const seriesOf = (state) => ({
  jacobian: `|∂${state}ₜ/∂${state}ₜ₋ₘ|`,
  steps: "bound: product of the steps’ norms",
  norm: "bound: |Wₕ|ᵐ",
});

function svg(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/**
 * Draw into a figure. labels[m] names lag m; stems, or null, and each of `lines` (by the
 * keys of seriesOf) hold a norm for each lag; what the picture shows stands in `description`.
 */
function drawChart(figure, { labels, stems, stemsName, lines, axis, description, state = "h" }) {
  const measured = [...(stems ?? []), ...(lines.jacobian ?? [])].filter((value) => value > 0);
  const all = [...measured, ...Object.values(lines).flat().filter((value) => value > 0)];
  const most = Math.min(Math.max(...all), MOST_ABOVE * Math.max(1, ...measured));
  const top = Math.max(1, Math.ceil(Math.log10(most)));
  const bottom = Math.min(-1, Math.floor(Math.log10(Math.max(Math.min(...all), 1e-12)) - 0.15));
  const space = (WIDTH - LEFT - RIGHT) / labels.length;
  const x = (lag) => WIDTH - RIGHT - (lag + 0.5) * space;
  const y = (value) => TOP + ((top - Math.log10(value)) / (top - bottom)) * (FLOOR - TOP);
  const words = labels.some((label) => label.length > 2); // written aslant
  const height = FLOOR + (words ? 104 : 44);
  const parts = [];

  const every = Math.ceil((top - bottom) / 8);
  for (let power = Math.ceil(bottom / every) * every; power <= top; power += every) {
    const at = y(10 ** power);
    parts.push(svg("line", { class: power ? "grid" : "one", x1: LEFT, x2: WIDTH - RIGHT, y1: at, y2: at }));
    const name = Math.abs(power) < 3 ? String(Number((10 ** power).toPrecision(1))) : `10${superscript(power)}`;
    parts.push(svg("text", { x: LEFT - 8, y: at + 4, "text-anchor": "end" }, name));
  }
  labels.forEach((label, lag) => {
    const short = label.length > 13 ? `${label.slice(0, 12)}…` : label;
    const place = words
      ? { transform: `translate(${x(lag) + 4} ${FLOOR + 16}) rotate(-42)`, "text-anchor": "end" }
      : { x: x(lag), y: FLOOR + 18, "text-anchor": "middle" };
    parts.push(svg("text", { class: "word", ...place }, short));
  });
  parts.push(svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: height - 4, "text-anchor": "middle" }, axis));

  const clip = `clip-${figure.id}`;
  parts.push(svg("clipPath", { id: clip },
    svg("rect", { x: LEFT, y: TOP - 4, width: WIDTH - LEFT - RIGHT, height: FLOOR - TOP + 4 })));
  const drawing = svg("g", { "clip-path": `url(#${clip})` });
  for (const [name, values] of Object.entries(lines)) {
    const points = values.map((value, lag) => (value > 0 ? `${x(lag)},${y(value)}` : null));
    const drawn = points.filter(Boolean);
    drawing.append(svg("polyline", { class: `line series-${name}`, points: drawn.join(" ") }));
    if (name !== "jacobian") continue;
    for (const point of drawn) {
      const [cx, cy] = point.split(",");
      drawing.append(svg("circle", { class: `dot series-${name}`, cx, cy, r: 3 }));
    }
  }
  (stems ?? []).forEach((value, lag) => {
    if (!(value > 0)) return;
    const at = Math.min(y(value), FLOOR);
    drawing.append(svg("line", { class: "stem", x1: x(lag), x2: x(lag), y1: at, y2: FLOOR }));
    drawing.append(svg("circle", { class: "loss", cx: x(lag), cy: at, r: Math.min(5.5, space / 3) }));
  });
  parts.push(drawing);

  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": description }, ...parts);
  figure.replaceChildren(picture, legend(stems ? stemsName : null, Object.keys(lines).reverse(), seriesOf(state)));
}

function legend(stemsName, names, series) {
  const sample = (part) => svg("svg", { viewBox: "0 0 28 10", "aria-hidden": "true" }, part);
  const entries = names.map((name) => [
    sample(svg("line", { class: `line series-${name}`, x1: 0, x2: 28, y1: 5, y2: 5 })), series[name],
  ]);
  if (stemsName) {
    entries.unshift([sample(svg("circle", { class: "loss", cx: 14, cy: 5, r: 5 })), stemsName]);
  }
  return element("div", { className: "legend" },
    ...entries.map(([picture, name]) => element("span", {}, picture, name)));
}
