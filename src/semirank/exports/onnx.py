"""A fitted ranker as ONNX, which other languages and servers run without semirank."""

import os
from importlib.metadata import version
from typing import Any

import numpy as np

from semirank.core.arrays import AnyArray, Floats
from semirank.files import open_output
from semirank.rankers._base import Ranker
from semirank.rankers.formulas import Bells, Formula, Linear, Mixed, Scaled, Steps, Trees

OPSET, ML_OPSET, IR_VERSION = 17, 3, 8
LEAF = -1


def export_onnx(ranker: Ranker, path: str | os.PathLike[str]) -> None:
    """Write what `predict` computes to an ONNX file.

    The graph takes ``X``, float64 of shape (n_items, n_features), and gives ``scores``, float64 of shape
    (n_items,). Its metadata name the ranker, the features and the version of semirank.

    Parameters
    ----------
    ranker : Ranker
        Fitted: a linear ranker, RankBoost, SemiRankBoost, ForestRanker, RankRLS with the linear or the rbf
        kernel, a `Blend` of these, or an `AutoRanker` that has chosen such.
    path : path
        The file to write.

    Raises
    ------
    ValueError
        Where the ranker computes no formula of an item's features; the message says what to do instead.
    ImportError
        Where onnx is not installed: ``pip install "semirank[onnx]"``.

    See Also
    --------
    Ranker.save : a model file that `load_model` reads.
    load_model : reads it.

    Examples
    --------
    >>> import semirank
    >>> few = semirank.load("digits").hide_labels(keep=10, random_state=0)
    >>> ranker = semirank.RankRLS().fit(few.X, few.y, few.qid)
    >>> semirank.export_onnx(ranker, "digits.onnx")  # doctest: +SKIP
    """
    formula = ranker.formula()
    graph = _Graph()
    scores = graph.add("Reshape", graph.compute(formula, "X"), graph.constant(np.array([-1])))
    model = graph.model(scores, ranker)
    with open_output(path, compress=False) as stream:
        stream.write(model.SerializeToString())


class _Graph:
    """Nodes of a graph, each value with a name of its own; numbers are float64 wherever ONNX allows it."""

    def __init__(self) -> None:
        self._onnx = _import_onnx()
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def constant(self, values: AnyArray) -> str:
        """Add numbers."""
        name = f"c{len(self._constants)}"
        self._constants.append(self._onnx.numpy_helper.from_array(np.asarray(values), name))
        return name

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node, and return the name of what it computes."""
        name = f"v{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(kind, inputs, [name], **attributes))
        return name

    def compute(self, formula: Formula, X: str) -> str:
        """Add what computes a formula of the items X, as a column; return its name."""
        match formula:
            case Linear(coef, intercept):
                return self._linear(X, coef, intercept)
            case Bells(items, weights, gamma):
                return self._bells(X, items, weights, gamma)
            case Steps(features, thresholds, alphas):
                asked = self.add("Gather", X, self.constant(features), axis=1)
                holds = self.add("Greater", asked, self.constant(thresholds[None, :]))
                return self._linear(self._double(holds), alphas, 0.0)
            case Trees():
                return self._trees(X, formula)
            case Scaled(centres, factors, limit, inner):
                return self.compute(inner, self._scaled(X, centres, factors, limit))
            case Mixed(formulas, factors, centres):
                parts = [self.compute(each, X) for each in formulas]
                return self._linear(self.add("Concat", *parts, axis=1), factors, -float(factors @ centres))

    def _linear(self, X: str, coef: Floats, intercept: float) -> str:
        product = self.add("MatMul", X, self.constant(np.asarray(coef, dtype=np.float64)[:, None]))
        return self.add("Add", product, self.constant(np.array([float(intercept)])))

    def _bells(self, X: str, items: Floats, weights: Floats, gamma: float) -> str:
        """Use ``|x - z|^2 = |x|^2 - 2 x'z + |z|^2``."""
        items = np.asarray(items, dtype=np.float64)
        of_x = self.add("ReduceSumSquare", X, axes=[1], keepdims=1)
        product = self.add("MatMul", X, self.constant(-2.0 * items.T))
        squares = self.add("Add", self.add("Add", product, of_x), self.constant((items**2).sum(axis=1)[None]))
        exponent = self.add("Mul", squares, self.constant(np.array([-gamma])))
        return self._linear(self.add("Exp", exponent), weights, 0.0)

    def _scaled(self, X: str, centres: Floats, factors: Floats, limit: float | None) -> str:
        moved = self.add("Sub", X, self.constant(centres[None, :]))
        scaled = self.add("Mul", moved, self.constant(factors[None, :]))
        if limit is None:
            return scaled
        return self.add("Clip", scaled, self.constant(np.array(-limit)), self.constant(np.array(limit)))

    def _trees(self, X: str, trees: Trees) -> str:
        single = self.add("Cast", X, to=self._onnx.TensorProto.FLOAT)
        said = self.add("TreeEnsembleRegressor", single, domain="ai.onnx.ml", **_tree_nodes(trees))
        return self._double(said)

    def _double(self, value: str) -> str:
        return self.add("Cast", value, to=self._onnx.TensorProto.DOUBLE)

    def model(self, scores: str, ranker: Ranker) -> Any:
        """Put the nodes together."""
        helper, double = self._onnx.helper, self._onnx.TensorProto.DOUBLE
        self.add("Identity", scores)
        self._nodes[-1].output[0] = "scores"
        graph = helper.make_graph(
            self._nodes,
            "semirank",
            [helper.make_tensor_value_info("X", double, ["n_items", ranker.n_features_in_])],
            [helper.make_tensor_value_info("scores", double, ["n_items"])],
            self._constants,
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        model = helper.make_model(
            graph, opset_imports=opsets, producer_name="semirank", producer_version=version("semirank")
        )
        model.ir_version = IR_VERSION
        helper.set_model_props(model, _about(ranker))
        self._onnx.checker.check_model(model)
        return model


def _about(ranker: Ranker) -> dict[str, str]:
    names = getattr(ranker, "feature_names_in_", ())
    about = {"ranker": " ".join(repr(ranker).split()), "in_words": ranker.in_words()}
    return about | ({"features": ",".join(map(str, names))} if len(names) else {})


def _tree_nodes(trees: Trees) -> dict[str, Any]:
    """Return trees as attributes of a TreeEnsembleRegressor: one entry a node, and one a leaf."""
    ends = np.append(trees.roots[1:], len(trees.features))
    tree = np.repeat(np.arange(len(trees.roots)), ends - trees.roots)
    number = np.arange(len(tree)) - trees.roots[tree]
    leaf = trees.features == LEAF
    yes, no = (np.where(leaf, 0, trees.children[:, side] - trees.roots[tree]) for side in (0, 1))
    return {
        "n_targets": 1,
        "aggregate_function": "AVERAGE",
        "post_transform": "NONE",
        "nodes_treeids": tree.tolist(),
        "nodes_nodeids": number.tolist(),
        "nodes_featureids": np.where(leaf, 0, trees.features).tolist(),
        "nodes_modes": np.where(leaf, "LEAF", "BRANCH_LEQ").tolist(),
        "nodes_values": _rounded_down(np.where(leaf, 0.0, trees.thresholds)).tolist(),
        "nodes_truenodeids": yes.tolist(),
        "nodes_falsenodeids": no.tolist(),
        "target_treeids": tree[leaf].tolist(),
        "target_nodeids": number[leaf].tolist(),
        "target_ids": np.zeros(int(leaf.sum()), dtype=int).tolist(),
        "target_weights": trees.values[leaf].tolist(),
    }


def _rounded_down(thresholds: Floats) -> AnyArray:
    """Return thresholds in single precision that divide numbers of single precision as they did before."""
    single = thresholds.astype(np.float32)
    return np.where(single > thresholds, np.nextafter(single, np.float32(-np.inf)), single)


def _import_onnx() -> Any:
    try:
        import onnx
        import onnx.checker
        import onnx.helper
        import onnx.numpy_helper
    except ImportError as error:
        raise ImportError("ONNX needs onnx. Install it: pip install 'semirank[onnx]'") from error
    return onnx
