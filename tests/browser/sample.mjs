// SPDX-License-Identifier: BSD-2-Clause
// Pages as report/web/README.md says that C writes them, of any facts: for names and numbers that
// the tool itself hardly ever has.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';

export const web = join(dirname(fileURLToPath(import.meta.url)), '../../report/web');
const read = (file) => readFileSync(join(web, file), 'utf8');

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => escapes[c]);

// A grey PNG of `shade(x, y)`, 0 to 255.
export function png(width, height, shade) {
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = shade(x, y);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 0, 0, 0, 0], 8);
  const chunks = [chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), ...chunks]).toString('base64');
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc(body));
  return Buffer.concat([size, body, sum]);
}

function crc(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let k = 0; k < 8; k++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}

export function picture(id, width, height, zoom, alt, shade) {
  const src = `data:image/png;base64,${png(width, height, shade)}`;
  return `<img${id ? ` id="${id}"` : ''} width="${width * zoom}" height="${height * zoom}" alt="${escaped(alt)}" src="${src}">`;
}

function cell(value, column, j) {
  const tag = j === 0 ? 'th' : 'td';
  const open = `<${tag}${j === 0 ? ' scope="row"' : ''}${column.kind === 'text' ? '' : ' class="n"'}>`;
  let text = '–';
  if (typeof value === 'string') text = `<bdi>${escaped(value)}</bdi>`;
  else if (value !== null) text = column.kind === 'percent' ? `${(100 * value).toFixed(1)} %` : String(Number(value.toPrecision(4)));
  return `${open}${text}</${tag}>`;
}

export function tableHtml(id, table, folded) {
  const head = table.columns.map((c) => `<th scope="col"${c.kind === 'text' ? '' : ' class="n"'}><bdi>${escaped(c.name)}</bdi></th>`);
  const body = table.rows.map((row) => `<tr>${row.map((value, j) => cell(value, table.columns[j], j)).join('')}</tr>\n`);
  const caption = escaped(table.caption);
  const whole =
    `<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table id="table-${id}">` +
    `<caption>${caption}</caption>\n<thead><tr>${head.join('')}</tr></thead>\n<tbody>\n${body.join('')}</tbody></table></div>`;
  return folded ? `<details class="data"><summary>${caption}</summary>\n${whole}</details>\n` : `${whole}\n`;
}

// A section for each chart, its table folded below; `inside` gives pictures of figures by chart,
// `before` HTML of more sections.
export function pageHtml(facts, { inside = {}, before = '', sections = [] } = {}) {
  const json = JSON.stringify(facts).replace(/</g, '\\u003c');
  const title = (id, text) => `<section id="${id}" aria-labelledby="${id}-title">\n<h2 id="${id}-title">${escaped(text)}</h2>\n`;
  const shown = new Set();
  const charts = facts.charts.map((chart) => {
    const table = chart.table !== undefined && !shown.has(chart.table) ? facts.tables[chart.table] : null;
    shown.add(chart.table);
    return (
      title(`s-${chart.id}`, chart.title) +
      `<figure class="chart" id="chart-${chart.id}"><figcaption>${escaped(chart.title)}</figcaption>\n${inside[chart.id] || ''}</figure>\n` +
      `${table ? tableHtml(chart.table, table, true) : ''}</section>\n`
    );
  });
  const links = [...sections, ...facts.charts.map((c) => [`s-${c.id}`, c.title])].map(
    ([id, text]) => `<li><a href="#${id}">${escaped(text)}</a></li>\n`,
  );
  return (
    `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n` +
    `<meta http-equiv="Content-Security-Policy" content="${read('page.csp')}">\n` +
    `<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n` +
    `<title>${escaped(facts.title)}</title>\n<style>${read('page.css')}</style>\n</head>\n<body>\n` +
    `<a class="skip" href="#main">To the contents</a>\n<header><h1>${escaped(facts.title)}</h1>\n` +
    `<p class="lead">${escaped(facts.lead)}</p></header>\n<nav aria-label="Sections"><ul>\n${links.join('')}</ul></nav>\n` +
    `<main id="main">\n${before}${charts.join('')}</main>\n<footer><p>A sample.</p></footer>\n` +
    `<script type="application/json" id="facts">${json}</script>\n<script>${read('page.js')}</script>\n</body>\n</html>\n`
  );
}

export const columns = (...list) => list.map(([name, kind]) => ({ name, kind }));

// Names that a page must take as they are.
export const hostile = [
  '</script><script>alert(1)</script>',
  '"quoted" & \'single\' <b>bold</b>',
  '<img src=x onerror=alert(1)>',
  'שלום עולם',
  '\u202eevil\u202c',
  '{a|styled} {b}',
  '=1+1',
  'x'.repeat(300),
  '\u0001control\u0007',
  '<!-- comment',
  '',
  '\ufffd\ufffdname.png',
];

const wave = (i, k) => 0.5 + 0.4 * Math.sin(0.7 * i + 1.3 * k) * Math.exp(-i / 30);
const tileShade = (size) => (x, y) => Math.round(127 + 120 * Math.sin((x % size) / 2 + Math.floor(x / size)) * Math.cos((y % size) / 3));

// A page with every kind of chart, like what a model of pictures has.
export function usual() {
  const classes = ['circle', 'square', 'star', 'triangle'];
  const samples = Array.from({ length: 60 }, (_, i) => [`sample ${i + 1}`, classes[i % 4], wave(i, i % 4) + (i % 4), wave(i + 5, 2 * (i % 4))]);
  const history = Array.from({ length: 80 }, (_, i) => [i + 1, 4000 * Math.exp(-i / 9) + 12, 3000 * Math.exp(-i / 14) + 11]);
  const accuracy = classes.flatMap((model, k) => [5, 10, 20, 40].map((r, i) => [model, r, wave(i, k), 0.05]));
  const draws = accuracy.flatMap(([model, r, a]) => [-0.05, 0.02, 0.04].map((d) => [model, r, a + d]));
  const confusion = classes.map((c, i) => [c, ...classes.map((_, j) => (i === j ? 0.85 : 0.05))]);
  const facts = {
    page: 'model',
    title: 'Parts of 60 pictures, learnt by NMF',
    lead: 'Four parts make 60 pictures of 16 by 16 pixels with a relative error of 0.123.',
    tables: {
      samples: { caption: 'Samples in the plane: 60 rows', columns: columns(['sample', 'text'], ['class', 'text'], ['first', 'real'], ['second', 'real']), rows: samples },
      history: { caption: 'Objective by iteration: 80 rows', columns: columns(['iteration', 'integer'], ['J', 'real'], ['loss', 'real']), rows: history },
      accuracy: { caption: 'Accuracy by model and rank', columns: columns(['model', 'text'], ['rank', 'integer'], ['accuracy', 'percent'], ['deviation', 'percent']), rows: accuracy },
      draws: { caption: 'Single draws', columns: columns(['model', 'text'], ['rank', 'integer'], ['accuracy', 'percent']), rows: draws },
      shares: { caption: 'Shares of parts', columns: columns(['part', 'text'], ['share', 'percent'], ['deviation', 'percent'], ['other', 'percent']), rows: [['part 1', 0.4, 0.05, 0.3], ['part 2', 0.3, 0.02, null], ['part 3', 0.2, null, 0.3], ['part 4', 0.1, 0.01, 0.4]] },
      confusion: { caption: 'Confusion: 4 rows', columns: columns(['true', 'text'], ...classes.map((c) => [c, 'percent'])), rows: confusion },
    },
    pictures: { samples: { count: 60, columns: 10, width: 16, height: 16 }, steps: { count: 15, columns: 5, width: 16, height: 16 } },
    charts: [
      { id: 'history', kind: 'line', title: 'Convergence', table: 'history', x: 'iteration', y: ['J', 'loss'], dashed: ['loss'], log: ['y'] },
      { id: 'accuracy', kind: 'line', title: 'Accuracy by rank', table: 'accuracy', x: 'rank', y: ['accuracy'], error: ['deviation'], series: 'model', points: { table: 'draws', x: 'rank', y: 'accuracy', series: 'model' } },
      { id: 'shares', kind: 'bar', title: 'Shares of the parts', table: 'shares', x: 'part', y: ['share', 'other'], error: ['deviation', null] },
      { id: 'plane', kind: 'scatter', title: 'Samples in the plane', table: 'samples', x: 'first', y: 'second', series: 'class', name: 'sample', pictures: 'samples' },
      { id: 'confusion', kind: 'heat', title: 'Confusion', table: 'confusion', across: 'predicted', down: 'true' },
      { id: 'codes', kind: 'image', title: 'Codes', table: 'samples', name: 'sample', columns: ['part 1', 'part 2', 'part 3', 'part 4'], values: Array.from({ length: 240 }, (_, i) => i), unit: 0.5 },
      { id: 'steps', kind: 'steps', title: 'Reconstruction', table: 'samples', kept: [1, 2, 3, 4], names: ['sample 1', 'sample 2', 'sample 3'], errors: [[0.9, 0.5, 0.3, 0.1], [0.8, 0.4, 0.2, 0.1], [0.7, 0.5, 0.4, 0.2]], pictures: 'steps' },
    ],
  };
  const sheet = (id, w, h, zoom, alt) => picture(`picture-${id}`, w, h, zoom, alt, tileShade(16));
  const parts = [1, 2, 3, 4].map(
    (k) =>
      `<figure class="part" id="part-${k}">${picture(null, 16, 16, 8, `part ${k}`, (x, y) => 255 - Math.min(255, 40 * Math.abs(x - 4 * k + 2) + 10 * y))}` +
      `<figcaption>Part ${k}: 12.3 % of the norm, in 45 samples<div class="samples">${[0, 1, 2].map((i) => picture(null, 16, 16, 2, `sample ${i}`, tileShade(7 + i))).join('')}</div></figcaption></figure>\n`,
  );
  const term = (word, value) =>
    `<tr><th scope="row"><bdi>${escaped(word)}</bdi></th><td class="n"><progress max="1" value="${value}" aria-label="${escaped(word)}">${value}</progress> ${value}</td></tr>`;
  const words = `<figure class="part" id="part-5"><table class="terms">${term('orbit', 0.53)}${term('launch', 0.41)}${term('שלום', 0.3)}</table><figcaption>Part 5, of words</figcaption></figure>`;
  const before =
    `<section id="data" aria-labelledby="data-title"><h2 id="data-title">The data</h2>\n<p>Sixty pictures of four shapes.</p>\n` +
    `<dl class="card"><dt>Samples</dt><dd>60</dd><dt>Features</dt><dd>256</dd><dt>File</dt><dd><bdi>shapes.h5</bdi></dd></dl>\n` +
    `<p class="note">Three samples were left out: they are empty.</p>\n` +
    `<pre class="command" tabindex="0"><code>tessera fit shapes.h5 --model nmf --rank 4 -o model.h5</code></pre></section>\n` +
    `<section id="parts" aria-labelledby="parts-title"><h2 id="parts-title">Parts</h2>\n<div class="parts">${parts.join('')}${words}</div>\n` +
    `<details><summary>All samples</summary>${sheet('samples', 160, 96, 2, 'all samples')}</details></section>\n`;
  const inside = {
    codes: picture('image-codes', 4, 60, 1, 'codes of 60 samples', (x, y) => y * 4 + x),
    steps: sheet('steps', 80, 48, 3, 'samples and their steps'),
  };
  return { facts, html: pageHtml(facts, { inside, before, sections: [['data', 'The data'], ['parts', 'Parts']] }) };
}
