# SPDX-License-Identifier: BSD-2-Clause
"""What bench/solver.py measures on: generated data, a common start, and the one judge.

Everything follows from the seed. Starts are R's uniform numbers of the same seed, because
RcppML cannot be given a start: it draws its basis from that stream, so all begin where it does.
"""
import numpy
from scipy import sparse

SHAPE = {"a": (10000, 1024, 40), "b": (400, 1024, 10), "c": (18774, 61188, 20)}
TITLE = {"a": "faces-like, dense", "b": "small, dense", "c": "news-like, sparse"}


def faces(samples, features, seed):
    """Smooth spots of many sizes on a square picture, small ones weaker, and noise; unit rows.
    The singular values fall as those of real face sets do: about 2 % of the energy is beyond
    ten parts, 0.8 % beyond forty."""
    random = numpy.random.default_rng(seed)
    side, spots = int(round(features ** 0.5)), 400
    y, x = numpy.mgrid[0:side, 0:side].reshape(2, 1, -1) / side
    size = 0.3 * (0.02 / 0.3) ** (numpy.arange(spots)[:, None] / (spots - 1))
    parts = numpy.exp(-((y - random.random((spots, 1))) ** 2
                        + (x - random.random((spots, 1))) ** 2) / (2 * size ** 2)) / size ** 0.5
    out = random.gamma(0.2, size=(samples, spots)) @ parts
    out += 0.1 * out.mean() * numpy.abs(random.normal(size=out.shape))
    out /= numpy.linalg.norm(out, axis=1, keepdims=True)
    return out


def news(samples, features, seed, entries=2_500_000, topics=30):
    """Documents of log-normal length, each a mixture of few topics; a topic has its own order of
    the words, whose chances fall as 1/rank (Zipf). Counts; about `entries` are not zero."""
    random = numpy.random.default_rng(seed)
    chance = 1 / numpy.arange(1, features + 1)
    common, words = numpy.cumsum(chance / chance.sum()), features // topics * 3
    own = numpy.cumsum(chance[:words] / chance[:words].sum())
    order = [random.permutation(features)[:words] for _ in range(topics)]
    length = random.lognormal(0, 0.8, samples)
    length = numpy.maximum(5, length * (1.22 * entries / length.sum())).astype(int)
    share = random.dirichlet(numpy.full(topics, 0.08), samples)
    document = numpy.repeat(numpy.arange(samples), length)
    edges = (numpy.cumsum(share, 1) + numpy.arange(samples)[:, None]).ravel()
    topic = (numpy.searchsorted(edges, document + random.random(len(document)))
             - topics * document).clip(0, topics - 1)
    word = numpy.searchsorted(common, random.random(len(document)) * common[-1])
    for t in range(topics):
        mine = numpy.flatnonzero((topic == t) & (random.random(len(topic)) < 0.7))
        word[mine] = order[t][numpy.searchsorted(own, random.random(len(mine)) * own[-1])]
    out = sparse.coo_matrix((numpy.ones(len(word)), (document, word)), (samples, features)).tocsr()
    out.sum_duplicates()
    return out


def make(case, seed):
    samples, features, _ = SHAPE[case]
    return (news if case == "c" else faces)(samples, features, 100 + seed)


def r_uniform(seed, count):
    """What R gives for set.seed(seed); runif(count)."""
    state, value = [], seed
    for _ in range(50 + 625):
        value = (69069 * value + 1) & 0xFFFFFFFF
        state.append(value)
    random = numpy.random.RandomState()
    random.set_state(("MT19937", state[51:], 624))
    return random.randint(0, 2 ** 32, count, numpy.uint32) * 2.3283064365386963e-10


def start(x, rank, seed):
    """Basis rank x m and codes n x rank, balanced, scaled so that their product has the mean of
    x; bases of one seed are equal but for the scale."""
    samples, features = x.shape
    numbers = r_uniform(seed, (samples + features) * rank)
    basis = numbers[:features * rank].reshape(rank, features)
    codes = numbers[features * rank:].reshape(samples, rank)
    scale = (x.sum() / (codes.sum(0) @ basis.sum(1))) ** 0.5
    return numpy.ascontiguousarray(scale * basis), numpy.ascontiguousarray(scale * codes)


def frobenius(x, basis, codes):
    """1/2 ||X - G F||^2 in doubles; sparse x without its zeros."""
    basis, codes = basis.astype(float), codes.astype(float)
    if sparse.issparse(x):
        cross = ((x @ basis.T) * codes).sum()
        return 0.5 * ((x.data ** 2).sum() - 2 * cross
                      + ((basis @ basis.T) * (codes.T @ codes)).sum())
    return 0.5 * sum(((x[i:i + 1000] - codes[i:i + 1000] @ basis) ** 2).sum()
                     for i in range(0, len(x), 1000))


def divergence(x, basis, codes):
    """Generalised Kullback-Leibler: sum x ln(x / y) - x + y, y = G F."""
    basis, codes = basis.astype(float), codes.astype(float)
    total = codes.sum(0) @ basis.sum(1) - x.sum()
    if sparse.issparse(x):
        columns, part = numpy.ascontiguousarray(basis.T), 0.0
        row = numpy.repeat(numpy.arange(x.shape[0]), numpy.diff(x.indptr))
        for i in range(0, x.nnz, 1 << 18):
            here = slice(i, i + (1 << 18))
            y = numpy.einsum("ij,ij->i", codes[row[here]], columns[x.indices[here]])
            part += (x.data[here] * numpy.log(x.data[here] / numpy.maximum(y, 1e-300))).sum()
        return total + part
    for i in range(0, len(x), 1000):
        block, y = x[i:i + 1000], codes[i:i + 1000] @ basis
        full = block > 0
        total += (block[full] * numpy.log(block[full] / numpy.maximum(y[full], 1e-300))).sum()
    return total


JUDGE = {"frobenius": frobenius, "kl": divergence}
