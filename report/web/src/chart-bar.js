// SPDX-License-Identifier: BSD-2-Clause
// Bars of categories, +- on them; lying where names are long.
import { cellText, tableOf } from './facts.js';
import { base, categories, errorBars, errorData, marked, numbers, tooltip } from './option.js';
import { mark } from './palette.js';
import { split } from './series.js';

const mostBars = 1000;
const mostLying = 40;
const longName = 10;

export function bar(chart, facts) {
  const table = tableOf(facts, chart.table);
  const whole = split({ ...chart, log: [] }, textual(table, chart.x));
  const labels = whole.categories.slice(0, mostBars);
  const data = whole.series.map((one) => ({ ...one, points: one.points.filter((p) => p.x < labels.length) }));
  const lying = labels.length <= mostLying && labels.some((label) => [...label].length > longName);
  const names = data.map((one) => one.name);
  const [y] = whole.ys;
  const notes = [...whole.notes];
  if (labels.length < whole.categories.length) {
    notes.push(`The first ${labels.length} of ${whole.categories.length} are drawn; the table has all.`);
  }
  const valueText = (one, p) =>
    `${one.name}: ${cellText(p.y, one.y.kind)}${p.error === null ? '' : ` ± ${cellText(p.error, one.y.kind)}`}`;
  const at = (p) => (lying ? [p.y, p.x] : [p.x, p.y]);

  function draw(theme, description) {
    const gaps = { barGap: '8%', barCategoryGap: '30%' };
    const bars = data.map((one, i) => ({
      type: 'bar',
      name: String(i),
      id: `bar-${i}`,
      ...gaps,
      barMaxWidth: 48,
      itemStyle: { color: mark(theme, i).color },
      emphasis: { disabled: true },
      data: one.points.map(at),
    }));
    const shift = (i) => (api) =>
      api.barLayout({ count: data.length, barMaxWidth: 48, ...gaps })[i].offsetCenter;
    const errors = data
      .map((one, i) => errorBars(String(i), errorData(one.points, false), theme.ink, { shift: shift(i), across: lying }))
      .filter((series) => series.data.length);
    const told = (params) => {
      const real = params.filter((p) => p.seriesType === 'bar');
      if (!real.length) return [];
      const point = (p) => data[p.seriesIndex].points[p.dataIndex];
      const head = marked('', `${whole.x.name}: ${labels[point(real[0]).x]}`);
      return [head, ...real.map((p) => marked(p.marker, valueText(data[p.seriesIndex], point(p))))];
    };
    const along = categories(theme, whole.x, !lying, labels, lying ? 160 : 90);
    const value = numbers(theme, y, lying, { title: data.length === 1 || whole.ys.length === 1 ? y.name : '', scale: false });
    if (lying) Object.assign(along, { inverse: true, nameLocation: 'start' });
    value.splitLine.show = true;
    return {
      ...base(theme, names, description),
      xAxis: lying ? value : along,
      yAxis: lying ? along : value,
      tooltip: { ...tooltip(theme, 'axis', told), axisPointer: { type: 'shadow' } },
      series: [...bars, ...errors],
    };
  }

  return {
    draw,
    names,
    notes,
    height: lying ? 110 + labels.length * Math.max(22, 14 * data.length) : undefined,
    rows: data.length,
    columns: Math.max(0, ...data.map((one) => one.points.length)),
    item(row, column) {
      const p = data[row].points[column];
      return p && { series: row, index: column, at: at(p), lines: [labels[p.x], valueText(data[row], p)] };
    },
  };
}

// The categories of bars are names, whatever their column holds.
function textual(table, x) {
  return { ...table, columns: table.columns.map((c) => (c.name === x ? { ...c, kind: 'text' } : c)) };
}
