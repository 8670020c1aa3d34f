Data in and out: the same numbers and labels through every format.

  $ tessera demo --quiet -o swimmer.h5
  $ tessera info swimmer.h5
  swimmer.h5:x
    format     h5, float64, dense
    samples    256
    features   1024 (images 32 x 32, row by row)
    density    5.469 %
    range      0 .. 1
    unit norm  no
    classes    4 of 64 samples each: 0 1 2 3
    labelled   256 of 256
    note       872 features are all zero, the first is feature 0
  $ for f in npz mat csv tsv svm h5; do tessera convert -q swimmer.h5 -o a.$f; tessera convert -q a.$f -o back.npz; tessera info --json back.npz | grep -E '"(samples|features|minimum|maximum|classes|labelled)"' | tr -d '\n'; echo; done
    "samples": 256,  "features": 1024,  "minimum": 0.0,  "maximum": 1.0,  "classes": 4,  "labelled": 256,
    "samples": 256,  "features": 1024,  "minimum": 0.0,  "maximum": 1.0,  "classes": 4,  "labelled": 256,
    "samples": 256,  "features": 1024,  "minimum": 0.0,  "maximum": 1.0,  "classes": 4,  "labelled": 256,
    "samples": 256,  "features": 1024,  "minimum": 0.0,  "maximum": 1.0,  "classes": 4,  "labelled": 256,
    "samples": 256,  "features": 1024,  "minimum": 0.0,  "maximum": 1.0,  "classes": 4,  "labelled": 256,
    "samples": 256,  "features": 1024,  "minimum": 0.0,  "maximum": 1.0,  "classes": 4,  "labelled": 256,
  $ for f in npz mat csv tsv svm h5; do tessera convert -q a.$f --storage dense -o $f.npy 2>/dev/null; cmp npz.npy $f.npy; done
  $ tessera convert swimmer.h5 -o a.npy
  note: a.npy cannot hold the labels of 4 classes; .npz, .h5, .mat and .csv can
  wrote a.npy: 256 samples of 1024 features
  $ tessera convert -q swimmer.h5 --storage sparse -o a.mtx && tessera info a.mtx
  a.mtx
    format     mtx, real, sparse
    samples    256
    features   1024
    density    5.469 %
    range      0 .. 1
    unit norm  no
    labels     none
    note       872 features are all zero, the first is feature 0
  $ tessera convert -q swimmer.h5 -o pictures && ls pictures && ls pictures/0 | head -2 && tessera info pictures
  0
  1
  2
  3
  000001.png
  000005.png
  pictures
    format     images, uint8, dense
    samples    256
    features   1024 (images 32 x 32, row by row)
    density    5.469 %
    range      0 .. 255
    unit norm  no
    classes    4 of 64 samples each: 0 1 2 3
    labelled   256 of 256
    note       872 features are all zero, the first is feature 0
  $ tessera convert swimmer.h5 -o pictures
  tessera: pictures: exists already: a folder of images is written anew or not at all, so name one that is not there
  [1]

Selecting, normalising, transposing.

  $ tessera convert -q swimmer.h5 --select classes:1,3 --normalize l2 -o b.npz && tessera info b.npz
  b.npz:X
    format     npz, float64, dense
    samples    128
    features   1024 (images 32 x 32, row by row)
    density    5.469 %
    range      0 .. 0.1336306209562122
    unit norm  yes (L2)
    classes    2 of 64 samples each: 1 3
    labelled   128 of 128
    note       888 features are all zero, the first is feature 0
  $ tessera convert -q swimmer.h5 --select rows:5-9,0 --precision single -o c.npy --json
  {
    "output": "c.npy",
    "samples": 6,
    "features": 1024,
    "classes": 4,
    "labels_lost": true
  }
  $ tessera info c.npy --labels b.npz
  tessera: b.npz holds 128 labels for the 6 samples of c.npy
  [1]
  $ tessera convert -q swimmer.h5 --transpose -o d.h5 && tessera info d.h5 --json
  {
    "origin": "d.h5:x",
    "format": "h5",
    "samples": 1024,
    "features": 256,
    "dtype": "float64",
    "sparse": false,
    "density": 0.0546875,
    "minimum": 0.0,
    "maximum": 1.0,
    "unit_norm": false,
    "classes": 0,
    "labelled": 0,
    "class_counts": {},
    "image": {
      "height": 16,
      "width": 16,
      "order": "row"
    },
    "warnings": [
      "872 samples are all zero, the first is sample 0"
    ]
  }
  $ tessera convert swimmer.h5 --select classes:9 -o x.npz
  tessera: --select: there is no class '9' among the 4
  [1]
  $ tessera convert swimmer.h5 --select rows:9-400 -o x.npz
  tessera: --select: row 400 exceeds the 256 samples
  [1]
  $ tessera convert swimmer.h5 --select rows:a -o x.npz
  tessera: --select rows: wants numbers and ranges such as 0-9,20, not 'a'
  [1]
  $ tessera convert a.npy --select 1 -o x.npz
  tessera: --select 1 names classes, but there are no labels
  [1]
  $ ls x.npz
  ls: cannot access 'x.npz': No such file or directory
  [2]

A picture in the terminal.

  $ tessera info swimmer.h5 --show 27 | tail -22 | cut -c 14-50
                                       
                 @@@@@@@@@@@@@@@@@@@@@@
               @@  @@@@                
             @@    @@@@                
           @@      @@@@                
         @@        @@@@                
       @@          @@@@                
     @@            @@@@                
   @@              @@@@                
  @                @@@@                
                 @@@@@@@@              
               @@      @@              
             @@        @@              
           @@          @@              
         @@            @@              
       @@              @@              
     @@                @@              
   @@                  @@              
  @                    @@              
                                       
                                       
                                       
  $ tessera info swimmer.h5 --show 256 >/dev/null
  tessera: sample 256 exceeds the 256 there are
  [1]
  $ tessera info a.mtx --show 0 >/dev/null
  tessera: the samples are no pictures: say --image-shape HxW
  [1]
