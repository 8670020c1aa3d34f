// SPDX-License-Identifier: BSD-2-Clause
// A page in a real browser, watched: whatever it asks for, says or fails at is a failure.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';

const need = createRequire(join(process.env.NODE_PATH, 'x'));
const { chromium } = need('playwright-core');
const axeSource = need('axe-core').source;

export const pictures = join(process.env.TESSERA_BUILD, 'browser');
export const folder = mkdtempSync(join(tmpdir(), 'tessera-page-'));
let browser;

before(async () => {
  mkdirSync(pictures, { recursive: true });
  browser = await chromium.launch({ executablePath: process.env.TESSERA_CHROMIUM, args: ['--no-sandbox'] });
});

after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

let count = 0;

export function keep(html) {
  const path = join(folder, `${++count}.html`);
  writeFileSync(path, html);
  return path;
}

const wide = { width: 1280, height: 900 };
export const phone = { width: 390, height: 844 };

// Opens the file, waits until all is drawn, calls `use`, and then looks at what was heard.
export async function visit(path, use, { errors = [], init, ...options } = {}) {
  const context = await browser.newContext({ viewport: wide, colorScheme: 'light', acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10000);
  if (init) await page.addInitScript(init);
  const heard = [];
  const address = pathToFileURL(path).href;
  page.on('console', (message) => {
    if (['error', 'warning', 'assert'].includes(message.type())) heard.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => heard.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    heard.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    const asked = request.url();
    if (asked.split('#')[0] !== address && !/^(data|blob):/.test(asked)) heard.push(`request: ${asked}`);
  });
  try {
    await page.goto(address);
    if (options.javaScriptEnabled !== false) {
      await page.waitForFunction(() => document.documentElement.dataset.state === 'drawn', null, { timeout: 60000 });
    }
    await use(page, context);
    const unexpected = heard.filter((text) => !errors.some((pattern) => pattern.test(text)));
    assert.deepEqual(unexpected, []);
    for (const pattern of errors) assert.ok(heard.some((text) => pattern.test(text)), `nothing said ${pattern}`);
  } finally {
    await context.close();
  }
}

// What is drawn and what is not, by chart.
export const states = (page) =>
  page.$$eval('figure.chart', (figures) => Object.fromEntries(figures.map((f) => [f.id.slice('chart-'.length), f.dataset.state])));

export const spoken = (page) => page.locator('[role=status]').textContent();

export async function fits(page) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(over <= 0, `${over} pixels too wide`);
}

// What axe calls serious or critical. It comes in through the debugger, so that the page's own
// policy stays in force.
export async function barriers(page) {
  const debug = await page.context().newCDPSession(page);
  await debug.send('Runtime.evaluate', { expression: axeSource });
  await debug.detach();
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations
    .filter((v) => ['serious', 'critical'].includes(v.impact))
    .map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join(', ')}`);
}
