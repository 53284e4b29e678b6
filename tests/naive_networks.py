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


def running_state_log_probabilities(weights, tokens):
    """The Elman network over running text: one state from the first token to the last."""
    symbol, state, answer = len(weights["embedding"]) - 1, 0.0 * weights["hidden_bias"], []
    for word in tokens:
        state = np.tanh(
            weights["embedding"][symbol] @ weights["input_weights"]
            + state @ weights["recurrent_weights"]
            + weights["hidden_bias"]
        )
        answer.append(
            np.log(softmax(state @ weights["output_weights"] + weights["output_bias"])[word])
        )
        symbol = word
    return np.array(answer)
