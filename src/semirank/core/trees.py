"""Items walk down trees of yes-or-no questions."""

import numpy as np

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.core.compiling import compiled


@compiled()
def sum_leaves(
    X: AnyArray, roots: Integers, features: Integers, thresholds: Floats, children: Integers, values: Floats
) -> Floats:
    """Return for each row of X the sum of the values of the leaves where it ends, one in each tree.

    Parameters
    ----------
    X : float32 array of shape (n_items, n_features)
        The items.
    roots : int64 array of shape (n_trees,)
        The node where each tree begins.
    features, thresholds : arrays of shape (n_nodes,)
        A node asks whether ``x[feature] <= threshold``; the feature of a leaf is -1.
    children : int64 array of shape (n_nodes, 2)
        The next node if so, and if not.
    values : float64 array of shape (n_nodes,)
        What the leaves say.
    """
    sums = np.zeros(len(X))
    for item in range(len(X)):
        for root in roots:
            node = root
            while features[node] >= 0:
                node = children[node, 0 if X[item, features[node]] <= thresholds[node] else 1]
            sums[item] += values[node]
    return sums


@compiled()
def find_leaves(
    X: AnyArray, roots: Integers, features: Integers, thresholds: Floats, children: Integers
) -> Integers:
    """Return for each row of X the leaf where it ends in each tree; for the arguments see `sum_leaves`."""
    leaves = np.empty((len(X), len(roots)), dtype=np.int64)
    for item in range(len(X)):
        for tree in range(len(roots)):
            node = roots[tree]
            while features[node] >= 0:
                node = children[node, 0 if X[item, features[node]] <= thresholds[node] else 1]
            leaves[item, tree] = node
    return leaves
