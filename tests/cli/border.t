The border to the system: what is said is true, what is read is not written, and signals save.

  $ tessera demo --quiet -o swimmer.h5; tessera convert -q swimmer.h5 -o mapped.npy

Standard output that takes nothing, or is not there.

  $ for words in --help --version "help fit" "fit --help" models "models --json" "info swimmer.h5"; do tessera $words > /dev/full; echo $?; done
  tessera: cannot write to standard output: No space left on device
  1
  tessera: cannot write to standard output: No space left on device
  1
  tessera: cannot write to standard output: No space left on device
  1
  tessera: cannot write to standard output: No space left on device
  1
  tessera: cannot write to standard output: No space left on device
  1
  tessera: cannot write JSON
  1
  tessera: cannot write to standard output: No space left on device
  1
  $ tessera models >&-
  tessera: cannot write to standard output: Bad file descriptor
  [1]

A file limit is an error in words, and leaves nothing.

  $ (ulimit -f 100; tessera demo -q -o limited.npy; echo $?; tessera convert -q swimmer.h5 -o limited.csv; echo $?); ls -A | grep limited
  tessera: limited.npy: cannot write: File too large
  1
  tessera: limited.csv: cannot write: File too large
  1
  [1]

Stopping: the model so far is written, and the exit code tells the signal.

  $ for signal in INT TERM; do timeout -s $signal --preserve-status 4 tessera fit swimmer.h5 -q --rank 10 --iterations 9000000 --tolerance 0 -o $signal.h5 2>&1 >/dev/null | sed 's/[0-9][0-9]* iterations/N iterations/'; echo ${PIPESTATUS[0]}; tessera info $signal.h5:codes | sed -n 4p; done
  tessera: stopped after N iterations; the model so far is in INT.h5
  130
    features   10
  tessera: stopped after N iterations; the model so far is in TERM.h5
  143
    features   10
  $ for words in "cluster --model nmf" "classify --model nmf" "select --ranks 5-9"; do timeout -s INT --preserve-status 3 tessera $words swimmer.h5 -q --rank 10 --iterations 9000000 --tolerance 0 2>/dev/null; echo $?; done
  130
  130
  130
  $ timeout -s INT --preserve-status 2 tessera demo -q --folder stopped >/dev/null 2>&1; echo $?
  130

A mapped input that shrinks while it is in use.

  $ tessera fit mapped.npy -q --rank 10 --iterations 9000000 --tolerance 0 -o cut.h5 & sleep 4; : > mapped.npy; wait $!
  tessera: an input became shorter while it was in use, or its disk failed
  [1]
  $ ls -A | grep tmp
  [1]
