// SPDX-License-Identifier: BSD-2-Clause
// Colours as numbers: sRGB (IEC 61966-2-1) to CIE 1976 L*a*b* under D65, as eyes see it that lack a
// kind of cone. Matrices of linear RGB: G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, A
// physiologically-based model for simulation of color vision deficiency, IEEE TVCG 15 (2009),
// severity 1.
export const eyes = {
  usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
};

const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const parts = (hex) => [1, 3, 5].map((k) => linear(parseInt(hex.slice(k, k + 2), 16) / 255));
const times = (matrix, v) => matrix.map((row) => row.reduce((sum, w, k) => sum + w * v[k], 0));

const luminance = [0.2126, 0.7152, 0.0722];
const toXyz = [[0.4124, 0.3576, 0.1805], luminance, [0.0193, 0.1192, 0.9505]];
const white = toXyz.map((row) => row[0] + row[1] + row[2]);

// Relative luminance.
export const light = (hex) => times([luminance], parts(hex))[0];

export function lab(hex, eye) {
  const seen = times(eye, parts(hex)).map((c) => Math.min(Math.max(c, 0), 1));
  const [x, y, z] = times(toXyz, seen).map((v, k) => {
    const t = v / white[k];
    return t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116;
  });
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
