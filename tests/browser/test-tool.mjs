// SPDX-License-Identifier: BSD-2-Clause
// Pages that the tool itself writes, of faces and of words: what a reader sees is what --json says.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { barriers, fits, folder, phone, pictures, states, visit } from './browser.mjs';

const tool = join(process.env.TESSERA_BUILD, 'tessera');
const tessera = (...words) => execFileSync(tool, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
const pages = {};

// Fits, writes the page, and keeps the facts that the same command prints.
function report(name, data, ...fit) {
  tessera('fit', data, ...fit, '-o', `${name}-model.h5`, '--quiet');
  const json = tessera('report', `${name}-model.h5`, '--data', data, '-o', `${name}.html`, '--json');
  pages[name] = { path: join(folder, `${name}.html`), facts: JSON.parse(json), json };
}

// Pictures whose folders and names are nobody's UTF-8 nor anybody's words.
function oddPictures() {
  const classes = ['</script><b>x', 'שלום', '"quoted" & more'];
  classes.forEach((name, k) => {
    mkdirSync(join(folder, 'odd', name), { recursive: true });
    for (let i = 0; i < 6; i++) {
      const pixels = Buffer.from(Array.from({ length: 64 }, (_, p) => 20 + ((p * (k + 2) + 31 * i) % 200)));
      const file = Buffer.concat([Buffer.from(join(folder, 'odd', name, `${i}-`)), Buffer.from([0xff, 0xfe]), Buffer.from('.pgm')]);
      writeFileSync(file, Buffer.concat([Buffer.from('P5\n8 8\n255\n'), pixels]));
    }
  });
}

// Texts of two matters, some of them written from right to left.
function texts() {
  const words = { space: ['orbit', 'moon', 'launch', 'rocket', 'nasa', 'שלום'], hockey: ['goal', 'puck', 'team', 'ice', 'game', 'مرحبا'] };
  for (const [matter, some] of Object.entries(words)) {
    mkdirSync(join(folder, 'news', matter), { recursive: true });
    for (let i = 0; i < 10; i++) {
      const text = Array.from({ length: 30 }, (_, k) => some[(k * k + 3 * i * k + i) % some.length]).join(' ');
      writeFileSync(join(folder, 'news', matter, String(i)), `From: a@b\nSubject: ${matter}\n\n${text}\n`);
    }
  }
  tessera('features', 'news', '--kind', 'words', '-o', 'words.h5', '--quiet');
}

before(() => {
  tessera('demo', '--pictures', 'faces', '-o', 'faces.h5', '--quiet');
  report('faces', 'faces.h5', '--model', 'nmf', '-k', '12');
  oddPictures();
  report('odd', 'odd', '--model', 'nmf', '-k', '3');
  texts();
  report('words', 'words.h5', '--model', 'nmf-kl', '-k', '4');
});

// A number as the page shows it, read back.
const readBack = (text) => (text.endsWith('%') ? Number.parseFloat(text) / 100 : Number(text));

for (const name of ['faces', 'odd', 'words']) {
  test(`${name}: drawn, silent, alone; its facts are those that were printed`, () =>
    visit(pages[name].path, async (page) => {
      const { facts } = pages[name];
      assert.ok(facts.charts.length >= 4);
      const seen = await states(page);
      assert.deepEqual(facts.charts.map((c) => [c.id, seen[c.id]]), facts.charts.map((c) => [c.id, 'drawn']));
      assert.deepEqual(JSON.parse(await page.locator('#facts').textContent()), facts);
      assert.equal(await page.locator('h1').textContent(), facts.title);
      assert.equal(await page.locator('script').count(), 2);
      for (const image of await page.$$('img')) assert.ok(await image.evaluate((i) => i.complete && i.naturalWidth > 0));
    }));

  test(`${name}: numbers in tables are those of the JSON`, () =>
    visit(pages[name].path, async (page) => {
      const { facts, json } = pages[name];
      assert.ok(!/\bNaN\b|\bInfinity\b/.test(json.replace(/"(\\.|[^"])*"/g, '')));
      let compared = 0;
      for (const [id, table] of Object.entries(facts.tables)) {
        const texts = await page.$$eval(`#table-${id} tbody tr`, (rows) => rows.map((row) => [...row.cells].map((c) => c.textContent)));
        assert.equal(texts.length, table.rows.length, id);
        table.rows.forEach((row, i) =>
          row.forEach((value, j) => {
            if (typeof value !== 'number') return;
            const shown = readBack(texts[i][j]);
            const room = table.columns[j].kind === 'percent' ? 5.1e-4 : 5.1e-4 * Math.abs(value);
            assert.ok(Math.abs(shown - value) <= room, `${id}, row ${i}, ${table.columns[j].name}: ${texts[i][j]} is not ${value}`);
            compared++;
          }),
        );
      }
      assert.ok(compared >= 10);
    }));

  test(`${name}: without scripts every chart has its table or its picture`, () =>
    visit(
      pages[name].path,
      async (page) => {
        for (const summary of await page.locator('summary').all()) await summary.click();
        for (const chart of pages[name].facts.charts) assert.ok(await page.locator(`#table-${chart.table}`).isVisible(), chart.id);
        assert.ok((await page.locator('.part').count()) > 0);
      },
      { javaScriptEnabled: false },
    ));

  for (const [look, options] of Object.entries({ light: {}, dark: { colorScheme: 'dark' }, phone: { viewport: phone }, 'phone-dark': { viewport: phone, colorScheme: 'dark' } })) {
    test(`${name}: nothing is in the way of anybody: ${look}`, () =>
      visit(
        pages[name].path,
        async (page) => {
          await fits(page);
          await page.screenshot({ path: join(pictures, `${name}-${look}.png`), fullPage: true });
          for (const summary of await page.locator('summary').all()) await summary.click();
          await fits(page);
          assert.deepEqual(await barriers(page), []);
        },
        options,
      ));
  }
}

test('faces: pointer, keys, slider and paper', () =>
  visit(pages.faces.path, async (page) => {
    const { facts } = pages.faces;
    const scatter = facts.charts.find((c) => c.kind === 'scatter' && c.pictures !== undefined);
    await page.locator(`#chart-${scatter.id} .plot`).focus();
    await page.keyboard.press('End');
    assert.ok(await page.locator(`#chart-${scatter.id} .hover canvas`).isVisible());
    const steps = facts.charts.find((c) => c.kind === 'steps');
    const slider = page.locator(`#chart-${steps.id} input`);
    await slider.focus();
    await page.keyboard.press('Home');
    assert.equal(await page.locator(`#chart-${steps.id} output`).textContent(), `${steps.kept[0]} of ${steps.kept.at(-1)}`);
    const pdf = await page.pdf({ path: join(pictures, 'faces.pdf'), format: 'A4' });
    assert.ok(pdf.length > 20000);
  }));
