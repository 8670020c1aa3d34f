Bags of words: from texts to terms.

  $ mkdir -p news/hockey news/space
  $ printf 'From: ann@ice\nSubject: Re: cup\n\nThe team won the game. Hockey, HOCKEY!\n' > news/hockey/1
  $ printf 'From: bob@ice\nSubject: goals\n\nA goal, the puck: the game and the goal.\n' > news/hockey/2
  $ printf 'From: eve@orb\nSubject: moon\n\nThe orbit of the Moon; an orbit\n' > news/space/1
  $ printf 'From: dan@orb\nSubject: news\n\nNASA said the moon launch is on.\n' > news/space/2
  $ tessera features news --kind words -o news.h5
  4 samples of 17 features (words)
    density     32.35 %
    classes     2
    vocabulary  17 words
    written to  news.h5
  $ tessera info news.h5 | sed -n '3,4p'
    samples    4
    features   17
  $ tessera convert -q news.h5 -o news.csv; head -2 news.csv
  name,an,and,game,goal,hockey,is,launch,moon,nasa,of,on,orbit,puck,said,team,the,won,label
  hockey/1,0,0,1,0,2,0,0,0,0,0,0,0,0,0,1,2,1,hockey

Fewer words: stop words, how many documents have them, the commonest.

  $ tessera features news --kind words --stop-words english --minimum-documents 2 -o few.h5 | head -1
  4 samples of 2 features (words)
  $ tessera features news --kind words --maximum-share 0.5 | head -1
  4 samples of 16 features (words)
  $ tessera features news --kind words --vocabulary 3 -o three.csv >/dev/null; head -1 three.csv
  name,game,moon,the,label
  $ tessera features news --kind words --headers --shortest 4 | head -1
  4 samples of 14 features (words)
  $ tessera features news --kind words --minimum-documents 5
  tessera: no words are left of 17 different ones in 4 texts; see the minimum of documents, the maximum share and the stop words
  [1]

The words of others: a list, or an archive. Duplicates are named by both lines.

  $ printf 'moon\ngame\ne-mail\n' > list.txt
  $ tessera features news --kind words --dictionary list.txt -o listed.csv | head -1
  note: 1 of the 3 given words can never be found: they are not single words in lower case (the first: e-mail)
  4 samples of 3 features (words)
  $ cat listed.csv
  name,moon,game,e-mail,label
  hockey/1,0,1,0,hockey
  hockey/2,0,1,0,hockey
  space/1,1,0,0,space
  space/2,1,0,0,space
  $ printf 'moon\n\ngame\nmoon\n' > twice.txt
  $ tessera features news --kind words --dictionary twice.txt
  tessera: twice.txt: line 4: moon stands there already, in line 1
  [1]
  $ tessera features news --kind words --weigh tf-idf --normalize l2 -o learnt.h5 | head -1
  4 samples of 17 features (words)
  $ printf 'the moon, the moon, and things never heard of\n\nlunar\n' > lines.txt
  $ tessera features lines.txt --kind words --dictionary learnt.h5 -o new.h5 | head -1
  note: 2 of 3 texts have none of the words; their rows are empty (the first: line 2)
  3 samples of 17 features (words)
  $ tessera features lines.txt --kind words --dictionary learnt.h5 --vocabulary 7
  tessera: --vocabulary chooses among words to learn; here they are those of learnt.h5
  [1]

Any number of threads gives the same archive.

  $ for t in 1 2 3; do tessera features news --kind words --weigh tf-idf --threads $t -o t.mtx >/dev/null; md5sum < t.mtx; done | uniq | wc -l
  1

What is no text is named.

  $ printf 'a\0b' > news/space/3; : > news/space/4
  $ tessera features news --kind words
  tessera: space/3: is no text: byte 1 is zero (--skip-bad leaves such texts out)
  [1]
  $ tessera features news --kind words --skip-bad | head -1
  note: left out space/3: is no text: byte 1 is zero
  note: 1 of 5 texts have none of the words; their rows are empty (the first: space/4)
  5 samples of 17 features (words)
  $ tessera features nowhere --kind words
  tessera: nowhere: cannot open: No such file or directory
  [1]
  $ rm news/space/3 news/space/4

Terms: what vectors are about, as scaled to unit length, and who uses them.

  $ tessera features news --kind words --stop-words english -o some.h5 >/dev/null
  $ tessera fit some.h5 --model dsnmf --rank 2 --iterations 100 -q -o model.h5 >/dev/null
  $ tessera terms model.h5 --top 2 | sed 's/0\.[0-9]*/W/' | sort
    W  game
    W  goal
    W  moon
    W  orbit
  vector 0, space (100 %)
  vector 1, hockey (100 %)
  $ tessera terms model.h5 --specific 0.2 | sed 's/0\.[0-9]*/W/' | sort
    W  game
    W  goal
    W  hockey
    W  launch
    W  moon
    W  nasa
    W  orbit
    W  puck
    W  said
    W  team
  vector 0, space (100 %)
  vector 1, hockey (100 %)
  $ tessera terms model.h5 --specific 0.05 --top 3 --json | grep -oE '"(rank|scale|specific|vectors|vector|class|share|terms|term|feature|weight)"' | sort -u | tr '\n' ' '
  "class" "feature" "rank" "scale" "share" "specific" "term" "terms" "vector" "vectors" "weight" 
  $ tessera terms news.h5
  tessera: news.h5: is an HDF5 file, but no model: `tessera fit` writes one
  [1]
  $ tessera terms model.h5 --specific 2
  tessera terms: --specific 2 is outside 0 .. 1
  `tessera terms --help` shows what it takes.
  [2]
