Fitting, encoding, predicting.

  $ tessera demo --quiet -o swimmer.h5
  $ tessera models | cut -c 1-56
  model     objective                                     
  nmf       ||X - F G'||^2                                
  nmf-kl    KL(X, F G')                                   
  nmf-ncw   ||X Q - F G'||^2                              
  gnmf      ||X - F G'||^2 + 0.1 tr(G' L G)               
  gnmf-kl   KL(X, F G') + 0.01 tr(G' L G)                 
  sgnmf     ||X - F G'||^2 + 0.1 tr(G' L G)               
  cnmf      ||X - F (A Z)'||^2                            
  cnmf-kl   KL(X, F (A Z)')                               
  cdnmf     ||X - F G'||^2 + 1 <D, G>                     
  cdnmf-kl  KL(X, F G') + 10 <D, G>                       
  cf        ||X - X W G'||^2                              
  cdcf      ||X - X W G'||^2 + 1 <D, G>                   
  lccf      ||X - X W G'||^2 + 0.1 tr(G' L G)             
  ccf       ||X - X W (A Z)'||^2                          
  snmf      ||X - F G'||^2 + tr(G' C G)                   
  dsnmf     KL(X, F G') + tr(G' C G)                      
  unmf      ||X - F G'||^2 + 1e-05 ||I - F' F||^2         
  ugnmf     ||X - F G'||^2 + 0.1 tr(G' L G) + 0.0001 ||I -
  
  X samples, F basis, G codes, all >= 0; A ties samples of
  Any other combination: --loss, --basis, --codes and the 
  $ tessera models --json | grep -c '"objective"'
  18
  $ tessera fit swimmer.h5 -q --rank 17 --seed 1 --restarts 3 -o parts.h5 | grep -vE 'objective|seconds|optimality|iterations|span'
  nmf: 256 samples x 1024 features, rank 17
    relative error  0.000000
    written to      parts.h5
  $ tessera fit swimmer.h5 -q --rank 17 --json | grep -oE '"(model|loss|samples|features|rank|iterations|converged|objective|relative_error|seconds|seed)"' | sort | tr '\n' ' '
  "converged" "features" "iterations" "loss" "loss" "model" "objective" "rank" "relative_error" "samples" "seconds" "seed" 
  $ tessera fit swimmer.h5 -q --rank 4 --iterations 7 --tolerance 0 --solver mu --json | grep -E 'iterations|converged'
    "iterations": 7,
    "converged": false,
  $ tessera info parts.h5:basis | head -4
  parts.h5:basis
    format     h5, float64, dense
    samples    17
    features   1024 (images 32 x 32, row by row)
  $ tessera transform parts.h5 swimmer.h5 -q -o codes.npy && tessera info codes.npy | head -4
  256 samples, codes of 17 entries
    written to  codes.npy
  codes.npy
    format     npy, float64, dense
    samples    256
    features   17

Every model fits, is written, and encodes its own data again.

  $ for m in $(tessera models --json | grep '"model"' | cut -d '"' -f 4); do tessera fit swimmer.h5 -q --model $m --labelled 10% --iterations 20 -o $m.h5 >/dev/null && tessera transform $m.h5 swimmer.h5 -q -o $m.npy >/dev/null && tessera info $m.npy | sed -n '3,4p' | tr -d '\n'; echo " $m"; done
    samples    256  features   4 nmf
    samples    256  features   4 nmf-kl
    samples    256  features   4 nmf-ncw
    samples    256  features   4 gnmf
    samples    256  features   4 gnmf-kl
    samples    256  features   4 sgnmf
    samples    256  features   4 cnmf
    samples    256  features   4 cnmf-kl
    samples    256  features   4 cdnmf
    samples    256  features   4 cdnmf-kl
    samples    256  features   4 cf
    samples    256  features   4 cdcf
    samples    256  features   4 lccf
    samples    256  features   4 ccf
    samples    256  features   4 snmf
    samples    256  features   4 dsnmf
    samples    256  features   4 unmf
    samples    256  features   4 ugnmf

The same seed gives the same bits; another seed does not.

  $ for s in 1 1 2; do tessera fit swimmer.h5 -q --model cdnmf-kl --labelled 2 --iterations 5 --seed $s -o m.h5 >/dev/null; tessera convert -q m.h5:codes -o codes.npy; md5sum < codes.npy > $s.$(ls *.md5 2>/dev/null | wc -l).md5; done; cat *.md5 | sort | uniq -c | awk '{ print $1 }' | sort
  1
  2

Going on from an archive gives what one long run gives.

  $ tessera fit swimmer.h5 -q --solver mu --rank 5 --iterations 20 --tolerance 0 -o long.h5 >/dev/null
  $ tessera fit swimmer.h5 -q --solver mu --rank 5 --iterations 12 --tolerance 0 -o half.h5 >/dev/null
  $ tessera fit swimmer.h5 -q --solver mu --rank 5 --iterations 8 --tolerance 0 --resume half.h5 -o whole.h5 >/dev/null
  $ for f in long whole; do tessera convert -q $f.h5:basis -o $f.npy; done; cmp long.npy whole.npy

The settings are those of the fit unless they are named; iterations are what it lacks, or more.

  $ tessera fit swimmer.h5 -q --model gnmf-kl --rank 5 --iterations 30 --tolerance 0 -o long.h5 >/dev/null
  $ tessera fit swimmer.h5 -q --model gnmf-kl --rank 5 --iterations 10 --tolerance 0 -o part.h5 >/dev/null
  $ tessera fit swimmer.h5 -q --resume part.h5 --iterations 20 -o whole.h5 | head -2
  gnmf-kl: 256 samples x 1024 features, rank 5
    iterations      30 (not converged)
  $ for f in long whole; do tessera convert -q $f.h5:codes -o $f.npy; tessera convert -q $f.h5:objective -o $f.csv; done; cmp long.npy whole.npy; cmp long.csv whole.csv; wc -l < whole.csv
  30
  $ tessera fit swimmer.h5 --resume part.h5 --iterations 5 --graph 0.5 2>&1 >/dev/null | grep note
  note: --graph was '-1' before iteration 10 and is '0.5' since
  $ tessera fit swimmer.h5 -q --resume part.h5 --rank 6
  tessera: --rank was '5' and cannot become '6' on the way: --init FILE starts another fit from the factors of this one
  [1]
  $ tessera convert -q swimmer.h5 --select classes:0 -o some.h5; tessera fit some.h5 -q --resume part.h5
  tessera: some.h5:x has 64 x 1024 values; the fit to go on with had 256 x 1024
  [1]

Classes of new samples. Without -o a line each; labels that the learner saw are not judged.

  $ tessera fit swimmer.h5 --iterations 100 -q --model cdnmf --per-class 4 --shared 12 --labelled 25% --predict -o cd.h5 | grep accuracy | sed 's/0[.][0-9]*/SOME/'
    accuracy        SOME of 192 samples whose class the learner did not see
  $ tessera fit swimmer.h5 --iterations 100 --model cdnmf --per-class 4 --shared 12 --labelled 25% --predict 2>said | awk '{ print NF }' | sort | uniq -c; grep accuracy said | sed 's/0[.][0-9]*/SOME/'
      256 3
    accuracy        SOME of 192 samples whose class the learner did not see
  $ tessera fit swimmer.h5 --iterations 100 -q --model cdnmf --per-class 4 --shared 12 --labelled 25% --predict --json | grep -E '"(accuracy|judged|predictions|sample|name|class|score)"' | sed 's/: .*//' | sort | uniq -c
      256       "class"
      256       "sample"
      256       "score"
        1     "class"
        1   "accuracy"
        1   "judged"
        1   "predictions"
  $ tessera transform cd.h5 swimmer.h5 -q --predict --predict-by block --json | grep judged
    "judged": 192,
  $ tessera transform cd.h5 swimmer.h5 -q --predict --predict-by block | head -3 | cut -f 1
  0
  1
  2
  $ tessera transform cd.h5 swimmer.h5 -q --predict --predict-by nearest -o predicted.csv | head -1; head -1 predicted.csv | cut -d , -f 1,29
  256 samples, codes of 28 entries
  f0,label
  $ tessera convert -q swimmer.h5 --select rows:0-99 -o part.npz; tessera transform cd.h5 part.npz -q --predict --json | grep judged
    "judged": 100,
  $ tessera transform parts.h5 swimmer.h5 -q --predict --predict-by block
  tessera: nmf has no vectors of classes: predict by the nearest labelled code
  [1]

Names where there are any, and classes called -1 as well as others.

  $ tessera convert -q swimmer.h5 --select rows:0-9 -o pictures; tessera transform cd.h5 pictures -q --predict | head -2 | cut -f 1
  0/000001.png
  0/000005.png
  $ tessera transform cd.h5 pictures -q --predict --json | grep -c '"name"'
  10
  $ printf -- '-1 1:1\n-1 1:1 2:0.1\n1 2:1\n1 1:0.1 2:1\n' > two.svm; tessera fit two.svm -q --rank 2 --labelled 1 --predict --predict-by nearest | cut -f 1,2
  0	-1
  1	-1
  2	1
  3	1

Where nothing can be judged it says why, and gives no figure.

  $ tessera fit swimmer.h5 --iterations 100 --model cdnmf --predict -o all.h5 2>&1 | grep -E 'note|accuracy'
  note: the learner saw all 256 labels: none is left to judge the predictions by (--labelled N hides some)
  $ tessera fit swimmer.h5 --iterations 100 -q --model cdnmf --predict --json | grep -E '"(accuracy|judged)"'
    "accuracy": null,
    "judged": 0,
  $ tessera convert -q swimmer.h5 -o plain.npy; tessera transform cd.h5 plain.npy --predict -o codes.npy
  note: no sample has a known class: the predictions are not judged
  256 samples, codes of 28 entries
    written to  codes.npy
  $ for i in $(seq 256); do echo c$((i % 3)); done > others.csv; tessera transform cd.h5 plain.npy --labels others.csv --predict -o codes.npy
  note: the model knows none of the data's 3 classes (such as c0): the predictions are not judged
  256 samples, codes of 28 entries
    written to  codes.npy
  $ for i in $(seq 256); do echo $((i % 5)); done > more.csv; tessera transform cd.h5 plain.npy --labels more.csv --predict -o codes.npy | sed 's/0[.][0-9]*/SOME/'
  note: 51 samples are of classes that the model does not know, and count as wrong
  256 samples, codes of 28 entries
    accuracy    SOME of 256 samples whose class is known
    written to  codes.npy

Codes that tell no class are an error, not a guess.

  $ printf '1e200,0,0\n0,1,0\n' > far.csv; printf '1,0,0,a\n0,1,0,b\n0,0,1,a\n' > near.csv
  $ tessera fit near.csv -q --labels 3 --header no --rank 2 -o near.h5 >/dev/null; tessera transform near.h5 far.csv --header no --method product --predict
  tessera: sample 0: its distances to labelled codes are beyond the largest number: scale the samples as those of the fit
  [1]
