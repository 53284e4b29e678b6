"""Random computational graphs and reverse accumulation through them, one node at a time.

A node is a vector of numbers; the primitives are a matrix product, tanh, the sum and the
product of two vectors, and log-sum-exp, which ends a graph. Written from the theorem alone
(Griewank and Walther 2008, section 3.2): the adjoint of a node is the sum over its children
of their adjoints times the child's derivative. Called by test_statements.py.
"""

from typing import NamedTuple

import numpy as np

N_INPUTS, WIDTH = 2, 3

#: forward(parents' values, matrix), and backward(adjoint, parents' values, value, matrix), which
#: has a product with the derivative for each parent.
PRIMITIVES = {
    "product": (lambda at, matrix: at[0] @ matrix, lambda bar, at, value, matrix: [bar @ matrix.T]),
    "tanh": (lambda at, _: np.tanh(at[0]), lambda bar, at, value, _: [bar * (1 - value * value)]),
    "add": (lambda at, _: at[0] + at[1], lambda bar, at, value, _: [bar, bar]),
    "multiply": (lambda at, _: at[0] * at[1], lambda bar, at, value, _: [bar * at[1], bar * at[0]]),
    "log_sum_exp": (
        lambda at, _: np.log(np.exp(at[0]).sum()),
        lambda bar, at, value, _: [bar * np.exp(at[0] - value)],
    ),
}


class Node(NamedTuple):
    """A primitive, the numbers of its parents, and the matrix of a product."""

    primitive: str
    parents: tuple[int, ...]
    matrix: np.ndarray | None = None


def random_graph(random, n_nodes: int) -> list[Node]:
    """Inner nodes, in the order of computation; the last is the only one without children."""
    nodes = []
    for number in range(N_INPUTS, N_INPUTS + n_nodes):
        primitive = random.choice(["product", "tanh", "add", "multiply"])
        n_parents = 1 if primitive in ("product", "tanh") else 2
        parents = tuple(int(parent) for parent in random.integers(0, number, n_parents))
        matrix = random.normal(0, 0.6, (WIDTH, WIDTH)) if primitive == "product" else None
        nodes.append(Node(str(primitive), parents, matrix))
    used = {parent for node in nodes for parent in node.parents}
    total = N_INPUTS + n_nodes
    for loose in [number for number in range(total) if number not in used]:
        nodes.append(Node("add", (loose, len(nodes) + N_INPUTS - 1)))
    return [*nodes, Node("log_sum_exp", (len(nodes) + N_INPUTS - 1,))]


def fans_out(nodes: list[Node]) -> bool:
    parents = [parent for node in nodes for parent in node.parents]
    return len(set(parents)) < len(parents)


def values(nodes: list[Node], inputs: np.ndarray) -> list[np.ndarray]:
    """Of all nodes, inputs first; inputs (N_INPUTS, WIDTH), real or complex."""
    found = list(inputs)
    for node in nodes:
        forward, _ = PRIMITIVES[node.primitive]
        found.append(forward([found[parent] for parent in node.parents], node.matrix))
    return found


def adjoints(nodes: list[Node], found: list[np.ndarray]) -> np.ndarray:
    """Of the inputs, (N_INPUTS, WIDTH), in one sweep from the last node back."""
    bar = [np.zeros_like(value) for value in found]
    bar[-1] = np.ones_like(found[-1])
    for number in range(len(found) - 1, N_INPUTS - 1, -1):
        node = nodes[number - N_INPUTS]
        _, backward = PRIMITIVES[node.primitive]
        at = [found[parent] for parent in node.parents]
        contributions = backward(bar[number], at, found[number], node.matrix)
        for parent, contribution in zip(node.parents, contributions):
            bar[parent] = bar[parent] + contribution
    return np.array(bar[:N_INPUTS])
