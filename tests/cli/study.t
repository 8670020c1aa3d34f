Experiments: a protocol of one's own, resumable.

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
  confusion-cdnmf.csv
  confusion-nmf.csv
  confusion-pca.csv
  confusion.csv
  draws.csv
  history.csv
  protocol.txt
  published.csv
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
  tessera: the protocol has no method 'nfm'; did you mean 'nmf'?
  [2]

Names with commas and quotes are names like others: the second run finds all done, and --models knows them.

  $ printf 'data = faces.h5\nclasses = 2\ndraws = 2\n[best, free k-means]\nmodel = raw\n[say "raw"]\nmodel = raw\n' > names.txt
  $ for again in 1 2; do tessera experiment names.txt -q --data . --out names --resume > /dev/null; cut -d, -f1-3 names/draws.csv | sort; done
  all,0,"best
  all,0,"say ""raw"""
  all,1,"best
  all,1,"say ""raw"""
  row,draw,method
  all,0,"best
  all,0,"say ""raw"""
  all,1,"best
  all,1,"say ""raw"""
  row,draw,method
  $ tessera experiment names.txt -q --data . --models 'best, free k-means' --json | grep '"method"'
        "method": "best, free k-means",
        "method": "best, free k-means",

Columns that fit alike share the fit: alone or together, in one run or in two, the figures are the same.

  $ printf 'data = faces.h5\nclasses = 3\ndraws = 2\nlabelled = 2\niterations = 30\nclusterings = 3\n[nmf]\n[unit]\nmodel = nmf\nunit-codes = true\n[seeded]\nmodel = nmf\nseeded = true\n[kl]\nmodel = nmf\nloss = kl\n' > alike.txt
  $ tessera experiment alike.txt -q --data . --out together > /dev/null
  $ for m in nmf unit seeded kl; do tessera experiment alike.txt -q --data . --models $m --out alone-$m > /dev/null; done
  $ cut -d, -f1-6 together/draws.csv | sort > together.csv; cat alone-*/draws.csv | cut -d, -f1-6 | sort -u | cmp - together.csv
  $ grep -v unit together/draws.csv > cut.csv; cp cut.csv together/draws.csv; tessera experiment alike.txt -q --data . --out together --resume > /dev/null; cut -d, -f1-6 together/draws.csv | sort | cmp - together.csv

Features made for a study: the dictionary of a draw is learnt from its training pictures, so that each draw has its own; rows share it. Resumed draws give the same figures. The confusion matrices count every test sample.

  $ tessera demo -q -o swimmer.h5 > seen; tessera convert swimmer.h5 -q -o pictures > seen
  $ printf 'title = Words\ntask = classify\ndata = pictures\nfeatures = dsift\nvocabulary = 10\ngrid = 2x2\npatch = 8\nstep = 4\nvary = rank 2 4\ntrain = 20\ntest = 10\ndraws = 2\nnormalize = l2\niterations = 20\nvote = 3\nsummary = best\n[raw]\n[nmf]\n' > words.txt
  $ tessera experiment words.txt -q --data . --out words | sed -E 's/[0-9]+\.[0-9]+\+-[0-9]+\.[0-9]+/ours/g; s/ +/ /g; s/at [24]/at RANK/g'
  Words, accuracy %: ours +- deviation (published, difference)
  rank raw nmf
  2 ours ours
  4 ours ours
  best ours at RANK ours at RANK
  
  $ ls words; awk -F, 'NR > 1 { for (i = 2; i <= NF; i++) sum += $i } END { print NR, NF, sum }' words/confusion-nmf.csv
  confusion-nmf.csv
  confusion-raw.csv
  confusion.csv
  draws.csv
  history.csv
  protocol.txt
  published.csv
  table.csv
  table.json
  table.md
  table.tex
  table.txt
  5 5 80
  $ cut -d, -f1-6 words/draws.csv | sort > whole.csv; grep -v '^2,1,nmf' words/draws.csv > cut.csv; cp cut.csv words/draws.csv; tessera experiment words.txt -q --data . --out words --resume --threads 1 > seen; cut -d, -f1-6 words/draws.csv | sort | cmp - whole.csv
  $ sed 's/vocabulary = 10/vocabulery = 10/' words.txt > wrong.txt; tessera experiment wrong.txt
  tessera: wrong.txt: line 5: there is no key 'vocabulery'; did you mean 'vocabulary'?
  [1]
  $ sed 's/features = dsift/features = dsitf/' words.txt > wrong.txt; tessera experiment wrong.txt
  tessera: wrong.txt: line 4: --kind is one of pixels|sift|dsift|words, not 'dsitf'
  [1]
  $ mkdir -p texts/a texts/b; for i in 1 2 3 4 5 6; do echo "ball game team $i" > texts/a/$i; echo "disk file screen $i" > texts/b/$i; done
  $ printf 'task = classify\ndata = texts\nfeatures = words\nvary = train 2 3\ntest = 2\ndraws = 1\n[raw]\n' > texts.txt; tessera experiment texts.txt -q --data . --format csv | grep accuracy | cut -d, -f1-4
  accuracy,2,raw,100.0000
  accuracy,3,raw,100.0000
  accuracy,average,raw,100.0000

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
  $ printf 'data = faces.h5\nvary = classes 1..9000000000000000000\n[nmf]\n' > wrong.txt; tessera experiment wrong.txt -q --data .
  tessera: wrong.txt: vary lists more than 10000 values: classes 1..9000000000000000000
  [1]
  $ printf 'data = faces.h5\nvary = classes 1..9e18\n[nmf]\n' > wrong.txt; tessera experiment wrong.txt -q --data .
  tessera: wrong.txt: vary: 1..9e18 is no range of whole numbers such as 2..10
  [1]
  $ printf 'data = faces.h5\nvary = classes 2..9999\ndraws = 1000000\n[nmf]\n' > wrong.txt; tessera experiment wrong.txt -q --data .
  tessera: 9998 rows of 1 methods make 1e+10 trials with all their draws; at most 1000000 are run
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

  $ timeout -s INT 5 tessera fit faces.h5 -q --rank 10 --iterations 900000 --tolerance 0 -o stopped.h5 2>&1 >/dev/null | sed 's/[0-9][0-9]* iterations/N iterations/'; tessera info stopped.h5:codes | sed -n 3,4p
  tessera: stopped after N iterations; the model so far is in stopped.h5
    samples    240
    features   10
