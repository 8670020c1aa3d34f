Clustering, classifying, ranking.

  $ tessera demo --quiet -o swimmer.h5
  $ tessera fit swimmer.h5 -q --model cdnmf --per-class 4 --labelled 25% --seed 1 -o cd.h5 >/dev/null
  $ tessera cluster cd.h5 --seeded | sed 's/cost .*/cost/'
  256 samples in 4 clusters, cost
    accuracy  1.0000
    nmi       1.0000 (arithmetic 1.0000)
    ari       1.0000
    purity    1.0000
  $ tessera cluster swimmer.h5 --model cdnmf --per-class 4 --labelled 25% --seed 1 --seeded -q | tail -4
    accuracy  1.0000
    nmi       1.0000 (arithmetic 1.0000)
    ari       1.0000
    purity    1.0000
  $ tessera cluster swimmer.h5 --seeded --labelled 2 --json | grep -oE '"(samples|clusters|seeded|seed|cost|accuracy|nmi|nmi_arithmetic|ari|purity|classes|confusion|assignments)"' | tr '\n' ' '
  "samples" "clusters" "seeded" "seed" "cost" "accuracy" "nmi" "nmi_arithmetic" "ari" "purity" "classes" "confusion" "assignments" 
  $ tessera cluster cd.h5 --seeded --json | grep -A 6 '"confusion"'
    "confusion": [
      [
        64,
        0,
        0,
        0
      ],

The same seed gives the same clusters, whatever the number of threads.

  $ for t in 1 2 3; do tessera cluster swimmer.h5 --clusters 7 --seed 5 --threads $t --json | md5sum; done | uniq | wc -l
  1
  $ tessera cluster swimmer.h5 --clusters 7 --seed 5 --unit-codes --restarts 2 | sed 's/cost .*/cost/' | head -1
  256 samples in 7 clusters, cost

Data without classes can be clustered, not judged.

  $ tessera convert -q swimmer.h5 -o plain.npy
  $ tessera cluster plain.npy --clusters 3 | sed 's/cost .*/cost/'
  256 samples in 3 clusters, cost
    no classes are known: nothing to compare with
  $ tessera cluster plain.npy
  tessera: there are no classes to count: --clusters N
  [1]
  $ tessera cluster plain.npy --clusters 3 --seeded
  tessera: --seeded needs labels that the learner saw, and there are none
  [1]
  $ tessera cluster plain.npy --clusters 257
  tessera: 257 clusters of 256 samples are not possible
  [1]
  $ tessera cluster plain.npy --clusters 3 --model cdnfm
  tessera: there is no model or baseline 'cdnfm' (did you mean cdnmf?); `tessera models` lists them
  [2]
  $ tessera cluster cd.h5 --model nmf
  tessera: cd.h5 is a fitted model: --model is for data to be fitted
  [1]
  $ tessera cluster swimmer.h5 --clusters 3 --seeded
  tessera: --seeded needs a cluster for each of the 4 classes, not 3
  [1]
  $ tessera cluster swimmer.h5 --clusters -1
  tessera cluster: --clusters -1 is outside 0 .. 1000000000
  `tessera cluster --help` shows what it takes.
  [2]
  $ tessera cluster nowhere.h5 --clusters 3
  tessera: nowhere.h5: No such file or directory
  [1]

Classes by neighbours, on folds and on other data.

  $ tessera classify swimmer.h5 --folds 4 --neighbours-vote 1
  raw: accuracy 0.9727 +- 0.0078 over 4 folds, 1 neighbour
  
  class, accuracy, how often it was called each
    0            0.9688     62     2     0     0
    1            0.9844      1    63     0     0
    2            0.9688      2     0    62     0
    3            0.9688      2     0     0    62
  $ tessera classify swimmer.h5 -q --model nmf --rank 17 --folds 2 --encode product --json | grep -oE '"(model|samples|neighbours|seed|folds|accuracy|std|fold_accuracy|per_class|classes|confusion)"' | tr '\n' ' '
  "model" "samples" "neighbours" "seed" "folds" "accuracy" "std" "fold_accuracy" "per_class" "classes" "confusion" 
  $ tessera convert -q swimmer.h5 --select rows:0-127 -o first.npz; tessera convert -q swimmer.h5 --select rows:128-255 -o second.npz
  $ tessera classify first.npz --test second.npz --model pca --rank 20 -q | head -1
  pca: accuracy 1.0000, 10 neighbours
  $ tessera classify plain.npy
  tessera: plain.npy has no classes: classification needs two: --labels SRC
  [1]
  $ tessera classify swimmer.h5 --test plain.npy
  tessera: plain.npy has no labels to compare with
  [1]
  $ tessera classify swimmer.h5 --folds 300
  tessera: 300 folds of 256 samples are not possible
  [1]
  $ tessera classify swimmer.h5 --neighbours-vote 0
  tessera classify: --neighbours-vote 0 is outside 1 .. 1000000
  `tessera classify --help` shows what it takes.
  [2]

Groups stay on one side; a class of one sample is said.

  $ for i in 0 1 2 3 4 5 6 7; do echo "$i.1,$i,c$((i / 4))"; done > small.csv; echo "9,9,lone" >> small.csv
  $ printf 'a\na\nb\nb\nc\nc\nd\nd\ne\n' > groups.csv
  $ tessera classify small.csv --labels 2 --header no --folds 2 --group groups.csv --neighbours-vote 1 | head -1
  note: class lone has one sample: it is tested without being learnt
  raw: accuracy 0.7750 +- 0.0354 over 2 folds, 1 neighbour
  $ tessera classify small.csv --labels 2 --header no --folds 6 --group groups.csv -q
  tessera: 6 folds of 5 groups are not possible
  [1]
  $ tessera classify swimmer.h5 --group groups.csv
  tessera: groups.csv names groups of 9 samples; there are 256
  [1]

Ranking: order, scores, curves, and a model of the best.

  $ tessera rank cd.h5 --by lre --data swimmer.h5 --top 3 --curve -o best.h5 | awk '{ print NF }' | tr '\n' ' '
  8 5 5 5 3 
  $ tessera rank cd.h5 --json | grep -oE '"(by|rank|order|scores)"' | tr '\n' ' '
  "by" "rank" "order" "scores" 
  $ tessera rank cd.h5 --by lre --curve --json | grep -c error
  1
  $ tessera info best.h5:basis | sed -n '3,4p'
    samples    3
    features   1024 (images 32 x 32, row by row)
  $ tessera transform best.h5 swimmer.h5 -q -o codes.npy
  256 samples, codes of 3 entries
    written to  codes.npy
  $ tessera fit plain.npy -q --rank 5 -o unlabelled.h5 >/dev/null
  $ tessera rank unlabelled.h5
  tessera: --by fisher needs labels, and the model has none: --data DATA --labels SRC
  [1]
  $ tessera rank unlabelled.h5 --data swimmer.h5 --labels swimmer.h5:labels | wc -l
  6
  $ tessera rank cd.h5 --by lre --top 17
  tessera: --top 17 exceeds the 16 basis vectors
  [1]
  $ tessera rank cd.h5 --by lre --data first.npz
  tessera: first.npz:X is 128 x 1024; the model was fitted to 256 x 1024
  [1]
  $ tessera rank swimmer.h5
  tessera: swimmer.h5: is an HDF5 file, but no model: `tessera fit` writes one
  [1]
