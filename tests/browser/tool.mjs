// SPDX-License-Identifier: BSD-2-Clause
// The tool itself, and what holds of every page that it writes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { barriers, fits, folder, phone, pictures, states, visit } from './browser.mjs';

const tool = join(process.env.TESSERA_BUILD, 'tessera');
export const tessera = (...words) => execFileSync(tool, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });

const pages = {};
export const pageOf = (name) => pages[name];

// Keeps the page NAME.html with its facts: as printed, or else as they stand in it.
export function keepPage(name, printed) {
  const path = join(folder, `${name}.html`);
  const json = printed ?? /<script type="application\/json" id="facts">(.*?)<\/script>/s.exec(readFileSync(path, 'utf8'))[1];
  pages[name] = { path, json, facts: JSON.parse(json) };
}

// Fits, writes the page, and keeps the facts that the same command prints.
export function report(name, data, ...fit) {
  tessera('fit', data, ...fit, '-o', `${name}-model.h5`, '--quiet');
  keepPage(name, tessera('report', `${name}-model.h5`, '--data', data, '-o', `${name}.html`, '--json'));
}

// A number as the page shows it, read back.
export const readBack = (text) => (text.endsWith('%') ? Number.parseFloat(text) / 100 : Number(text));

export const cellsOf = (page, id) => page.$$eval(`#table-${id} tbody tr`, (rows) => rows.map((row) => [...row.cells].map((c) => c.textContent)));

const looks = { light: {}, dark: { colorScheme: 'dark' }, phone: { viewport: phone }, 'phone-dark': { viewport: phone, colorScheme: 'dark' } };

// Tests of a page that is kept under that name by the time they run.
export function testPage(name, { charts = 4, parts = true, look = Object.keys(looks) } = {}) {
  test(`${name}: drawn, silent, alone; its facts are those that were printed`, () =>
    visit(pages[name].path, async (page) => {
      const { facts } = pages[name];
      assert.ok(facts.charts.length >= charts);
      const seen = await states(page);
      assert.deepEqual(facts.charts.map((c) => [c.id, seen[c.id]]), facts.charts.map((c) => [c.id, 'drawn']));
      assert.deepEqual(JSON.parse(await page.locator('#facts').textContent()), facts);
      assert.equal(await page.locator('h1').textContent(), facts.title);
      assert.equal(await page.locator('script').count(), 2);
      assert.ok(await page.$$eval('img', (all) => all.every((i) => i.complete && i.naturalWidth > 0)));
    }));

  test(`${name}: numbers in tables are those of the JSON`, () =>
    visit(pages[name].path, async (page) => {
      const { facts, json } = pages[name];
      assert.ok(!/\bNaN\b|\bInfinity\b/.test(json.replace(/"(\\.|[^"])*"/g, '')));
      let compared = 0;
      for (const [id, table] of Object.entries(facts.tables)) {
        const texts = await cellsOf(page, id);
        assert.equal(texts.length, table.rows.length, id);
        table.rows.forEach((row, i) =>
          row.forEach((value, j) => {
            const where = `${id}, row ${i}, ${table.columns[j].name}`;
            if (value === null) assert.ok(!/\d/.test(texts[i][j]), `${where}: ${texts[i][j]} is there`);
            if (typeof value !== 'number') return;
            const shown = readBack(texts[i][j]);
            const room = table.columns[j].kind === 'percent' ? 5.1e-4 : 5.1e-4 * Math.abs(value);
            assert.ok(Math.abs(shown - value) <= room, `${where}: ${texts[i][j]} is not ${value}`);
            compared++;
          }),
        );
      }
      assert.ok(compared >= 10);
    }));

  test(`${name}: without scripts every table is there, and every chart has one`, () =>
    visit(
      pages[name].path,
      async (page) => {
        const { facts } = pages[name];
        for (const summary of await page.locator('summary').all()) await summary.click();
        for (const id of Object.keys(facts.tables)) assert.ok(await page.locator(`#table-${id}`).isVisible(), id);
        for (const chart of facts.charts) assert.ok(chart.table in facts.tables, chart.id);
        assert.equal((await page.locator('.part').count()) > 0, parts);
      },
      { javaScriptEnabled: false },
    ));

  test(`${name}: on paper`, () =>
    visit(pages[name].path, async (page) => {
      const pdf = await page.pdf({ path: join(pictures, `${name}.pdf`), format: 'A4' });
      assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
      assert.ok(pdf.length > 20000);
    }));

  for (const one of look) {
    test(`${name}: nothing is in the way of anybody: ${one}`, () =>
      visit(
        pages[name].path,
        async (page) => {
          await fits(page);
          await page.screenshot({ path: join(pictures, `${name}-${one}.png`), fullPage: true });
          for (const summary of await page.locator('summary').all()) await summary.click();
          await fits(page);
          assert.deepEqual(await barriers(page), []);
        },
        looks[one],
      ));
  }
}
