// SPDX-License-Identifier: BSD-2-Clause
// The rows of a table as named series of points: one for each column of y and each value of
// `series`. Points without a number, or not above 0 where the axis is logarithmic, are left out.
import { cellText, columnOf, groups, isNumber, name } from './facts.js';

export const mostNamed = 20; // more series have no legend
const mostDrawn = 200;

const title = (group, column, grouped, many) => {
  if (!grouped) return name(column.name);
  return many ? `${name(group)}, ${name(column.name)}` : name(group);
};

// Where a row stands along x: its number, or the place of its category.
export function places(table, column) {
  const values = table.rows.map((row) => row[column.index]);
  if (column.kind !== 'text' && values.every((v) => v === null || isNumber(v))) {
    return { values, categories: null };
  }
  const found = groups(values);
  return { values: values.map((v) => found.get(v)), categories: [...found.keys()].map((v) => cellText(v, column.kind)) };
}

export function split(chart, table) {
  const x = columnOf(table, chart.x);
  const along = places(table, x);
  const by = chart.series === undefined ? null : columnOf(table, chart.series);
  const ys = [].concat(chart.y).map((y) => columnOf(table, y));
  const errors = (chart.error || []).map((e) => (e === null ? null : columnOf(table, e)));
  const log = chart.log || [];
  const fits = (value, axis) => isNumber(value) && (!log.includes(axis) || value > 0);
  const found = by ? groups(table.rows.map((row) => row[by.index])) : new Map([[null, 0]]);
  const all = [];
  for (const group of found.keys()) {
    ys.forEach((y, j) => {
      const points = [];
      table.rows.forEach((row, i) => {
        if (by && row[by.index] !== group) return;
        if (!fits(along.values[i], 'x') || !fits(row[y.index], 'y')) return;
        const error = errors[j] ? row[errors[j].index] : null;
        points.push({ x: along.values[i], y: row[y.index], error: isNumber(error) ? error : null, row: i });
      });
      const dashed = (chart.dashed || []).includes(y.name);
      all.push({ name: title(group, y, by, ys.length > 1), group, y, dashed, points });
    });
  }
  const series = all.slice(0, mostDrawn);
  return { x, ys, by, categories: along.categories, series, notes: notesOf(all.length) };
}

export const repeats = (count) => `${count} series: colours repeat and there is no legend; the table names them.`;

function notesOf(count) {
  if (count > mostDrawn) return [`The first ${mostDrawn} of ${count} series are drawn, without a legend; the table has all.`];
  return count > mostNamed ? [repeats(count)] : [];
}
