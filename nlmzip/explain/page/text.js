// Panel A: the text, each token shaded by its bits. A listbox whose options are the tokens.

const LEVELS = [1, 2, 4, 8, 16, 32]; // bits from which on the next shade begins
const SENTENCES_IN_BLOCK = 50; // blocks out of sight cost the browser nothing
const NEXT_SENTENCES = 10; // what Page Up and Page Down go by

const textBox = document.getElementById("text");
const tokenElements = [];

function levelOf(bits) {
  let level = 0;
  while (level < LEVELS.length && bits >= LEVELS[level]) level += 1;
  return level;
}

/** Make all tokens, a block at a time so that the page answers meanwhile. */
function makeText(whenMade) {
  let sentence = 0;
  function makeBlock() {
    const last = Math.min(sentence + SENTENCES_IN_BLOCK, data.sentences.length);
    const block = element("div", { className: "block", role: "presentation" });
    for (let token = sentenceSpan(sentence)[0]; token < sentenceSpan(last - 1)[1]; token += 1) {
      block.append(...tokenNodes(token));
    }
    textBox.append(block);
    sentence = last;
    whenMade();
    if (sentence < data.sentences.length) setTimeout(makeBlock);
  }
  makeBlock();
}

/** A token's element, and white space beside it as plain text. */
function tokenNodes(token) {
  const gap = data.gaps[token];
  const span = element("span", { className: "token", role: "option", id: `token-${token}` });
  span.setAttribute("aria-selected", "false");
  tokenElements.push(span);
  if (data.words[token] === "\n") {
    span.classList.add("end");
    span.textContent = wordOf(token);
    return ["", span, "\n"];
  }
  if (!isEnd(token)) {
    span.textContent = data.words[token];
    return [gap, span];
  }
  const [, before, inner, after] = /^(\s*)(.*?)(\s*)$/s.exec(gap);
  span.classList.add("end");
  span.classList.toggle("inline", inner !== "");
  span.textContent = inner || "⏎";
  return [inner ? before : "", span, inner ? after : gap];
}

/** Shade the tokens from `first` on. */
function shadeText(predictor, first = 0) {
  for (let token = first; token < tokenElements.length; token += 1) {
    const span = tokenElements[token];
    const level = `level-${levelOf(bitsOf(predictor, token))}`;
    if (span.shade !== level) {
      if (span.shade) span.classList.remove(span.shade);
      span.classList.add(level);
      span.shade = level;
    }
  }
}

function describeToken(predictor, token) {
  const bits = formatNumber(bitsOf(predictor, token), 2);
  const seen = seenText(token);
  return `${isEnd(token) ? "end of sentence" : wordOf(token)}: ${bits} bits under ${predictor.name}${seen ? `, ${seen}` : ""}`;
}

/** Mark a token as picked, and its sentence. */
function markPicked(predictor, token, before) {
  const mark = (each, on) => {
    tokenElements[each].classList.toggle("picked", on);
    tokenElements[each].setAttribute("aria-selected", String(on));
    for (let other = sentenceSpan(sentenceOf[each])[0]; other < sentenceSpan(sentenceOf[each])[1]; other += 1) {
      tokenElements[other]?.classList.toggle("in-sentence", on);
    }
  };
  if (before !== null) {
    mark(before, false);
    tokenElements[before].removeAttribute("aria-label"); // it is of its predictor
  }
  mark(token, true);
  tokenElements[token].setAttribute("aria-label", describeToken(predictor, token));
  textBox.setAttribute("aria-activedescendant", `token-${token}`);
}

function scrollTo(token) {
  const span = tokenElements[token];
  const box = textBox.getBoundingClientRect();
  const place = span.getBoundingClientRect();
  if (place.top < box.top + 8 || place.bottom > box.bottom - 8) {
    textBox.scrollTop += place.top - box.top - box.height / 3;
  }
}

/** The token that a key leads to, null for other keys. */
function tokenAfterKey(key, token) {
  const sentence = sentenceOf[token];
  const startOf = (number) =>
    data.sentences[Math.max(0, Math.min(number, sentenceOf[tokenElements.length - 1]))];
  switch (key) {
    case "ArrowLeft": return Math.max(token - 1, 0);
    case "ArrowRight": return Math.min(token + 1, tokenElements.length - 1);
    case "ArrowUp": return startOf(sentence - 1);
    case "ArrowDown": return startOf(sentence + 1);
    case "PageUp": return startOf(sentence - NEXT_SENTENCES);
    case "PageDown": return startOf(sentence + NEXT_SENTENCES);
    case "Home": return sentenceSpan(sentence)[0];
    case "End": return sentenceSpan(sentence)[1] - 1;
    case "Enter": case " ": return token;
    default: return null;
  }
}

function makeScale() {
  const scale = document.getElementById("scale");
  scale.append(element("b", {}, "Bits of a token:"));
  [0, ...LEVELS].forEach((from, level) => {
    const upTo = LEVELS[level];
    const label = upTo === undefined ? `${from} and more` : level ? `${from}–${upTo}` : `below ${upTo}`;
    scale.append(element("span", { className: `level-${level}` }, label));
  });
}
