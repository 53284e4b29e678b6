"""Naive twins of the networks: one sentence, one token, one float64 vector at a time.

Written from the equations alone, sharing nothing with nlmzip.training. Each takes
weights by name and a list of sentences (lists of symbol ids that end with 1) and
returns the mean loss in nats and its gradients.
"""

import numpy as np


def softmax(logits):
    values = np.exp(logits - logits.max())
    return values / values.sum()


def nplm(weights, sentences, context):
    embedding, w1, b1, w2, b2 = (
        weights[name].astype(np.float64)
        for name in ("embedding", "hidden_weights", "hidden_bias", "output_weights", "output_bias")
    )
    width, start = embedding.shape[1], len(embedding) - 1
    gradients = {name: np.zeros(array.shape) for name, array in weights.items()}
    loss, n = 0.0, sum(map(len, sentences))
    for sentence in sentences:
        history = [start] * context
        for word in sentence:
            x = np.concatenate([embedding[symbol] for symbol in history])
            a = np.tanh(x @ w1 + b1)
            p = softmax(a @ w2 + b2)
            loss -= np.log(p[word]) / n
            at_logits = p.copy()
            at_logits[word] -= 1
            at_logits /= n
            at_hidden = (w2 @ at_logits) * (1 - a**2)
            gradients["output_weights"] += np.outer(a, at_logits)
            gradients["output_bias"] += at_logits
            gradients["hidden_weights"] += np.outer(x, at_hidden)
            gradients["hidden_bias"] += at_hidden
            at_input = w1 @ at_hidden
            for place, symbol in enumerate(history):
                gradients["embedding"][symbol] += at_input[place * width : (place + 1) * width]
            history = history[1:] + [word]
    return loss, gradients


def elman(weights, sentences):
    embedding, wx, wh, b, wo, bo = (
        weights[name].astype(np.float64)
        for name in (
            "embedding", "input_weights", "recurrent_weights", "hidden_bias",
            "output_weights", "output_bias",
        )
    )  # fmt: skip
    start = len(embedding) - 1
    gradients = {name: np.zeros(array.shape) for name, array in weights.items()}
    loss, n = 0.0, sum(map(len, sentences))
    for sentence in sentences:
        inputs = [start] + sentence[:-1]
        hidden = [np.zeros(len(b))]  # hidden[t + 1] is the state that predicts sentence[t]
        at_logits = []
        for symbol, word in zip(inputs, sentence):
            hidden.append(np.tanh(embedding[symbol] @ wx + hidden[-1] @ wh + b))
            p = softmax(hidden[-1] @ wo + bo)
            loss -= np.log(p[word]) / n
            p[word] -= 1
            at_logits.append(p / n)
        later = np.zeros(len(b))  # what flows back from the steps after t
        for t in reversed(range(len(sentence))):
            state = hidden[t + 1]
            delta = (wo @ at_logits[t] + later) * (1 - state**2)
            gradients["output_weights"] += np.outer(state, at_logits[t])
            gradients["output_bias"] += at_logits[t]
            gradients["recurrent_weights"] += np.outer(hidden[t], delta)
            gradients["input_weights"] += np.outer(embedding[inputs[t]], delta)
            gradients["hidden_bias"] += delta
            gradients["embedding"][inputs[t]] += wx @ delta
            later = wh @ delta
    return loss, gradients


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(weights, sentences):
    """Four gates with weights of their own, and one unit after the other in the backward pass."""
    embedding, wx, wh, b, wo, bo = (
        weights[name].astype(np.float64)
        for name in (
            "embedding", "input_weights", "recurrent_weights", "hidden_bias",
            "output_weights", "output_bias",
        )
    )  # fmt: skip
    start, width = len(embedding) - 1, len(wh)
    gradients = {name: np.zeros(array.shape) for name, array in weights.items()}
    loss, n = 0.0, sum(map(len, sentences))
    for sentence in sentences:
        h, c = [np.zeros(width)], [np.zeros(width)]  # entry t + 1 is what step t leaves
        gates, at_logits = [], []
        inputs = [start] + sentence[:-1]
        for symbol, word in zip(inputs, sentence):
            z = (embedding[symbol] @ wx + h[-1] @ wh + b).reshape(4, width)
            i, f, o, g = sigmoid(z[0]), sigmoid(z[1]), sigmoid(z[2]), np.tanh(z[3])
            gates.append((i, f, o, g))
            c.append(f * c[-1] + i * g)
            h.append(o * np.tanh(c[-1]))
            p = softmax(h[-1] @ wo + bo)
            loss -= np.log(p[word]) / n
            p[word] -= 1
            at_logits.append(p / n)
        later_h, later_c = np.zeros(width), np.zeros(width)  # what flows back from after t
        for t in reversed(range(len(sentence))):
            i, f, o, g = gates[t]
            dz, later_h_now = np.zeros((4, width)), wo @ at_logits[t] + later_h
            for unit in range(width):
                dh, bent = later_h_now[unit], np.tanh(c[t + 1][unit])
                dc = later_c[unit] + dh * o[unit] * (1 - bent**2)
                dz[0, unit] = dc * g[unit] * i[unit] * (1 - i[unit])
                dz[1, unit] = dc * c[t][unit] * f[unit] * (1 - f[unit])
                dz[2, unit] = dh * bent * o[unit] * (1 - o[unit])
                dz[3, unit] = dc * i[unit] * (1 - g[unit] ** 2)
                later_c[unit] = dc * f[unit]
            delta = dz.reshape(-1)
            gradients["output_weights"] += np.outer(h[t + 1], at_logits[t])
            gradients["output_bias"] += at_logits[t]
            gradients["recurrent_weights"] += np.outer(h[t], delta)
            gradients["input_weights"] += np.outer(embedding[inputs[t]], delta)
            gradients["hidden_bias"] += delta
            gradients["embedding"][inputs[t]] += wx @ delta
            later_h = wh @ delta
    return loss, gradients


def gru(weights, sentences):
    """Weights of each gate apart, and one step of the chain rule a line."""
    names = (
        "embedding", "input_weights", "recurrent_weights", "candidate_weights", "hidden_bias",
        "output_weights", "output_bias",
    )  # fmt: skip
    embedding, wx, wh, wn, b, wo, bo = (weights[name].astype(np.float64) for name in names)
    start, width = len(embedding) - 1, len(wn)
    (xz, xr, xn), (hz, hr), (bz, br, bn) = np.split(wx, 3, 1), np.split(wh, 2, 1), np.split(b, 3)
    gradients = {name: np.zeros(array.shape) for name, array in weights.items()}
    loss, n_tokens = 0.0, sum(map(len, sentences))
    for sentence in sentences:
        inputs = [start] + sentence[:-1]
        h, steps = [np.zeros(width)], []
        for symbol, word in zip(inputs, sentence):
            x = embedding[symbol]
            z = sigmoid(x @ xz + h[-1] @ hz + bz)
            r = sigmoid(x @ xr + h[-1] @ hr + br)
            n = np.tanh(x @ xn + (r * h[-1]) @ wn + bn)
            h.append(z * h[-1] + (1 - z) * n)
            p = softmax(h[-1] @ wo + bo)
            loss -= np.log(p[word]) / n_tokens
            p[word] -= 1
            steps.append((x, z, r, n, p / n_tokens))
        later = np.zeros(width)  # what flows back from the steps after t
        for t in reversed(range(len(sentence))):
            x, z, r, n, at_logits = steps[t]
            at_h = wo @ at_logits + later
            at_n = at_h * (1 - z) * (1 - n**2)
            at_z = at_h * (h[t] - n) * z * (1 - z)
            at_r = (wn @ at_n) * h[t] * r * (1 - r)
            delta = np.concatenate([at_z, at_r, at_n])
            gradients["output_weights"] += np.outer(h[t + 1], at_logits)
            gradients["output_bias"] += at_logits
            gradients["input_weights"] += np.outer(x, delta)
            gradients["hidden_bias"] += delta
            gradients["recurrent_weights"] += np.outer(h[t], delta[: 2 * width])
            gradients["candidate_weights"] += np.outer(r * h[t], at_n)
            gradients["embedding"][inputs[t]] += wx @ delta
            later = at_h * z + (wn @ at_n) * r + hz @ at_z + hr @ at_r
    return loss, gradients
