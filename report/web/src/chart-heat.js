// SPDX-License-Identifier: BSD-2-Clause
// A table as coloured cells: what is little is near the page's own colour. Few cells have their
// numbers in them.
import { cellText, isNumber, name, tableOf } from './facts.js';
import { base, categories, marked, rangeOf, tooltip } from './option.js';
import { inkOn } from './palette.js';

const mostRows = 100;
const mostColumns = 100;
const mostLabelled = 14;

export function heat(chart, facts) {
  const table = tableOf(facts, chart.table);
  const [names, ...all] = table.columns.map((column, index) => ({ index, ...column }));
  const columns = all.slice(0, mostColumns);
  const rows = table.rows.slice(0, mostRows);
  const cells = [];
  rows.forEach((row, i) =>
    columns.forEach((column, j) => {
      if (isNumber(row[column.index])) cells.push([j, i, row[column.index]]);
    }),
  );
  const kind = columns.length ? columns[0].kind : 'real';
  const [low, high] = rangeOf(cells.map((cell) => cell[2]));
  const labelled = columns.length <= mostLabelled && rows.length <= 2 * mostLabelled;
  const notes = [];
  if (rows.length < table.rows.length || columns.length < all.length) {
    notes.push(
      `The first ${rows.length} of ${table.rows.length} rows and ${columns.length} of ${all.length} columns are drawn; the table has all.`,
    );
  }
  const rowNames = rows.map((row) => cellText(row[names.index], names.kind));
  const down = chart.down === undefined ? names.name : chart.down;
  const across = chart.across === undefined ? '' : chart.across;
  const told = ([j, i, value]) => [
    `${down}: ${name(rowNames[i])}`,
    `${across ? `${across}: ` : ''}${name(columns[j].name)}`,
    cellText(value, kind),
  ];

  function draw(theme, description) {
    const xAxis = categories(theme, { name: across }, true, columns.map((c) => c.name), 80);
    const yAxis = categories(theme, { name: down }, false, rowNames, 140);
    Object.assign(yAxis, { inverse: true, nameLocation: 'start' });
    for (const axis of [xAxis, yAxis]) Object.assign(axis, { axisTick: { show: false }, axisLine: { show: false } });
    const span = high > low ? high - low : 1;
    const made = base(theme, [], description);
    made.grid.bottom = 40;
    return {
      ...made,
      xAxis,
      yAxis,
      tooltip: tooltip(theme, 'item', ([p]) => told(p.value).map((text) => marked('', text))),
      visualMap: {
        type: 'continuous',
        min: low,
        max: high > low ? high : low + 1,
        calculable: false,
        orient: 'horizontal',
        left: 'center',
        bottom: 8,
        itemHeight: 160,
        itemWidth: 12,
        hoverLink: false,
        text: [cellText(high, kind), cellText(low, kind)],
        textStyle: { color: theme.ink },
        inRange: { color: theme.sequence },
      },
      series: [
        {
          type: 'heatmap',
          name: '0',
          itemStyle: { borderColor: theme.card, borderWidth: labelled ? 1 : 0 },
          emphasis: { itemStyle: { borderColor: theme.ink, borderWidth: 2 } },
          data: cells.map((value) => ({
            value,
            label: {
              show: labelled,
              color: inkOn(theme.sequence, (value[2] - low) / span),
              fontSize: 11,
              formatter: () => short(value[2], kind),
            },
          })),
        },
      ],
    };
  }

  const index = new Map(cells.map(([j, i], k) => [i * columns.length + j, k]));
  return {
    draw,
    names: columns.map((c) => c.name),
    notes,
    height: 110 + Math.min(Math.max(rows.length * (labelled ? 28 : 20), 140), 640),
    rows: rows.length,
    columns: columns.length,
    item(i, j) {
      const k = index.get(i * columns.length + j);
      if (k === undefined) return { at: [j, i], lines: [name(rowNames[i]), name(columns[j].name), 'none'] };
      return { series: 0, index: k, at: [j, i], lines: told(cells[k]) };
    },
  };
}

// In a cell there is room for three digits.
function short(value, kind) {
  if (kind === 'percent') return String(Math.round(100 * value));
  return kind === 'integer' ? cellText(value, kind) : String(Number(value.toPrecision(2)));
}
