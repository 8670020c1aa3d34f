// SPDX-License-Identifier: BSD-2-Clause
// Samples beside what the kept parts make of them: a slider over how many are kept.
import { cellText, name, real } from './facts.js';
import { make } from './dom.js';
import { drawTile, sheetOf } from './hover.js';

const tile = 120; // pixels, about

function sampleFigure(chart, picture, i) {
  const seen = make('div', { class: 'pair' });
  const caption = make('figcaption', {}, make('bdi', {}, cellText(chart.names[i], 'text')));
  const error = make('span', { class: 'error' });
  caption.append(' ', error);
  const element = make('figure', { class: 'sample' }, seen, caption);
  const show = picture ? pictured(seen, picture, i, name(chart.names[i])) : worded(seen, chart, i);
  return {
    element,
    show(step) {
      show(step);
      const value = chart.errors && chart.errors[i] ? chart.errors[i][step] : null;
      error.textContent = value === null || value === undefined ? '' : `error ${real(value)}`;
    },
  };
}

function pictured(seen, picture, i, title) {
  const canvas = (label) => make('canvas', { role: 'img', 'aria-label': label });
  const own = canvas(`${title}, itself`);
  const made = canvas(`${title}, made of the parts kept`);
  const first = i * picture.sheet.columns;
  drawTile(own, picture.sheet, picture.image, first, tile);
  seen.append(own, made);
  return (step) => drawTile(made, picture.sheet, picture.image, first + 1 + step, tile);
}

function worded(seen, chart, i) {
  const text = make('p', { dir: 'auto' });
  seen.append(text);
  return (step) => {
    const texts = (chart.texts || [])[i] || [];
    text.textContent = texts[step] === undefined || texts[step] === null ? '–' : texts[step];
  };
}

export async function steps(chart, facts, figure) {
  const picture = await sheetOf(facts, chart.pictures);
  if (chart.pictures !== undefined && !picture) throw new Error(`no picture ${chart.pictures}`);
  const figures = chart.names.map((_, i) => sampleFigure(chart, picture, i));
  const last = chart.kept.length - 1;
  const id = `slider-${chart.id}`;
  const slider = make('input', { type: 'range', id, min: '0', max: String(last), step: '1', value: String(last) });
  const output = make('output', { for: id });
  const show = () => {
    const step = Number(slider.value);
    const said = `${chart.kept[step]} of ${chart.kept[last]}`;
    output.textContent = said;
    slider.setAttribute('aria-valuetext', said);
    for (const one of figures) one.show(step);
  };
  slider.addEventListener('input', show);
  show();
  for (const child of [...figure.children]) if (child.tagName !== 'FIGCAPTION') child.hidden = true;
  figure.append(
    make('div', { class: 'slider' }, make('label', { for: id }, 'Parts kept'), slider, output),
    make('div', { class: 'steps' }, ...figures.map((one) => one.element)),
  );
}
