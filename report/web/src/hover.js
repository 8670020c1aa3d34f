// SPDX-License-Identifier: BSD-2-Clause
// What is under the pointer, in an element of our own: lines of text, and a picture where there is one.
import { make } from './dom.js';

// Draws tile `i` of a sheet; `scale` pixels a pixel, so that small ones can be seen.
export function drawTile(canvas, sheet, image, i, size) {
  const scale = Math.max(1, Math.round(size / Math.max(sheet.width, sheet.height)));
  canvas.width = sheet.width * scale;
  canvas.height = sheet.height * scale;
  const pen = canvas.getContext('2d');
  pen.imageSmoothingEnabled = false;
  const left = (i % sheet.columns) * sheet.width;
  const top = Math.floor(i / sheet.columns) * sheet.height;
  pen.drawImage(image, left, top, sheet.width, sheet.height, 0, 0, canvas.width, canvas.height);
}

// A sheet by its name, decoded though it may not be shown; null where there is none.
export async function sheetOf(facts, id) {
  const sheet = id === undefined ? null : (facts.pictures || {})[id];
  const image = sheet && document.getElementById(`picture-${id}`);
  if (!image) return null;
  await image.decode();
  return { sheet, image };
}

export function hoverIn(box) {
  const text = make('div', { class: 'lines' });
  const canvas = make('canvas', { hidden: true });
  const element = make('div', { class: 'hover', hidden: true, 'aria-hidden': 'true' }, canvas, text);
  box.append(element);
  return {
    // Beside (x, y) of the box, on the side with room.
    show(x, y, lines, picture, i) {
      text.replaceChildren(...lines.map((line) => make('div', {}, line)));
      canvas.hidden = !picture || i >= picture.sheet.count;
      if (!canvas.hidden) drawTile(canvas, picture.sheet, picture.image, i, 96);
      element.hidden = false;
      const left = x + 14 + element.offsetWidth > box.clientWidth ? x - 14 - element.offsetWidth : x + 14;
      const top = Math.min(Math.max(y - element.offsetHeight / 2, 0), box.clientHeight - element.offsetHeight);
      element.style.left = `${Math.max(left, 0)}px`;
      element.style.top = `${Math.max(top, 0)}px`;
    },
    hide() {
      element.hidden = true;
    },
  };
}
