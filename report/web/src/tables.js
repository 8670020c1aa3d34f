// SPDX-License-Identifier: BSD-2-Clause
// Tables copied as CSV: RFC 4180, numbers in full. A TEXT that a spreadsheet would compute (it
// begins with = + - @ or a tab) gets an apostrophe before it; numbers are never touched.
import { button, make } from './dom.js';
import { copyFrom } from './copy.js';

const quoted = (text) => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
const harmless = (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

function field(value, kind) {
  if (value === null || value === undefined) return '';
  return quoted(kind === 'text' ? harmless(String(value)) : String(value));
}

const lines = (rows) => rows.map((row) => `${row.join(',')}\r\n`).join('');

export function csvOf(table) {
  const head = table.columns.map((column) => field(column.name, 'text'));
  return lines([head, ...table.rows.map((row) => row.map((value, j) => field(value, table.columns[j].kind)))]);
}

// A table that the facts do not have, as it stands.
function csvOfElement(element) {
  const cell = (c) => field(c.textContent.trim(), c.classList.contains('n') ? 'real' : 'text');
  return lines([...element.rows].map((row) => [...row.cells].map(cell)));
}

export function startTables(facts) {
  for (const element of document.querySelectorAll('table[id^="table-"]')) {
    const table = (facts.tables || {})[element.id.slice('table-'.length)];
    const caption = element.caption ? element.caption.textContent : 'table';
    const text = () => (table ? csvOf(table) : csvOfElement(element));
    const copier = button('Copy CSV', () => copyFrom(copier, text, 'the table'), {
      'aria-label': `Copy CSV: ${caption}`,
    });
    const place = element.closest('.scroll') || element;
    place.before(make('div', { class: 'tools' }, copier));
  }
}

export function startCommands() {
  for (const command of document.querySelectorAll('pre.command')) {
    const text = command.textContent;
    const copier = button('Copy', () => copyFrom(copier, () => text, 'the command'), {
      'aria-label': 'Copy the command',
    });
    const box = make('div', { class: 'command' });
    command.replaceWith(box);
    box.append(command, copier);
  }
}
