// SPDX-License-Identifier: BSD-2-Clause
// Pages of an experiment, with figures published beside it, and of a selection.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { folder, visit } from './browser.mjs';
import { cellsOf, keepPage, pageOf, readBack, tessera, testPage } from './tool.mjs';

const odd = '</script><b>&"x", א';
const rows = [2, 3, 5];
const protocol = `title = Small </title> study
data = faces.h5
vary = classes ${rows.join(' ')}
draws = 3
labelled = 2
normalize = l2
rank-per-class = 1
iterations = 30
clusterings = 3
published = faces paper
published-rows = %
[nmf]
[cdnmf]
[${odd}]
model = raw
`;
let candidates;

before(() => {
  tessera('demo', '--pictures', 'faces', '-o', 'faces.h5', '--quiet');
  writeFileSync(join(folder, 'small.txt'), protocol);
  const published = rows.flatMap((row) => ['nmf', 'cdnmf'].flatMap((method) => [`faces,paper,${row},${method},AC,8${row}`, `faces,paper,${row},${method},NMI,7${row}`]));
  writeFileSync(join(folder, 'published.csv'), `data,source,setting,method,metric,value\n${published.join('\n')}\n`);
  tessera('experiment', 'small.txt', '-q', '--data', '.', '--published', 'published.csv', '--out', 'small');
  keepPage('experiment', tessera('report', 'small', '-o', 'experiment.html', '--json'));
  const words = ['--model', 'nmf,cdnmf', '--baselines', '--ranks', '5,20', '--iterations', '30', '--repeats', '2', '--json'];
  ({ candidates } = JSON.parse(tessera('select', 'faces.h5', ...words, '-o', 'selection.html')));
  keepPage('selection');
});

testPage('experiment', { charts: 8, parts: false });
testPage('selection', { parts: false });

test('selection: the table of candidates has what the command printed', () =>
  visit(pageOf('selection').path, async (page) => {
    const { columns } = pageOf('selection').facts.tables.candidates;
    const texts = await cellsOf(page, 'candidates');
    const shown = { accuracy: 'mean', '± error': 'error', NMI: 'nmi', '± NMI': 'nmi_error', stability: 'stability', seconds: 'seconds' };
    assert.equal(texts.length, candidates.length);
    let compared = 0;
    candidates.forEach((candidate, i) => {
      assert.ok(texts[i][0].startsWith(candidate.model), texts[i][0]);
      for (const [name, key] of Object.entries(shown)) {
        const j = columns.findIndex((c) => c.name === name);
        const [text, value] = [texts[i][j], candidate[key]];
        if (value === null) {
          assert.ok(!/\d/.test(text), `${candidate.model} ${candidate.rank}: ${name} is ${text}`);
          continue;
        }
        const room = columns[j].kind === 'percent' ? 5.1e-4 : 5.1e-4 * Math.abs(value);
        assert.ok(Math.abs(readBack(text) - value) <= room, `${candidate.model} ${candidate.rank}: ${name} is ${text}, not ${value}`);
        compared++;
      }
    });
    assert.ok(compared >= 10);
    const [chosen] = texts.filter((row) => row[1] === 'chosen');
    const { model, rank } = candidates.find((c) => c.chosen);
    assert.equal(chosen[0], `${model}: ${rank} (chosen)`);
  }));

// Paths of a chart that are drawn in that colour, by whether they are dashed.
const strokes = (page, id, colour) =>
  page.$$eval(
    `#chart-${id} svg path`,
    (all, wanted) => {
      const found = all.filter((p) => p.getAttribute('stroke') === wanted && p.getAttribute('fill') === 'none' && p.getAttribute('d'));
      return { solid: found.filter((p) => !p.getAttribute('stroke-dasharray')).length, dashed: found.filter((p) => p.getAttribute('stroke-dasharray')).length };
    },
    colour,
  );

test('experiment: a method and what was published of it are one in the legend', () =>
  visit(pageOf('experiment').path, async (page) => {
    const colours = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement('span'));
      const found = [1, 2, 3].map((i) => {
        probe.style.color = `var(--c${i})`;
        return getComputedStyle(probe).color;
      });
      probe.remove();
      return found;
    });
    const seen = async () => Promise.all(colours.map((colour) => strokes(page, 'accuracy', colour)));
    const before = await seen();
    assert.deepEqual(before.map((s) => s.dashed), [1, 1, 0], 'nothing was published of the third');
    assert.ok(before.every((s) => s.solid >= 1));
    const legend = page.locator('#chart-accuracy svg text', { hasText: /^\u2068nmf\u2069$/ });
    assert.equal(await legend.count(), 1);
    await page.locator('#chart-accuracy').scrollIntoViewIfNeeded();
    const box = await legend.boundingBox();
    const dashed = '#chart-accuracy svg path[stroke-dasharray]';
    const all = await page.locator(dashed).count();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForFunction(([paths, count]) => document.querySelectorAll(paths).length < count, [dashed, all]);
    const after = await seen();
    assert.deepEqual(after[0], { solid: 0, dashed: 0 });
    assert.deepEqual(after.slice(1), before.slice(1));
  }));
