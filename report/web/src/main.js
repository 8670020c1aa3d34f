// SPDX-License-Identifier: BSD-2-Clause
// What the script of a page does, in order: theme, tables, charts. A chart that cannot be drawn
// leaves the others alone, and its table is there.
import { bar } from './chart-bar.js';
import { heat } from './chart-heat.js';
import { line } from './chart-line.js';
import { scatter } from './chart-scatter.js';
import { make } from './dom.js';
import { readFacts } from './facts.js';
import { framed } from './frame.js';
import { image } from './image.js';
import { steps } from './steps.js';
import { startCommands, startTables } from './tables.js';
import { startTheme } from './theme.js';

const kinds = {
  line: framed(line),
  bar: framed(bar),
  scatter: framed(scatter),
  heat: framed(heat),
  image,
  steps,
};

async function drawChart(chart, facts) {
  const figure = document.getElementById(`chart-${chart.id}`);
  if (!figure) return;
  try {
    if (!Object.hasOwn(kinds, chart.kind)) throw new Error(`no chart of kind ${chart.kind}`);
    await kinds[chart.kind](chart, facts, figure);
    figure.dataset.state = 'drawn';
  } catch (error) {
    console.error(`chart ${chart.id}:`, error);
    figure.dataset.state = 'failed';
    for (const drawn of figure.querySelectorAll('.plot:not(.cells)')) drawn.remove();
    figure.append(make('p', { class: 'note' }, 'This chart could not be drawn. The table below has the numbers.'));
  }
}

// Charts may take long: before each the browser may show what there is, and scroll.
const breath = () => new Promise((go) => setTimeout(go));

async function start() {
  const facts = readFacts();
  document.documentElement.classList.add('scripted');
  startTheme();
  startTables(facts);
  startCommands();
  const waiting = [...(facts.charts || [])];
  const begun = [];
  const next = () => begun[begun.push(drawChart(waiting.shift(), facts)) - 1];
  addEventListener('beforeprint', () => {
    while (waiting.length) next(); // paper does not wait
  });
  for (await breath(); waiting.length; await breath()) await next();
  await Promise.all(begun);
  document.documentElement.dataset.state = 'drawn';
}

start();
