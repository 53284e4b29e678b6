// The page's data, as nlmzip/explain/payload.py made it: `data`, and columns as arrays.

const data = JSON.parse(document.getElementById("data").textContent);

/** The bytes of a base64 text. */
function bytesOf(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer;
}

/** The numbers of a column (nlmzip/explain/columns.py). */
function column(packed) {
  if (packed.float32) return new Float32Array(bytesOf(packed.float32));
  const codes = new Uint16Array(bytesOf(packed.uint16));
  return Float64Array.from(codes, (code) => packed.first + packed.step * code);
}

const tokenCount = data.words.length;
const spelling = column(data.spelling);
const other = data.other ? column(data.other) : new Float64Array(tokenCount);
const predictors = data.predictors.map((each) => ({
  ...each, bits: column(each.bits), sentences: column(each.sentences),
}));

/** The number of each token's sentence. */
const sentenceOf = new Uint32Array(tokenCount);
data.sentences.forEach((start, number) => {
  sentenceOf.fill(number, start, data.sentences[number + 1] ?? tokenCount);
});

/** First token of a sentence, and the first after it. */
function sentenceSpan(number) {
  return [data.sentences[number], data.sentences[number + 1] ?? tokenCount];
}

/** All bits of a token: its symbol, and what its symbol leaves open. */
function bitsOf(predictor, token) {
  return predictor.bits[token] + spelling[token] + other[token];
}

function isEnd(token) {
  return data.ends[token] === "1";
}

// Where tokens are bytes, no text ends in </s>; what is called a sentence is a line.
const bytewise = data.form === "bytes";
const UNITS = bytewise
  ? { word: "byte", Word: "Byte", sentence: "line" }
  : { word: "word", Word: "Word", sentence: "sentence" };
const SIGNS = { " ": "␣", "\n": "⏎", "\t": "⇥" }; // of bytes that show nothing

/** What a token is called outside of the text. */
function wordOf(token) {
  return isEnd(token) ? "⟨/s⟩" : SIGNS[data.words[token]] ?? data.words[token];
}

// As nlmzip/explain/seen.py numbers them, and an unknown word.
const CLASSES = [
  { mark: "○", name: "bigram never seen" },
  { mark: "◐", name: "bigram seen, trigram not" },
  { mark: "●", name: "trigram seen" },
  { mark: "✎", name: "unknown" },
];

/** The class of a token's n-gram, or of an unknown word; null where the model has no counts. */
function classOf(token) {
  return data.classes ? Number(data.classes[token]) : null;
}

/** What training saw, in words. */
function seenText(token) {
  const number = classOf(token);
  if (number === 3 || spelling[token] > 0) return `unknown, spelled in ${spelling[token].toFixed(1)} bits`;
  return number === null ? "" : CLASSES[number].name;
}

function formatNumber(value, digits = 0) {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Three digits, also of very large and small numbers. */
function formatNorm(value) {
  if (value >= 0.001 && value < 10000) return Number(value.toPrecision(3)).toString();
  const [digits, power] = value.toExponential(1).split("e");
  return `${digits}·10${superscript(Number(power))}`;
}

function superscript(power) {
  return String(power).replace(/[-0-9]/g, (each) => (each === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[each]));
}

/** A new element with properties and children; text never is markup. */
function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made && key !== "role") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}
