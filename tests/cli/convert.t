Data that are larger than --memory: the same file as in memory, byte for byte.

  $ awk 'BEGIN { for (i = 0; i < 60000; i++) { printf "%d", i % 5; for (k = 1; k < 30; k++) printf " %d:%d.5", 100 - 3 * k + i % 3, (i * k) % 97; print "" } }' > big.svm; [ $(stat -c %s big.svm) -gt 16777216 ] && echo larger
  [1]
  $ tessera convert -q big.svm -o whole.h5; tessera convert big.svm --memory 16M -q -o blocks.h5; cmp whole.h5 blocks.h5
  $ tessera convert -q big.svm --memory 1G -o again.h5; cmp whole.h5 again.h5
  $ tessera convert -q big.svm -o big.mtx; sort -k2,2n -s <(tail -n +3 big.mtx) > entries; cat <(head -2 big.mtx) entries > turned.mtx; tessera convert -q big.mtx -o whole.h5; tessera convert -q turned.mtx --memory 16M -o blocks.h5; cmp whole.h5 blocks.h5
  $ tessera convert -q big.svm --storage dense -o big.csv; tessera convert -q big.csv -o whole.h5; tessera convert -q big.csv --memory 16M -o blocks.h5; cmp whole.h5 blocks.h5
  $ tessera convert -q big.csv --memory 16M --json -o blocks.npy; tessera convert -q big.csv -o whole.npy; cmp whole.npy blocks.npy
  {
    "output": "blocks.npy",
    "samples": 60000,
    "features": 99,
    "classes": 5,
    "labels_lost": true
  }
  $ tessera convert -q big.svm -o big.npz; tessera convert -q big.npz -o whole.h5; tessera convert big.npz --memory 16M -q -o blocks.h5; cmp whole.h5 blocks.h5
  $ tessera convert -q big.svm --storage dense -o big.npz; tessera convert -q big.npz -o whole.h5; tessera convert big.npz --memory 16M -q -o blocks.h5; cmp whole.h5 blocks.h5

Both orders: the samples are found as before, and by feature they are the transposed matrix.

  $ tessera convert -q big.svm --both-orders -o whole.h5; tessera convert -q big.svm --memory 16M --both-orders -o blocks.h5; cmp whole.h5 blocks.h5; tessera info blocks.h5 | head -4; tessera info blocks.h5:x_by_feature | head -4
  blocks.h5:x
    format     h5, float64, sparse
    samples    60000
    features   99
  blocks.h5:x_by_feature
    format     h5, float64, sparse
    samples    99
    features   60000
  $ tessera convert -q blocks.h5:x_by_feature -o turned.npz; tessera convert -q big.svm --transpose -o transposed.npz; cmp turned.npz transposed.npz
  $ tessera convert -q big.svm --both-orders -o both.npz
  tessera: both.npz: both orders are written to .h5 alone
  [1]

Samples of .npy and .h5 stay where they are, and are changed as they are read.

  $ tessera convert -q big.svm -o big.h5; tessera convert -q big.h5 --storage dense -o big.npy
  $ for o in "--normalize l2" "--precision single" "--storage dense" "--both-orders" "--precision single --normalize l1 --both-orders"; do tessera convert -q big.h5 $o -o whole.h5; tessera convert big.h5 --memory 16M $o -q -o blocks.h5; cmp whole.h5 blocks.h5; done
  $ for o in "--normalize l2" "--precision single" "--storage sparse --both-orders"; do tessera convert -q big.npy $o -o whole.h5; tessera convert big.npy --memory 16M $o -q -o blocks.h5; cmp whole.h5 blocks.h5; done
  $ for f in big.h5 big.npy; do tessera convert -q $f --normalize max -o whole.npy; tessera convert $f --memory 16M --normalize max -q -o blocks.npy; cmp whole.npy blocks.npy; done
  $ tessera convert big.npy --memory 16M --both-orders -o out.h5; tessera convert big.csv --memory 16M --both-orders -o out.h5
  tessera: out.h5: both orders are of sparse samples, and these are dense: write one order, or make them sparse before (--storage sparse)
  tessera: big.csv: both orders are of sparse samples, and these are dense: write one order, or make them sparse before (--storage sparse)
  [1]
  $ tessera convert big.h5 --memory 16M --transpose -o out.h5; tessera convert big.h5 --memory 16M -o out.mtx
  tessera: turning needs all samples in memory, and these 60000 x 99 are read in blocks: raise --memory, or take fewer samples
  tessera: out.mtx: a .mtx is written from memory, and these 60000 x 99 samples are read in blocks: write .h5 or .npy, or raise --memory
  [1]
  $ tessera fit data/sparse.h5:other --memory 100 -o out.h5
  tessera: data/sparse.h5: other: other is stored feature by feature, and data larger than --memory are read sample by sample: tessera convert --memory writes an .h5 of it that is, or raise --memory
  [1]

What needs all of the data, or little memory, is told so.

  $ for o in --transpose "--select rows:0-9" "--normalize l2" "--precision single" "--storage dense"; do tessera convert big.svm --memory 16M $o -o out.h5; done
  tessera: big.svm: --transpose needs all samples in memory, and they take more than --memory: leave out one of the two, or, of sparse samples, take OUT.h5:x_by_feature of --both-orders
  tessera: big.svm: takes more than --memory, and is not changed while it passes: write OUT.h5 without --select, and convert that with it
  tessera: big.svm: takes more than --memory, and is not changed while it passes: write OUT.h5 without --normalize, and convert that with it
  tessera: big.svm: takes more than --memory, and is not changed while it passes: write OUT.h5 without --precision, and convert that with it
  tessera: big.svm: takes more than --memory, and is not changed while it passes: write OUT.h5 without --storage, and convert that with it
  [1]
  $ tessera convert big.svm --memory 16M -o out.mat
  tessera: out.mat: data that take more than --memory are written as .h5 or .npy
  [1]
  $ tessera convert big.svm --memory 16M -o out.npy
  tessera: out.npy: a .npy is dense, and these 60000 x 99 values are sparse; write .h5
  [1]
  $ tessera convert big.svm --memory 64K -o out.h5
  tessera: --memory of 65536 bytes is too little to convert in: 16M is the least
  [1]
  $ for m in 2X -1 1.5G; do tessera convert big.svm --memory=$m -o out.h5 2>&1 | head -1; done
  tessera convert: --memory wants bytes such as 2G, 500M or 64K, not '2X'
  tessera convert: --memory -1 is outside 0 .. 8388607T
  tessera convert: --memory wants bytes such as 2G, 500M or 64K, not '1.5G'
  $ echo '1 5:nan' >> big.svm; tessera convert big.svm --memory 16M -q -o out.h5
  tessera: big.svm: sample 60000, feature 4 is nan (1 such values); numbers must be finite
  [1]
  $ tessera convert big.svm --memory 16M --missing keep -o out.h5
  wrote out.h5: 60001 samples of 99 features
  $ echo '1 5:x' >> big.svm; tessera convert big.svm --memory 16M -q -o bad.h5
  tessera: big.svm: line 60002: '5:x' is not index:value
  [1]

A full disk leaves nothing.

  $ (ulimit -f 9000; tessera convert -q big.csv --memory 16M -o limited.h5)
  tessera: big.csv: cannot write temporary data beside it: File too large
  [1]
  $ ls -A | grep -E 'tmp|scratch|limited|bad'
  [1]
