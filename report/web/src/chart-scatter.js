// SPDX-License-Identifier: BSD-2-Clause
// Points of two numbers, named and pictured; series differ in colour and symbol.
import { cellText, columnOf, groups, isNumber, name, tableOf } from './facts.js';
import { base, numbers } from './option.js';
import { mark } from './palette.js';
import { mostNamed, repeats } from './series.js';

const mostPoints = 5000;

export function scatter(chart, facts) {
  const table = tableOf(facts, chart.table);
  const x = columnOf(table, chart.x);
  const y = columnOf(table, chart.y);
  const by = chart.series === undefined ? null : columnOf(table, chart.series);
  const called = chart.name === undefined ? null : columnOf(table, chart.name);
  const rows = table.rows.map((row, i) => ({ row, i })).filter(({ row }) => isNumber(row[x.index]) && isNumber(row[y.index]));
  const points = rows.slice(0, mostPoints);
  const found = by ? groups(points.map(({ row }) => row[by.index])) : new Map([[null, 0]]);
  const place = ({ row }) => (by ? found.get(row[by.index]) : 0);
  const many = found.size > mostNamed;
  const names = many ? [] : [...found.keys()].map((value) => (value === null ? 'none' : name(value)));
  const notes = many ? [repeats(found.size)] : [];
  if (points.length < rows.length) notes.push(`The first ${points.length} of ${rows.length} points are drawn; the table has all.`);
  // Of many series, one of ECharts' with a style a point: ten thousand would be slow.
  const members = many ? [points] : names.map((_, i) => points.filter((p) => place(p) === i));
  const size = points.length > 600 ? 6 : 9;

  const dot = (theme, i) => ({
    symbol: mark(theme, i).symbol,
    itemStyle: { color: mark(theme, i).color, opacity: 0.8 },
  });

  function draw(theme, description) {
    const made = base(theme, names, description);
    Object.assign(made.legend, { itemWidth: 12, itemHeight: 12 });
    return {
      ...made,
      xAxis: { ...numbers(theme, x, true), splitLine: { show: true, lineStyle: { color: theme.line } } },
      yAxis: numbers(theme, y, false),
      series: members.map((mine, i) => ({
        type: 'scatter',
        name: String(i),
        id: `points-${i}`,
        symbolSize: size,
        ...(many ? {} : dot(theme, i)),
        emphasis: { scale: 1.7, itemStyle: { borderColor: theme.ink, borderWidth: 2, opacity: 1 } },
        data: mine.map((p) => {
          const value = [p.row[x.index], p.row[y.index]];
          return many ? { value, ...dot(theme, place(p)) } : value;
        }),
      })),
    };
  }

  function told(p) {
    const lines = [called ? name(p.row[called.index]) : `Row ${p.i + 1}`];
    if (by && by !== called) lines.push(`${by.name}: ${name(p.row[by.index])}`);
    lines.push(`${x.name}: ${cellText(p.row[x.index], x.kind)}`, `${y.name}: ${cellText(p.row[y.index], y.kind)}`);
    return lines;
  }

  function itemOf(series, index) {
    const p = members[series][index];
    return p && { series, index, at: [p.row[x.index], p.row[y.index]], lines: told(p), tile: p.i };
  }

  const walked = members.flatMap((mine, series) => mine.map((_, index) => [series, index]));
  return {
    draw,
    names: names.length ? names : [chart.title],
    notes,
    pictures: chart.pictures,
    ownHover: itemOf,
    rows: 1,
    columns: walked.length,
    item: (_, k) => itemOf(...walked[k]),
  };
}
