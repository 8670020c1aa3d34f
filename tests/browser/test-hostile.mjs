// SPDX-License-Identifier: BSD-2-Clause
// Names that are markup, many classes, nothing at all: shown as text, drawn or said, in time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barriers, fits, keep, phone, spoken, states, visit } from './browser.mjs';
import { columns, hostile, pageHtml, picture } from './sample.mjs';

const bare = (text) => text.replace(/[\u2060\u2066-\u2069]/g, '');
const page = (facts, more) => keep(pageHtml({ page: 'model', title: 'Sample', lead: 'A sample.', pictures: {}, ...facts }, more));

// Hostile names as columns, rows, series, labels and titles at once.
function hostileFacts() {
  const names = hostile;
  const [column] = names;
  const rows = names.map((name, i) => [name, names[(i + 1) % names.length], i + 1, (i * 7) % 5, 0.1 * i]);
  const wide = names.map((name, i) => [name, ...names.map((_, j) => (i + j) % 4)]);
  return {
    title: names[0],
    lead: names[1],
    tables: {
      t: { caption: names[2], columns: columns(['name', 'text'], ['class', 'text'], ['x', 'integer'], [column, 'real'], ['e', 'real']), rows },
      w: { caption: names[3], columns: columns(['row', 'text'], ...names.map((n, j) => [`${n}${j}`, 'real'])), rows: wide },
    },
    charts: [
      { id: 'line', kind: 'line', title: names[0], table: 't', x: 'x', y: [column], error: ['e'], series: 'class' },
      { id: 'bar', kind: 'bar', title: names[5], table: 't', x: 'name', y: [column, 'x'] },
      { id: 'scatter', kind: 'scatter', title: names[4], table: 't', x: 'x', y: column, series: 'class', name: 'name' },
      { id: 'heat', kind: 'heat', title: names[1], table: 'w', across: names[0], down: names[5] },
      { id: 'image', kind: 'image', title: names[2], table: 't', name: 'name', columns: names, values: rows.flatMap(() => names.map((_, j) => j)), unit: 1 },
      { id: 'steps', kind: 'steps', title: names[6], table: 't', kept: [1, 2], names, errors: names.map(() => [1, null]), texts: names.map((n) => [n, `${n} again`]) },
    ],
  };
}

const inside = { image: picture('image-image', hostile.length, hostile.length, 1, hostile[1], (x, y) => 9 * (x + y)) };

for (const [size, options] of Object.entries({ desktop: {}, phone: { viewport: phone } })) {
  test(`hostile names are text: ${size}`, () =>
    visit(
      page(hostileFacts(), { inside }),
      async (p) => {
        const facts = hostileFacts();
        assert.deepEqual(Object.values(await states(p)), facts.charts.map(() => 'drawn'));
        assert.equal(await p.locator('h1').textContent(), hostile[0]);
        assert.equal(await p.locator('script').count(), 2);
        assert.equal(await p.locator('img').count(), 1);
        assert.equal(await p.locator('b').count(), 0);
        const drawn = (await p.locator('svg text').allTextContents()).map(bare);
        assert.ok(drawn.some((text) => text.includes('</script>')), 'names are drawn as they are');
        assert.ok(drawn.every((text) => [...text].length < 140), 'and cut');
        await p.locator('#chart-scatter .plot').focus();
        await p.keyboard.press('ArrowRight');
        assert.ok(bare(await spoken(p)).startsWith(hostile[0]));
        await p.locator('#chart-bar').evaluate((e) => e.scrollIntoView({ behavior: 'instant' }));
        const box = await p.locator('#chart-bar .drawing').boundingBox();
        for (let y = 10; y < box.height; y += 12) await p.mouse.move(box.x + box.width / 2, box.y + y);
        await fits(p);
        assert.deepEqual(await barriers(p), []);
      },
      options,
    ));
}

test('a name that looks like a style stays as it is in a tooltip', () => {
  const rows = [['{a|styled} {b}', 1], ['other', 2]];
  const facts = {
    tables: { t: { caption: 'c', columns: columns(['name', 'text'], ['y', 'real']), rows } },
    charts: [{ id: 'bar', kind: 'bar', title: 't', table: 't', x: 'name', y: ['y'] }],
  };
  return visit(page(facts), async (p) => {
    const box = await p.locator('#chart-bar .drawing').boundingBox();
    await p.mouse.move(box.x + box.width / 2, box.y + 50);
    await p.mouse.move(box.x + box.width / 2, box.y + 55);
    await p.waitForFunction(() => [...document.querySelectorAll('#chart-bar svg text')].some((t) => t.textContent.startsWith('name:')));
    const texts = (await p.locator('#chart-bar svg text').allTextContents()).map(bare);
    assert.ok(texts.includes('name: {a|styled} {b}'), texts.join(' / '));
  });
});

const many = (n, row) => Array.from({ length: n }, (_, i) => row(i));

test('ten thousand classes', () => {
  const n = 10000;
  const facts = {
    tables: { t: { caption: 'c', columns: columns(['name', 'text'], ['x', 'integer'], ['y', 'real']), rows: many(n, (i) => [`class ${i}`, i, Math.sin(i)]) } },
    charts: [
      { id: 'scatter', kind: 'scatter', title: 'points', table: 't', x: 'x', y: 'y', series: 'name', name: 'name' },
      { id: 'bar', kind: 'bar', title: 'bars', table: 't', x: 'name', y: ['y'] },
      { id: 'line', kind: 'line', title: 'lines', table: 't', x: 'x', y: ['y'], series: 'name' },
      { id: 'heat', kind: 'heat', title: 'cells', table: 't' },
    ],
  };
  const begun = Date.now();
  return visit(page(facts), async (p) => {
    const took = Date.now() - begun;
    assert.ok(took < 30000, `${took} ms`);
    assert.deepEqual(Object.values(await states(p)), facts.charts.map(() => 'drawn'));
    const notes = await p.locator('figure .note').allTextContents();
    assert.equal(notes.length, 5);
    assert.ok(notes.every((text) => /the table (has all|names them)/.test(text)));
    await fits(p);
  });
});

test('nothing, one point, holes, two thousand points, two hundred series', () => {
  const four = columns(['name', 'text'], ['x', 'integer'], ['y', 'percent'], ['z', 'real']);
  const tables = {
    none: { caption: 'none', columns: four, rows: [] },
    one: { caption: 'one', columns: four, rows: [['only', 3, 0.5, 1]] },
    holes: { caption: 'holes', columns: four, rows: [['a', 1, null, 0], [null, 2, 0.5, null], ['c', null, 0.25, -1], ['d', 4, 0, 1e-300], ['e', 5, 1, 1e300]] },
    nulls: { caption: 'nulls', columns: four, rows: [['a', null, null, null], ['b', null, null, null]] },
    points: { caption: 'points', columns: four, rows: many(2000, (i) => [`p${i}`, i, (i % 100) / 100, Math.cos(i)]) },
    series: { caption: 'series', columns: four, rows: many(2000, (i) => [`s${i % 200}`, Math.floor(i / 200), (i % 7) / 7, i]) },
  };
  const charts = Object.keys(tables).flatMap((table) => [
    { id: `${table}-line`, kind: 'line', title: table, table, x: 'x', y: ['y', 'z'], error: ['z', 'y'], series: 'name', log: ['x', 'y'] },
    { id: `${table}-bar`, kind: 'bar', title: table, table, x: 'name', y: ['y'], error: ['z'] },
    { id: `${table}-scatter`, kind: 'scatter', title: table, table, x: 'x', y: 'z', series: 'name', name: 'name' },
    { id: `${table}-heat`, kind: 'heat', title: table, table },
  ]);
  return visit(
    page({ tables, charts }),
    async (p) => {
      const seen = await states(p);
      assert.deepEqual(Object.keys(seen).filter((id) => seen[id] !== 'drawn'), []);
      for (const { id } of charts) {
        await p.locator(`#chart-${id} .plot`).focus();
        for (const key of ['ArrowRight', 'ArrowDown', 'End', 'PageUp', 'Home', 'Escape']) await p.keyboard.press(key);
      }
      const drawn = await p.$$eval('svg path', (paths) => paths.filter((q) => /NaN|Infinity/.test(q.outerHTML)).length);
      assert.equal(drawn, 0, 'no number is drawn that is none');
      await fits(p);
    },
    { viewport: phone },
  );
});

test('a chart that fails leaves the others alone', () => {
  const table = { caption: 'c', columns: columns(['x', 'integer'], ['y', 'real']), rows: [[1, 2], [2, 3]] };
  const facts = {
    tables: { t: table },
    charts: [
      { id: 'kind', kind: 'toString', title: 'no such kind', table: 't' },
      { id: 'column', kind: 'line', title: 'no such column', table: 't', x: 'x', y: ['none'] },
      { id: 'good', kind: 'line', title: 'good', table: 't', x: 'x', y: ['y'] },
    ],
  };
  return visit(
    page(facts),
    async (p) => {
      assert.deepEqual(await states(p), { kind: 'failed', column: 'failed', good: 'drawn' });
      assert.match(await p.locator('#chart-column').textContent(), /The table below has the numbers/);
    },
    { errors: [/no chart of kind toString/, /no column none/] },
  );
});
