// SPDX-License-Identifier: BSD-2-Clause
// What the tool writes of more classes than anybody looks at, of names that are markup, and of
// samples with holes.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { folder, states, visit } from './browser.mjs';
import { hostile } from './sample.mjs';
import { pageOf, report, testPage } from './tool.mjs';

const names = hostile.filter((name) => name !== '' && !/[\u0000-\u001f]/.test(name));
const classes = 1300;
const most = 10000; // ms until the page is drawn, on a slow machine

// A table of numbers, a class in its last column.
function table(file, count, features, value, label) {
  const head = [...Array.from({ length: features }, (_, j) => `f${j}`), 'label'];
  const quoted = (text) => `"${text.replace(/"/g, '""')}"`;
  const lines = Array.from({ length: count }, (_, i) => [...Array.from({ length: features }, (_, j) => value(i, j)), quoted(label(i))]);
  writeFileSync(join(folder, file), [head, ...lines].map((line) => `${line.join(',')}\n`).join(''));
}

before(() => {
  table('many.csv', classes, 6, (i, j) => (1 + Math.sin(0.37 * i * (j + 1))).toFixed(4), (i) => names[i] ?? `class ${i}`);
  report('many', 'many.csv', '--model', 'nmf', '-k', '3', '--iterations', '30');
  table('holes.csv', 24, 4, (i, j) => ((i + j) % 5 === 0 ? 'nan' : (1.5 + Math.sin(i * (j + 1))).toFixed(3)), (i) => names[i % 3]);
  report('holes', 'holes.csv', '--model', 'nmf', '-k', '2', '--iterations', '50', '--missing', 'mask');
});

testPage('many', { look: ['phone'] });
testPage('holes', { look: ['light', 'phone'] });

test('many classes: soon drawn, names as they are', () => {
  const begun = Date.now();
  return visit(pageOf('many').path, async (page) => {
    assert.ok(Date.now() - begun < most, `${Date.now() - begun} ms`);
    assert.ok(Object.values(await states(page)).every((state) => state === 'drawn'));
    const { samples } = pageOf('many').facts.tables;
    const column = samples.columns.findIndex((c) => c.name === 'class');
    const known = new Set(samples.rows.map((row) => row[column]));
    for (const name of names) assert.ok(known.has(name), name);
    assert.equal(known.size, classes);
    const shown = await page.$$eval('#table-samples tbody tr', (rows, j) => rows.map((row) => row.cells[j].textContent), column);
    assert.deepEqual(new Set(shown), known);
    assert.equal(await page.locator('main b').count(), 0);
  });
});

test('holes are counted, and no number is none', () => {
  const { facts } = pageOf('holes');
  assert.ok(facts.tables.data.rows.some(([what, value]) => what === 'missing' && value === '19 values'));
});
