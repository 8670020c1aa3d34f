Samples from pictures. The demo's pictures as files, a folder a class.

  $ tessera demo --quiet -o swimmer.h5 >seen && tessera convert swimmer.h5 -o pictures -q >seen && ls pictures | wc -l
  4

Visual words: 2 x 2 regions of 10 words, a dictionary learnt from all.

  $ tessera features pictures --kind dsift --vocabulary 10 --grid 2x2 --patch 8 --step 4 -o words.h5 | grep -v density
  256 samples of 40 features (dsift)
    classes     4
    vocabulary  10 words
    written to  words.h5
  $ tessera info words.h5 | grep -v "range\|density\|note"
  words.h5:x
    format     h5, float64, dense
    samples    256
    features   40
    unit norm  yes (L2)
    classes    4 of 64 samples each: 0 1 2 3
    labelled   256 of 256

What was learnt applies to other pictures; the same pictures give the same samples, whatever the threads.

  $ tessera features pictures --kind dsift --dictionary words.h5 --threads 1 -o again.npy -q >seen && tessera convert words.h5 -o words.npy -q >seen && cmp again.npy words.npy && echo same
  same
  $ tessera features pictures --kind dsift --dictionary words.h5 --step 5
  tessera: words.h5: --step 5: the dictionary was made with 4
  [1]
  $ tessera features pictures --kind sift --dictionary words.h5
  tessera: words.h5: its features are of kind dsift, not sift
  [1]
  $ tessera features pictures --kind dsift --dictionary swimmer.h5
  tessera: swimmer.h5: has no recipe: its samples were not made by `tessera features`
  [1]
  $ tessera features pictures --kind dsift --dictionary data/nothing.h5
  tessera: data/nothing.h5: cannot open: No such file or directory
  [1]

Keys of --json.

  $ tessera features pictures --kind pixels --size 8x8 --json | grep -o '"[a-z]*":'
  "kind":
  "samples":
  "features":
  "density":
  "classes":
  "vocabulary":
  "seconds":
  "skipped":

Pictures without a patch, and files that are no pictures.

  $ mkdir odd && cp pictures/$(ls pictures | head -1)/* odd/ && printf 'P5 4 4 255\n0123456789abcdef' >odd/zz.pgm && printf 'no picture' >odd/zzz.png
  $ tessera features odd --kind dsift --vocabulary 4 --patch 8 -q
  tessera: odd/zzz.png: 10 bytes that are not PNG, JPEG, PGM or PPM
  [1]
  $ tessera features odd --kind dsift --vocabulary 4 --patch 8 --skip-bad 2>&1 | grep -v density
  note: left out zz.pgm: 4 x 4 pixels give no descriptor
  note: left out zzz.png: 10 bytes that are not PNG, JPEG, PGM or PPM
  64 samples of 64 features (dsift)
    vocabulary  4 words
  $ tessera features odd --kind dsift --vocabulary 4 --patch 8 --skip-bad --small zero 2>&1 | grep note
  note: left out zzz.png: 10 bytes that are not PNG, JPEG, PGM or PPM
  note: all zero is zz.pgm: 4 x 4 pixels give no descriptor
  $ tessera features odd --kind dsift --vocabulary 4 --patch 8 --skip-bad --small fail
  tessera: odd/zz.pgm: 4 x 4 pixels give no descriptor
  [1]
  $ tessera features odd --kind dsift --vocabulary 4 --patch 10
  tessera: --patch 10 is not a multiple of 4
  [1]
  $ mkdir empty && tessera features empty --kind sift
  tessera: empty: holds no images (.png .jpg .jpeg .pgm .ppm .pnm)
  [1]
  $ tessera features nowhere --kind sift
  tessera: nowhere: cannot open: No such file or directory
  [1]
  $ tessera features swimmer.h5 --kind dsift
  tessera: swimmer.h5: is no folder of pictures
  [1]

Models of visual words know where to look.

  $ tessera fit words.h5 --rank 3 --iterations 20 -o model.h5 -q >seen && tessera overlay model.h5 pictures/$(ls pictures | head -1)/$(ls pictures/$(ls pictures | head -1) | head -1) -o patches.png --share 0 | grep -o "vector [0-9] *[a-z ]*"
  vector 0    orange       
  vector 1    sky blue     
  vector 2    green        
  $ head -c 4 patches.png | tail -c 3; echo
  PNG
  $ tessera fit swimmer.h5 --rank 3 --iterations 5 -o plain.h5 -q >seen; tessera overlay plain.h5 patches.png -o other.png
  tessera: the model's features are no visual words but of unknown origin
  [1]
  $ tessera overlay model.h5 odd/zz.pgm -o other.png
  tessera: odd/zz.pgm: 4 x 4 pixels give no descriptor
  [1]
  $ tessera overlay model.h5 odd/zz.pgm
  tessera overlay: missing: --output
  usage: tessera overlay [options] MODEL.h5 IMAGE -o FILE.png
  `tessera overlay --help` shows what it takes.
  [2]
