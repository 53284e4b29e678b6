// Panel A's tables: the picked sentence word by word, and every predictor in numbers.

const predictorRows = document.querySelector("#predictors tbody");
const sentenceRows = document.querySelector("#sentence tbody");

/** A bar of two parts, words solid and details hatched, as shares of `largest`. */
function meter(words, details, largest) {
  const bar = element("div", { className: "meter", "aria-hidden": "true" });
  for (const bits of details > 0 ? [words, details] : [words]) {
    const part = element("i");
    part.style.width = `${Math.min(100, (100 * Math.max(bits, 0)) / (largest || 1))}%`;
    bar.append(part);
  }
  return bar;
}

/** The rows of all predictors; `whenChosen(index)` follows a choice. */
function makePredictors(whenChosen) {
  predictors.forEach((predictor, index) => {
    const input = element("input", { type: "radio", name: "predictor", checked: index === data.start });
    input.addEventListener("change", () => whenChosen(index));
    predictorRows.append(element("tr", {},
      element("th", { scope: "row" }, element("label", {}, input, predictor.name)),
      element("td", { className: "number" }), element("td", { className: "number" }),
      element("td", { className: "number" }, formatNumber(predictor.information)),
      element("td", { className: "number" }, formatNumber(predictor.bits_per_character, 3)),
    ));
  });
}

/** The numbers of the picked token and sentence under every predictor. */
function showPredictors(chosen, token) {
  const sentence = sentenceOf[token];
  const [first, end] = sentenceSpan(sentence);
  const details = spelling[token] + other[token];
  let sentenceDetails = 0;
  for (let each = first; each < end; each += 1) sentenceDetails += spelling[each] + other[each];
  const largest = Math.max(...predictors.map((each) => each.sentences[sentence]));
  const largestToken = Math.max(...predictors.map((each) => bitsOf(each, token)));
  predictors.forEach((predictor, index) => {
    const row = predictorRows.rows[index];
    row.classList.toggle("chosen", index === chosen);
    const all = predictor.sentences[sentence];
    row.cells[1].replaceChildren(
      formatNumber(bitsOf(predictor, token), 2), meter(predictor.bits[token], details, largestToken));
    row.cells[2].replaceChildren(
      formatNumber(all, 1), meter(all - sentenceDetails, sentenceDetails, largest));
  });
  const it = predictors[chosen];
  const kinds = [`, ${formatNumber(it.words)} for words`, `${formatNumber(it.spelling)} for spelling unknown ones`];
  if (data.other) kinds.push(`${formatNumber(it.other)} for letter case and gaps`);
  const parts = bytewise ? "" : `${kinds.join(", ")} (hatched: the same under each)`;
  document.getElementById("breakdown").replaceChildren(
    `The text under ${it.name}: ${formatNumber(it.information, 1)} bits${parts}. `,
    `The words codec codes it in ${formatNumber(it.payload_bytes)} bytes, `,
    `${formatNumber(it.bits_per_character, 4)} bits per character.`);
}

/** The picked sentence, a row a token; `whenPicked(token)` follows a click on its word. */
function showSentence(predictor, token, whenPicked) {
  const [first, end] = sentenceSpan(sentenceOf[token]);
  let largest = 0;
  for (let each = first; each < end; each += 1) largest = Math.max(largest, bitsOf(predictor, each));
  const rows = [];
  for (let each = first; each < end; each += 1) {
    const word = element("button", { type: "button" }, wordOf(each));
    word.addEventListener("click", () => whenPicked(each));
    if (each === token) word.setAttribute("aria-current", "true");
    rows.push(element("tr", { className: each === token ? "picked" : "" },
      element("th", { scope: "row" }, word),
      element("td", {}, chip(each)),
      element("td", { className: "number" }, formatNumber(bitsOf(predictor, each), 2)),
      element("td", {}, meter(predictor.bits[each], spelling[each] + other[each], largest))));
  }
  const focused = sentenceRows.contains(document.activeElement);
  sentenceRows.replaceChildren(...rows);
  if (focused) rows[token - first].querySelector("button").focus();
}

/** What training saw of a token. */
function chip(token) {
  const number = classOf(token) ?? (spelling[token] ? 3 : null);
  if (number === null) return "";
  const mark = element("span", { "aria-hidden": "true" }, `${CLASSES[number].mark} `);
  return element("span", { className: `chip class-${number}` }, mark, seenText(token));
}
