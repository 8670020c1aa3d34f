// SPDX-License-Identifier: BSD-2-Clause
// A picture of a pixel a cell, which C has drawn: here it is read by pointer and keys.
import { cellText, columnOf, name, tableOf } from './facts.js';
import { make } from './dom.js';
import { hoverIn } from './hover.js';
import { walk } from './walk.js';

const mostHigh = 480;
const cellHigh = 18;

export async function image(chart, facts, figure) {
  const picture = document.getElementById(`image-${chart.id}`);
  const table = tableOf(facts, chart.table);
  const called = columnOf(table, chart.name);
  const rows = table.rows.length;
  const columns = chart.columns.length;
  if (!picture) throw new Error(`no picture image-${chart.id}`);
  const cursor = make('div', { class: 'cursor', hidden: true });
  const box = make('div', {
    class: 'plot cells',
    tabindex: '0',
    role: 'application',
    'aria-roledescription': 'heat map',
    'aria-label': `${chart.title}. ${rows} rows, ${columns} columns. Arrow keys walk through the cells.`,
  });
  picture.replaceWith(box);
  box.append(picture, cursor);
  picture.style.height = `${Math.min(Math.max(rows * cellHigh, 40), mostHigh)}px`;
  const hover = hoverIn(box);

  function told(row, column) {
    const value = chart.values[row * columns + column];
    const unit = chart.unit === undefined ? 1 : chart.unit;
    const number = value === null || value === undefined ? null : value * unit;
    return [name(table.rows[row][called.index]), `${name(chart.columns[column])}: ${cellText(number, 'real')}`];
  }

  function show(row, column) {
    const wide = picture.offsetWidth / columns;
    const high = picture.offsetHeight / rows;
    const left = picture.offsetLeft + column * wide;
    const top = picture.offsetTop + row * high;
    Object.assign(cursor.style, { left: `${left}px`, top: `${top}px`, width: `${wide}px`, height: `${high}px` });
    cursor.hidden = false;
    const lines = told(row, column);
    hover.show(left + wide / 2, top + high / 2, lines);
    return lines.join(', ');
  }

  function leave() {
    cursor.hidden = true;
    hover.hide();
  }

  picture.addEventListener('pointermove', (event) => {
    const area = picture.getBoundingClientRect();
    const row = Math.floor(((event.clientY - area.top) / area.height) * rows);
    const column = Math.floor(((event.clientX - area.left) / area.width) * columns);
    if (row >= 0 && row < rows && column >= 0 && column < columns) show(row, column);
  });
  box.addEventListener('pointerleave', leave);
  walk(box, { rows, columns, show, leave });
}
