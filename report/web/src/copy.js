// SPDX-License-Identifier: BSD-2-Clause
// Text to the clipboard, also where a file may not use the newer way; says whether it went.
import { make, say } from './dom.js';

function copyByHand(text) {
  const active = document.activeElement;
  const area = make('textarea', { class: 'unseen', readonly: true, 'aria-hidden': 'true', tabindex: '-1' });
  area.value = text;
  document.body.append(area);
  area.select();
  let went = false;
  try {
    went = document.execCommand('copy');
  } finally {
    area.remove();
    if (active) active.focus({ preventScroll: true });
  }
  return went;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByHand(text);
  }
}

// Copies what `text` returns, and says so on the button that was pressed and aloud.
export async function copyFrom(pressed, text, what) {
  const went = await copy(text());
  const before = pressed.dataset.says || pressed.textContent;
  pressed.dataset.says = before;
  pressed.textContent = went ? 'Copied' : 'Not copied';
  say(went ? `Copied ${what}` : `The browser did not let ${what} be copied`);
  setTimeout(() => {
    pressed.textContent = before;
  }, 2000);
}
