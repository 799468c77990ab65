/** @waits sound takes as long as it lasts */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { joinSamples, loudnessOf, resample, wavFile } from '@parley/audio';
import { Flite } from '@parley/providers/flite';
import { eventually, hasBrowser, loudnessOfPage, measureLoudness, openBrowser } from '@parley/testing';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type RunningGateway, runGateway } from '../testing/running-gateway';
import { ScriptedAgent } from '../testing/scripted-agent';

// Without an optional program the test is skipped, and its title names what is missing.
const withChromium = hasBrowser() ? describe : describe.skip;
const patience = { timeout: 60_000 };

const question = 'When are you open?';
const words = [
  'We are open from nine in the morning ',
  'until seven in the evening, from Monday to Saturday, ',
  'and on Sundays the shop is closed.',
];
/** Sound without a pause. */
const hum = Int16Array.from({ length: 16_000 * 120 }, (_, at) => 9_000 * Math.sin((2 * Math.PI * 440 * at) / 16_000));
const pause = (seconds: number) => new Int16Array(16_000 * seconds);

let browser: Browser;
let gateway: RunningGateway;
let agent: ScriptedAgent;
let context: BrowserContext;
let page: Page;
const folder = mkdtempSync(path.join(tmpdir(), 'parley-page-'));

async function spoken(text: string): Promise<Int16Array> {
  const flite = new Flite();
  const blocks: Int16Array[] = [];
  for await (const { samples, sampleRate } of flite.speak({ text, language: 'english' }))
    blocks.push(await resample(samples, sampleRate, 16_000));
  await flite.close();
  return joinSamples(blocks);
}

withChromium('the demo page in a browser, by Chromium as tools/chromium.mjs unpacks it', () => {
  let answer: Int16Array;
  // Long enough that a busy machine is still in the middle of it when something happens.
  let longAnswer: Int16Array;

  beforeAll(async () => {
    answer = await spoken(words.join(''));
    longAnswer = joinSamples(Array.from({ length: 8 }, () => answer));
    const said = await spoken(question);
    const microphone = path.join(folder, 'caller.wav');
    // A question, and during its answer the next one.
    writeFileSync(microphone, wavFile(joinSamples([pause(1), said, pause(4), said, pause(1)]), 16_000));
    [browser, gateway] = await Promise.all([
      openBrowser({ microphone }),
      runGateway({ environment: { DEMO_WIDGET: 'wdg_shop' } }),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
    rmSync(folder, { recursive: true });
  });

  async function open(...sounds: Int16Array[]): Promise<void> {
    agent = new ScriptedAgent({ question, words, sounds }, gateway.url);
    const url = await agent.open();
    context = await browser.newContext();
    page = await context.newPage();
    await measureLoudness(page);
    await page.goto(`${url}/demo`);
    await page.locator('#talk:enabled').waitFor(patience);
  }
  afterEach(async () => {
    await context.close();
    await agent.close();
  });

  const entries = (who: string) => page.locator(`.entry.${who} .said`);
  const ask = async () => {
    await page.getByLabel('Your message').fill(question);
    await page.keyboard.press('Enter');
    await page.locator('[data-status="speaking"]').waitFor(patience);
    await eventually('the answer is heard', async () => (await loudnessOfPage(page)) > 0.02);
  };

  it('transcribes a spoken question, answers aloud, shows both, and lets the caller interrupt', async () => {
    await open(longAnswer, answer);
    await page.getByLabel('Talk by microphone').click();
    await page.locator('.entry.caller.growing').waitFor(patience);
    await eventually('the answer is heard', async () => (await loudnessOfPage(page)) > 0.02);
    expect(await entries('caller').first().textContent()).toBe(question);
    await page.locator('.interruption').waitFor(patience);
    expect(await page.locator('.unheard').first().textContent()).toBe(words.slice(1).join(''));
    expect(agent.interruptions[0]?.playedMs).toBeGreaterThan(500);
    await page.getByText('Answered in 1.2 s').click(patience);
    expect(await page.locator('.timing dd').allTextContents()).toEqual(['600 ms', '120 ms', '30 ms', '350 ms', '80 ms', '20 ms']);
    expect(await entries('agent').last().textContent()).toBe(words.join(''));
    expect(agent.origins).toEqual([`${new URL(page.url()).origin} /ws/widgetchat?widget=wdg_shop`]);
    expect(agent.heard[0]).toMatchObject({ type: 'session.start', sampleRate: 16_000, language: 'english' });
    expect(new Set(agent.microphone.map(({ length }) => length))).toEqual(new Set([320]));
    expect(loudnessOf(joinSamples(agent.microphone))).toBeGreaterThan(0.01);
  });

  it('treats switching off the microphone as the end of a question', async () => {
    await open(answer);
    await page.evaluate(`navigator.mediaDevices.getUserMedia = async () => {
      const context = new AudioContext();
      const [hum, microphone] = [new OscillatorNode(context), context.createMediaStreamDestination()];
      hum.connect(microphone);
      hum.start();
      return microphone.stream;
    }`);
    await page.getByLabel('Talk by microphone').click();
    await page.locator('.entry.caller.growing').waitFor(patience);
    await page.getByLabel('Turn the microphone off').click();
    await page.locator('.entry.agent').waitFor(patience);
    expect(await entries('caller').allTextContents()).toEqual([question]);
  });

  it('falls silent at once when the button interrupts, including sound on its way', async () => {
    await open(hum);
    await ask();
    await eventually('sound', async () => agent.heard.some((frame) => frame.type === 'playback' && frame.playedMs > 0));
    await page.getByRole('button', { name: 'Interrupt' }).click();
    await page.locator('.interruption').waitFor(patience);
    await eventually('silence', async () => (await loudnessOfPage(page)) < 0.001);
    expect(agent.isSending).toBe(true);
    expect(agent.heard.map(({ type }) => type)).toContain('interrupt');
    const [last] = agent.heard.flatMap((frame) => (frame.type === 'playback' ? [frame.playedMs] : [])).slice(-1);
    expect(last).toBeGreaterThan(0);
    expect(last).toBeLessThan((hum.length / 16_000) * 1000);
  });

  it('plays a whole typed answer and then reports that all of it was heard', async () => {
    await open(answer);
    await ask();
    const wholeMs = (answer.length / 16_000) * 1000;
    const played = () => agent.heard.flatMap((frame) => (frame.type === 'playback' ? [frame.playedMs] : []));
    await eventually('the last figure', () => Math.max(...played()) > wholeMs - 50);
    await page.locator('[data-status="listening"]').waitFor(patience);
    expect(Math.max(...played())).toBeLessThan(wholeMs + 50);
  });

  it('continues the conversation after the server has restarted', async () => {
    await open(longAnswer);
    await ask();
    agent.drop(1012);
    await eventually('a second start', () => agent.heard.filter(({ type }) => type === 'session.start').length === 2);
    expect(agent.heard.findLast(({ type }) => type === 'session.start')).toMatchObject({
      sessionUUID: '0b8c3d52-0000-4000-8000-000000000001',
    });
    await page.locator('[data-status="listening"]').waitFor(patience);
    expect(await entries('caller').allTextContents()).toEqual([question]);
  });

  it('explains why the conversation cannot continue', async () => {
    await open(longAnswer);
    await ask();
    const fault = { statusCode: 403, error: 'Forbidden', message: 'none left', details: [], requestId: 'r' };
    agent.fail({ type: 'error', code: 'CREDITS_EXHAUSTED', ...fault });
    agent.drop(4403);
    await page.locator('[data-status="resting"]').waitFor(patience);
    expect(await page.getByRole('alert').textContent()).toContain('credits for talking have run out');
  });

  it('explains a refused microphone, and still accepts typing', async () => {
    await open(longAnswer);
    await page.evaluate("navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'))");
    await page.getByLabel('Talk by microphone').click();
    await page.getByRole('alert').waitFor(patience);
    expect(await page.getByRole('alert').textContent()).toContain('did not allow the microphone');
    await ask();
  });
});
