// SPDX-License-Identifier: BSD-2-Clause
// Elements made in a line. Texts are texts: nothing here parses HTML.

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children);
  return element;
}

export function button(text, press, attributes = {}) {
  const element = make('button', { type: 'button', ...attributes }, text);
  element.addEventListener('click', press);
  return element;
}

// One place in the page that is read aloud when it changes.
let spoken = null;

export function say(text) {
  if (!spoken) {
    spoken = make('div', { class: 'unseen', role: 'status' });
    document.body.append(spoken);
  }
  spoken.textContent = text;
}
