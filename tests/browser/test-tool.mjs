// SPDX-License-Identifier: BSD-2-Clause
// Pages that the tool itself writes, of faces and of words: what a reader sees is what --json says.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { folder, visit } from './browser.mjs';
import { pageOf, report, tessera, testPage } from './tool.mjs';

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

for (const name of ['faces', 'odd', 'words']) testPage(name);

test('faces: pointer, keys and slider', () =>
  visit(pageOf('faces').path, async (page) => {
    const { facts } = pageOf('faces');
    const scatter = facts.charts.find((c) => c.kind === 'scatter' && c.pictures !== undefined);
    await page.locator(`#chart-${scatter.id} .plot`).focus();
    await page.keyboard.press('End');
    assert.ok(await page.locator(`#chart-${scatter.id} .hover canvas`).isVisible());
    const steps = facts.charts.find((c) => c.kind === 'steps');
    const slider = page.locator(`#chart-${steps.id} input`);
    await slider.focus();
    await page.keyboard.press('Home');
    assert.equal(await page.locator(`#chart-${steps.id} output`).textContent(), `${steps.kept[0]} of ${steps.kept.at(-1)}`);
  }));
