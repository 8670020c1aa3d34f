// SPDX-License-Identifier: BSD-2-Clause
// A chart as an SVG file: background, fonts and title are in it.

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

export function svgOf(chart, title) {
  const drawn = chart.getZr().painter.renderToString({ cssAnimation: false, cssEmphasis: false, useViewBox: true });
  const named = `<title>${title.replace(/[&<>]/g, (c) => escapes[c])}</title>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${drawn.replace(/^<svg[^>]*>/, (open) => `${open}\n${named}`)}\n`;
}

// A link of the page's own making, followed at once; the browser asks where to put it.
export function saveFile(text, type, file) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = file;
  link.hidden = true;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}
