One page that shows what was learnt.

  $ tessera demo -q --pictures faces -o faces.h5
  $ tessera fit faces.h5 -q --model cdnmf --rank 20 --labelled 2 --iterations 20 -o model.h5 >/dev/null
  $ tessera report model.h5 --data faces.h5 -o page.html
  written to page.html: open it in a browser
  $ grep -c '<section' page.html; grep -o '<h2[^>]*>[^<]*' page.html | sed 's/.*>//'
  9
  The fit
  Parts
  Parts by class
  Codes
  Reconstruction
  Clusters
  Predictions
  Convergence
  Made again
  $ tessera report model.h5 --data faces.h5 -o page.html --title 'Faces & <co>' --points 50 --json | head -c 60; grep -o '<h1>[^/]*' page.html
  {"page":"model","tables":{"data":{"caption":"Data","columns"<h1>Faces &amp; &lt;co&gt;<
  $ grep -o '<p class="note">[^<]*' page.html
  <p class="note">Charts are drawn by a script. Without it each one's numbers are in the table below it.
  <p class="note">The fit used up its iterations before J came to rest.
  <p class="note">50 samples drawn from 240 are shown (--points N).
  <p class="note">50 predictions are listed, of 200 (--points N).
  <p class="note">Options by which the data were read (--labels, --size and the like) are not kept in a model: add them.

Without the samples there is what the model knows. Read from elsewhere they are the same samples;
others are encoded.

  $ tessera report model.h5 -o page.html; grep -o '<h2[^>]*>[^<]*' page.html | sed 's/.*>//'; grep -o '<p class="note">Without[^<]*' page.html
  written to page.html: open it in a browser
  The fit
  Parts
  Parts by class
  Codes
  Clusters
  Predictions
  Convergence
  Made again
  <p class="note">Without --data DATA the page has no samples to show, only what the model knows of them.
  $ tessera convert -q faces.h5 -o same.npz; tessera report model.h5 --data same.npz -o page.html; grep -c 'shown here' page.html
  written to page.html: open it in a browser
  0
  [1]
  $ seq -s, 1024 > one.csv; tessera report model.h5 --data one.csv -o page.html; grep -o 'shown here' page.html | head -1
  written to page.html: open it in a browser
  shown here

What was called makes the page again, as a shell reads it.

  $ cp model.h5 "it's.h5"; tessera report "it's.h5" -o page.html; grep -o '<code>tessera report[^/]*' page.html
  written to page.html: open it in a browser
  <code>tessera report 'it'\''s.h5' -o page.html<

Refusals.

  $ tessera report model.h5
  tessera report: missing: --output
  usage: tessera report [options] MODEL.h5|FOLDER -o PAGE.html
  `tessera report --help` shows what it takes.
  [2]
  $ tessera report model.h5 -o page.pdf
  tessera: --output page.pdf: what is written there ends in .html .htm
  [2]
  $ tessera report faces.h5 -o page.html
  tessera: faces.h5: is an HDF5 file, but no model: `tessera fit` writes one
  [1]
  $ tessera report nowhere.h5 -o page.html
  tessera: nowhere.h5: cannot open: No such file or directory
  [1]
  $ tessera report model.h5 --data nowhere.npz -o page.html
  tessera: nowhere.npz: No such file or directory
  [1]
  $ tessera report model.h5 --points 0 -o page.html
  tessera report: --points 0 is outside 1 .. 100000
  `tessera report --help` shows what it takes.
  [2]
  $ tessera report model.h5 -o missing/page.html
  tessera: missing/page.html: cannot write there: No such file or directory
  [1]
  $ mkdir pictures; tessera report model.h5 --data faces.h5 --pictures pictures -o page.html
  tessera: --pictures: the model's features are no visual words but of unknown origin
  [1]
  $ printf '1,2\n3,4\n' > small.csv; tessera report model.h5 --data small.csv -o page.html
  tessera: small.csv has 2 features; the model was fitted to 1024
  [1]
  $ mkdir folder; tessera report folder -o page.html
  tessera: folder: is no experiment: it has no protocol.txt; tessera experiment PROTOCOL --data DIR --out FOLDER makes one
  [1]
  $ tessera report folder --data faces.h5 -o page.html
  tessera: --data is for a model; the folder of an experiment suffices
  [2]
  $ head -c 1000 model.h5 > cut.h5; tessera report cut.h5 -o page.html
  tessera: cut.h5: cannot open it as HDF5: the file is damaged or cut off
  [1]
  $ ln -s /dev/full full.html; tessera report model.h5 -o full.html
  tessera: full.html: cannot be written: No space left on device
  [1]
