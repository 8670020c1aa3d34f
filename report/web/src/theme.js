// SPDX-License-Identifier: BSD-2-Clause
// Light, dark, or as the system has it; paper is light. Whoever draws is told of a change.
import { make } from './dom.js';

const choices = ['auto', 'light', 'dark'];
const listeners = [];
const root = document.documentElement;

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
  addEventListener('beforeprint', () => choose('light'));
  addEventListener('afterprint', () => choose(select.value));
}
