// SPDX-License-Identifier: BSD-2-Clause
// A chart in its figure: drawn, redrawn in another theme or size, walked by keys, saved.
import { button, make, say } from './dom.js';
import { hoverIn, sheetOf } from './hover.js';
import { init } from './echarts.js';
import { readTheme } from './palette.js';
import { saveFile, svgOf } from './save.js';
import { onTheme, room } from './theme.js';
import { walk } from './walk.js';
import { cellText, isNumber, tableOf } from './facts.js';
import { rangeOf } from './option.js';

const usual = 360; // pixels high

const words = { line: 'Line chart', bar: 'Bar chart', scatter: 'Scatter plot', heat: 'Heat map' };

// What a screen reader says of it; the numbers are in the table.
function describe(chart, facts, plot) {
  const table = tableOf(facts, chart.table);
  const axis = typeof chart.x === 'string' ? ` over ${chart.x}` : '';
  const ranges = [].concat(chart.kind === 'heat' ? [] : chart.y).slice(0, 6).map((y) => {
    const j = table.columns.findIndex((c) => c.name === y);
    const values = table.rows.map((row) => row[j]).filter(isNumber);
    const [low, high] = rangeOf(values).map((v) => cellText(v, table.columns[j].kind));
    return values.length ? `${y} from ${low} to ${high}` : `${y} without values`;
  });
  const count = plot.names.length > 1 ? `, ${plot.names.length} series` : '';
  const said = [`${chart.title}. ${words[chart.kind]}${axis}${count}, ${table.rows.length} rows`, ...ranges];
  return `${said.join('; ')}. The table below has the numbers.`;
}

// Read once for all charts: each reading makes the browser style the page anew.
let theme = null;
onTheme(() => {
  theme = null;
});

export function framed(kind) {
  return async (chart, facts, figure) => {
    const plot = kind(chart, facts);
    const description = describe(chart, facts, plot);
    const inner = make('div', { class: 'drawing' });
    const box = make(
      'div',
      {
        class: 'plot',
        tabindex: '0',
        role: 'application',
        'aria-roledescription': 'chart',
        'aria-label': `${chart.title}. Arrow keys walk through the values.`,
      },
      inner,
    );
    const height = plot.height || usual;
    inner.style.height = `${height}px`;
    const saver = button('Save SVG', () => save(drawn, chart), { 'aria-label': `Save SVG: ${chart.title}` });
    figure.append(make('div', { class: 'tools' }, saver), box, ...plot.notes.map((text) => make('p', { class: 'note' }, text)));
    const drawn = init(inner, null, { renderer: 'svg', width: inner.clientWidth || 640, height });
    const fit = () => {
      const width = room(inner.clientWidth);
      if (!width || width === drawn.getWidth()) return;
      drawn.resize({ width, height });
      drawn.getZr().flush(); // now: paper has no next frame
    };
    const draw = () => {
      theme = theme || readTheme();
      drawn.setOption(plot.draw(theme, description), { notMerge: true });
      fit();
    };
    draw();
    new ResizeObserver(fit).observe(inner);
    onTheme(draw);
    await follow(drawn, plot, facts, box);
  };
}

function save(drawn, chart) {
  saveFile(svgOf(drawn, chart.title), 'image/svg+xml', `${chart.id}.svg`);
  say(`Saved ${chart.id}.svg`);
}

// Keys and, where the chart wants pictures, the pointer.
async function follow(drawn, plot, facts, box) {
  const hover = hoverIn(box);
  const picture = await sheetOf(facts, plot.pictures);
  let lit = null;
  const leave = () => {
    hover.hide();
    if (lit) drawn.dispatchAction({ type: 'downplay', ...lit });
    lit = null;
  };
  const show = (item) => {
    const [x, y] = drawn.convertToPixel({ gridIndex: 0 }, item.at);
    hover.show(x, y, item.lines, picture, item.tile);
  };
  walk(box, {
    rows: plot.rows,
    columns: plot.columns,
    leave,
    show(row, column) {
      leave();
      const item = plot.item(row, column);
      if (!item) return 'none';
      drawn.dispatchAction({ type: 'hideTip' });
      if (item.index !== undefined) {
        lit = { seriesIndex: item.series, dataIndex: item.index };
        drawn.dispatchAction({ type: 'highlight', ...lit });
      }
      show(item);
      return item.lines.join(', ');
    },
  });
  if (!plot.ownHover) {
    drawn.on('mouseover', leave);
    return;
  }
  drawn.on('mouseover', (event) => {
    leave();
    const item = plot.ownHover(event.seriesIndex, event.dataIndex);
    if (item) show(item);
  });
  drawn.on('mouseout', leave);
}
