What a model is: tessera info tells, tessera convert lists its parts.

  $ printf 'a,b,c,d,label\n1,2,0,3,x\n2,1,1,0,y\n0,3,2,1,x\n1,0,2,2,y\n3,1,0,1,x\n2,2,1,0,y\n' > mini.csv
  $ tessera fit mini.csv -q --model cdnmf-kl --rank 4 --iterations 5 --seed 7 --labelled 2 -o mini.h5 > seen
  $ tessera info mini.h5 | sed 's/seconds .*/seconds/'
  mini.h5
    model           cdnmf-kl: class-driven NMF, KL (Xiao et al. 2013)
    minimises       KL(X, F G') + 10 <D, G>
    data            mini.csv: 6 samples x 4 features
    rank            4
    classes         2; 4 of 6 labels are open to the learner
    settings        --model cdnmf-kl --rank 4 --labelled 2 --iterations 5 --seed 7
    iterations      5 (not converged)
    plan            basis: rows (coordinate descent, row by row), 4 sweeps, norm L1, by a price, reads the data by feature
    plan            codes: rows (coordinate descent, row by row), 4 sweeps, extrapolated, 4 leaves, blocks of 1 samples, 1 thread, 3 passes, 0.0 MB
    plan            start: random (uniform numbers)
    objective       1.4139744
    of which        loss 1.41 (100 %), class 0 (0 %)
    relative error  0.217977
    optimality      3.92e-02
    seconds
  $ tessera info mini.h5 --json | grep -E '^  "|"rank"|"labelled"|"iterations"'
    "origin": "mini.h5",
    "format": "model",
    "model": "cdnmf-kl",
    "objective_text": "KL(X, F G') + 10 <D, G>",
    "settings": {
      "rank": 4,
      "labelled": "2",
      "iterations": 5,
    "seed": 7,
    "data": "mini.csv",
    "report": {
      "rank": 4,
      "iterations": 5,
    "plan": [
    "classes": 2,
    "notes": []
  $ tessera convert mini.h5
  mini.h5 is a model; its parts are
    mini.h5:basis (4 x 4 float64)
    mini.h5:classes (2 text)
    mini.h5:codes (6 x 4 float64)
    mini.h5:feature_names (4 text)
    mini.h5:history (5 x 2 float64)
    mini.h5:labels (6 int32)
    mini.h5:objective (5 float64)
    mini.h5:plan (3 text)
    mini.h5:seconds (5 float64)
    mini.h5:seen (6 int32)
    mini.h5:state/column_sum (4 float64)
    mini.h5:state/gram (16 float64)
    mini.h5:state/plain (24 float64)
  $ tessera convert mini.h5 -o parts.csv
  tessera: mini.h5: is a model; its parts are basis (4 x 4 float64), classes (2 text), codes (6 x 4 float64), feature_names (4 text), history (5 x 2 float64), labels (6 int32), objective (5 float64), plan (3 text), seconds (5 float64), seen (6 int32), state/column_sum (4 float64), state/gram (16 float64), state/plain (24 float64): say which, as mini.h5:basis
  [1]
  $ tessera convert mini.h5:basis -q -o parts.csv && wc -l < parts.csv
  5
  $ tessera convert mini.h5:bases -q -o parts.csv
  tessera: mini.h5: there is no bases (basis was meant?); there is basis (4 x 4 float64), classes (2 text), codes (6 x 4 float64), feature_names (4 text), history (5 x 2 float64), labels (6 int32), objective (5 float64), plan (3 text), seconds (5 float64), seen (6 int32), state/column_sum (4 float64), state/gram (16 float64), state/plain (24 float64)
  [1]
  $ tessera info mini.h5:codes | head -3
  mini.h5:codes
    format     h5, float64, dense
    samples    6
  $ tessera fit mini.h5 -q -o out.h5
  tessera: mini.h5: is a model; its parts are basis (4 x 4 float64), classes (2 text), codes (6 x 4 float64), feature_names (4 text), history (5 x 2 float64), labels (6 int32), objective (5 float64), plan (3 text), seconds (5 float64), seen (6 int32), state/column_sum (4 float64), state/gram (16 float64), state/plain (24 float64): say which, as mini.h5:basis
  [1]
  $ tessera info data/format1_kernel.h5 | sed 's/seconds .*/seconds/'
  data/format1_kernel.h5
    model           cf: concept factorization (Xu & Gong 2004)
    minimises       ||X - X W G'||^2
    data            mini.csv: 6 samples x 4 features
    rank            2
    classes         2; 6 of 6 labels are open to the learner
    settings        --model cf --rank 2 --kernel rbf --iterations 5 --tolerance 1e-05 --init random --restarts 2 --seed 0
    iterations      5 (not converged)
    objective       2.4505666
    relative error  0.639084
    optimality      4.49e-02
    seconds

A damaged archive is told before anything is read of it.

  $ cp mini.h5 torn.h5; printf X | dd of=torn.h5 bs=1 seek=4000 conv=notrunc status=none; tessera info torn.h5
  tessera: torn.h5: is damaged: its bytes are not those that were written
  [1]
  $ tessera transform torn.h5 mini.csv -o out.csv
  tessera: torn.h5: is damaged: its bytes are not those that were written
  [1]
  $ head -c 4000 mini.h5 > cut.h5; tessera terms cut.h5
  tessera: cut.h5: cannot open it as HDF5: the file is damaged or cut off
  [1]

What a fit would do with data, a line a factor, without doing it; and what it does with every row.

  $ tessera fit mini.csv -m gnmf -k 2 -p 2 -v --iterations 0 | sed -n '1,3p'
  gnmf: 6 samples x 4 features, rank 2
    plan            basis: sphere (vector by vector on the unit sphere), 1 sweep, norm L2, reads sums over the samples
    plan            codes: rows (coordinate descent, row by row), 1 sweep, extrapolated, 4 leaves, blocks of 1 samples, 1 thread, 2 passes, 0.0 MB
  $ tessera models --plan | grep -A2 '^unmf' | sed -E 's/[0-9]+ threads?/N threads/; s/[0-9.]+ MB/N MB/'
  unmf: ||X - F G'||^2 + 1e-05 ||I - F' F||^2
    basis: sphere (vector by vector on the unit sphere), 2 sweeps, norm L2, reads sums over the samples
    codes: rows (coordinate descent, row by row), 10 sweeps, extrapolated, 8 leaves, blocks of 30 samples, N threads, 2 passes, N MB
  $ tessera models --plan --json | grep -c '"model"'
  18
  $ tessera fit mini.csv --loss is
  tessera: Itakura-Saito loss is infinite at zeros, and the samples have some: --loss kl, or add a little to all values
  [1]
  $ tessera fit mini.csv --smooth 1
  tessera: --smooth: only pictures have neighbouring pixels, and the height and width of these are not known: --image-shape HxW
  [1]
