"""What is similar to what: graphs over the items of each list, and the similarity of whole lists.

A graph is a symmetric `csr_array` of weights with a zero diagonal, block-diagonal by list: a value to
keep, to save, or to pass to a ranker as ``graph=``.
"""

from semirank.graphs.checks import check_graph
from semirank.graphs.components import components, join_components
from semirank.graphs.connected import connected_graph, full_graph, inner_graph
from semirank.graphs.diffusion import Diffused, Diffusion, degrees, laplacian, normalised, random_walk
from semirank.graphs.knn import knn_graph
from semirank.graphs.list_kernel import list_kernel
from semirank.graphs.neighbours import NeighbourIndex, Neighbours
from semirank.graphs.push import Top

__all__ = [
    "Diffused",
    "Diffusion",
    "NeighbourIndex",
    "Neighbours",
    "Top",
    "check_graph",
    "components",
    "connected_graph",
    "degrees",
    "full_graph",
    "inner_graph",
    "join_components",
    "knn_graph",
    "laplacian",
    "list_kernel",
    "normalised",
    "random_walk",
]
