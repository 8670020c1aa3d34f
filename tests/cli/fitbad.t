What cannot be fitted is refused with what to do instead.

  $ tessera demo --quiet -o swimmer.h5; tessera convert -q swimmer.h5 -o plain.npy
  $ tessera fit plain.npy --model cdnfm
  tessera: there is no model 'cdnfm' (did you mean cdnmf?); `tessera models` lists them
  [2]
  $ tessera fit plain.npy --model cdnmf
  tessera: cdnmf needs labels, and plain.npy has none that the learner may see: --labels FILE
  [1]
  $ tessera fit plain.npy --model cnmf
  tessera: cnmf needs labels, and plain.npy has none that the learner may see: --labels FILE
  [1]
  $ tessera fit swimmer.h5 --model cdnmf --rank 3
  tessera: rank 3 is below the 4 classes: --rank 4 gives one vector a class
  [1]
  $ tessera fit swimmer.h5 --model cdnmf --rank 10
  tessera: rank 10 is no multiple of the 4 classes: --rank 8, or --shared 2 for vectors of no class
  [1]
  $ tessera fit swimmer.h5 --model cdnmf --rank 10 --per-class 3
  tessera: --per-class 3 of 4 classes and --shared 0 make rank 12, not 10
  [1]
  $ tessera fit swimmer.h5 --rank 5000
  tessera: rank 5000 exceeds both the 256 samples and the 1024 features
  [1]
  $ tessera fit swimmer.h5 --rank 300 --iterations 1 | head -1
  note: rank 300 exceeds the 256 samples: the parts cannot all be distinct
  nmf: 256 samples x 1024 features, rank 300
  $ tessera fit swimmer.h5 --rank -1
  tessera fit: --rank -1 is outside 0 .. 1000000000
  `tessera fit --help` shows what it takes.
  [2]
  $ tessera fit swimmer.h5 --labelled many
  tessera: --labelled is a number of samples a class or a share such as 10%, not 'many'
  [2]
  $ tessera convert -q swimmer.h5 --select classes:1 -o one.npz; tessera fit one.npz --model cdnmf
  tessera: cdnmf needs at least two classes, and one.npz:X has 1
  [1]
  $ printf '1,2\n3,-4\n5,6\n' > negative.csv; tessera fit negative.csv --rank 1
  tessera: negative.csv: sample 1, feature 1 is -4 (1 values below zero); numbers must not be negative
  [1]
  $ tessera fit negative.csv --rank 1 --model cf -q | head -1
  cf: 3 samples x 2 features, rank 1
  $ printf '1,2\n3,nan\n5,6\n' > nan.csv; tessera fit nan.csv --rank 1
  tessera: nan.csv: sample 1, feature 1 is nan (1 such values); numbers must be finite
  [1]
  $ tessera fit nan.csv --rank 1 --missing mask -q | head -1
  nmf: 3 samples x 2 features, rank 1
  $ tessera fit nan.csv --rank 1 --missing mask --model cf
  tessera: a concept basis is made of whole samples, so there can be no missing values: --basis free
  [1]
  $ tessera fit swimmer.h5 --kernel rbf
  tessera: --kernel needs a concept model (--basis concept)
  [2]
  $ tessera fit swimmer.h5 --model cf --kernel rbf --loss kl
  tessera: KL loss needs the samples themselves: --kernel linear, or --loss frobenius
  [2]
  $ tessera fit swimmer.h5 --init nowhere
  tessera: --init is auto, random, nndsvd, nndsvda, nndsvdar, kmeans, means, best or a file, not 'nowhere'
  [2]
  $ tessera fit swimmer.h5 --init nowhere.npz
  tessera: nowhere.npz:basis: No such file or directory
  [1]
  $ tessera fit swimmer.h5 -q --rank 3 -o three.h5 >/dev/null; tessera fit swimmer.h5 --rank 4 --init three.h5
  tessera: three.h5:basis is 3 x 1024 and should be 4 x 1024
  [1]
  $ printf '0,1,1\n0,999,1\n' > far.csv; tessera fit swimmer.h5 --model snmf --links far.csv
  tessera: far.csv: link 2 joins samples 0 and 999 of 0 .. 255
  [1]
  $ printf '0,0,1\n' > self.csv; tessera fit swimmer.h5 --model snmf --links self.csv
  tessera: self.csv: link 1 joins sample 0 with itself
  [1]
  $ printf '0,1,1\n1,0,-1\n' > both.csv; tessera fit swimmer.h5 --model snmf --links both.csv
  tessera: both.csv: samples 0 and 1 must agree and must differ
  [1]
  $ printf '0,1\n1,2\n' > two.csv; tessera fit swimmer.h5 --model snmf --links two.csv
  tessera: two.csv: links are i,j,weight, three columns and not 2
  [1]
  $ tessera fit swimmer.h5 --model gnmf --graph-file negative.csv
  tessera: negative.csv: a graph of 256 samples is not 3 x 2
  [1]
  $ tessera fit swimmer.h5 --model gnmf --neighbours 256
  tessera: 256 neighbours exceed the 255 other samples
  [1]
  $ tessera fit swimmer.h5 --model snmf --must 5 --link-form reward --solver mu --iterations 2000
  tessera: the must-link reward outgrew the loss: lower --must (now 5) or take --link-form bounded
  [1]
  $ tessera transform swimmer.h5 swimmer.h5
  tessera: swimmer.h5: is an HDF5 file, but no model: `tessera fit` writes one
  [1]
  $ tessera transform three.h5 negative.csv
  tessera: negative.csv has 2 features; the model was fitted to 1024
  [1]
  $ tessera fit plain.npy -q --rank 3 -o blind.h5 >/dev/null; tessera transform blind.h5 swimmer.h5 --predict
  tessera: the model was fitted without labels: there are no classes to predict
  [1]
  $ head -c 3000 three.h5 > cut.h5; tessera transform cut.h5 plain.npy
  tessera: cut.h5: cannot open it as HDF5: the file is damaged or cut off
  [1]
  $ tessera fit plain.npy -q --model nmf --predict-by block
  tessera: nmf has no basis vectors of classes to predict by: --predict-by nearest, or a class-driven model
  [2]
