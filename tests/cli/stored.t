Samples larger than a quarter of --memory stay in their file, and results are those of memory.

  $ awk 'BEGIN { for (i = 0; i < 3000; i++) { for (j = 0; j < 64; j++) printf "%d,", (i * (j % 7 + 1) + i % 3 * j) % 23 + 1; print i % 3 } }' > big.csv; tessera convert -q big.csv --labels 64 -o big.h5; tessera convert -q big.h5 -o big.npy
  $ tessera info big.npy --memory 1M | head -3
  big.npy
    format     npy, float64, dense
    samples    3000
  $ tessera fit big.h5 --memory 1M -q --rank 4 --iterations 20 -o far.h5 | grep -E 'objective|written'; tessera fit big.h5 --plan stream -q --rank 4 --iterations 20 -o near.h5 | grep -E 'objective'
    objective       6006036.1
    written to      far.h5
    objective       6006036.1
  $ tessera transform far.h5 big.npy --memory 1M -q -o far.npy; tessera transform near.h5 big.npy -q -o near.npy; cmp far.npy near.npy
  3000 samples, codes of 4 entries
    written to  far.npy
  3000 samples, codes of 4 entries
    written to  near.npy
  $ tessera cluster big.h5 --memory 1M --model nmf --rank 4 --iterations 20 -q | head -1 | sed 's/cost .*/cost/'
  3000 samples in 3 clusters, cost
  $ tessera classify big.h5 --model nmf --rank 4 --iterations 20 --test big.h5 --memory 1M -q | head -2
  nmf: accuracy 1.0000, 10 neighbours
  
  $ tessera classify big.h5 --model nmf --rank 4 --iterations 20 --folds 2 --memory 2M -q | head -1
  nmf: accuracy 1.0000 +- 0.0000 over 2 folds, 10 neighbours
  $ printf 'task = classify\ndata = big.h5\ntrain = 20\ntest = 20\ndraws = 2\n[nmf]\nrank = 4\n' > study.txt; tessera experiment study.txt --memory 1M -q > far.txt; tessera experiment study.txt -q > near.txt; cmp far.txt near.txt
  $ tessera rank far.h5 --by lre --data big.h5 --memory 1M -q -o ranked.h5 | head -2
   place   vector  score         
       1        0  23935139      
  $ tessera terms far.h5 --top 1 | head -2
  vector 0, 0 (34 %)
    0.2318  #37
  $ tessera fit big.h5 --memory 1M -q --rank 4 --batch 500 --iterations 5 -o batch.h5 | grep -E 'written'; tessera fit big.npy --memory 1M -q --more --resume batch.h5 -o more.h5 | grep -E 'written'
    written to      batch.h5
    written to      more.h5

What cannot be read in blocks, or not in so little, says so.

  $ tessera fit big.h5 --memory 1M -q --model gnmf -o bad.h5; tessera fit big.h5 --memory 1M -q --init kmeans -o bad.h5; tessera fit big.h5 --memory 1M -q --model cf --kernel rbf -o bad.h5
  tessera: the search for neighbours (--graph-file takes a graph that is there) needs all samples in memory, and these 3000 x 64 are read in blocks: raise --memory, or take fewer samples
  tessera: a start from k-means (--init random needs none) needs all samples in memory, and these 3000 x 64 are read in blocks: raise --memory, or take fewer samples
  tessera: a kernel, samples x samples, needs all samples in memory, and these 3000 x 64 are read in blocks: raise --memory, or take fewer samples
  [1]
  $ tessera fit big.h5 --memory 100K -q --rank 400 --threads 1 -o bad.h5; tessera fit big.csv --memory 100K -q -o bad.h5; tessera fit big.h5 --memory much -o bad.h5
  tessera: a fit of rank 400 takes 54.8 MB, and --memory allows 0.1024 MB: raise it, or take a lower --rank or --precision single
  tessera: big.csv: 506829 bytes of .csv are read whole, and --memory lets data take a quarter of 102400: make a .h5 of it with tessera convert, which is read in blocks, or raise --memory
  tessera fit: --memory wants bytes such as 2G, 500M or 64K, not 'much'
  `tessera fit --help` shows what it takes.
  [2]
  $ tessera convert -q big.h5 -o big.mat; tessera info big.mat --memory 4M; tessera transform far.h5 big.npy --memory 20K -q -o bad.npy
  tessera: big.mat: 1560408 bytes of .mat are read whole, and --memory lets data take a quarter of 4194304: make a .h5 of it with tessera convert, which is read in blocks, or raise --memory
  tessera: 3000 codes of 4 numbers take 0.1969 MB, and --memory allows 0.02048 MB: raise it, or encode fewer samples at a time
  [1]
  $ tessera cluster big.h5 --memory 1M -q; tessera classify big.h5 --memory 1M -q; tessera select big.h5 --ranks 2,3 --memory 1M -q
  tessera: raw (models, such as nmf, read them in blocks) needs all samples in memory, and these 3000 x 64 are read in blocks: raise --memory, or take fewer samples
  tessera: raw (models, such as nmf, read them in blocks) needs all samples in memory, and these 2400 x 64 are read in blocks: raise --memory, or take fewer samples
  tessera: a choice by what is held out needs all samples in memory, and these 3000 x 64 are read in blocks: raise --memory, or take fewer samples
  [1]
  $ tessera fit big.h5 -q --batch 500 --model cdnmf -o bad.h5; tessera fit big.h5 -q --forget 0.5 -o bad.h5; tessera fit big.h5 -q --more -o bad.h5; tessera fit big.h5 -q --more --resume batch.h5 --loss kl -o bad.h5
  tessera: the basis cannot move by batches (--batch, --more): terms on the codes are sums over all of them
  tessera: --forget is of new samples: --more --resume MODEL.h5
  tessera: --more goes on with a model: name it with --resume MODEL.h5
  tessera: --loss: the model has its settings, and --more goes over the new samples once; it takes --batch, --forget and --threads
  [2]
  $ ls | grep bad
  [1]

A file that is cut, and a disk that is full at the end: the archive of before stays as it was.

  $ head -c 700000 big.npy > cut.npy; tessera fit cut.npy --memory 1M -q -o bad.h5
  tessera: cut.npy: announces 192000 numbers, and ends before them (700000 bytes)
  [1]
  $ tessera fit big.npy --memory 1M -q --rank 4 --iterations 4 -o kept.h5 > out; cp kept.h5 before.h5; (ulimit -f 20; tessera fit big.npy --memory 1M -q --rank 4 --iterations 9 -o kept.h5); cmp kept.h5 before.h5
  tessera: kept.h5: cannot write codes: File too large
