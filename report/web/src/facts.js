// SPDX-License-Identifier: BSD-2-Clause
// The facts of the page: its JSON, columns by name, numbers and names as they are shown.

export function readFacts() {
  return JSON.parse(document.getElementById('facts').textContent);
}

// A table with its columns by name; none of that name, or no such table, is an error of the page.
export function tableOf(facts, id) {
  const table = (facts.tables || {})[id];
  if (!table) throw new Error(`no table ${id}`);
  return table;
}

export function columnOf(table, name) {
  const index = table.columns.findIndex((c) => c.name === name);
  if (index < 0) throw new Error(`no column ${name}`);
  return { index, ...table.columns[index] };
}

export const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

// Four digits that count, as C's %.4g but for exact halves, which go up; whole numbers whole.
export function real(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  const [digits, power] = value.toExponential(3).split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 4) return trim(value.toFixed(3 - exponent));
  const sign = exponent < 0 ? '-' : '+';
  return `${trim(digits)}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

const trim = (digits) => (digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits);

const shown = {
  integer: (value) => (Number.isInteger(value) ? String(value) : real(value)),
  real,
  percent: (value) => `${(100 * value).toFixed(1)} %`,
};

// A cell as it stands in the page.
export function cellText(value, kind) {
  if (value === null || value === undefined) return '–';
  if (!isNumber(value)) return plain(String(value));
  return (shown[kind] || real)(value);
}

// A tick of an axis: percents without digits that say nothing.
export function tickText(value, kind) {
  return kind === 'percent' ? `${real(100 * value)} %` : real(value);
}

// What no XML may hold is replaced, so that a saved drawing can be opened.
const odd =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function plain(text) {
  return text.replace(odd, '\ufffd');
}

const longest = 60;

// A name in a chart: cut, on one line, and isolated, so that its direction stays its own.
export function name(value, most = longest) {
  if (value === null || value === undefined) return '–';
  const letters = [...plain(String(value)).replace(/\s+/g, ' ')];
  const cut = letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : letters.join('');
  return `\u2068${cut.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')}\u2069`;
}

// ECharts' rich text reads {style|text}; a name that looks so is parted by a joiner of no width.
export function rich(text) {
  return text.replace(/\{(?=\w+\|)/g, '{\u2060');
}

// Distinct values in the order in which they come, each with its place.
export function groups(values) {
  const places = new Map();
  for (const value of values) if (!places.has(value)) places.set(value, places.size);
  return places;
}
