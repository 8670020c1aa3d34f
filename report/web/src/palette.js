// SPDX-License-Identifier: BSD-2-Clause
// Colours of the theme that is shown, and marks that tell series apart without colour.

// After Okabe and Ito's colours, some darker or lighter for contrast, and so that eyes without red or
// green cones tell them apart (test-parts.mjs says by how much); page.css has them for both themes, in
// this order.
const categories = 8;
const path = (d) => `path://${d}`;
const symbols = [
  'circle',
  'triangle',
  'rect',
  'diamond',
  path('M0,0h10l-5,9z'), // a triangle on its tip
  path('M3.5,0h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5z'), // plus
  path('M0,2l2,-2l3,3l3,-3l2,2l-3,3l3,3l-2,2l-3,-3l-3,3l-2,-2l3,-3z'), // times
  path('M5,0l1.5,3.2l3.5,0.4l-2.6,2.4l0.7,3.5l-3.1,-1.8l-3.1,1.8l0.7,-3.5l-2.6,-2.4l3.5,-0.4z'), // star
];
const dashes = ['solid', [2, 3], [9, 3, 2, 3]];

// From the page's own colour away, lightness changing evenly: read with any eyes, and in grey.
export const sequences = {
  light: ['#faf6df', '#e6dca6', '#c6bf85', '#9ba27f', '#6f8385', '#446184', '#20396b', '#0c1b42'],
  dark: ['#172445', '#2f4170', '#566079', '#7d8079', '#a6a06c', '#d2c25a', '#fdea6b'],
};

const isDark = (rgb) => rgb.match(/[\d.]+/g).slice(0, 3).every((part) => Number(part) < 128);

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
    sequence: sequences[isDark(colour('--paper')) ? 'dark' : 'light'],
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

// Ink that can be read on the colour of a share of 1 in a sequence.
export function inkOn(colours, share) {
  const place = Math.min(Math.max(share, 0), 1) * (colours.length - 1);
  const left = Math.min(Math.floor(place), colours.length - 2);
  const bright = (hex) => [0.299, 0.587, 0.114].reduce((sum, w, k) => sum + w * parseInt(hex.slice(1 + 2 * k, 3 + 2 * k), 16), 0);
  const a = bright(colours[left]);
  return a + (place - left) * (bright(colours[left + 1]) - a) > 125 ? '#000' : '#fff';
}
