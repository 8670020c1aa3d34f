// SPDX-License-Identifier: BSD-2-Clause
// The parts of an ECharts option that all charts share: grid, axes, legend, tooltip, error bars.
import { name, rich, tickText } from './facts.js';
import { mostNamed } from './series.js';

const small = 12;

// Axes and their names are kept within the bounds; below there is room for a legend.
export function base(theme, names, description) {
  const legend = names.length > 1 && names.length <= mostNamed;
  return {
    animation: false,
    backgroundColor: theme.card,
    textStyle: { fontFamily: theme.font, color: theme.ink },
    aria: { enabled: true, label: { enabled: true, description } },
    grid: {
      left: 12,
      right: 20,
      top: 8,
      bottom: legend ? 36 : 8,
      outerBoundsMode: 'same',
      outerBoundsContain: 'all',
    },
    legend: {
      show: legend,
      type: 'scroll',
      bottom: 4,
      left: 8,
      right: 8,
      data: names.map((_, i) => String(i)),
      formatter: (i) => names[i],
      itemWidth: 26,
      textStyle: { color: theme.ink, fontSize: small, overflow: 'truncate', width: 260 },
      inactiveColor: theme.muted,
      pageTextStyle: { color: theme.muted },
      pageIconColor: theme.ink,
      pageIconInactiveColor: theme.line,
      pageButtonItemGap: 4,
    },
  };
}

function axis(theme, title, isX) {
  const label = title === undefined ? '' : name(title, 40);
  return {
    name: label,
    nameLocation: isX ? 'middle' : 'end',
    nameGap: isX ? 26 : 14,
    nameTextStyle: { color: theme.muted, fontSize: small, align: isX ? 'center' : 'left' },
    axisLine: { show: isX, onZero: false, lineStyle: { color: theme.muted } },
    axisTick: { show: isX, lineStyle: { color: theme.muted } },
    axisLabel: { color: theme.ink, fontSize: small, hideOverlap: true },
    splitLine: { show: !isX, lineStyle: { color: theme.line } },
  };
}

export function rangeOf(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 1];
}

// A logarithm says nothing within one decade, and has no ticks there.
export function spansDecade(values) {
  const [low, high] = rangeOf(values);
  return high >= 10 * low;
}

export function numbers(theme, column, isX, { title = column.name, log = false, tight = false, scale = true } = {}) {
  const made = axis(theme, title, isX);
  made.type = log ? 'log' : 'value';
  made.axisLabel.formatter = (value) => tickText(value, column.kind);
  if (!log) made.scale = scale;
  if (!log && column.kind === 'integer') made.minInterval = 1;
  if (column.kind === 'percent') made.max = ({ max }) => (max > 0.8 && max <= 1 ? 1 : null); // no room above all
  if (tight) Object.assign(made, { min: 'dataMin', max: 'dataMax' });
  return made;
}

export function categories(theme, column, isX, labels, width = 120) {
  const made = axis(theme, column.name, isX);
  made.type = 'category';
  made.data = labels;
  made.splitLine.show = false;
  made.axisLine.show = true;
  made.axisLabel.formatter = (label) => name(label);
  Object.assign(made.axisLabel, { width, overflow: 'truncate' });
  return made;
}

const mostLines = 14;

// Rich text, never HTML: `lines` returns the texts of what is under the pointer.
export function tooltip(theme, trigger, lines) {
  return {
    trigger,
    renderMode: 'richText',
    confine: true,
    transitionDuration: 0,
    backgroundColor: theme.raised,
    borderColor: theme.line,
    borderWidth: 1,
    padding: [6, 10],
    textStyle: { color: theme.ink, fontFamily: theme.font, fontSize: small, lineHeight: 18 },
    axisPointer: {
      type: 'line',
      lineStyle: { color: theme.muted, type: 'dashed' },
      label: { show: false },
    },
    formatter: (params) => {
      const all = lines([].concat(params));
      const shown = all.slice(0, mostLines);
      if (all.length > mostLines) shown.push(`and ${all.length - mostLines} more`);
      return shown.join('\n');
    },
  };
}

// A text of ours with the mark of its series before it.
export const marked = (marker, text) => (typeof marker === 'string' ? marker : '') + rich(text);

// Bars of +- beside the points of a series: data are [along, value, low, high]. `shift(api)` is
// how far they stand from the place along the axis; `across` says that values run along x; `entry`
// is that of the series in the legend.
export function errorBars(id, data, colour, { shift = () => 0, across = false, axes = {}, entry = id } = {}) {
  return {
    type: 'custom',
    id: `error-${id}`,
    name: entry,
    silent: true,
    tooltip: { show: false },
    z: 3,
    data,
    encode: across ? { y: 0, x: [1, 2, 3] } : { x: 0, y: [1, 2, 3] },
    ...axes,
    renderItem: (params, api) => {
      const at = (value) => {
        const pixel = api.coord(across ? [value, api.value(0)] : [api.value(0), value]);
        pixel[across ? 1 : 0] += shift(api);
        return pixel;
      };
      const low = at(api.value(2));
      const high = at(api.value(3));
      const cap = 4;
      const line = (a, b) => ({ type: 'line', shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] } });
      const end = (p) => line(across ? [p[0], p[1] - cap] : [p[0] - cap, p[1]], across ? [p[0], p[1] + cap] : [p[0] + cap, p[1]]);
      const style = { stroke: colour, fill: 'none', lineWidth: 1.5 };
      return { type: 'group', children: [line(low, high), end(low), end(high)].map((child) => ({ ...child, style })) };
    },
  };
}

// [along, value, low, high] of the points that have an error; where a logarithm has no place for
// the lower end, the bar begins at the point.
export function errorData(points, log) {
  return points
    .filter((p) => p.error !== null)
    .map((p) => [p.x, p.y, log && p.y - p.error <= 0 ? p.y : p.y - p.error, p.y + p.error]);
}
