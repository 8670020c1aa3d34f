// SPDX-License-Identifier: BSD-2-Clause
// Lines over numbers or categories, +- as bars, single draws as points behind.
import { cellText, columnOf, isNumber, tableOf } from './facts.js';
import { base, categories, errorBars, errorData, marked, numbers, spansDecade, tooltip } from './option.js';
import { mark } from './palette.js';
import { mostNamed, places, split } from './series.js';

const mostSymbols = 40; // of one line; more would hide it

// Of many points every k-th has its symbol, so that lines are told apart without colour.
function dots(points) {
  const step = points.length > mostSymbols ? Math.ceil(points.length / (mostSymbols / 4)) : 1;
  return points.map((p, i) => (i % step === 0 ? [p.x, p.y] : { value: [p.x, p.y], symbol: 'none' }));
}

// Single draws in the colours of the series that they belong to: those of the column of that name,
// or of the first that is not dashed.
function draws(theme, chart, facts, data, log) {
  if (!chart.points) return [];
  const table = tableOf(facts, chart.points.table);
  const along = places(table, columnOf(table, chart.points.x));
  const y = columnOf(table, chart.points.y);
  const by = chart.points.series === undefined ? null : columnOf(table, chart.points.series);
  const placed = along.categories && data.categories;
  const x = (i) => (placed ? data.categories.indexOf(along.categories[along.values[i]]) : along.values[i]);
  const fits = (value, onLog) => isNumber(value) && (!onLog || value > 0);
  const named = data.ys.find((column) => column.name === y.name);
  const column = named || data.solid[0] || data.ys[0];
  return data.series.filter((one) => one.y === column).map((one) => ({
    type: 'scatter',
    name: String(one.entry),
    id: `draws-${one.entry}`,
    silent: true,
    z: 1,
    symbol: mark(theme, one.entry).symbol,
    symbolSize: 5,
    symbolOffset: [9, 0], // beside the bars
    itemStyle: { color: mark(theme, one.entry).color, opacity: 0.55 },
    tooltip: { show: false },
    data: table.rows
      .map((row, k) => ({ row, at: [x(k), row[y.index]] }))
      .filter(({ row, at }) => (!by || row[by.index] === one.group) && fits(at[0], log.x) && fits(at[1], log.y))
      .map(({ at }) => at),
  }));
}

export function line(chart, facts) {
  const table = tableOf(facts, chart.table);
  const data = split(chart, table);
  const wanted = chart.log || [];
  const all = (key) => data.series.flatMap((one) => one.points.map((p) => p[key]));
  const log = { x: wanted.includes('x') && spansDecade(all('x')), y: wanted.includes('y') && spansDecade(all('y')) };
  const { names } = data;
  const [y] = data.ys;
  const xText = (p) => (data.categories ? data.categories[p.x] : cellText(p.x, data.x.kind));
  const valueText = (one, p) =>
    `${one.name}: ${cellText(p.y, one.y.kind)}${p.error === null ? '' : ` ± ${cellText(p.error, one.y.kind)}`}`;

  function draw(theme, description) {
    const quiet = names.length > mostNamed;
    const lines = data.series.map((one, i) => {
      const { color, symbol, dash } = mark(theme, one.entry);
      return {
        type: 'line',
        name: String(one.entry),
        id: `line-${i}`,
        z: 2,
        symbol: quiet ? 'none' : symbol,
        symbolSize: 7,
        showSymbol: true,
        lineStyle: { color, width: 2, type: one.dashed ? [6, 4] : dash },
        itemStyle: one.shares ? { color: theme.card, borderColor: color, borderWidth: 1.5 } : { color },
        emphasis: { disabled: true },
        data: dots(one.points),
      };
    });
    const bars = data.series
      .map((one, i) => errorBars(String(i), errorData(one.points, log.y), mark(theme, one.entry).color, { entry: String(one.entry) }))
      .filter((series) => series.data.length);
    const told = (params) => {
      const real = params.filter((p) => p.seriesType === 'line');
      if (!real.length) return [];
      const at = (p) => data.series[p.seriesIndex].points[p.dataIndex];
      const head = marked('', `${data.x.name}: ${xText(at(real[0]))}`);
      const full = (p) => real.find((q) => q.seriesName === p.seriesName); // a hollow symbol has no colour of its own
      return [head, ...real.map((p) => marked(full(p).marker, valueText(data.series[p.seriesIndex], at(p))))];
    };
    const single = new Set(all('x')).size < 2;
    const title = data.ys.length === 1 ? y.name : '';
    return {
      ...base(theme, names, description),
      xAxis: data.categories
        ? categories(theme, data.x, true, data.categories)
        : numbers(theme, data.x, true, { log: log.x, tight: !single }),
      yAxis: numbers(theme, y, false, { title, log: log.y }),
      tooltip: tooltip(theme, 'axis', told),
      series: [...lines, ...bars, ...draws(theme, chart, facts, data, log)],
    };
  }

  return {
    draw,
    names,
    notes: data.notes,
    rows: data.series.length,
    columns: Math.max(0, ...data.series.map((one) => one.points.length)),
    item(row, column) {
      const one = data.series[row];
      const p = one.points[column];
      return p && { series: row, index: column, at: [p.x, p.y], lines: [`${data.x.name}: ${xText(p)}`, valueText(one, p)] };
    },
  };
}
