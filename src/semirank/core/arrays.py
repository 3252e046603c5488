"""Names for the kinds of array that pass between the rooms."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
AnyArray = NDArray[Any]
