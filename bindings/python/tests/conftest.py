import os

import numpy as np
import pytest

import helpers


@pytest.fixture
def data():
    """40 x 25, three classes; two labels of five are unknown (-1)."""
    X, y = helpers.problem()
    y = y.copy()
    y[np.arange(len(y)) % 5 >= 3] = -1
    return X, y


@pytest.fixture
def tool():
    if not os.access(helpers.TOOL, os.X_OK):
        pytest.skip(f"the tool is not at {helpers.TOOL}; TESSERA_TOOL names it")
    return helpers.run_tool
