Pictures of what was learnt.

  $ tessera demo --quiet -o swimmer.h5
  $ tessera fit swimmer.h5 -q --model nmf --rank 17 -o model.h5 >/dev/null
  $ tessera sheet model.h5 -o basis.png
  17 pictures of 32 x 32
    written to  basis.png
  $ file() { od -A n -t x1 -j 16 -N 8 "$1" | tr -d ' \n'; echo; }; file basis.png
  0000014c0000010a
  $ tessera sheet model.h5 --columns 3 --scale 1 --top 6 --common -o few.png; file few.png
  6 pictures of 32 x 32
    written to  few.png
  0000006800000046
  $ tessera sheet model.h5 --top 18 -o few.png
  tessera: --top 18 exceeds the 17 basis vectors
  [1]

A sample as the sum of its parts: by number or name, with the data or by the codes of the model.

  $ tessera sheet model.h5 --reconstruct 3 --data swimmer.h5 --top 4 -o parts.png | sed 's/[0-9.]* %/S %/; s/vector [0-9]* */vector V     /; s/error .*/error/'
  6 pictures of 32 x 32
    the sample, the sum of its parts, then its parts by share
    relative error
    vector V     S %
    vector V     S %
    vector V     S %
    vector V     S %
    written to  parts.png
  $ tessera sheet model.h5 --reconstruct 3 --top 4 -o parts.png | sed 's/[0-9.]* %/S %/; s/vector [0-9]* */vector V     /'
  5 pictures of 32 x 32
    the sum of its parts, then its parts by share
    vector V     S %
    vector V     S %
    vector V     S %
    vector V     S %
    written to  parts.png
  $ tessera sheet model.h5 --reconstruct 3 --data swimmer.h5 --json -o parts.png | grep -oE '"(pictures|sample|relative_error|parts|vector|code|share)"' | sort -u | tr '\n' ' '
  "code" "parts" "pictures" "relative_error" "sample" "share" "vector" 
  $ tessera sheet model.h5 --reconstruct 256 -o parts.png
  tessera: sample 256 is outside 0 .. 255
  [1]
  $ tessera sheet model.h5 --reconstruct someone -o parts.png
  tessera: no sample is called 'someone': --data DATA says where names are
  [1]
  $ tessera sheet model.h5 --reconstruct someone --data swimmer.h5 -o parts.png
  tessera: no sample is called 'someone'
  [1]
  $ tessera sheet model.h5 --data swimmer.h5 -o parts.png
  tessera: --data is for --reconstruct SAMPLE, --codes and --distances
  [2]

What is no picture needs a shape.

  $ for i in 1 2 3 4 5 6; do echo "$i,2,$((i * i)),1,0,3"; done > six.csv
  $ tessera fit six.csv --header no -q --model nmf --rank 2 -o six.h5 >/dev/null
  $ tessera sheet six.h5 -o six.png
  tessera: the basis vectors of 6 features are no pictures: say --image-shape HxW, or fit the model to data that are pictures
  [1]
  $ tessera sheet six.h5 --image-shape 2x3 --scale 4 -o six.png | head -1
  2 pictures of 2 x 3
  $ tessera sheet six.h5 --image-shape 2x4 -o six.png
  tessera: an image of 2 x 4 is not 6 features
  [1]
  $ tessera sheet six.h5 --image-shape 2x3 -o nowhere/six.png
  tessera: nowhere/six.png: cannot write there: No such file or directory
  [1]
  $ tessera sheet six.h5 --image-shape 2x3 --reconstruct 1 --data swimmer.h5 -o six.png
  tessera: swimmer.h5:x: an image of 2 x 3 is not 1024 features
  [1]
  $ tessera fit swimmer.h5 -q --model cf --kernel rbf --rank 3 --iterations 3 -o rbf.h5 >/dev/null
  $ tessera sheet rbf.h5 --reconstruct 1 -o rbf.png
  tessera: a model with a kernel makes samples in the kernel's space, not as pictures
  [1]
  $ tessera sheet six.h5
  tessera sheet: missing: --output
  usage: tessera sheet [options] MODEL.h5 -o SHEET.png
  `tessera sheet --help` shows what it takes.
  [2]

Heat maps of the codes, or of the distances between them: samples by class.

  $ echo a,b,c,class > seven.csv; for i in 1 2 3 4 5 6 7; do echo "$i,2,$((7 - i)),$((i % 3))"; done >> seven.csv
  $ tessera fit seven.csv --labels class -q --model cdnmf -o seven.h5 >/dev/null
  $ tessera sheet seven.h5 --codes -o map.png | sed 's/dark .*/dark D/'; file map.png
  heat map of codes: 7 samples, rank 3, 170 x 72 pixels
    samples by class, 3 of them
    basis vectors downwards, by the class that they serve most
    pale is 0, dark D
    written to  map.png
  000000aa00000048
  $ tessera sheet seven.h5 --distances --scale 3 -o map.png | sed 's/dark .*/dark D/'; file map.png
  heat map of distances: 7 samples, rank 3, 23 x 23 pixels
    samples by class, 3 of them
    pale is 0, dark D
    written to  map.png
  0000001700000017
  $ tessera sheet seven.h5 --distances --unit-codes --json -o map.png | tr -d ' \n' | sed 's/"range.*/../'; echo
  {"samples":7,"classes":3,"rank":3,"pixels":[170,170],"cells":7,"lines":2,..
  $ tessera sheet six.h5 --codes -o map.png | sed 's/dark .*/dark D/'
  heat map of codes: 6 samples, rank 2, 144 x 48 pixels
    no classes are known: samples as they come
    basis vectors downwards
    pale is 0, dark D
    written to  map.png

With other classes, and of other samples.

  $ for i in 1 1 2 2 1 2; do echo "$i"; done > six-labels.csv
  $ tessera sheet six.h5 --codes --labels six-labels.csv --header no -o map.png | head -2
  heat map of codes: 6 samples, rank 2, 145 x 48 pixels
    samples by class, 2 of them
  $ head -4 seven.csv > three.csv
  $ tessera sheet seven.h5 --distances --data three.csv --labels class -o map.png | head -2
  heat map of distances: 3 samples, rank 3, 74 x 74 pixels
    samples by class, 3 of them
  $ tessera sheet seven.h5 --codes --labels six-labels.csv --header no -o map.png
  tessera: --labels six-labels.csv has 6 labels; the model has 7 samples
  [1]

Many samples are averaged, classes too narrow have no lines.

  $ seq 1 4500 | sed 's/.*/&,1,&/' > many.csv
  $ tessera fit many.csv --header no -q --model nmf --rank 2 --iterations 2 -o many.h5 >/dev/null
  $ tessera sheet many.h5 --distances -o map.png | head -3
  heat map of distances: 4500 samples, rank 2, 2000 x 2000 pixels
    no classes are known: samples as they come
    4500 samples are 2000 cells: means of neighbours, of at most 8 samples a cell
  $ seq 1 4500 > many-labels.csv
  $ tessera sheet many.h5 --codes --labels many-labels.csv --header no -o map.png | sed 3d | head -3
  heat map of codes: 4500 samples, rank 2, 2000 x 48 pixels
    samples by class, 4500 of them, too narrow for lines
    4500 samples are 2000 cells: means of neighbours

One sheet at a time.

  $ tessera sheet seven.h5 --codes --distances -o map.png
  tessera: --codes, --distances and --reconstruct are three sheets: say one of them
  [2]
  $ tessera sheet seven.h5 --codes --reconstruct 1 -o map.png
  tessera: --codes, --distances and --reconstruct are three sheets: say one of them
  [2]
  $ tessera sheet seven.h5 --unit-codes -o map.png
  tessera: --unit-codes is for --codes and --distances
  [2]
  $ tessera sheet seven.h5 --codes --top 1 -o map.png
  tessera: --columns, --top and --common are for pictures, not for heat maps
  [2]
