"""Images of handwritten digits: one class for each digit."""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from semirank.core.arrays import AnyArray
from semirank.files import open_input
from semirank.readers.datasets.entry import Counts, Entry
from semirank.readers.datasets.items import EACH, Items
from semirank.readers.fetch import RemoteFile
from semirank.readers.letor import read_letor

_DIGITS = "the digits 0 to 9"
_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/optdigits"
_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass"
_MNIST = "https://ossci-datasets.s3.amazonaws.com/mnist"
_MNIST_MIRROR = "https://storage.googleapis.com/cvdf-datasets/mnist"


def _images(X: AnyArray, digits: AnyArray) -> Items:
    names = tuple((str(digit),) for digit in digits.astype(int).tolist())
    return Items(item_ids=np.arange(1, len(X) + 1), X=X, classes=names)


def read_digits() -> Items:
    """Give the 8 x 8 images that come with scikit-learn."""
    return _images(*load_digits(return_X_y=True))


def read_optdigits(path: Path) -> Items:
    """Read comma-separated rows of 64 counts and the digit."""
    with open_input(path) as stream:
        table = np.loadtxt(stream, delimiter=",", ndmin=2)
    return _images(table[:, :-1], table[:, -1])


def read_usps(path: Path) -> Items:
    """Read SVMlight rows of 256 grey values, labelled with the digit plus one."""
    data = read_letor(path, unlabelled=None, sparse=False, n_features=256)
    return _images(data.X, data.y - 1)


def read_mnist(images: Path, digits: Path) -> Items:
    """Read 28 x 28 images and their digits in the IDX format."""
    pixels = _read_idx(images)
    return _images(pixels.reshape(len(pixels), -1).astype(np.float64), _read_idx(digits))


def _read_idx(path: Path) -> AnyArray:
    """Read an array of bytes: two zeros, 8 for bytes, the number of dimensions, and each as four bytes."""
    with open_input(path) as stream:
        content = stream.read()
    if len(content) < 4 or content[:3] != b"\0\0\x08":
        raise ValueError(f"{path}: is no IDX file of bytes.")
    shape = np.frombuffer(content, dtype=">u4", count=content[3], offset=4).astype(int)
    start = 4 + 4 * len(shape)
    if len(content) - start != np.prod(shape):
        raise ValueError(f"{path}: has {len(content) - start} values where its header says {np.prod(shape)}.")
    return np.frombuffer(content, dtype=np.uint8, offset=start).reshape(shape)


ENTRIES = (
    Entry(
        name="digits",
        summary="8 x 8 images, 17 grey levels; comes with scikit-learn",
        labels=_DIGITS,
        address="https://scikit-learn.org/stable/modules/generated/sklearn.datasets.load_digits.html",
        terms="CC BY 4.0 (UCI)",
        parts={"all": Counts(1797)},
        read=read_digits,
        n_features=64,
        n_classes=10,
        relevant=EACH,
    ),
    Entry(
        name="optdigits",
        summary="8 x 8 images, 17 grey levels, in the published training and test sets",
        labels=_DIGITS,
        address=f"{_UCI}/",
        terms="CC BY 4.0 (UCI)",
        parts={"train": Counts(3823), "test": Counts(1797)},
        read=read_optdigits,
        files=(
            RemoteFile(
                "optdigits/optdigits.tra",
                f"{_UCI}/optdigits.tra",
                "e1b683cc211604fe8fd8c4417e6a69f31380e0c61d4af22e93cc21e9257ffedd",
                part="train",
            ),
            RemoteFile(
                "optdigits/optdigits.tes",
                f"{_UCI}/optdigits.tes",
                "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8",
                part="test",
            ),
        ),
        n_features=64,
        n_classes=10,
        relevant=EACH,
    ),
    Entry(
        name="usps",
        summary="16 x 16 images, grey values from -1 to 1",
        labels=_DIGITS,
        address=f"{_LIBSVM}.html#usps",
        terms="none stated",
        parts={"train": Counts(7291), "test": Counts(2007)},
        read=read_usps,
        files=(
            RemoteFile(
                "usps/usps.bz2",
                f"{_LIBSVM}/usps.bz2",
                "3771e9dd6ba685185f89867b6e249233dd74652389f263963b3b741e994b034f",
                part="train",
            ),
            RemoteFile(
                "usps/usps.t.bz2",
                f"{_LIBSVM}/usps.t.bz2",
                "a9c0164e797d60142a50604917f0baa604f326e9a689698763793fa5d12ffc4e",
                part="test",
            ),
        ),
        n_features=256,
        n_classes=10,
        relevant="2",
    ),
    Entry(
        name="mnist",
        summary="28 x 28 images, grey values from 0 to 255; the test set",
        labels=_DIGITS,
        address=f"{_MNIST}/",
        terms="none stated",
        parts={"test": Counts(10000)},
        read=read_mnist,
        files=(
            RemoteFile(
                "mnist/t10k-images-idx3-ubyte.gz",
                f"{_MNIST}/t10k-images-idx3-ubyte.gz",
                "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
                part="test",
                mirrors=(f"{_MNIST_MIRROR}/t10k-images-idx3-ubyte.gz",),
            ),
            RemoteFile(
                "mnist/t10k-labels-idx1-ubyte.gz",
                f"{_MNIST}/t10k-labels-idx1-ubyte.gz",
                "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
                part="test",
                mirrors=(f"{_MNIST_MIRROR}/t10k-labels-idx1-ubyte.gz",),
            ),
        ),
        n_features=784,
        n_classes=10,
        relevant="2",
    ),
)
