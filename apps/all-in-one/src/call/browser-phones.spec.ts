import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { joinSamples, loudnessOf, resample, wavFile } from '@parley/audio';
import { type CallRecord, listCalls, type Principal } from '@parley/contracts';
import { Flite } from '@parley/providers/flite';
import { Handset } from '@parley/providers/loopback';
import { eventually, hasBrowser, loudnessOfPage, measureLoudness, openBrowser } from '@parley/testing';
import type { Browser, Page } from 'playwright-core';
import { WebSocket } from 'ws';
import { demoOf } from '../demo/demo';
import { type Demo } from '../demo/demo-file';
import { Home } from '../home';
import { freePort } from '../config';
import { startWholePlatform, type WholePlatform } from '../testing/whole-platform';
import { BrowserPhones } from './browser-phones';

// Without an optional program the test is skipped, and its title names what is missing.
const withChromium = hasBrowser() ? describe : describe.skip;
const patience = { timeout: 60_000 };

withChromium('the telephone of the demo page in a browser, by Chromium as tools/chromium.mjs unpacks it', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-phone-'));
  let home: Home;
  let platform: WholePlatform;
  let phones: BrowserPhones;
  let browser: Browser;
  let page: Page;
  let demo: Demo;
  let phoneUrl: string;

  beforeAll(async () => {
    home = await Home.take(path.join(folder, 'home'));
    const port = await freePort();
    phoneUrl = `ws://127.0.0.1:${port}`;
    const environment = { DEMO_WIDGET_FILE: home.path('demo-widget'), DEMO_PHONE_URL: phoneUrl };
    platform = await startWholePlatform({ environment });
    demo = await demoOf({ baseUrls: [platform.url], stopSecondsMax: 0, bus: platform.bus, stop: async () => undefined }, home);
    phones = await BrowserPhones.open({ host: '127.0.0.1', port, demo: () => demo, origins: () => [platform.url] });
    const microphone = path.join(folder, 'caller.wav');
    writeFileSync(microphone, wavFile(joinSamples([new Int16Array(16_000 * 2), await spoken()]), 16_000));
    browser = await openBrowser({ microphone });
  });
  afterAll(async () => {
    await browser.close();
    await phones.close();
    await platform.stop();
    await home.release();
    rmSync(folder, { recursive: true, force: true });
  });

  const calls = async (): Promise<readonly CallRecord[]> => {
    const principal: Principal = { kind: 'wsk', keyId: 'spec', orgId: demo.OrgID, memberId: 'spec' };
    return (await platform.bus.ask(listCalls, {}, { principal })).rows;
  };
  async function spoken(): Promise<Int16Array> {
    const flite = new Flite();
    const blocks: Int16Array[] = [];
    const text = 'When are you open? When do you deliver?';
    for await (const { samples, sampleRate } of flite.speak({ text, language: 'english' }))
      blocks.push(await resample(samples, sampleRate, 16_000));
    await flite.close();
    return joinSamples(blocks);
  }

  it('calls the agent over the simulated network, which greets, hears the microphone and is hung up on', async () => {
    const said = jest.spyOn(Handset.prototype, 'speak');
    page = await browser.newPage();
    await measureLoudness(page);
    await page.goto(`${platform.url}/demo`);
    await page.getByRole('button', { name: 'Call the agent by telephone' }).click(patience);
    await page.getByText('The line is open: speak.').waitFor(patience);
    await eventually('the agent is heard', async () => (await loudnessOfPage(page)) > 0.01);
    await eventually('the caller is in the middle of its words', () =>
      said.mock.calls.some(([frame]) => loudnessOf(frame) > 0.01),
    );
    await page.getByRole('button', { name: 'Hang up' }).click(patience);
    await eventually('the call is over', async () => (await calls())[0]?.state === 'COMPLETED');
    await page.locator('#call-state').filter({ hasText: 'The other side hung up.' }).waitFor(patience);
    const [call] = await calls();
    expect(call).toMatchObject({ carrier: 'loopback', direction: 'INBOUND', outcome: 'ANSWERED' });
    expect(call?.credits.TTS_API).toBeGreaterThan(0);
    said.mockRestore();
  });

  it('is not available to pages of another site', async () => {
    const stranger = new WebSocket(phoneUrl, { origin: 'https://evil.example' });
    const [error] = await once(stranger, 'error');
    expect(String(error)).toContain('401');
  });
});
