// Panel B: gradients through time, as measured at a token, and on a synthetic network.

const recurrent = data.recurrent && {
  ...data.recurrent,
  loss: column(data.recurrent.loss),
  jacobians: column(data.recurrent.jacobians),
};

const stateName = recurrent?.state.length > 1 ? "s" : "h"; // s where a state is more than h

// Where each token's lags begin in the two columns, and how many it has.
const lagsOf = new Uint32Array(tokenCount);
const lossStart = new Uint32Array(tokenCount + 1);
const jacobianStart = new Uint32Array(tokenCount + 1);
if (recurrent) {
  let position = 0;
  for (let token = 0; token < tokenCount; token += 1) {
    position = recurrent.restarts[token] === "1" ? 0 : position + 1;
    lagsOf[token] = Math.min(position, recurrent.lags);
    lossStart[token + 1] = lossStart[token] + lagsOf[token] + 1;
    jacobianStart[token + 1] = jacobianStart[token] + lagsOf[token];
  }
}

/**
 * Norms at a token: loss by lag from 0 on; jacobian, steps and norm too, from 1 at lag 0, or
 * null: the first two where they were not measured, |Wₕ|ᵐ where it is no bound.
 */
function normsAt(token) {
  const lags = Array.from({ length: lagsOf[token] + 1 }, (_, lag) => lag);
  const loss = lags.map((lag) => 2 ** recurrent.loss[lossStart[token] + lag]);
  const norm = recurrent.matrix && lags.map((lag) => recurrent.matrix.spectral_norm ** lag);
  if (token >= recurrent.jacobian_tokens) return { loss, norm, jacobian: null, steps: null };
  const jacobian = lags.map((lag) => (lag ? 2 ** recurrent.jacobians[jacobianStart[token] + lag - 1] : 1));
  const steps = [1];
  // The norm of one step is the first Jacobian's of the token where it ends.
  for (let lag = 1; lag < lags.length; lag += 1) {
    steps.push(steps[lag - 1] * 2 ** recurrent.jacobians[jacobianStart[token - lag + 1]]);
  }
  return { loss, norm, jacobian, steps };
}

/** What the state at this lag has read last. */
function readAt(token, lag) {
  return recurrent.restarts[token - lag] === "1" ? "⟨s⟩" : wordOf(token - lag - 1);
}

function showMeasured(token) {
  const { loss, norm, jacobian, steps } = normsAt(token);
  const labels = loss.map((_, lag) => readAt(token, lag));
  const last = loss.length - 1;
  const share = loss.map((value) => value / loss[0]);
  const lines = { ...(norm && { norm }), ...(jacobian && { steps, jacobian }) };
  const of = `∂${stateName}`;
  const text = last
    ? `The loss at “${wordOf(token)}” changes by ${formatNorm(loss[0])} nats per unit of the state it is predicted from, and by ${formatNorm(loss[last])} per unit of the state ${last} ${last > 1 ? "steps" : "step"} before, after “${labels[last]}”: ${formatNorm(share[last])} of it.`
    : `The loss at “${wordOf(token)}”, the first ${UNITS.word}, depends on one state only.`;
  const bound = last && jacobian
    ? ` The Jacobian’s norm there is ${formatNorm(jacobian[last])}; the product of the steps’ norms allows ${formatNorm(steps[last])}${norm ? `, |Wₕ|ᵐ ${formatNorm(norm[last])}` : ""}.`
    : "";
  document.getElementById("reach").textContent = text + bound;
  drawChart(document.getElementById("chart"), {
    labels, stems: share, stemsName: `|∂lossₜ/${of}ₜ₋ₘ|, as a share of lag 0’s`, lines, state: stateName,
    axis: `the state after each earlier ${UNITS.word}; the one that predicts is on the right`,
    description: text + bound,
  });
  const columns = [
    [`|∂loss/${of}|`, loss], ["share", share],
    ...(jacobian ? [[`|${of}ₜ/${of}ₜ₋ₘ|`, jacobian], ["steps’ product", steps]] : []),
    ...(norm ? [["|Wₕ|ᵐ", norm]] : []),
  ];
  const head = ["Lag m", "State after", ...columns.map(([name]) => name)];
  const rows = loss.map((_, lag) => [
    String(lag), labels[lag], ...columns.map(([, values]) => formatNorm(values[lag])),
  ]);
  document.getElementById("norms").replaceChildren(
    element("thead", {}, element("tr", {}, ...head.map((each) => element("th", { scope: "col" }, each)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((each) => element("td", {}, each))))));
}

function makeMeasured() {
  const note = document.getElementById("note-b");
  if (!recurrent) {
    document.getElementById("reach").textContent = `The model ${data.model.name} has no recurrent network.`;
    document.querySelector("#measured details").hidden = true;
    return;
  }
  const some = recurrent.jacobian_tokens < tokenCount
    ? ` Jacobians are measured for the first ${formatNumber(recurrent.jacobian_tokens)} tokens (--jacobians), gradients of the loss for all.` : "";
  const others = recurrent.others.length ? ` (--predictor names another: ${recurrent.others.join(", ")})` : "";
  note.textContent = `Of the network ${recurrent.name}${others} as it was trained, ${recurrent.lags} states back at most${aboutState()}. ${aboutBounds()}${some}`;
}

/** Of what numbers a state consists. */
function aboutState() {
  const size = formatNumber(recurrent.state_size);
  return stateName === "s"
    ? `; a state s is all that a step hands on, the cell c and the hidden values h, ${size} numbers, of which the loss reads h`
    : `; a state h has ${size} numbers`;
}

/** Which norms bound which: |Wₕ|ᵐ only where steps go through Wₕ alone. */
function aboutBounds() {
  const chain = "Every norm is at most the one above it in the chart: share ≤ Jacobian ≤ product of the steps";
  if (!recurrent.matrix) {
    return `${chain}. There is no bound |Wₕ|ᵐ as of an Elman network: gates carry a state on beside Wₕ, and multiply what comes through it.`;
  }
  const { spectral_norm: norm, spectral_radius: radius } = recurrent.matrix;
  return `|Wₕ| = ${norm.toFixed(2)} (spectral norm), spectral radius ${radius.toFixed(2)}. ${chain} ≤ |Wₕ|ᵐ.`;
}

// --- the synthetic network -------------------------------------------------------------

const slider = document.getElementById("norm");
const withTanh = document.getElementById("with-tanh");

function showSynthetic() {
  const { spectral_norms: norms, radius, linear, tanh, steps } = data.synthetic;
  const row = Number(slider.value);
  const norm = norms[row];
  const jacobian = (withTanh.checked ? tanh : linear)[row];
  const powers = jacobian.map((_, lag) => norm ** lag);
  const lines = { norm: powers, ...(withTanh.checked ? { steps: steps[row] } : {}), jacobian };
  const last = jacobian.length - 1;
  document.getElementById("norm-value").textContent = norm.toFixed(2);
  slider.setAttribute("aria-valuetext", norm.toFixed(2));
  const verdict = jacobian[last] < 0.1 ? "vanishes" : jacobian[last] > 10 ? "explodes" : "holds";
  const why = withTanh.checked
    ? "the tanh flattens where units saturate"
    : `without the tanh the spectral radius, ${(radius * norm).toFixed(2)}, decides`;
  const text = `After ${last} steps the Jacobian’s norm is ${formatNorm(jacobian[last])}: the gradient ${verdict}; ${why}. The bound |Wₕ|ᵐ is ${formatNorm(powers[last])}.`;
  document.getElementById("synthetic-reach").textContent = text;
  drawChart(document.getElementById("synthetic-chart"), {
    labels: jacobian.map((_, lag) => (lag % 4 ? "" : String(lag))), stems: null, lines,
    axis: "steps back, m", description: text,
  });
}

function makeSynthetic() {
  const norms = data.synthetic.spectral_norms;
  slider.max = norms.length - 1;
  slider.value = norms.indexOf(1.5);
  slider.addEventListener("input", showSynthetic);
  withTanh.addEventListener("change", showSynthetic);
  showSynthetic();
}

// --- the two tabs ----------------------------------------------------------------------

function makeTabs() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const choose = (chosen) => {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
    }
  };
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      const next = tabs[(index + 1) % tabs.length];
      choose(next);
      next.focus();
    });
  });
}
