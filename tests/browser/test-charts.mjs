// SPDX-License-Identifier: BSD-2-Clause
// A page with every kind of chart: drawn, read by pointer and keys, in both themes, saved, printed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { barriers, fits, keep, phone, pictures, spoken, states, visit } from './browser.mjs';
import { usual } from './sample.mjs';

const { facts, html } = usual();
const path = () => keep(html);

// The middle of the k-th point of a chart, in pixels of the page.
const pointOf = (page, chart, k) =>
  page.$eval(
    `#chart-${chart}`,
    (figure, index) => {
      const marks = [...figure.querySelectorAll('svg path')].filter((p) => /^matrix|^translate/.test(p.getAttribute('transform') || ''));
      marks[index].scrollIntoView({ block: 'center', behavior: 'instant' });
      const box = marks[index].getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    },
    k,
  );

test('every chart is drawn, in its place and with a label', () =>
  visit(path(), async (page) => {
    assert.deepEqual(Object.values(await states(page)), facts.charts.map(() => 'drawn'));
    for (const chart of facts.charts.filter((c) => !['image', 'steps'].includes(c.kind))) {
      const svg = page.locator(`#chart-${chart.id} svg`);
      assert.equal(await svg.count(), 1);
      assert.ok((await svg.locator('path').count()) > 4, chart.id);
      const label = await page.locator(`#chart-${chart.id} [role=img]`).getAttribute('aria-label');
      assert.ok(label.startsWith(chart.title) && label.endsWith('The table below has the numbers.'), label);
    }
    const texts = await page.locator('#chart-accuracy svg text').allTextContents();
    assert.ok(texts.some((t) => t.includes('80 %')), 'percents are shown as such');
    assert.ok(texts.some((t) => t.includes('triangle')), 'the legend names series');
  }));

test('the pointer over a point shows its name and its picture', () =>
  visit(path(), async (page) => {
    const [x, y] = await pointOf(page, 'plane', 3);
    await page.mouse.move(x - 40, y - 40);
    await page.mouse.move(x, y);
    const hover = page.locator('#chart-plane .hover');
    await hover.waitFor({ state: 'visible' });
    const said = await hover.textContent();
    assert.match(said, /sample \d+.*class: .*first: .*second: /);
    const painted = await hover.locator('canvas').evaluate((c) => new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size);
    assert.ok(painted > 10, 'the tile is drawn');
    await page.mouse.move(5, 5);
    await hover.waitFor({ state: 'hidden' });
  }));

test('tooltips of ECharts are drawn, not HTML', () =>
  visit(path(), async (page) => {
    const box = await page.locator('#chart-accuracy .drawing').boundingBox();
    await page.locator('#chart-accuracy').scrollIntoViewIfNeeded();
    const now = await page.locator('#chart-accuracy .drawing').boundingBox();
    await page.mouse.move(now.x + now.width / 2, now.y + now.height / 2);
    await page.mouse.move(now.x + now.width / 2 + 5, now.y + now.height / 2 + 5);
    await page.waitForFunction(() => [...document.querySelectorAll('#chart-accuracy svg text')].some((t) => t.textContent.includes('±')));
    assert.equal(box.width, now.width);
    assert.equal(await page.locator('#chart-accuracy .drawing > div').count(), 1);
  }));

test('arrow keys walk through points, cells and pictures', () =>
  visit(path(), async (page) => {
    const walk = async (chart, ...keys) => {
      await page.locator(`#chart-${chart} .plot`).focus();
      for (const key of keys) await page.keyboard.press(key);
      return (await spoken(page)).replace(/[\u2068\u2069]/g, '');
    };
    const [first] = facts.tables.samples.rows.filter((row) => row[1] === 'circle');
    assert.ok((await walk('plane', 'ArrowRight')).startsWith(`${first[0]}, class: circle, first: `));
    assert.ok(await page.locator('#chart-plane .hover canvas').isVisible());
    assert.equal(await walk('confusion', 'ArrowDown', 'ArrowDown', 'ArrowRight'), 'true: square, predicted: square, 85.0 %');
    assert.equal(await walk('codes', 'ArrowDown', 'ArrowDown', 'ArrowRight'), 'sample 2, part 2: 2.5');
    assert.ok(await page.locator('#chart-codes .cursor').isVisible());
    assert.equal(await walk('accuracy', 'ArrowRight', 'ArrowDown', 'End'), `rank: 40, square: ${(100 * facts.tables.accuracy.rows[7][2]).toFixed(1)} % ± 5.0 %`);
    assert.equal(await walk('shares', 'ArrowRight', 'End'), 'part 4, share: 10.0 % ± 1.0 %');
    assert.equal(await walk('history', 'ArrowRight', 'ArrowRight'), 'iteration: 2, J: 3591');
  }));

test('a picture of cells says what is under the pointer', () =>
  visit(path(), async (page) => {
    const image = page.locator('#image-codes');
    await image.scrollIntoViewIfNeeded();
    const box = await image.boundingBox();
    await page.mouse.move(box.x + (2.5 / 4) * box.width, box.y + (10.5 / 60) * box.height);
    const said = await page.locator('#chart-codes .hover').textContent();
    assert.equal(said.replace(/[\u2068\u2069]/g, ''), 'sample 11part 3: 21');
  }));

test('the slider shows other steps, in the place of the sheet', () =>
  visit(path(), async (page) => {
    const steps = page.locator('#chart-steps');
    assert.ok(!(await page.locator('#picture-steps').isVisible()));
    const look = () => steps.locator('canvas').nth(1).evaluate((c) => c.toDataURL());
    const last = await look();
    assert.ok((await steps.textContent()).includes('sample 1 error 0.1'));
    await steps.locator('input').focus();
    await page.keyboard.press('Home');
    assert.notEqual(await look(), last);
    assert.ok((await steps.textContent()).includes('sample 1 error 0.9'));
    assert.equal(await steps.locator('output').textContent(), '1 of 4');
  }));

test('themes are those of the system until one is chosen', () =>
  visit(
    path(),
    async (page) => {
      const colours = () =>
        page.evaluate(() => [getComputedStyle(document.body).backgroundColor, document.querySelector('#chart-history svg rect').getAttribute('fill')]);
      const dark = await colours();
      await page.locator('#theme').selectOption('light');
      const light = await colours();
      assert.notEqual(dark[0], light[0]);
      assert.notEqual(dark[1], light[1]);
      assert.match(light[1], /rgb\(255, ?255, ?255\)|#fff/i);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.locator('#theme').selectOption('auto');
      await page.waitForFunction((fill) => document.querySelector('#chart-history svg rect').getAttribute('fill') === fill, light[1]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.waitForFunction((fill) => document.querySelector('#chart-history svg rect').getAttribute('fill') === fill, dark[1]);
      assert.deepEqual(await colours(), dark);
    },
    { colorScheme: 'dark' },
  ));

test('a chart is saved as an SVG that stands alone', () =>
  visit(path(), async (page, context) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#chart-plane button').click()]);
    assert.equal(download.suggestedFilename(), 'plane.svg');
    const text = readFileSync(await download.path(), 'utf8');
    assert.ok(text.startsWith('<?xml version="1.0"'));
    const elsewhere = await context.newPage(); // a document parsed here would have this page's policy
    const parsed = await elsewhere.evaluate((svg) => {
      const document = new DOMParser().parseFromString(svg, 'image/svg+xml');
      return [document.documentElement.tagName, document.querySelector('title').textContent, document.querySelectorAll('parsererror').length];
    }, text);
    assert.deepEqual(parsed, ['svg', 'Samples in the plane', 0]);
    assert.match(text, /font-family/);
  }));

// What the clipboard holds, by pasting it.
async function pasted(page) {
  await page.evaluate(() => {
    const area = document.createElement('textarea');
    area.id = 'paste';
    document.body.append(area);
    area.focus();
  });
  await page.keyboard.press('Control+V');
  return page.locator('#paste').inputValue();
}

for (const way of ['newer', 'older']) {
  const init = way === 'older' ? () => Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined }) : undefined;
  test(`tables and commands are copied, the ${way} way`, () =>
    visit(
      path(),
      async (page) => {
        await page.locator('#s-shares summary').click();
        await page.locator('#s-shares details button').click();
        await page.waitForFunction(() => document.querySelector('[role=status]')?.textContent === 'Copied the table');
        assert.equal((await pasted(page)).replace(/\r/g, ''), 'part,share,deviation,other\npart 1,0.4,0.05,0.3\npart 2,0.3,0.02,\npart 3,0.2,,0.3\npart 4,0.1,0.01,0.4\n');
        await page.locator('div.command button').click();
        await page.waitForFunction(() => document.querySelector('[role=status]')?.textContent === 'Copied the command');
      },
      { init },
    ));
}

test('on paper: light, without what is to be pressed', () =>
  visit(
    path(),
    async (page) => {
      const pdf = await page.pdf({ path: join(pictures, 'usual.pdf'), format: 'A4', printBackground: true });
      assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
      assert.ok(pdf.length > 20000);
      await page.emulateMedia({ media: 'print' });
      assert.ok(!(await page.locator('nav').isVisible()));
      assert.ok(!(await page.locator('.tools').first().isVisible()));
      assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
      const drawing = (event) =>
        page.evaluate((type) => {
          dispatchEvent(new Event(type));
          const svg = document.querySelector('#chart-history svg');
          const ends = [...svg.querySelectorAll('path, text')].map((e) => e.getBoundingClientRect().right - svg.getBoundingClientRect().left);
          return { fill: svg.querySelector('rect').getAttribute('fill'), width: svg.clientWidth, end: Math.max(...ends) };
        }, event);
      const paper = await drawing('beforeprint');
      assert.match(paper.fill, /rgb\(255, ?255, ?255\)|#fff/i);
      assert.ok(paper.width <= 620, 'a sheet holds it');
      assert.ok(paper.end <= paper.width, 'and all that is drawn is on it');
      await page.emulateMedia({ media: 'screen' });
      const screen = await drawing('afterprint');
      assert.notEqual(screen.fill, paper.fill);
      assert.ok(screen.width > 900);
    },
    { colorScheme: 'dark' },
  ));

test('paper does not wait: what is not drawn yet is drawn at once', () =>
  visit(
    path(),
    async (page) => {
      const framed = facts.charts.filter((c) => !['image', 'steps'].includes(c.kind));
      assert.equal(await page.evaluate(() => globalThis.atOnce), framed.length);
      assert.deepEqual(Object.values(await states(page)), facts.charts.map(() => 'drawn'));
      assert.equal(await page.locator('.plot svg').count(), framed.length, 'none is drawn twice');
    },
    {
      init: () =>
        addEventListener('DOMContentLoaded', () => {
          dispatchEvent(new Event('beforeprint'));
          globalThis.atOnce = document.querySelectorAll('.plot svg').length;
          dispatchEvent(new Event('afterprint'));
        }),
    },
  ));

test('without scripts there are all tables and pictures', () =>
  visit(
    path(),
    async (page) => {
      for (const summary of await page.locator('summary').all()) await summary.click();
      for (const chart of facts.charts) assert.ok(await page.locator(`#table-${chart.table}`).isVisible(), chart.table);
      for (const image of await page.locator('img').all()) assert.ok(await image.isVisible());
      await page.screenshot({ path: join(pictures, 'usual-no-script.png'), fullPage: true });
    },
    { javaScriptEnabled: false },
  ));

const looks = { light: { colorScheme: 'light' }, dark: { colorScheme: 'dark' }, phone: { viewport: phone }, 'phone-dark': { viewport: phone, colorScheme: 'dark' } };
for (const [name, options] of Object.entries(looks)) {
  test(`nothing is in the way of anybody: ${name}`, () =>
    visit(
      path(),
      async (page) => {
        await fits(page);
        await page.screenshot({ path: join(pictures, `usual-${name}.png`), fullPage: true });
        for (const summary of await page.locator('summary').all()) await summary.click();
        await fits(page);
        assert.deepEqual(await barriers(page), []);
      },
      options,
    ));
}

test('everything that can be pressed is reached by Tab', () =>
  visit(path(), async (page) => {
    const reached = new Set();
    for (let i = 0; i < 80; i++) {
      await page.keyboard.press('Tab');
      reached.add(await page.evaluate(() => document.activeElement.getAttribute('aria-label') || document.activeElement.textContent));
    }
    for (const chart of facts.charts.filter((c) => c.kind !== 'steps')) {
      assert.ok([...reached].some((text) => text.startsWith(`${chart.title}.`)), chart.title);
    }
    assert.ok(reached.has('To the contents'));
  }));
