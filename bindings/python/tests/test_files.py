"""Files: every format there and back, and as the tool reads them; pictures and texts."""
import struct
import zlib

import numpy as np
import pytest
import scipy.sparse as sp

import helpers
import tessera

X, OF = helpers.problem(12, 9)
HOLES = np.where(X < np.median(X), 0, X)
# What a format cannot hold is left out.
FORMATS = ["npy", "npz", "mat", "h5", "mtx", "csv", "svm"]
WITH_LABELS = {"npz", "mat", "h5", "svm", "csv"}
SPARSE = {"npz", "mat", "h5", "mtx", "svm"}


def as_dense(X):
    return X.toarray() if sp.issparse(X) else np.asarray(X)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csc_matrix, np.asfortranarray])
@pytest.mark.parametrize("kind", FORMATS)
def test_there_and_back(kind, form, tmp_path):
    path = tmp_path / f"x.{kind}"
    tessera.write(path, form(HOLES), OF)
    again = tessera.read(path)
    assert again.format == kind
    assert as_dense(again.X).tobytes() == np.ascontiguousarray(HOLES).tobytes()
    if sp.issparse(form(HOLES)) and kind in SPARSE:
        assert sp.issparse(again.X)
    if kind in WITH_LABELS:
        assert again.y.tolist() == OF.tolist()
    else:
        assert again.y is None
    assert str(path) in again.origin


@pytest.mark.parametrize("kind", ["npy", "npz", "mat", "h5"])
def test_single_precision(kind, tmp_path):
    path = tmp_path / f"x.{kind}"
    tessera.write(path, HOLES.astype(np.float32))
    again = tessera.read(path)
    assert again.X.dtype == np.float32 and (again.X == HOLES.astype(np.float32)).all()


@pytest.mark.parametrize("kind", sorted(WITH_LABELS - {"svm"}))
def test_labels(kind, tmp_path):
    """Texts, and some unknown: '' comes back; numbers: -1."""
    path = tmp_path / f"x.{kind}"
    y = [["red", "green", "a b", None][i % 4] for i in range(12)]
    tessera.write(path, X, y, unlabelled=np.nan)
    again = tessera.read(path)
    assert again.y.tolist() == ["" if value is None else value for value in y]
    tessera.write(path, X, np.where(OF == 2, -1, OF), unlabelled=-1)
    assert tessera.read(path).y.tolist() == np.where(OF == 2, -1, OF).tolist()


def test_names(tmp_path):
    names = [f"n{j}" for j in range(9)]
    rows = [f"row {i}" for i in range(12)]
    for kind in ("h5", "npz", "csv"):
        path = tmp_path / f"x.{kind}"
        tessera.write(path, X, OF, sample_names=rows, feature_names=names)
        again = tessera.read(path)
        assert again.feature_names == names
    tessera.write(tmp_path / "y.h5", tessera.read(tmp_path / "x.h5"))
    again = tessera.read(tmp_path / "y.h5")
    assert (again.sample_names, again.feature_names) == (rows, names)
    assert again.y.tolist() == OF.tolist()
    with pytest.raises(ValueError, match="name"):
        tessera.write(tmp_path / "x.h5", X, feature_names=names[:3])


def test_as_others_write(tmp_path):
    """Files of NumPy and SciPy, by their variables."""
    import scipy.io

    np.savez(tmp_path / "a.npz", X=HOLES, y=OF, other=HOLES.T)
    scipy.io.savemat(tmp_path / "a.mat", {"fea": HOLES, "gnd": OF + 1})
    scipy.io.mmwrite(str(tmp_path / "a.mtx"), sp.csr_matrix(HOLES), precision=17)
    sp.save_npz(tmp_path / "s.npz", sp.csr_matrix(HOLES))
    for name in ("a.npz", "a.mat", "a.mtx"):
        np.testing.assert_allclose(as_dense(tessera.read(tmp_path / name).X), HOLES, rtol=1e-15)
    assert tessera.read(tmp_path / "a.mat").y.tolist() == (OF + 1).tolist()
    assert tessera.read(f"{tmp_path}/a.npz:other").X.shape == (9, 12)
    assert (tessera.read(tmp_path / "s.npz").X != sp.csr_matrix(HOLES)).nnz == 0


def test_written_for_others(tmp_path):
    import scipy.io

    tessera.write(tmp_path / "x.npz", X, OF)
    held = np.load(tmp_path / "x.npz")
    assert helpers.same_bits(held["X"] if "X" in held else held[held.files[0]], X)
    tessera.write(tmp_path / "x.npy", X)
    assert helpers.same_bits(np.load(tmp_path / "x.npy"), X)
    tessera.write(tmp_path / "x.mat", X, OF)
    assert any(np.array_equal(v, X) for v in scipy.io.loadmat(tmp_path / "x.mat").values())
    tessera.write(tmp_path / "x.mtx", sp.csr_matrix(HOLES))
    np.testing.assert_allclose(scipy.io.mmread(str(tmp_path / "x.mtx")).toarray(), HOLES)


def test_arrays_of_files_are_the_readers(tmp_path):
    """They may be changed, which no file notices, and they outlive what they came with."""
    np.save(tmp_path / "x.npy", X)
    held = tessera.read(tmp_path / "x.npy").X
    held[0, 0] = 77
    assert helpers.same_bits(np.load(tmp_path / "x.npy"), X)
    assert held[0, 0] == 77 and (held[1:] == X[1:]).all()
    tessera.write(tmp_path / "x.mtx", sp.csr_matrix(HOLES))
    found = tessera.read(tmp_path / "x.mtx").X
    found.data *= 2
    assert np.allclose(found.toarray(), 2 * HOLES)


@pytest.mark.parametrize("kind", FORMATS)
def test_info_is_the_tools(tool, kind, tmp_path):
    path = tmp_path / f"x.{kind}"
    tessera.write(path, HOLES, OF)
    ours, theirs = tessera.info(path), helpers.tool_json("info", path)
    shared = set(ours) & set(theirs)
    assert {"samples", "features", "dtype", "density", "minimum", "maximum", "classes"} <= shared
    for name in shared:
        assert ours[name] == pytest.approx(theirs[name]), name


def test_info_of_a_model(tool, tmp_path):
    path = tmp_path / "m.h5"
    tessera.save(tessera.Model("cdnmf", 3, graph=0.25).fit(X, OF), path)
    ours, theirs = tessera.info(path), helpers.tool_json("info", path)
    for name in ("model", "objective_text", "seed", "data", "settings"):
        assert ours[name] == theirs[name], name
    for name in set(ours["report"]) & set(theirs["report"]):
        assert ours["report"][name] == theirs["report"][name], name
    assert ours["settings"]["graph"] == 0.25


def png(path, grey):
    """A picture of 8 bits, without a library."""
    height, width = grey.shape
    rows = b"".join(b"\0" + row.tobytes() for row in grey.astype(np.uint8))

    def chunk(name, body):
        return (
            struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Two classes of pictures, 48 x 64: stripes that lie and stripes that stand."""
    folder = tmp_path_factory.mktemp("pictures")
    draw = np.random.RandomState(0)
    y, x = np.mgrid[:48, :64]
    for i in range(5):
        for name, line in (("lie", y), ("stand", x)):
            grey = 128 + 80 * np.sin(line * (0.4 + 0.1 * i)) + draw.uniform(-30, 30, size=x.shape)
            png(folder / name / f"{i}.png", grey.clip(0, 255))
    return folder


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")
    texts = {
        "sea": ["the ship sails the sea", "waves and wind at sea", "a ship and a sail"],
        "land": ["hills and fields", "the road over the hills", "a field of wheat"],
    }
    for name, lines in texts.items():
        (folder / name).mkdir()
        for i, line in enumerate(lines):
            (folder / name / f"{i}.txt").write_text(line)
    return folder


def test_pictures(pictures):
    data = tessera.read(pictures, size=(16, 12))
    assert data.X.shape == (10, 192) and data.image_shape == (12, 16)
    assert sorted(set(data.y)) == ["lie", "stand"]
    assert data.sample_names[0].endswith(".png")
    model = tessera.Model("nmf", 2).fit(data)
    assert model.model_.image == (12, 16, "row")
    assert tessera.sheet(model).startswith(b"\x89PNG")


FEATURES = [
    ("pictures", {"kind": "pixels", "size": (16, 12)}, ["--kind", "pixels", "--size", "16x12"]),
    (
        "pictures",
        {"kind": "dsift", "vocabulary": 8, "grid": (2, 2), "seed": 3},
        ["--kind", "dsift", "--vocabulary", 8, "--grid", "2x2", "--seed", 3],
    ),
    ("pictures", {"kind": "sift", "vocabulary": 4}, ["--kind", "sift", "--vocabulary", 4]),
    ("documents", {"kind": "words"}, ["--kind", "words"]),
    (
        "documents",
        {"kind": "words", "weigh": "tf-idf", "stop_words": "english", "minimum_documents": 2},
        ["--kind", "words", "--weigh", "tf-idf", "--stop-words", "english"]
        + ["--minimum-documents", 2],
    ),
]


@pytest.mark.parametrize("folder, settings, given", FEATURES, ids=lambda value: str(value)[:30])
def test_features(tool, request, tmp_path, folder, settings, given):
    path = request.getfixturevalue(folder)
    ours = tessera.features(path, tmp_path / "ours.h5", **settings)
    helpers.run_tool("features", path, *given, "-o", tmp_path / "f.h5", "-q")
    theirs = tessera.read(tmp_path / "f.h5")
    assert as_dense(ours.X).tobytes() == as_dense(theirs.X).tobytes() and ours.X.shape[0] > 5
    assert ours.y.tolist() == theirs.y.tolist()
    assert ours.feature_names == theirs.feature_names
    assert sp.issparse(ours.X) == (settings["kind"] == "words")
    # what was learnt is kept with what was written
    if settings["kind"] != "pixels":
        again = tessera.features(path, kind=settings["kind"], dictionary=tmp_path / "ours.h5")
        assert as_dense(again.X).tobytes() == as_dense(ours.X).tobytes()


def test_words_become_terms(documents):
    data = tessera.features(documents, kind="words")
    assert "ship" in data.feature_names
    model = tessera.Model("nmf-kl", 2).fit(data)
    listed = {name for vector in tessera.terms(model, top=5) for name, _ in vector.terms}
    assert listed <= set(data.feature_names)
    assert "ship" in model._repr_html_() or "hills" in model._repr_html_()


def test_overlay(tool, pictures, tmp_path):
    tessera.features(pictures, tmp_path / "f.h5", kind="dsift", vocabulary=8, grid=(1, 1))
    helpers.run_tool("fit", tmp_path / "f.h5", "-k", 2, "-o", tmp_path / "m.h5", "-q")
    picture = pictures / "lie" / "0.png"
    for settings, given in (
        ({}, []),
        ({"share": 0.1, "opacity": 0.9}, ["--share", 0.1, "--opacity", 0.9]),
        ({"method": "product"}, ["--method", "product"]),
    ):
        ours = tessera.overlay(tmp_path / "m.h5", picture, tmp_path / "ours.png", **settings)
        theirs = helpers.tool_json(
            "overlay", tmp_path / "m.h5", picture, "-o", tmp_path / "theirs.png", *given
        )
        assert (tmp_path / "ours.png").read_bytes() == (tmp_path / "theirs.png").read_bytes()
        assert ours.threshold == theirs["threshold"]
        assert ours.codes.tolist() == [v["code"] for v in theirs["vectors"]]
        assert ours.patches.tolist() == [v["patches"] for v in theirs["vectors"]]
        assert ours.colours == [v["colour"] for v in theirs["vectors"]]
        assert ours.vectors.shape == (48, 64) and set(np.unique(ours.vectors)) <= {-1, 0, 1}
