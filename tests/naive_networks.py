"""Naive twins of the networks: one sentence, one token, one float64 vector at a time.

Written from the equations alone, sharing nothing with nlmzip.training. A network takes
weights by name and a list of sentences (lists of symbol ids that end with 1), and returns
the mean loss in nats and its gradients. A head takes weights, a hidden vector and the
word that comes, and returns the loss, the gradient at the vector, and those by name.
"""

import numpy as np


def softmax(logits):
    values = np.exp(logits - logits.max())
    return values / values.sum()


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def in_float64(weights):
    return {name: array.astype(np.float64) for name, array in weights.items()}


# --- heads


def softmax_head(w, h, word):
    p = softmax(h @ w["output_weights"] + w["output_bias"])
    at_logits = p.copy()
    at_logits[word] -= 1
    gradients = {"output_weights": np.outer(h, at_logits), "output_bias": at_logits}
    return -np.log(p[word]), w["output_weights"] @ at_logits, gradients


def _projections(w, h):
    """Priors, and for each softmax its piece of the projection's weights and z_k."""
    n = len(w["prior_bias"])
    pieces = np.split(w["projection_weights"], n, 1)
    biases = np.split(w["projection_bias"], n)
    return softmax(h @ w["prior_weights"] + w["prior_bias"]), pieces, [
        np.tanh(h @ piece + bias) for piece, bias in zip(pieces, biases)
    ]


def _back_to_h(w, h, pieces, z, at_z, at_priors):
    """Through the projections, and through the logits of the priors."""
    at_inside = [at * (1 - value**2) for at, value in zip(at_z, z)]
    at_h = w["prior_weights"] @ at_priors + sum(p @ at for p, at in zip(pieces, at_inside))
    return at_h, {
        "prior_weights": np.outer(h, at_priors),
        "prior_bias": at_priors,
        "projection_weights": np.hstack([np.outer(h, at) for at in at_inside]),
        "projection_bias": np.concatenate(at_inside),
    }


def mixture_of_softmaxes_head(w, h, word):
    priors, pieces, z = _projections(w, h)
    p = [softmax(each @ w["output_weights"] + w["output_bias"]) for each in z]
    total = sum(prior * each[word] for prior, each in zip(priors, p))
    of_weights, of_bias, at_z = 0.0, 0.0, []
    at_prior = np.array([-each[word] / total for each in p])  # d(-log total) / d pi_k
    for prior, each, value in zip(priors, p, z):
        indicator = np.eye(len(each))[word]
        at_logits = -prior / total * each[word] * (indicator - each)
        of_weights = of_weights + np.outer(value, at_logits)
        of_bias = of_bias + at_logits
        at_z.append(w["output_weights"] @ at_logits)
    jacobian = np.diag(priors) - np.outer(priors, priors)
    at_h, gradients = _back_to_h(w, h, pieces, z, at_z, jacobian @ at_prior)
    return -np.log(total), at_h, gradients | {"output_weights": of_weights, "output_bias": of_bias}


def mixture_of_contexts_head(w, h, word):
    priors, pieces, z = _projections(w, h)
    mixed = sum(prior * value for prior, value in zip(priors, z))
    loss, at_mixed, of_output = softmax_head(w, mixed, word)
    at_prior = np.array([value @ at_mixed for value in z])
    jacobian = np.diag(priors) - np.outer(priors, priors)
    at_z = [prior * at_mixed for prior in priors]
    at_h, gradients = _back_to_h(w, h, pieces, z, at_z, jacobian @ at_prior)
    return loss, at_h, gradients | of_output


def tied(head):
    """A head whose output weights are the embeddings, all but that of <s>."""

    def tied_head(w, h, word):
        inner = {**w, "output_weights": w["embedding"][:-1].T}
        if "tie_weights" not in w:
            loss, at_h, gradients = head(inner, h, word)
        else:
            loss, at_projected, gradients = head(inner, h @ w["tie_weights"], word)
            at_h = w["tie_weights"] @ at_projected
            gradients["tie_weights"] = np.outer(h, at_projected)
        table = np.zeros(w["embedding"].shape)
        table[:-1] = gradients.pop("output_weights").T
        return loss, at_h, gradients | {"embedding": table}

    return tied_head


HEADS = {
    "softmax": softmax_head, "mos": mixture_of_softmaxes_head, "moc": mixture_of_contexts_head,
}  # fmt: skip


class Sum:
    """Adds up losses and gradients, divided by the number of tokens."""

    def __init__(self, weights, sentences):
        self.gradients = {name: np.zeros(array.shape) for name, array in weights.items()}
        self.loss, self.n_tokens = 0.0, sum(map(len, sentences))

    def add(self, **gradients):
        for name, gradient in gradients.items():
            self.gradients[name] += gradient

    def through(self, head, weights, h, word):
        """The gradient at h that a head gives."""
        loss, at_h, gradients = head(weights, h, word)
        self.loss += loss / self.n_tokens
        self.add(**{name: gradient / self.n_tokens for name, gradient in gradients.items()})
        return at_h / self.n_tokens


# --- networks


def nplm(weights, sentences, context=2, head=softmax_head, direct=False):
    w = in_float64(weights)
    width, start = w["embedding"].shape[1], len(w["embedding"]) - 1
    total = Sum(weights, sentences)
    for sentence in sentences:
        history = [start] * context
        for word in sentence:
            x = np.concatenate([w["embedding"][symbol] for symbol in history])
            a = np.tanh(x @ w["hidden_weights"] + w["hidden_bias"])
            read = np.concatenate([a, x]) if direct else a
            at_read = total.through(head, w, read, word)
            at_inside = at_read[: len(a)] * (1 - a**2)
            total.add(hidden_weights=np.outer(x, at_inside), hidden_bias=at_inside)
            at_input = w["hidden_weights"] @ at_inside
            if direct:
                at_input += at_read[len(a) :]
            for place, symbol in enumerate(history):
                total.gradients["embedding"][symbol] += at_input[place * width : (place + 1) * width]
            history = history[1:] + [word]
    return total.loss, total.gradients


def elman(weights, sentences, head=softmax_head):
    w = in_float64(weights)
    start, width = len(w["embedding"]) - 1, len(w["hidden_bias"])
    total = Sum(weights, sentences)
    for sentence in sentences:
        inputs = [start] + sentence[:-1]
        h, at_head = [np.zeros(width)], []  # h[t + 1] is the state that predicts sentence[t]
        for symbol, word in zip(inputs, sentence):
            x = w["embedding"][symbol]
            h.append(np.tanh(x @ w["input_weights"] + h[-1] @ w["recurrent_weights"] + w["hidden_bias"]))
            at_head.append(total.through(head, w, h[-1], word))
        later = np.zeros(width)  # what flows back from the steps after t
        for t in reversed(range(len(sentence))):
            delta = (at_head[t] + later) * (1 - h[t + 1] ** 2)
            add_inputs(total, w, inputs[t], delta)
            total.add(recurrent_weights=np.outer(h[t], delta))
            later = w["recurrent_weights"] @ delta
    return total.loss, total.gradients


def add_inputs(total, w, symbol, delta):
    """Gradients of what x_t W_x + b is made of."""
    total.add(input_weights=np.outer(w["embedding"][symbol], delta), hidden_bias=delta)
    total.gradients["embedding"][symbol] += w["input_weights"] @ delta


def lstm(weights, sentences, head=softmax_head):
    """One unit after the other in the backward pass."""
    w = in_float64(weights)
    start, width = len(w["embedding"]) - 1, len(w["recurrent_weights"])
    total = Sum(weights, sentences)
    for sentence in sentences:
        h, c = [np.zeros(width)], [np.zeros(width)]  # entry t + 1 is what step t leaves
        gates, at_head = [], []
        inputs = [start] + sentence[:-1]
        for symbol, word in zip(inputs, sentence):
            x = w["embedding"][symbol]
            z = x @ w["input_weights"] + h[-1] @ w["recurrent_weights"] + w["hidden_bias"]
            i, f, o, g = np.split(z, 4)
            i, f, o, g = sigmoid(i), sigmoid(f), sigmoid(o), np.tanh(g)
            gates.append((i, f, o, g))
            c.append(f * c[-1] + i * g)
            h.append(o * np.tanh(c[-1]))
            at_head.append(total.through(head, w, h[-1], word))
        later_h, later_c = np.zeros(width), np.zeros(width)  # what flows back from after t
        for t in reversed(range(len(sentence))):
            i, f, o, g = gates[t]
            dz, at_h = np.zeros((4, width)), at_head[t] + later_h
            for unit in range(width):
                dh, bent = at_h[unit], np.tanh(c[t + 1][unit])
                dc = later_c[unit] + dh * o[unit] * (1 - bent**2)
                dz[0, unit] = dc * g[unit] * i[unit] * (1 - i[unit])
                dz[1, unit] = dc * c[t][unit] * f[unit] * (1 - f[unit])
                dz[2, unit] = dh * bent * o[unit] * (1 - o[unit])
                dz[3, unit] = dc * i[unit] * (1 - g[unit] ** 2)
                later_c[unit] = dc * f[unit]
            delta = dz.reshape(-1)
            add_inputs(total, w, inputs[t], delta)
            total.add(recurrent_weights=np.outer(h[t], delta))
            later_h = w["recurrent_weights"] @ delta
    return total.loss, total.gradients


def gru(weights, sentences, head=softmax_head):
    """Weights of each gate apart, and one step of the chain rule a line."""
    w = in_float64(weights)
    start, width = len(w["embedding"]) - 1, len(w["candidate_weights"])
    (xz, xr, xn), (hz, hr) = np.split(w["input_weights"], 3, 1), np.split(w["recurrent_weights"], 2, 1)
    (bz, br, bn), wn = np.split(w["hidden_bias"], 3), w["candidate_weights"]
    total = Sum(weights, sentences)
    for sentence in sentences:
        inputs = [start] + sentence[:-1]
        h, steps = [np.zeros(width)], []
        for symbol, word in zip(inputs, sentence):
            x = w["embedding"][symbol]
            z = sigmoid(x @ xz + h[-1] @ hz + bz)
            r = sigmoid(x @ xr + h[-1] @ hr + br)
            n = np.tanh(x @ xn + (r * h[-1]) @ wn + bn)
            h.append(z * h[-1] + (1 - z) * n)
            steps.append((z, r, n, total.through(head, w, h[-1], word)))
        later = np.zeros(width)  # what flows back from the steps after t
        for t in reversed(range(len(sentence))):
            z, r, n, at_head = steps[t]
            at_h = at_head + later
            at_n = at_h * (1 - z) * (1 - n**2)
            at_z = at_h * (h[t] - n) * z * (1 - z)
            at_r = (wn @ at_n) * h[t] * r * (1 - r)
            add_inputs(total, w, inputs[t], np.concatenate([at_z, at_r, at_n]))
            total.add(
                recurrent_weights=np.outer(h[t], np.concatenate([at_z, at_r])),
                candidate_weights=np.outer(r * h[t], at_n),
            )
            later = at_h * z + (wn @ at_n) * r + hz @ at_z + hr @ at_r
    return total.loss, total.gradients


def mgu(weights, sentences, head=softmax_head):
    """Weights of the gate and of the candidate apart, and one step of the chain rule a line."""
    w = in_float64(weights)
    start, width = len(w["embedding"]) - 1, len(w["candidate_weights"])
    (xf, xn), (bf, bn) = np.split(w["input_weights"], 2, 1), np.split(w["hidden_bias"], 2)
    hf, wn = w["recurrent_weights"], w["candidate_weights"]
    total = Sum(weights, sentences)
    for sentence in sentences:
        inputs = [start] + sentence[:-1]
        h, steps = [np.zeros(width)], []
        for symbol, word in zip(inputs, sentence):
            x = w["embedding"][symbol]
            f = sigmoid(x @ xf + h[-1] @ hf + bf)
            n = np.tanh(x @ xn + (f * h[-1]) @ wn + bn)
            h.append((1 - f) * h[-1] + f * n)
            steps.append((f, n, total.through(head, w, h[-1], word)))
        later = np.zeros(width)  # what flows back from the steps after t
        for t in reversed(range(len(sentence))):
            f, n, at_head = steps[t]
            at_h = at_head + later
            at_n = at_h * f * (1 - n**2)
            at_f = (at_h * (n - h[t]) + (wn @ at_n) * h[t]) * f * (1 - f)
            add_inputs(total, w, inputs[t], np.concatenate([at_f, at_n]))
            total.add(recurrent_weights=np.outer(h[t], at_f), candidate_weights=np.outer(f * h[t], at_n))
            later = at_h * (1 - f) + (wn @ at_n) * f + hf @ at_f
    return total.loss, total.gradients


NETWORKS = {"nplm": nplm, "rnn": elman, "lstm": lstm, "gru": gru, "mgu": mgu}
