// SPDX-License-Identifier: BSD-2-Clause
// The rows of a table as named series of points: one for each column of y and each value of
// `series`. Points without a number, or not above 0 where the axis is logarithmic, are left out.
// `entry` is the place of a series in the legend, and of its colour: of the columns of one value of
// `series` the dashed ones share that of the first that is not.
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
  const dashed = (y) => (chart.dashed || []).includes(y.name);
  const solid = ys.filter((y) => !dashed(y));
  const own = (y) => !by || !solid.length || !dashed(y); // has an entry
  const owners = ys.filter(own);
  const entries = [];
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
      const place = own(y) ? owners.indexOf(y) : owners.indexOf(solid[0]);
      const entry = found.get(group) * owners.length + place;
      if (own(y)) entries[entry] = title(group, y, by, owners.length > 1);
      all.push({ name: title(group, y, by, ys.length > 1), entry, shares: !own(y), group, y, dashed: dashed(y), points });
    });
  }
  const series = all.slice(0, mostDrawn);
  return { x, ys, by, solid, categories: along.categories, series, names: entries, notes: notesOf(all.length, entries.length) };
}

export const repeats = (count) => `${count} series: colours repeat and there is no legend; the table names them.`;

function notesOf(count, named) {
  if (count > mostDrawn) return [`The first ${mostDrawn} of ${count} series are drawn, without a legend; the table has all.`];
  return named > mostNamed ? [repeats(named)] : [];
}
