// SPDX-License-Identifier: BSD-2-Clause
// Arrow keys through a grid of things: rows by columns, any of them may be missing. What is
// reached is shown by the caller and read aloud.
import { say } from './dom.js';

const steps = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  PageUp: [-10, 0],
  PageDown: [10, 0],
};

const clamp = (value, count) => Math.min(Math.max(value, 0), count - 1);

// `show(row, column)` returns the text; `leave` undoes what it showed. A single row is walked
// by all arrows.
export function walk(element, { rows, columns, show, leave }) {
  let place = null;
  const to = (row, column) => {
    place = [clamp(row, rows), clamp(column, columns)];
    say(show(place[0], place[1]));
  };
  element.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || rows < 1 || columns < 1) return;
    if (event.key === 'Escape') {
      leave();
      return;
    }
    if (event.key === 'Home') to(place ? place[0] : 0, 0);
    else if (event.key === 'End') to(place ? place[0] : 0, columns - 1);
    else if (!(event.key in steps)) return;
    else if (!place) to(0, 0);
    else {
      const [down, right] = steps[event.key];
      if (rows === 1) to(0, place[1] + right + down);
      else to(place[0] + down, place[1] + right);
    }
    event.preventDefault();
  });
  element.addEventListener('blur', () => leave());
}
