Experiments: a protocol of one's own, resumable; selection.

  $ tessera demo -q --pictures faces -o faces.h5
  $ printf 'title = Small\ndata = faces.h5\nvary = classes 2 3\ndraws = 2\nlabelled = 2\nnormalize = l2\nrank-per-class = 1\niterations = 30\nclusterings = 3\n[nmf]\n[cdnmf]\n[pca]\nseeded = true\n' > small.txt
  $ tessera experiment small.txt -q --data . --out small | sed -E 's/[0-9]+\.[0-9]+\+-[0-9]+\.[0-9]+/ours/g; s/ +/ /g'
  Small, AC %: ours +- deviation (published, difference)
  classes nmf cdnmf pca
  2 ours ours ours
  3 ours ours ours
  average ours ours ours
  
  Small, NMI %: ours +- deviation (published, difference)
  classes nmf cdnmf pca
  2 ours ours ours
  3 ours ours ours
  average ours ours ours
  
  $ ls small; wc -l < small/draws.csv
  draws.csv
  table.csv
  table.json
  table.md
  table.tex
  table.txt
  13
  $ head -5 small/draws.csv > cut.csv; cp cut.csv small/draws.csv; cp small/table.csv before.csv; tessera experiment small.txt -q --data . --out small --resume >/dev/null; cmp small/table.csv before.csv; wc -l < small/draws.csv
  13
  $ tessera experiment small.txt -q --data . --models nmf,pca --json | grep -c '"method"'
  12
  $ tessera experiment small.txt -q --data . --models nfm
  tessera: the protocol has no method 'nfm'
  [1]
  $ tessera select faces.h5 -q --ranks 2,4 --folds 2 --iterations 20 | sed -E 's/[0-9]\.[0-9]+/x/g; s/ *<- chosen//'
      rank             accuracy on hidden labels
         2             x +- x
         4             x +- x
  $ tessera select faces.h5 -q --ranks 4 --weights 1,2
  tessera: nmf has no weight to choose: leave --weights out
  [1]

Wrong protocols.

  $ printf 'data = faces.h5\nnormalise = l2\n[nmf]\n' > wrong.txt; tessera experiment wrong.txt
  tessera: wrong.txt: line 2: there is no key 'normalise'; did you mean 'normalize'?
  [1]
  $ printf 'data = faces.h5\n[nmf\n' > wrong.txt; tessera experiment wrong.txt
  tessera: wrong.txt: line 2: a method is written [name], not '[nmf'
  [1]
  $ printf 'data = faces.h5\ndraws = many\n[nmf]\n' > wrong.txt; tessera experiment wrong.txt
  tessera: wrong.txt: line 2: --draws wants a whole number, not 'many'
  [1]
  $ printf 'data = faces.h5\n' > wrong.txt; tessera experiment wrong.txt
  tessera: wrong.txt: names no [method]
  [1]
  $ printf 'data = nowhere.mat\n[nmf]\n' > wrong.txt; tessera experiment wrong.txt -q --data .
  tessera: ./nowhere.mat is not there: `untitled` asks for nowhere.mat below the folder given by --data; doc/reproduction.md says where public copies are described
  [1]
  $ printf 'data = faces.h5\ntask = classify\n[nmf]\n' > wrong.txt; tessera experiment wrong.txt
  tessera: wrong.txt: classify needs folds = N, or train = N and test = N
  [1]
  $ printf 'data = faces.h5\nclasses = 99\ndraws = 1\n[nmf]\n' > wrong.txt; tessera experiment wrong.txt -q --data .
  tessera: nmf, row all, draw 0: 99 classes cannot be drawn from 20
  [1]
  $ tessera experiment no-such-protocol
  tessera: no-such-protocol: cannot open: No such file or directory
  [1]

Stopping a fit writes the model so far.

  $ timeout -s INT 2 tessera fit faces.h5 -q --rank 10 --iterations 900000 --tolerance 0 -o stopped.h5 2>&1 >/dev/null | sed 's/[0-9][0-9]* iterations/N iterations/'; tessera info stopped.h5:codes | sed -n 3,4p
  tessera: stopped after N iterations; the model so far is in stopped.h5
    samples    240
    features   10
