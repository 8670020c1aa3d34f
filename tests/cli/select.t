Choosing a model, a rank and a weight by what is held out.

  $ tessera demo -q --pictures faces -o faces.h5; tessera convert -q faces.h5 -o plain.npy
  $ tessera select faces.h5 -q --ranks 2-4/2,8 --folds 2 --iterations 20 | sed -E 's/[0-9]\.[0-9]+/x/g; s/ *<- (chosen|best)//; s/: .*//'
      rank             accuracy on 240 hidden labels +- standard error
         2             x +- x
         4             x +- x
         8             x +- x
  chosen
  
  Take nmf of rank 8
  It is the largest rank that was tried
  The runner-up is nmf of rank 4 (x +- x).
  Its parts are mostly the same from start to start (stability x over 3 fits).
  A fit took x s on one thread.
      tessera fit faces.h5:x --model nmf --rank 8 --iterations 20 -o model.h5
  $ tessera select faces.h5 -q --ranks 20,40 --weights 1,2 --model cdnmf --folds 2 --iterations 5 | sed -E 's/[0-9]\.[0-9]+/x/g; s/ *<- (chosen|best)//; s/: .*//'
      rank      class  accuracy on 240 hidden labels +- standard error
        20          1  x +- x
        20          2  x +- x
        40          1  x +- x
        40          2  x +- x
  chosen
  
  Take cdnmf of rank 40 with class 1
  It is the largest rank that was tried
  The runner-up is cdnmf of rank 40 with class 2 (x +- x).
  Its parts are mostly the same from start to start (stability x over 3 fits).
  A fit took x s on one thread.
      tessera fit faces.h5:x --model cdnmf --rank 40 --class 1 --iterations 5 -o model.h5
  $ tessera select faces.h5 -q --ranks 2,4 --folds 2 --iterations 20 --json | grep -oE '"(by|rule|judged|weight|candidates|model|rank|mean|error|deviation|nmi|nmi_error|stability|seconds|baseline|best|chosen|note|advice)"' | sort | uniq -c
        1 "advice"
        2 "baseline"
        2 "best"
        1 "by"
        1 "candidates"
        2 "chosen"
        2 "deviation"
        2 "error"
        1 "judged"
        2 "mean"
        2 "model"
        2 "nmi"
        2 "nmi_error"
        3 "note"
        2 "rank"
        1 "rule"
        2 "seconds"
        2 "stability"
        3 "weight"
  $ tessera select faces.h5 -q --ranks 2,4 --folds 2 --iterations 20 --rule best --json | grep -E 'by|rule|judged'
    "by": "labels",
    "rule": "best",
    "judged": 240,

Several models, and baselines to compare with, on the same hold-outs. Without a weight of its own a model is tried once a rank, the samples themselves once. The command is ready to be typed.

  $ tessera select faces.h5 -q --model cdnmf,gnmf,nmf --baselines --ranks 20 --weights 0.1,1 --folds 2 --iterations 20 > all.txt; sed -E 's/[0-9]+\.[0-9e-]+/x/g; s/ *<- (chosen|best)//; s/ +/ /g' all.txt | sed '/^$/,$d'
  accuracy on 240 hidden labels, 2 folds, +- standard error
  model rank weight accuracy nmi stability seconds
  cdnmf 20 x x +- x x x x
  cdnmf 20 1 x +- x x x x
  gnmf 20 x x +- x x x x
  gnmf 20 1 x +- x x x x
  nmf 20 x +- x x x x
  raw 1024 x +- x x - x
  pca 20 x +- x x - x
  lda 20 x +- x x - x
  mfa 20 x +- x x - x
  propagation 20 x +- x x - x
  ntf 20 x +- x x x x
  $ grep -cE '^(Take|Against|Its parts|A fit took|    tessera fit faces.h5:x --model [a-z]+ --rank 20 )' all.txt
  5
  $ $(grep '^    tessera fit' all.txt) -q > said.txt && ls model.h5
  model.h5
  $ tessera select faces.h5 -q --model nmf,pca --ranks 4 --folds 2 --iterations 20 --repeats 0 --json | grep -E '"(model|stability|baseline|advice)"' | sed -E 's/[0-9]\.[0-9e-]+/x/g; s/Take .*/.../'
        "model": "nmf",
        "stability": null,
        "baseline": false,
        "model": "pca",
        "stability": null,
        "baseline": true,
    "advice": "...
  $ tessera select faces.h5 --model cf,nmf,nmf-ncw --baselines --ranks 4 --by entries --folds 2 --iterations 5 --repeats 0 2>&1 | sed -E 's/[0-9]+\.[0-9e-]+/x/g; s/ +/ /g' | head -6
  note: baselines give nothing back that hidden entries could be compared with, and are left out
  error on 122880 hidden entries, 2 folds, +- standard error
  model rank weight error nmi stability seconds
  cf 4 cf cannot be fitted with entries held out (its parts or codes are made of whole samples): --by labels
  nmf 4 x +- x - - x <- chosen
  nmf-ncw 4 x +- x - - x
  $ for m in nmf,,gnmf nmf,gnfm 'nmf, gnmf' nmf,nmf; do tessera select nowhere.csv --ranks 2 --model "$m"; done
  tessera: --model wants names such as cdnmf,gnmf,nmf, not 'nmf,,gnmf'
  tessera: there is no model or baseline 'gnfm' (did you mean gnmf?); `tessera models` lists them
  tessera: there is no model or baseline ' gnmf' (did you mean gnmf?); `tessera models` lists them
  tessera: --model nmf,nmf names nmf twice
  [2]
  $ tessera select faces.h5 --ranks 4 --weights 1 --model nmf,pca
  tessera: nmf,pca have no weight to choose: leave --weights out
  [2]
  $ tessera select faces.h5 --ranks 4 --by entries --model pca,raw
  tessera: pca gives nothing back that hidden entries could be compared with: it is judged by labels alone
  [1]

The rank that made the data is found: parts of four kinds, each sample a sum of some, and a little noise. Without noise a larger rank is as good, and the smallest is meant.

  $ awk 'function u() { s = (s * 16807) % 2147483647; return s / 2147483647 } BEGIN { s = 7; for (k = 0; k < 4; k++) for (j = 0; j < 20; j++) f[k, j] = (u() < 0.5 ? 0 : u()); for (i = 0; i < 60; i++) { for (k = 0; k < 4; k++) g[k] = (u() < 0.5 ? 0 : u()); for (j = 0; j < 20; j++) { x = e = 0; for (k = 0; k < 4; k++) x += g[k] * f[k, j]; for (t = 0; t < 12; t++) e += u(); y = x + 0.02 * (e - 6); end = (j < 19 ? "," : "\n"); printf("%.5f%s", (y > 0 ? y : 0), end) > "noisy.csv"; printf("%.5f%s", x, end) > "exact.csv" } } }'
  $ for f in noisy exact; do tessera select $f.csv -q --header no --ranks 2-8 | grep '<- chosen' | awk '{ print $1 }'; done
  4
  4
  $ tessera select noisy.csv -q --header no --ranks 4 | head -1
      rank             error on 600 hidden entries +- standard error

Labels that are too few to judge are said so, and entries judge; --by forces one or the other.

  $ for i in $(seq 60); do [ $i -gt 57 ] && echo c$((i % 2)) || echo '?'; done > few.csv
  $ tessera select noisy.csv --header no --labels few.csv --ranks 4 2>&1 | head -2
  note: 2 labels in 1 classes of two or more are too few to judge by: 5 folds need 20, in two classes at least; entries are held out instead
      rank             error on 600 hidden entries +- standard error
  $ tessera select noisy.csv --header no --labels few.csv --ranks 4 --by labels
  tessera: 2 labels in 1 classes of two or more are too few to judge by: 5 folds need 20, in two classes at least
  [1]
  $ tessera select noisy.csv --header no --ranks 4 --by labels
  tessera: noisy.csv has no labels to judge by
  [1]
  $ tessera select faces.h5 -q --ranks 4 --by entries --iterations 5 | head -1
      rank             error on 122880 hidden entries +- standard error
  $ tessera select plain.npy --ranks 4 --model pca
  tessera: pca gives nothing back that hidden entries could be compared with: it is judged by labels alone
  [1]

A rank that cannot be is a row that says why; nothing but such rows is an error.

  $ tessera select noisy.csv -q --header no --ranks 2,100 | grep exceeds
       100             rank 100 exceeds both the 60 samples and the 20 features
  $ tessera select noisy.csv -q --header no --ranks 2,100 --json | grep -A 16 '"rank": 100'
        "rank": 100,
        "weight": null,
        "term": null,
        "mean": null,
        "error": null,
        "deviation": null,
        "nmi": null,
        "nmi_error": null,
        "stability": null,
        "seconds": null,
        "baseline": false,
        "added": false,
        "best": false,
        "chosen": false,
        "note": "rank 100 exceeds both the 60 samples and the 20 features"
      }
    ],
  $ tessera select noisy.csv -q --header no --ranks 100,200
  tessera: no candidate can be fitted: rank 100 exceeds both the 60 samples and the 20 features
  [1]
  $ printf '1,2\n3,4\n' > tiny.csv; tessera select tiny.csv --header no --ranks 1
  tessera: 4 known entries, one or more of which every sample and feature keeps, are too few for 5 folds
  [1]

Wrong lists.

  $ for r in 0 8-2 2- 2-8/0 a 2,,3 2, 1e3 2-8/2/2 1-1000000 9000000000 ''; do tessera select noisy.csv --ranks "$r"; done
  tessera: --ranks wants ranks from 1 such as 2-8, 5,10,20 or 10-50/10, not '0'
  tessera: --ranks wants ranks from 1 such as 2-8, 5,10,20 or 10-50/10, not '8-2'
  tessera: --ranks wants ranks from 1 such as 2-8, 5,10,20 or 10-50/10, not '2-'
  tessera: --ranks wants ranks from 1 such as 2-8, 5,10,20 or 10-50/10, not '2-8/0'
  tessera: --ranks wants ranks from 1 such as 2-8, 5,10,20 or 10-50/10, not 'a'
  tessera: --ranks wants ranks from 1 such as 2-8, 5,10,20 or 10-50/10, not '2,,3'
  tessera: --ranks wants ranks from 1 such as 2-8, 5,10,20 or 10-50/10, not '2,'
  tessera: --ranks wants ranks from 1 such as 2-8, 5,10,20 or 10-50/10, not '1e3'
  tessera: --ranks wants ranks from 1 such as 2-8, 5,10,20 or 10-50/10, not '2-8/2/2'
  tessera: --ranks 1-1000000 are more than 10000 ranks
  tessera: --ranks wants ranks from 1 such as 2-8, 5,10,20 or 10-50/10, not '9000000000'
  tessera: --ranks wants ranks from 1 such as 2-8, 5,10,20 or 10-50/10, not ''
  [2]
  $ tessera select noisy.csv --ranks 4 --weights 1,x
  tessera: --weights wants numbers such as 0.1,1,10, not '1,x'
  [2]
  $ tessera select faces.h5 -q --ranks 4 --weights 1,2
  tessera: nmf has no weight to choose: leave --weights out
  [2]
  $ tessera select noisy.csv
  tessera select: missing: --ranks
  usage: tessera select [options] DATA --ranks LIST
  `tessera select --help` shows what it takes.
  [2]
