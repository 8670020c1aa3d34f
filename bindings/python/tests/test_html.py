"""What a notebook shows: pictures, words, or bars."""
import base64
import re
import struct

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import helpers
import tessera

X, OF = helpers.problem()


def named(names):
    return tessera.Data(X, None, None, names, None, "row", "memory", "memory", [])


def test_pictures():
    model = tessera.Model("nmf", 4, image_shape=(5, 5)).fit(X)
    html = model._repr_html_()
    data = re.search(r'<img alt="4 parts as pictures" src="data:image/png;base64,([^"]+)"', html)
    png = base64.b64decode(data.group(1))
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    assert width >= 20 and height >= 20
    assert png == tessera.sheet(model)
    assert "<table>" not in html


def test_pictures_of_rows_with_signs():
    model = tessera.Model("cf", 3, image_shape=(5, 5), tolerance=0, iterations=50).fit(X - 0.5)
    assert "data:image/png" in model._repr_html_()


def test_words():
    names = [f"word{j}" for j in range(25)]
    names[7] = "<script>alert(1)</script>"
    names[8] = 'a & "b"'
    model = tessera.Model("nmf", 25 - 20).fit(named(names))
    model.feature_names_in_ = model.feature_names_in_.copy()
    html = model._repr_html_()
    rows = re.findall(r"<tr><th>(\d+)</th><td>(.*?)</td></tr>", html)
    assert [int(row[0]) for row in rows] == list(range(5))
    for (_, cells), part in zip(rows, model.components_):
        best = names[int(part.argmax())]
        first = cells.split("&nbsp;")[0]
        assert first == best.replace("&", "&amp;").replace("<", "&lt;").replace(
            ">", "&gt;"
        ).replace('"', "&quot;")
    shown = html.replace("<style>", "")
    assert "<script>" not in shown


def test_names_are_escaped():
    names = ["<script>"] * 25
    html = (
        tessera.Model("nmf", 2).fit(named([f"{n}{j}" for j, n in enumerate(names)]))._repr_html_()
    )
    assert "<script>" not in html and "&lt;script&gt;" in html


def test_bars():
    html = tessera.Model("nmf", 3).fit(X)._repr_html_()
    widths = [float(w) for w in re.findall(r'class="bar" style="width:([\d.]+)em"', html)]
    assert len(widths) >= 3 and max(widths) == 5.0
    assert "data:image" not in html
    assert html.count("<tr>") == 3


def test_figures():
    model = tessera.Model("nmf-kl", 3).fit(X)
    html = model._repr_html_()
    assert "3 parts of 40 samples x 25 features" in html
    assert f"J {model.objective_:.6g} after {model.n_iter_} iterations" in html


def test_many_parts():
    X = np.random.RandomState(0).uniform(size=(80, 70))
    html = tessera.Model("nmf", 65, iterations=2, tolerance=0).fit(X)._repr_html_()
    assert "The first 60 are shown." in html and html.count("<tr>") == 60


@pytest.mark.parametrize("kind", [tessera.Model, tessera.Classifier])
def test_unfitted(kind):
    html = kind(n_components=4)._repr_html_()
    assert html == f"<pre>{kind.__name__}(n_components=4)</pre>"
    odd = kind("<b>")._repr_html_()
    assert "<b>" not in odd and "&lt;b&gt;" in odd


def test_bundle():
    model = tessera.Classifier("cdnmf").fit(X, OF)
    bundle = model._repr_mimebundle_(include=None, exclude=None)
    assert bundle["text/plain"] == repr(model)
    assert bundle["text/html"].startswith('<div class="tsr">')


def test_within_a_pipeline():
    from sklearn.utils import estimator_html_repr

    pipeline = make_pipeline(tessera.Model("nmf", 3)).fit(X)
    assert "Model" in estimator_html_repr(pipeline)


def test_nmf():
    X, _ = helpers.problem()
    model = tessera.NMF(3)
    assert "<table>" not in model._repr_html_()
    shown = helpers.quiet(model.fit, X)._repr_html_()
    assert shown.count("<tr>") == 3 and model._repr_mimebundle_()["text/html"] == shown
