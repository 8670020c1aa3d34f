The front door: overview, version, wrong words.

  $ tessera --version
  tessera 0.1.0
  $ tessera --help
  tessera 0.1.0: learn parts of images, histograms and documents from many samples and a few labels
  
  usage: tessera COMMAND [options] INPUT... [-o OUTPUT]
  
    data    info        Say what a file or folder holds and what looks suspicious about it.
            convert     Write data in another format, selected, normalised or transposed.
            features    Make samples of pictures and texts: pixels, visual words, bags of words.
    learn   fit         Fit a model: parts and codes from data and a few labels.
            transform   Codes of samples with a fitted basis, and their classes.
            rank        Rank basis vectors, and keep the best in a smaller model.
    use     cluster     Cluster codes or samples by k-means and compare with the classes.
            classify    Classify codes by their nearest neighbours, on folds or on a test set.
            select      Choose model, rank and weight by what is held out: labels, else entries.
            terms       The words, or other features, that basis vectors are about.
            overlay     Draw on a picture the patches that matter to each basis vector.
            sheet       Draw basis vectors, a sample as the sum of its parts, or heat maps of codes.
            report      Write one page that shows what was learnt, or what an experiment found.
    study   experiment  Run a protocol and print its table, ours beside the published figures.
            models      List the models: objective, supervision used, citation.
            demo        Draw faces, fit the family with two labels a person, compare; or draw data to try.
  
  `tessera COMMAND --help` shows a command's options and an example.
  $ tessera
  tessera 0.1.0: learn parts of images, histograms and documents from many samples and a few labels
  
  usage: tessera COMMAND [options] INPUT... [-o OUTPUT]
  
    data    info        Say what a file or folder holds and what looks suspicious about it.
            convert     Write data in another format, selected, normalised or transposed.
            features    Make samples of pictures and texts: pixels, visual words, bags of words.
    learn   fit         Fit a model: parts and codes from data and a few labels.
            transform   Codes of samples with a fitted basis, and their classes.
            rank        Rank basis vectors, and keep the best in a smaller model.
    use     cluster     Cluster codes or samples by k-means and compare with the classes.
            classify    Classify codes by their nearest neighbours, on folds or on a test set.
            select      Choose model, rank and weight by what is held out: labels, else entries.
            terms       The words, or other features, that basis vectors are about.
            overlay     Draw on a picture the patches that matter to each basis vector.
            sheet       Draw basis vectors, a sample as the sum of its parts, or heat maps of codes.
            report      Write one page that shows what was learnt, or what an experiment found.
    study   experiment  Run a protocol and print its table, ours beside the published figures.
            models      List the models: objective, supervision used, citation.
            demo        Draw faces, fit the family with two labels a person, compare; or draw data to try.
  
  `tessera COMMAND --help` shows a command's options and an example.
  [2]
  $ tessera inof x.npy
  tessera: there is no command 'inof'; did you mean 'info'?
  `tessera --help` lists the commands.
  [2]
  $ tessera info
  tessera info: an input is missing
  usage: tessera info [options] DATA|MODEL.h5
  `tessera info --help` shows what it takes.
  [2]
  $ tessera info a b
  tessera info: too many inputs
  usage: tessera info [options] DATA|MODEL.h5
  `tessera info --help` shows what it takes.
  [2]
  $ tessera info --jsno x
  tessera info: there is no option --jsno; did you mean --json?
  `tessera info --help` shows what it takes.
  [2]
  $ tessera info --size 3 x
  tessera info: --size wants WxH such as 32x24, not '3'
  `tessera info --help` shows what it takes.
  [2]
  $ tessera convert x.npy
  tessera: missing: --output; `tessera convert --help` shows what it takes
  [2]
  $ tessera convert x.npy -o
  tessera convert: --output wants a value (OUT)
  `tessera convert --help` shows what it takes.
  [2]
  $ tessera info --image-order sideways x
  tessera info: --image-order is one of auto|row|column, not 'sideways'
  `tessera info --help` shows what it takes.
  [2]
  $ tessera help info
  Say what a file or folder holds and what looks suspicious about it.
  
  usage: tessera info [options] DATA|MODEL.h5
  
  looking
    --show SAMPLE                draw this sample as a picture; -1: none (-1; -1 to 9e+15)
  
  reading
    --labels SRC                 labels from FILE, FILE:NAME, a variable or a column; else found beside the data
    --image-shape HxW            samples are pictures of H rows and W columns; squares are found (1 to 65536)
    --image-order auto|row|column
                                 pixels lie row by row or column by column (.mat: column)
    --size WxH                   resize images to W columns and H rows by area averaging (1 to 65536)
    --skip-bad                   leave out unreadable images instead of failing
    --header auto|yes|no         whether a table's first line is names
    --threads N                  threads, 0: all processors (0; 0 to 4096)
    --expand N                   memory at most N times the file's size and 256 MiB (1000; 0 to 1000000000000)
    --memory SIZE                memory that data may take, such as 2G: larger ones are read in blocks
  
  talking
    --json                       print one JSON object instead of text
    -q, --quiet                  no progress and no notes
  
  DATA is a file, FILE:NAME (a variable of it) or a folder of images. Of a model it says
  what was fitted, to what, with which settings, and how it went.
  
  example
    tessera info faces.mat --show 0
    tessera info model.h5
  $ tessera convert --help
  Write data in another format, selected, normalised or transposed.
  
  usage: tessera convert [options] DATA -o OUT
  
  converting
    -o, --output OUT             where to write; required
    --normalize none|l2|l1|max   scale every sample to unit norm
    --transpose                  features become samples; labels are left out
    --select WHICH               keep classes:A,B or rows:0-9,20 (in that order)
    --precision keep|double|single
                                 type of the numbers
    --storage keep|dense|sparse  how they are stored
    --missing error|keep         whether NaN is refused or kept as a missing value
    --both-orders                an .h5 of sparse samples holds them by feature, too
  
  reading
    --labels SRC                 labels from FILE, FILE:NAME, a variable or a column; else found beside the data
    --image-shape HxW            samples are pictures of H rows and W columns; squares are found (1 to 65536)
    --image-order auto|row|column
                                 pixels lie row by row or column by column (.mat: column)
    --size WxH                   resize images to W columns and H rows by area averaging (1 to 65536)
    --skip-bad                   leave out unreadable images instead of failing
    --header auto|yes|no         whether a table's first line is names
    --threads N                  threads, 0: all processors (0; 0 to 4096)
    --expand N                   memory at most N times the file's size and 256 MiB (1000; 0 to 1000000000000)
    --memory SIZE                memory that data may take, such as 2G: larger ones are read in blocks
  
  talking
    --json                       print one JSON object instead of text
    -q, --quiet                  no progress and no notes
  
  The extension of OUT says the format; an OUT without one is a folder of PNG images. Of
  a model, DATA is one of its parts; without -o they are listed. Data that are larger than
  --memory become .h5 or .npy without being in memory; of those two formats they may be
  changed on the way.
  
  example
    tessera convert faces.mat --normalize l2 --select classes:1,2 -o two.npz
    tessera convert big.mtx --memory 2G --both-orders -o big.h5

Kernels for another processor than this one are refused, not replaced.

  $ TESSERA_KERNELS=base tessera --version
  tessera 0.1.0
  $ TESSERA_KERNELS=v5 tessera --version 2>&1 | sed 's/runs .*base/runs SETS/'
  tessera: TESSERA_KERNELS is 'v5', not a set of kernels; this processor runs SETS
  $ TESSERA_KERNELS=v5 tessera models >here 2>there; echo $?; cat here
  2
