// SPDX-License-Identifier: BSD-2-Clause
// Light, dark, or as the system has it; paper is light. Whoever draws is told of a change.
import { make } from './dom.js';

const choices = ['auto', 'light', 'dark'];
const listeners = [];
const root = document.documentElement;
let paper = false;

// How wide a drawing may be: what a sheet of A4 or letter holds, since its true width is not told.
export const room = (width) => (paper ? Math.min(width, 620) : width);

export function onTheme(listener) {
  listeners.push(listener);
}

function tell() {
  for (const listener of listeners) listener();
}

function choose(value) {
  if (value === 'auto') delete root.dataset.theme;
  else root.dataset.theme = value;
  tell();
}

export function startTheme() {
  const select = make('select', { id: 'theme' });
  for (const value of choices) select.append(make('option', { value }, value[0].toUpperCase() + value.slice(1)));
  select.addEventListener('change', () => choose(select.value));
  const label = make('label', { class: 'theme' }, 'Theme ', select);
  (document.querySelector('body > header') || document.body).append(label);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', tell);
  addEventListener('beforeprint', () => {
    paper = true;
    choose('light');
  });
  addEventListener('afterprint', () => {
    paper = false;
    choose(select.value);
  });
}
