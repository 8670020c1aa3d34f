// SPDX-License-Identifier: BSD-2-Clause
// The modules of the script that need no page.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { web } from './sample.mjs';

const load = (file) => import(join(web, 'src', file));

test('numbers are shown as C prints them', async () => {
  const { real, cellText } = await load('facts.js');
  const expected = { 0: '0', 1: '1', 0.1: '0.1', 0.12345: '0.1235', 1234.4: '1234', 12346: '1.235e+04', 1e-5: '1e-05', '-2.5': '-2.5', 1e100: '1e+100', 9999.6: '1e+04', 0.0001: '0.0001' };
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
  const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const light = (hex) => [0.2126, 0.7152, 0.0722].reduce((sum, w, k) => sum + w * linear(parseInt(hex.slice(1 + 2 * k, 3 + 2 * k), 16) / 255), 0);
  for (const [theme, colours] of Object.entries(sequences)) {
    const sign = theme === 'dark' ? 1 : -1;
    for (let i = 1; i < colours.length; i++) assert.ok(sign * (light(colours[i]) - light(colours[i - 1])) > 0, `${theme} ${i}`);
  }
});
