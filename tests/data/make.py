#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes the fixtures of test_npy and test_containers with numpy, scipy and h5py.

The matrix is always A[i, j] = (7 i + 3 j) mod 11, 5 x 4 unless said otherwise, and the labels are
y[i] = i mod 3, so that the tests know every entry without a second file. Run it in this folder.
"""
import io
import struct
import zipfile

import h5py
import numpy as np
import scipy.io
import scipy.sparse as sp

N, M = 5, 4
A = np.fromfunction(lambda i, j: (7 * i + 3 * j) % 11, (N, M))
Y = np.arange(N) % 3
WORDS = np.array(["cat", "dog", "Äpfel"])[Y]


def npy():
    for order in "<>":
        for kind in "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split():
            for fortran in (False, True):
                array = A.astype(np.dtype(order + kind))
                array = np.asfortranarray(array) if fortran else np.ascontiguousarray(array)
                name = "%s_%s_%s.npy" % ("little" if order == "<" else "big", kind,
                                         "f" if fortran else "c")
                np.save(name, array)
        np.save("texts_%s.npy" % ("little" if order == "<" else "big"),
                WORDS.astype(order + "U8"))
    np.save("bytes.npy", Y.astype("S3"))
    np.save("vector.npy", Y.astype("i4"))
    np.save("scalar.npy", np.float64(3))
    np.save("stack.npy", np.arange(24, dtype="u1").reshape(2, 3, 4))
    np.save("stack_f.npy", np.asfortranarray(np.arange(24, dtype="f4").reshape(2, 3, 4)))
    np.save("complex.npy", A.astype("c16"))
    np.save("longdouble.npy", A.astype(np.longdouble))
    np.save("object.npy", np.array([1, "a", None], dtype=object), allow_pickle=True)
    np.save("record.npy", np.zeros(3, dtype=[("a", "f8"), ("b", "i4")]))
    np.save("date.npy", np.array(["2020-01-01"], dtype="M8[D]"))
    for version in ((2, 0), (3, 0)):
        with open("version%d.npy" % version[0], "wb") as f:
            np.lib.format.write_array(f, A, version=version)
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 2.0**-24, 65504.0, 1 / 3], dtype="f2")
    np.save("half.npy", special)


def npz():
    np.savez("pair.npz", X=A.astype("f4"), y=Y, other=np.arange(3))
    np.savez_compressed("words.npz", fea=A.astype("u1"), gnd=WORDS)
    np.savez("unclear.npz", first=A, second=A.T.copy(), third=np.arange(N))
    np.savez("mixed.npz", X=A.astype("c8"), Z=A, y=Y)
    for form in ("csr", "csc", "coo"):
        sp.save_npz("sparse_%s.npz" % form, sp.coo_matrix(A).asformat(form))
    sp.save_npz("sparse_bsr.npz", sp.bsr_matrix(A))
    with zipfile.ZipFile("sparse_csr.npz", "a") as archive:
        data = io.BytesIO()
        np.save(data, Y)
        archive.writestr("y.npy", data.getvalue())


def mat():
    cells = np.array([[w] for w in WORDS], dtype=object)
    for name, options in (("v4", dict(format="4")), ("v5", dict()),
                          ("v5z", dict(do_compression=True))):
        scipy.io.savemat("%s.mat" % name, dict(fea=A, gnd=Y.reshape(-1, 1) + 1.0), **options)
        scipy.io.savemat("%s_sparse.mat" % name, dict(fea=sp.csc_matrix(A), gnd=Y + 1.0), **options)
    for kind in "i1 i2 i4 i8 u1 u2 u4 u8 f4 f8 b1".split():
        scipy.io.savemat("class_%s.mat" % kind, dict(X=A.astype(kind), y=Y.astype("i2")))
    scipy.io.savemat("logical_sparse.mat", dict(X=sp.csc_matrix(A > 4)))
    scipy.io.savemat("chars.mat", dict(X=A, y=np.array(["a", "bb", "ccc", "a", "bb"])))
    scipy.io.savemat("cells.mat", dict(X=A, y=cells), do_compression=True)
    scipy.io.savemat("complex.mat", dict(X=A + 1j, y=Y))
    scipy.io.savemat("stack.mat", dict(X=np.arange(24.0).reshape(3, 4, 2), y=np.array([1, 2])))
    scipy.io.savemat("mess.mat", dict(a=A, b=A.T, s=dict(x=1, y="t"), t="text"))


def mat73():
    """What MATLAB's save -v7.3 makes: a 512-byte block before HDF5, classes as attributes, and
    everything transposed."""
    with h5py.File("v73.mat", "w", userblock_size=512, libver=("earliest", "v110")) as f:
        for name, value, kind in (("fea", A.astype("f4").T, "single"),
                                  ("gnd", (Y + 1.0).reshape(1, -1), "double")):
            f.create_dataset(name, data=value, chunks=value.shape, compression="gzip")
            text = h5py.h5t.C_S1.copy()
            text.set_size(len(kind))
            attribute = h5py.h5a.create(f[name].id, b"MATLAB_class", text,
                                        h5py.h5s.create(h5py.h5s.SCALAR))
            attribute.write(np.array(kind, dtype="S"), mtype=text)
    with open("v73.mat", "r+b") as f:
        head = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(116) + b"\0" * 8
        f.write(head + struct.pack("<H", 0x0200) + b"IM")


def h5():
    with h5py.File("plain.h5", "w", track_order=False) as f:
        f["train/X"] = A.astype("f4")
        f["train/y"] = Y
        f["test/X"] = A.astype(">i2")
        f["test/y"] = np.char.encode(WORDS, "utf-8")
        f["test/names"] = [str(w) for w in WORDS]
    with h5py.File("packed.h5", "w") as f:
        f.create_dataset("data", data=A, chunks=(2, 2), compression="gzip", shuffle=True)
        f.create_dataset("label", data=(Y > 0))
    with h5py.File("sparse.h5", "w") as f:
        for name, matrix in (("X", sp.csr_matrix(A)), ("other", sp.csc_matrix(A))):
            group = f.create_group(name)
            group.attrs["encoding-type"] = matrix.format + "_matrix"
            group.attrs["shape"] = matrix.shape
            for part in ("data", "indices", "indptr"):
                group[part] = getattr(matrix, part)
        group = f.create_group("tenx")
        matrix = sp.csc_matrix(A)
        for part in ("data", "indices", "indptr"):
            group[part] = getattr(matrix, part)
        group["shape"] = matrix.shape
    with h5py.File("ours.h5", "w") as f:
        f["x"] = A
        f["x"].attrs.update(image_height=2, image_width=2, image_order="column")
        f["labels"] = np.array([0, 1, -1, 0, 1], dtype="i4")
        f["classes"] = ["-1", "1"]
        f["feature_names"] = ["a", "b", "c", "Äpfel"]
    with h5py.File("huge.h5", "w") as f:
        f.create_dataset("x", shape=(10**9, 10**6), dtype="f8", chunks=(1000, 1000))
        f.create_dataset("wide", shape=(10**5, 10**4), dtype="f8", chunks=(1000, 1000),
                         compression="gzip")


npy()
npz()
mat()
mat73()
h5()
