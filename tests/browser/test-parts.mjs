// SPDX-License-Identifier: BSD-2-Clause
// The modules of the script that need no page.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eyes, lab, light } from './colour.mjs';
import { web } from './sample.mjs';

const load = (file) => import(join(web, 'src', file));

test('numbers are shown as C prints them', async () => {
  const { real, cellText } = await load('facts.js');
  const expected = { 0: '0', 1: '1', 0.1: '0.1', 0.12345: '0.1235', 1234.4: '1234', 12346: '12346', 12345.6: '1.235e+04', 1e-5: '1e-05', '-2.5': '-2.5', 1e100: '1e+100', 9999.6: '1e+04', 1e14: '100000000000000', 0.0001: '0.0001' };
  for (const [value, text] of Object.entries(expected)) assert.equal(real(Number(value)), text);
  assert.equal(cellText(0.1234, 'percent'), '12.3 %');
  assert.equal(cellText(1234567, 'integer'), '1234567');
  assert.equal(cellText(null, 'real'), '–');
});

test('names in charts are cut, isolated and without what XML refuses', async () => {
  const { name, rich } = await load('facts.js');
  assert.equal(name('a'), '\u2068a\u2069');
  assert.equal([...name('😀'.repeat(100))].length, 62);
  assert.equal(name('\u202ex\u0001\ud800'), '\u2068x\ufffd\ufffd\u2069');
  assert.equal(rich('{a|b} {c}'), '{\u2060a|b} {c}');
});

test('CSV is quoted, and no text is computed', async () => {
  const { csvOf } = await load('tables.js');
  const columns = [{ name: 'n,1', kind: 'text' }, { name: 'x', kind: 'real' }];
  const rows = [['=1+1', -1.5], ['a "b"\nc', null], ['plain', 0.1]];
  assert.equal(csvOf({ columns, rows }), '"n,1",x\r\n\'=1+1,-1.5\r\n"a ""b""\nc",\r\nplain,0.1\r\n');
});

test('lightness runs one way in both sequences', async () => {
  const { sequences } = await load('palette.js');
  for (const [theme, colours] of Object.entries(sequences)) {
    const sign = theme === 'dark' ? 1 : -1;
    for (let i = 1; i < colours.length; i++) assert.ok(sign * (light(colours[i]) - light(colours[i - 1])) > 0, `${theme} ${i}`);
  }
});

// What is drawn of `y`, of which `published` is dashed: [id, entry of the legend, colour, points].
async function drawnLines(more) {
  const { line } = await load('chart-line.js');
  const columns = ['k', 'ours', 'published', 'e'].map((name) => ({ name, kind: 'real' })).concat({ name: 'method', kind: 'text' });
  const rows = ['a', 'b', 'c'].flatMap((method, i) => [1, 2].map((k) => [k, i + k, i === 2 ? null : i + 2 * k, 0.1, method]));
  const draws = { columns: [columns[0], columns[1], columns[4]], rows: rows.flatMap(([k, y, , , method]) => [[k, y - 1, method], [k, y + 1, method]]) };
  const chart = { table: 't', x: 'k', y: ['ours', 'published'], error: ['e'], dashed: ['published'], points: { table: 'd', x: 'k', y: 'ours', series: 'method' }, ...more };
  const theme = { series: Array.from({ length: 8 }, (_, i) => `c${i}`), card: 'card' };
  const plot = line(chart, { tables: { t: { columns, rows }, d: draws } });
  const { series, legend } = plot.draw(theme, '');
  return { plot, entries: legend.data.map(legend.formatter), seen: series.map((s) => [s.id, s.name, s.lineStyle?.color ?? s.itemStyle?.color, s.data.length]) };
}

test('dashed columns share colour and legend with their series, single draws are ours', async () => {
  const { entries, seen } = await drawnLines({ series: 'method' });
  assert.deepEqual(entries, ['a', 'b', 'c'].map((t) => `\u2068${t}\u2069`));
  assert.deepEqual(seen.filter(([id]) => id.startsWith('line')), [
    ['line-0', '0', 'c0', 2],
    ['line-1', '0', 'c0', 2],
    ['line-2', '1', 'c1', 2],
    ['line-3', '1', 'c1', 2],
    ['line-4', '2', 'c2', 2],
    ['line-5', '2', 'c2', 0],
  ]);
  assert.deepEqual(seen.filter(([id]) => id.startsWith('draws')), [0, 1, 2].map((i) => [`draws-${i}`, String(i), `c${i}`, 4]));
  assert.deepEqual(seen.filter(([id]) => id.startsWith('error')).map(([, entry]) => entry), ['0', '1', '2']);
});

test('dashed first or alone: whose the draws are does not change', async () => {
  const { entries, seen } = await drawnLines({ series: 'method', y: ['published', 'ours'], error: [null, 'e'] });
  assert.equal(entries.length, 3);
  assert.deepEqual(seen.filter(([id]) => id.startsWith('draws')).map(([, entry, , count]) => [entry, count]), [['0', 4], ['1', 4], ['2', 4]]);
  const apart = await drawnLines({ points: undefined });
  assert.deepEqual(apart.entries, ['\u2068ours\u2069', '\u2068published\u2069']);
  assert.deepEqual(apart.seen.slice(0, 2).map(([, entry, colour]) => [entry, colour]), [['0', 'c0'], ['1', 'c1']]);
});

const categories = () => {
  const css = readFileSync(join(web, 'src/page.css'), 'utf8');
  const pair = (name) => new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css).slice(1);
  const found = Array.from({ length: 8 }, (_, i) => pair(`c${i + 1}`));
  return ['light', 'dark'].map((theme, k) => ({ theme, card: pair('card')[k], colours: found.map((c) => c[k]) }));
};

test('the colours of categories stay apart for every kind of eye', () => {
  for (const { theme, colours } of categories()) {
    for (const [eye, matrix] of Object.entries(eyes)) {
      const seen = colours.map((c) => lab(c, matrix));
      const least = eye === 'usual' ? 20 : 17;
      seen.forEach((a, i) =>
        seen.slice(0, i).forEach((b, j) => {
          const apart = Math.hypot(...a.map((v, k) => v - b[k]));
          assert.ok(apart >= least, `${theme}, ${eye}: c${j + 1} and c${i + 1} are ${apart.toFixed(1)} apart`);
        }),
      );
    }
  }
});

test('the colours of categories are seen on the page', () => {
  for (const { theme, card, colours } of categories()) {
    for (const colour of colours) {
      const [dark, bright] = [light(card), light(colour)].sort((a, b) => a - b);
      assert.ok((bright + 0.05) / (dark + 0.05) >= 3, `${theme}: ${colour}`); // WCAG 2.2, 1.4.11
    }
  }
});
