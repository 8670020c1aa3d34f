A team of processes does what one does: `team N` is tessera-mpi on N ranks, `apart` gives each of two ranks
a folder of its own.

  $ export OPTIONS="-q --mca odls_base_sigkill_timeout 0 --oversubscribe --allow-run-as-root --bind-to none"
  $ team() { n=$1; shift; timeout 120 mpirun $OPTIONS -n $n tessera-mpi "$@"; }
  $ apart() { timeout 120 mpirun $OPTIONS -n 1 -wdir $PWD/a tessera-mpi "$@" : -n 1 -wdir $PWD/b tessera-mpi "$@"; }
  $ arrays() { for name in basis codes objective labels; do tessera convert $1:$name -q -o $1.$name.npy; cat $1.$name.npy; done | cksum; }
  $ tessera demo --pictures faces -q -o f.h5 | tail -1; tessera convert -q f.h5 -o f.npy

The same results, by one rank's voice.

  $ for n in 2 4; do team $n fit f.h5 --model cnmf --rank 10 --labelled 3 --iterations 20 -q -o $n.h5 | grep -v seconds; done; tessera fit f.h5 --model cnmf --rank 10 --labelled 3 --iterations 20 -q --plan team -o 1.h5 | grep objective; arrays 1.h5 > 1.sum; arrays 2.h5 | cmp - 1.sum; arrays 4.h5 | cmp - 1.sum
  cnmf: 240 samples x 1024 features, rank 10
    iterations      20 (not converged)
    objective       45490456
    relative error  0.142899
    optimality      2.26e-03
    written to      2.h5
  cnmf: 240 samples x 1024 features, rank 10
    iterations      20 (not converged)
    objective       45490456
    relative error  0.142899
    optimality      2.26e-03
    written to      4.h5
    objective       45490456
  $ team 3 transform 1.h5 f.npy -q -o 3.npy; tessera transform 1.h5 f.npy -q -o 1.npy; cmp 1.npy 3.npy
  240 samples, codes of 10 entries
    written to  3.npy
  240 samples, codes of 10 entries
    written to  1.npy
  $ team 2 cluster 1.h5 --json -q > 2.json; tessera cluster 1.h5 --json -q > 1.json; cmp 1.json 2.json
  $ team 2 classify f.h5 --model nmf --rank 10 --iterations 20 --folds 2 -q > 2.txt; tessera classify f.h5 --model nmf --rank 10 --iterations 20 --folds 2 -q --plan team | cmp - 2.txt
  $ printf 'task = classify\ndata = f.h5\ntrain = 4\ntest = 4\ndraws = 3\n[nmf]\nrank = 4\niterations = 10\n[gnmf]\nrank = 4\niterations = 10\n' > study.txt; team 2 experiment study.txt -q --out two > 2.txt; tessera experiment study.txt -q --out one > 1.txt; cmp 1.txt 2.txt; sort one/draws.csv | sed 's/[^,]*$//' | cksum > one.sum; sort two/draws.csv | sed 's/[^,]*$//' | cksum | cmp - one.sum
  $ team 2 experiment study.txt -q --out two --resume | cmp - 1.txt
  $ team 2 info f.h5 | cat > 2.txt; tessera info f.h5 | cmp - 2.txt; team 2 fit f.h5 --rank 3 --iterations 2 --json -q | grep -c '"model"'
  1

What it will send is in its plan.

  $ team 4 fit f.h5 --rank 10 --iterations 5 -v -q | grep -o '4 ranks, .*'
  4 ranks, 0.126 MB sent a rank

A failure of one rank is told once, and ends all of them.

  $ mkdir a b; cp f.h5 a; tessera convert -q f.h5 --normalize l2 -o b/f.h5; apart fit f.h5 -q -o m.h5
  tessera: rank 1: f.h5:x has other values than where rank 0 is: all ranks must be given the same
  [1]
  $ tessera convert -q f.h5 --storage sparse -o b/f.h5; apart fit f.h5 -q -o m.h5
  tessera: rank 1: f.h5:x has 240 x 1024 values (245729 stored) here, and 240 x 1024 (245760 stored) where rank 0 is: all ranks must be given the same
  [1]
  $ cp f.h5 b; truncate -s 100000 b/f.h5; apart fit f.h5 -q -o m.h5
  tessera: rank 1: f.h5: cannot open it as HDF5: the file is damaged or cut off
  [1]
  $ rm b/f.h5; apart fit f.h5 -q -o m.h5; apart transform ../1.h5 f.h5 -q -o m.npy; ls a b
  tessera: rank 1: f.h5: No such file or directory
  tessera: rank 1: f.h5: No such file or directory
  a:
  f.h5
  
  b:
  $ timeout 120 mpirun $OPTIONS -n 1 tessera-mpi fit f.h5 --rank 3 : -n 1 tessera-mpi fit f.h5 --rank 4
  tessera: the ranks were given other arguments: all are called alike
  [2]
  $ timeout 120 mpirun $OPTIONS -n 1 tessera-mpi info f.h5 : -n 1 env TESSERA_KERNELS=bogus tessera-mpi info f.h5
  tessera: rank 1: TESSERA_KERNELS is 'bogus', not a set of kernels; this processor runs v4, v3, base
  [2]
  $ cp f.h5 b; cp 1.h5 a/start.h5; apart fit f.h5 --rank 10 --init start.h5 -q; team 3 fit f.h5 --rank 3 --memory 100K -q
  tessera: rank 1: start.h5:basis: No such file or directory
  tessera: a fit of rank 3 takes 0.2355 MB, and --memory allows 0.1024 MB: raise it, or take a lower --rank or --precision single
  [1]
  $ printf '1,2\n3,4\n2,2\n' > few.csv; tessera convert -q few.csv -o few.h5; team 4 fit few.h5 --rank 1 -q
  tessera: 3 samples are not enough for 4 ranks, each of which needs one: take fewer ranks
  [1]
  $ team 2 fit few.csv --rank 1 -q
  tessera: few.csv: each rank of a team reads its own rows, of a .h5 or .npy, and this is read whole: make one of it with tessera convert
  [1]
  $ team 2 fit f.h5 --model cf --kernel rbf -q; team 2 fit f.h5 --missing mask -q; team 2 fit f.h5 --batch 20 -q
  tessera: a kernel is of samples by samples, which a team does not share: linear kernels of samples >= 0 need none
  tessera: a team has no missing values, as features that lack some have sums of their own over all samples: one process has them
  tessera: a team has no batches (--batch): one process has them
  [1]
  $ team 2 fit f.h5 --more --resume 1.h5 -q
  tessera: a team does not go on with new samples (--more), which come in batches: one process does
  [1]
  $ team 2 fit; team 2 fit f.h5 --rnk 3; team 2 nothing
  tessera fit: an input is missing
  usage: tessera fit [options] DATA [-o MODEL.h5]
  `tessera fit --help` shows what it takes.
  tessera fit: there is no option --rnk; did you mean --rank?
  `tessera fit --help` shows what it takes.
  tessera: there is no command 'nothing'
  `tessera --help` lists the commands.
  [2]

A disk that is full, or a limit on files, of the rank that writes: nothing is left half written.

  $ team 2 fit f.h5 --rank 5 --iterations 3 -q -o /dev/full
  tessera: /dev/full: cannot create the file: No space left on device
  [1]
  $ timeout 120 mpirun $OPTIONS --mca btl self,tcp -n 1 sh -c 'ulimit -f 8; exec tessera-mpi fit f.h5 --rank 5 --iterations 3 -q -o full.h5' : -n 1 tessera-mpi fit f.h5 --rank 5 --iterations 3 -q -o full.h5; ls full.h5
  tessera: full.h5: cannot complete the file: File too large
  ls: cannot access 'full.h5': No such file or directory
  [2]
