// SPDX-License-Identifier: BSD-2-Clause
// Colours of the theme that is shown, and marks that tell series apart without colour.

// Okabe and Ito's colours; page.css has them for both themes, in this order.
const categories = 8;
const symbols = ['circle', 'triangle', 'rect', 'diamond', 'emptyCircle', 'emptyTriangle', 'emptyRect', 'emptyDiamond'];
const dashes = ['solid', [2, 3], [9, 3, 2, 3]];

// From dark to light, lightness growing evenly: read with any eyes, and in grey.
export const sequence = ['#10224e', '#2f4170', '#566079', '#7d8079', '#a6a06c', '#d2c25a', '#fdea6b'];

// Colours as the style sheet has them now: a variable is resolved where it is used as a colour.
export function readTheme() {
  const probe = document.createElement('span');
  document.body.append(probe);
  const colour = (variable) => {
    probe.style.color = `var(${variable})`;
    return getComputedStyle(probe).color;
  };
  const theme = {
    ink: colour('--ink'),
    muted: colour('--muted'),
    line: colour('--line'),
    card: colour('--card'),
    raised: colour('--raised'),
    series: Array.from({ length: categories }, (_, i) => colour(`--c${i + 1}`)),
    font: getComputedStyle(document.body).fontFamily.replace(/"/g, "'"),
  };
  probe.remove();
  return theme;
}

// Colour, symbol and dash of series i; after eight the colours repeat with other dashes.
export function mark(theme, i) {
  const round = Math.floor(i / categories);
  return {
    color: theme.series[i % categories],
    symbol: symbols[(i + round) % symbols.length],
    dash: dashes[round % dashes.length],
  };
}

// The colour of a share of 1 in the sequence, and ink that can be read on it.
export function shade(share) {
  const place = Math.min(Math.max(share, 0), 1) * (sequence.length - 1);
  const left = Math.min(Math.floor(place), sequence.length - 2);
  const part = (hex, k) => parseInt(hex.slice(1 + 2 * k, 3 + 2 * k), 16);
  const mixed = [0, 1, 2].map((k) => {
    const a = part(sequence[left], k);
    return Math.round(a + (place - left) * (part(sequence[left + 1], k) - a));
  });
  const bright = 0.299 * mixed[0] + 0.587 * mixed[1] + 0.114 * mixed[2];
  return { fill: `rgb(${mixed.join(',')})`, ink: bright > 125 ? '#000' : '#fff' };
}
