// What is picked, and what follows from it.

const chosen = { predictor: data.start, token: 0 };
let marked = null; // the token that the text shows as picked

function pick(token, scroll = true) {
  chosen.token = token;
  markPicked(predictors[chosen.predictor], token, marked);
  marked = token;
  if (scroll) scrollTo(token);
  showSentence(predictors[chosen.predictor], token, pick);
  showPredictors(chosen.predictor, token);
  if (recurrent) showMeasured(token);
}

function choosePredictor(index) {
  chosen.predictor = index;
  shadeText(predictors[index]);
  textBox.setAttribute("aria-label", `The text, shaded by bits under ${predictors[index].name}`);
  pick(chosen.token, false);
}

/** The first sentence's costliest word: where there is something to see. */
function firstPick() {
  const [first, end] = sentenceSpan(0);
  let best = first;
  for (let token = first; token < end; token += 1) {
    if (bitsOf(predictors[data.start], token) > bitsOf(predictors[data.start], best)) best = token;
  }
  return best;
}

function describePage() {
  const unknown = data.classes
    ? data.classes.split("3").length - 1 : spelling.filter((bits) => bits > 0).length;
  document.getElementById("title").textContent = `${data.name} under ${data.model.name}`;
  document.getElementById("summary").textContent =
    bytewise
      ? `${formatNumber(data.bytes)} bytes, each of which is a word to the model; a line has at most 200 of them.`
      : `${formatNumber(data.bytes)} bytes as ${data.form} text: ${formatNumber(data.sentences.length)} sentences, ` +
        `${formatNumber(tokenCount)} tokens, of which ${formatNumber(unknown)} are none of the model’s ` +
        `${formatNumber(data.model.vocabulary)} symbols and are spelled.`;
  for (const place of document.querySelectorAll("[data-unit]")) place.textContent = UNITS[place.dataset.unit];
  for (const place of document.querySelectorAll("[data-only=words]")) place.hidden = bytewise;
  document.getElementById("rounding").textContent =
    `Bits of a ${UNITS.sentence} and of the text are sums of unrounded numbers. Rounded on this page are a ` +
    `${UNITS.word}’s bits (to 1/${1 / data.predictors[0].bits.step} bit), ` +
    `${bytewise ? "" : `its spelling, letter case and gap (to 1/${1 / data.spelling.step} bit), `}and norms (to 0.1%). Made by nlmzip explain; nothing is loaded from elsewhere.`;
}

describePage();
makeScale();
makePredictors(choosePredictor);
makeMeasured();
makeSynthetic();
makeTabs();
textBox.addEventListener("click", (event) => {
  const span = event.target.closest(".token");
  if (span) pick(Number(span.id.slice("token-".length)), false);
});
textBox.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const token = tokenAfterKey(event.key, chosen.token);
  if (token === null) return;
  event.preventDefault();
  pick(token);
});
let shaded = 0;
makeText(() => {
  shadeText(predictors[chosen.predictor], shaded);
  if (shaded === 0) {
    chosen.token = firstPick();
    choosePredictor(chosen.predictor);
  }
  shaded = tokenElements.length;
});
