"""The example of doc/python.md runs, and says what it is said to say."""
import os
import re
import subprocess
import sys

import pytest

import helpers

DOC = os.path.join(helpers.CHECKOUT, "doc", "python.md")
NUMBER = re.compile(r"\d+(?:\.\d+)?")


@pytest.mark.slow
def test_example(tmp_path):
    with open(DOC, encoding="utf-8") as file:
        text = file.read()
    program = re.search(r"```python\n(.*?)```", text, re.S).group(1)
    expected = re.search(r"```text\n(.*?)```", text, re.S).group(1)
    helpers.run_tool("demo", "--quiet", "--pictures", "faces", "-o", "faces.h5", cwd=tmp_path)
    (tmp_path / "example.py").write_text(program, encoding="utf-8")
    said = subprocess.run(
        [sys.executable, "-W", "ignore", "example.py"],
        cwd=tmp_path,
        env=helpers.environment(),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    # Other kernels may end in another minimum: words to the letter, numbers roughly.
    assert NUMBER.sub("#", said) == NUMBER.sub("#", expected)
    for got, wanted in zip(NUMBER.findall(said), NUMBER.findall(expected)):
        assert abs(float(got) - float(wanted)) <= 0.15 * max(float(wanted), 1.0)
    assert (tmp_path / "parts.png").read_bytes().startswith(b"\x89PNG")
