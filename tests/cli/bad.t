Bad input: a clear error, exit 1, and what was there before survives.

  $ tessera info nowhere.npy
  tessera: nowhere.npy: No such file or directory
  [1]
  $ tessera info data/v5.mat:nothing
  tessera: data/v5.mat: there is no nothing; there is fea (5 x 4 float64), gnd (5 x 1 float64)
  [1]
  $ : > empty.npy; tessera info empty.npy
  tessera: empty.npy: does not begin as a .npy array does
  [1]
  $ : > empty.csv; tessera info empty.csv
  tessera: empty.csv: holds no table: there is nothing but blanks and comments
  [1]
  $ echo hello > x.npy; tessera info x.npy
  tessera: x.npy: does not begin as a .npy array does
  [1]
  $ echo hello > x.dat; tessera info x.dat
  tessera: x.dat: neither its contents nor its name says what format it is; known are .npy .npz .mat .h5 .hdf5 .hdf .mtx .csv .txt .tsv .tab .svm .libsvm .svmlight and folders of images
  [1]
  $ head -c 100 data/little_f8_c.npy > short.npy; tessera info short.npy
  tessera: short.npy: ends within the .npy head (100 bytes)
  [1]
  $ head -c 120 data/v5.mat > short.mat; tessera info short.mat
  tessera: short.mat: is no .mat file of version 4, 5 or 7.3
  [1]
  $ head -c 200 data/plain.h5 > short.h5; tessera info short.h5
  tessera: short.h5: cannot open it as HDF5: the file is damaged or cut off
  [1]
  $ head -c 100 data/pair.npz > short.npz; tessera info short.npz
  tessera: short.npz: the zip archive cannot be opened: Not a zip archive
  [1]
  $ tessera info data/complex.npy
  tessera: data/complex.npy: type '<c16': complex numbers; save .real or abs()
  [1]
  $ tessera info data/object.npy
  tessera: data/object.npy: type '|O': Python objects, which are never unpickled; save with a number or text dtype
  [1]
  $ printf '\223NUMPY\001\000v\000%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 1000000), }" > huge.npy; tessera info huge.npy
  tessera: huge.npy: 1000000000 x 1000000 elements of 8 bytes are announced, but only 0 bytes follow
  [1]
  $ printf '1,2,3\n4,5\n' > ragged.csv; tessera info ragged.csv
  tessera: ragged.csv: line 2 has 2 fields where line 1 has 3
  [1]
  $ printf 'a,b\n1,2\n3,x\n' > words.csv; tessera info words.csv
  tessera: words.csv: line 3, column 2 ('b'): 'x' is not a number
  [1]
  $ printf '1,2\n3,nan\n' > nan.csv; tessera info nan.csv; tessera convert nan.csv -o nan.npy
  nan.csv
    format     csv, text, dense
    samples    2
    features   2
    density    100 %
    range      1 .. 3
    unit norm  no
    labels     none
    note       1 values are NaN or infinite, the first is sample 1, feature 1
  tessera: nan.csv: sample 1, feature 1 is nan (1 such values); numbers must be finite
  [1]
  $ printf '1,2\n3,inf\n' > inf.csv; tessera convert inf.csv -o inf.npy --missing keep
  tessera: inf.csv: sample 1, feature 1 is inf (1 such values); numbers must be finite
  [1]
  $ printf '%%%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n' > far.mtx; tessera info far.mtx
  tessera: far.mtx: line 3: row 3 exceeds the 2 rows
  [1]
  $ printf '%%%%MatrixMarket matrix coordinate real general\n2 2 9\n1 1 5\n' > few.mtx; tessera info few.mtx
  tessera: few.mtx: line 2 claims 9 entries, but the file ends after 58 bytes
  [1]
  $ printf '%%%%MatrixMarket matrix coordinate real general\n2 2 1000000000000000\n1 1 5\n' > many.mtx; tessera info many.mtx
  tessera: many.mtx: line 2 claims 1000000000000000 entries, but the file ends after 73 bytes
  [1]
  $ printf '1 1:2 x:3\n' > bad.svm; tessera info bad.svm
  tessera: bad.svm: line 1: 'x:3' is not index:value
  [1]
  $ printf '1 99999999999:2\n' > far.svm; tessera info far.svm
  tessera: far.svm: line 1: index 99999999999 is not within 0 and 2147483647
  [1]
  $ mkdir none; tessera info none
  tessera: none: holds no images (.png .jpg .jpeg .pgm .ppm .pnm)
  [1]

Folders of images.

  $ mkdir -p mix/a mix/b; printf 'P2 2 2 255\n1 2 3 4\n' > mix/a/1.pgm; printf 'P2 3 2 255\n1 2 3 4 5 6\n' > mix/b/1.pgm; tessera info mix
  tessera: mix: b/1.pgm has 3 x 2 pixels but a/1.pgm has 2 x 2: resize all with --size WxH
  [1]
  $ tessera info mix --size 2x2 | head -5
  mix
    format     images, uint8, dense
    samples    2
    features   4 (images 2 x 2, row by row)
    density    100 %
  $ printf 'P5 900 900 255\nxx' > mix/b/0.pgm; tessera info mix --size 2x2
  tessera: mix: b/0.pgm: truncated PGM/PPM: 900 x 900 pixels need 810000 bytes, 2 are there
  [1]
  $ tessera info mix --size 2x2 --skip-bad | grep note
    note       2 classes have a single sample
    note       left out b/0.pgm: truncated PGM/PPM: 900 x 900 pixels need 810000 bytes, 2 are there

More than so few bytes may cost is refused; the message says what is enough.

  $ printf '1 2147483647:1\n' > wide.svm; tessera info wide.svm
  tessera: wide.svm: 1 samples of 2147483647 features would take 17.2 GB; the limit is 1000 x the file's 15 bytes + 256 MiB; if that is meant: --expand 1127428918
  [1]
  $ printf '1 40000000:1\n' > wide.svm; tessera fit wide.svm -o m.h5
  tessera: wide.svm: 1 samples of 40000000 features would take 0.32 GB; the limit is 1000 x the file's 13 bytes + 256 MiB; if that is meant: --expand 3966507
  [1]
  $ tessera info wide.svm --expand 3966507 | grep features
    features   40000000
    note       39999999 features are all zero, the first is feature 0
  $ tessera info wide.svm --expand 3966506 2>/dev/null
  [1]
  $ printf '%%%%MatrixMarket matrix coordinate real general\n2147483647 1 1\n1 1 1\n' > tall.mtx; tessera info tall.mtx
  tessera: tall.mtx: 2147483647 samples of 1 features would take 34.4 GB; the limit is 1000 x the file's 67 bytes + 256 MiB; if that is meant: --expand 508825417
  [1]
  $ mkdir bomb; printf '\377\330\377\311\0\013\010\100\0\100\0\001\001\021\0\377\332\0\010\001\001\0\0\077\0\377\331' > bomb/a.jpg; tessera info bomb; tessera features bomb --kind dsift
  tessera: bomb: a.jpg: 16384 x 16384 pixels would take 1.07 GB; the limit is 1000 x the file's 27 bytes + 256 MiB; if that is meant: --expand 29826162
  tessera: bomb/a.jpg: 16384 x 16384 pixels would take 1.07 GB; the limit is 1000 x the file's 27 bytes + 256 MiB; if that is meant: --expand 29826162
  [1]

Labels that do not fit.

  $ printf '1\n2\n' > two.csv; tessera info data/v5.mat --labels two.csv
  tessera: two.csv holds 2 labels for the 5 samples of data/v5.mat:fea
  [1]
  $ tessera info data/v5.mat --labels nowhere.csv
  tessera: --labels nowhere.csv is neither a file nor found inside: data/v5.mat: there is no nowhere.csv; there is fea (5 x 4 float64), gnd (5 x 1 float64)
  [1]
  $ tessera info data/unclear.npz
  tessera: data/unclear.npz: cannot tell which variable holds the samples: first (5 x 4 float64), second (4 x 5 float64), third (5 int64); say which, as FILE:NAME
  [1]

Outputs.

  $ tessera demo --quiet -o old.npz; cp old.npz copy.npz; tessera convert nan.csv -o old.npz; cmp old.npz copy.npz
  tessera: nan.csv: sample 1, feature 1 is nan (1 such values); numbers must be finite
  $ tessera demo -o missing/folder.npz
  tessera: missing/folder.npz: cannot write there: No such file or directory
  [1]
  $ tessera demo -o x.unknown
  tessera: --output x.unknown: what is written there ends in .npy .npz .mat .h5 .hdf5 .hdf .mtx .csv .txt .tsv .tab .svm .libsvm .svmlight; without a dot, it is a folder of images
  [2]
  $ ln -s /dev/full full.csv; tessera demo -o full.csv
  tessera: full.csv: cannot write: No space left on device
  [1]
  $ ls -A | grep tmp
  [1]

Squares beyond the largest number make no distances: an error that names the sample and the cure, which is one.

  $ echo a,b,c,label > far.csv; for c in 0 1; do for i in 1 2 3 4 5 6; do echo "$((8 * c + 1))e200,$((9 - 8 * c))e200,${i}e199,$c"; done; done >> far.csv
  $ tessera classify far.csv -q --folds 2
  tessera: training or test samples: the squares of sample 0, whose values go up to 9e+200, are beyond the largest number: --normalize l2 or max scales every sample
  [1]
  $ tessera classify far.csv -q --folds 2 --model lda
  tessera: the squares of sample 0, whose values go up to 9e+200, are beyond the largest number: --normalize l2 or max scales every sample
  [1]
  $ tessera cluster far.csv -q
  tessera: the squares of sample 0, whose values go up to 9e+200, are beyond the largest number: --normalize l2 or max scales every sample
  [1]
  $ tessera fit far.csv -q --model gnmf --neighbours 2 --rank 2 -o far.h5
  tessera: the squares of sample 0, whose values go up to 9e+200, are beyond the largest number: --normalize l2 or max scales every sample
  [1]
  $ tessera fit far.csv -q --model nmf-kl --rank 2 --iterations 5 -o far.h5 > seen; tessera rank far.h5 --data far.csv --curve
  tessera: the squares of sample 0, whose values go up to 9e+200, are beyond the largest number: --normalize l2 or max scales every sample
  [1]
  $ tessera rank far.h5 --data far.csv --by lre --curve
  tessera: the squares of sample 0, whose values go up to 9e+200, are beyond the largest number: --normalize l2 or max scales every sample
  [1]
  $ tessera classify far.csv -q --folds 2 --normalize l2 --neighbours-vote 1 | head -1
  raw: accuracy 1.0000 +- 0.0000 over 2 folds, 1 neighbour
  $ tessera cluster far.csv -q --normalize l2 | sed -n 2p
    accuracy  1.0000

Nothing at all, sparse or dense, is no data.

  $ printf '%%%%MatrixMarket matrix coordinate real general\n0 5 0\n' > none.mtx; printf '%%%%MatrixMarket matrix array real general\n5 0\n' > thin.mtx; : > none.svm
  $ for command in info "convert -o out.npz" "fit -o out.h5" cluster classify "select --ranks 2" "transform far.h5"; do tessera $command none.mtx; done 2>&1 | sort -u
  tessera: none.mtx: is empty (0 samples of 5 features)
  $ for file in none.mtx thin.mtx none.svm; do tessera fit $file -o out.h5; tessera rank far.h5 --data $file; done
  tessera: none.mtx: is empty (0 samples of 5 features)
  tessera: none.mtx: is empty (0 samples of 5 features)
  tessera: thin.mtx: is empty (5 samples of 0 features)
  tessera: thin.mtx: is empty (5 samples of 0 features)
  tessera: none.svm: is empty (0 samples of 0 features)
  tessera: none.svm: is empty (0 samples of 0 features)
  [1]
