import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { wavFile } from '@parley/audio';
import { loadConfiguration } from '@parley/service-kit';
import { hasBrowser, openBrowser } from '@parley/testing';
import type { Browser, Page } from 'playwright-core';
import { GatewayConfig } from '../config';
import { createGatewayApp } from '../testing/create-gateway-app';
import { RecordedLog } from '../testing/recorded-log';
import { publicRoutes } from '../api/routes/route-table';
import { testSecret } from '../testing/running-gateway';
import { ScriptedBus } from '../testing/scripted-bus';
import { SeededKeys } from '../testing/seeded-keys';

// Without an optional program the test is skipped, and its title names what is missing.
const withChromium = hasBrowser() ? describe : describe.skip;

const phone = { width: 390, height: 844 };
const folder = mkdtempSync(path.join(tmpdir(), 'parley-reference-'));
let url: string;
let app: Awaited<ReturnType<typeof createGatewayApp>>;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const config = loadConfiguration(GatewayConfig, { PORT: '0', PARLEY_SECRET_KEY: testSecret });
  const principals = new SeededKeys({});
  app = await createGatewayApp(config, { bus: new ScriptedBus(() => ({})), logger: new RecordedLog(), principals });
  await app.listen(config.PORT, config.HOST);
  url = await app.getUrl();
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

withChromium('the pages, in Chromium', () => {
  beforeAll(async () => {
    const microphone = path.join(folder, 'silence.wav');
    writeFileSync(microphone, wavFile(new Int16Array(1600), 16_000));
    browser = await openBrowser({ microphone });
    page = await browser.newPage({ viewport: phone, hasTouch: true });
  });
  afterAll(() => browser.close());

  const widths = () => page.evaluate<number[]>('[document.documentElement.scrollWidth, innerWidth]');

  it('lets a phone enter a key and read every line of a curl command', async () => {
    await page.goto(`${url}/docs#chat`);
    await page.locator('.practice pre code').first().waitFor();
    const key = await page.locator('#key').boundingBox();
    expect(key?.width).toBeGreaterThan(200);
    await page.locator('#key').fill('wsk_mine');
    const [scrolled = 0, seen = 0] = await widths();
    expect(scrolled).toBeLessThanOrEqual(seen);
    const [inside = 0, shown = 0] = await page
      .locator('.practice pre')
      .first()
      .evaluate((block) => [block.scrollWidth, block.clientWidth]);
    expect(inside).toBeLessThanOrEqual(shown);
    const bar = await page.locator('.bar').boundingBox();
    expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeGreaterThanOrEqual((key?.y ?? 0) + (key?.height ?? 0));
  });

  it('fits every operation on a phone: nothing is wider than the screen, tables included, and fingers hit every control', async () => {
    await page.goto(`${url}/docs`);
    await page.locator('.overview').waitFor();
    const ids = [...publicRoutes.rows, ...publicRoutes.handWritten].map(({ operationId }) => operationId);
    const complaints: string[] = [];
    for (const id of ['', ...ids]) {
      const found = await page.evaluate<string[]>(`(async () => {
        location.hash = ${JSON.stringify(id)};
        await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
        const seen = (selector) => [...document.querySelectorAll(selector)].filter((each) => each.getBoundingClientRect().width > 1);
        const named = (each) => each.tagName + '.' + each.className + ' ' + each.textContent.slice(0, 30);
        const wide = seen('body *').filter((each) => each.getBoundingClientRect().right > innerWidth + 1);
        const cut = seen('main .scroll, main pre').filter((each) => each.scrollWidth > each.clientWidth);
        // Links within a sentence are as high as its line.
        const small = seen('button, summary, select, input, .brand, .doors a').filter((each) => each.getBoundingClientRect().height < 44);
        return [['wide', wide], ['cut', cut], ['small', small]].flatMap(([what, all]) => all.slice(0, 2).map((each) => what + ' ' + named(each)));
      })()`);
      complaints.push(...found.map((each) => `${id}: ${each}`));
    }
    expect(ids.length).toBeGreaterThan(100);
    expect(complaints).toEqual([]);
    await page.locator('#menu').click();
    const heights = await page
      .locator('.chapters a')
      .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().height));
    expect(heights.length).toBe(ids.length);
    expect(heights.filter((height) => height < 44)).toEqual([]);
    await page.locator('#menu').click();
  });

  it('names in a command one of the parameters of which any is enough', async () => {
    await page.goto(`${url}/docs#getRuntimeConfig`);
    const curl = page.locator('.practice pre code').first();
    await curl.filter({ hasText: 'get-agent-config' }).waitFor();
    expect(await curl.textContent()).toMatch(/get-agent-config\?AgentKeyID=[0-9a-f-]{36}'/);
  });

  it('tries an upload with its required fields, and without an example id', async () => {
    await page.goto(`${url}/docs#uploadContacts`);
    const curl = page.locator('.practice pre code').first();
    await curl.filter({ hasText: 'SalesUser/upload' }).waitFor();
    const command = (await curl.textContent()) ?? '';
    expect(command).toContain("-F 'SalesUserID=5'");
    expect(command).toContain("-F 'file=@file'");
    expect(command).not.toContain('UploadKeyID');
  });

  it('shows a command with its own address on a full screen', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(url);
    const origin = page.locator('[data-origin]');
    await page.waitForFunction('document.querySelector("[data-origin]").textContent === location.origin');
    expect(await origin.textContent()).toBe(url);
    const box = await page.locator('main').boundingBox();
    const [above, below] = [box?.y ?? 0, 900 - ((box?.y ?? 0) + (box?.height ?? 0))];
    expect(Math.abs(above - below)).toBeLessThan(60);
    expect(box?.height).toBeGreaterThan(450);
  });
});
