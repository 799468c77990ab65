import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { joinSamples, samplesFromBytes, wavFile } from '@parley/audio';
import { eventually, hasBrowser, loudnessOfPage, measureLoudness, openBrowser } from '@parley/testing';
import type { Browser, Page } from 'playwright-core';
import { holdMicrophone, speakInto } from '../platform/held-microphone';
import { demo } from '../platform/platform';
import { machineHas, speak } from '../platform/sound';

// Without an optional program the test is skipped, and its title names what is missing.
const withChromium = hasBrowser() ? it : it.skip;
const withRecognizer = hasBrowser() && machineHas.recognizer ? it : it.skip;
const patience = { timeout: 90_000 };

const folder = mkdtempSync(path.join(tmpdir(), 'parley-demo-page-'));
const pages: Page[] = [];
let browser: Browser | undefined;

async function spoken(text: string): Promise<Int16Array> {
  const { status, bytes } = await speak({ text, language: 'english', voiceID: 2, format: 'pcm', sampleRate: 16_000 });
  expect(status).toBe(200);
  return samplesFromBytes(bytes).slice();
}

/** The demo page in a fresh browser context; the microphone is controlled by the test or fed from the file. */
async function openPage(held?: Int16Array): Promise<Page> {
  browser ??= await openBrowser({ microphone: path.join(folder, 'caller.wav') });
  const page = await (await browser.newContext()).newPage();
  pages.push(page);
  await measureLoudness(page);
  if (held) await holdMicrophone(page, wavFile(held, 16_000));
  await page.goto(`${demo().baseUrl}/demo`);
  await page.locator('#talk:enabled').waitFor(patience);
  return page;
}

const said = (page: Page, who: string, text: string) => page.locator(`.entry.${who} .said`, { hasText: text }).last();
const isHeard = (page: Page) => eventually('the agent is heard', async () => (await loudnessOfPage(page)) > 0.02);

async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel('Your message').fill(question);
  await page.keyboard.press('Enter');
}

/** Waits until the greeting is over and it is the caller's turn. */
async function listenToGreeting(page: Page): Promise<void> {
  await page.getByLabel('Talk by microphone').click();
  await said(page, 'agent', 'this is Maya').waitFor(patience);
  await page.locator('[data-status="listening"]').waitFor(patience);
}

afterEach(async () => {
  for (const page of pages.splice(0)) await page.context().close();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

describe('the demo page', () => {
  withChromium('answers what a newcomer types, by Chromium as tools/chromium.mjs unpacks it', async () => {
    const page = await openPage();
    await ask(page, 'When are you open?');
    await said(page, 'agent', '9:30 AM to 7:00 PM').waitFor(patience);
    await page.getByText('Answered in').waitFor(patience);
  });

  withRecognizer('hears a spoken question and answers it aloud, by Chromium as tools/ unpacks it', async () => {
    // The engine speaks at full volume, which Chromium would amplify until it clips and cannot be recognized.
    const question = (await spoken('How can I pay?')).map((sample) => sample / 3);
    const pause = new Int16Array(16_000 * 12);
    // Repeated, in case the first question is not understood.
    writeFileSync(
      path.join(folder, 'caller.wav'),
      wavFile(joinSamples([pause, question, pause, question, pause, question, pause]), 16_000),
    );
    const page = await openPage();
    await page.getByLabel('Talk by microphone').click();
    await said(page, 'caller', 'how can i pay').waitFor({ timeout: 120_000 });
    const answer = page.locator('.entry.agent', { hasText: 'By UPI, card or net banking' }).first();
    await answer.waitFor(patience);
    await isHeard(page);
    await answer.getByText('Answered in').click(patience);
    expect(await answer.locator('.timing dt').allTextContents()).toEqual(
      expect.arrayContaining(['Making sure you had finished', 'First word of the answer', 'First sound of the answer']),
    );
  });

  withChromium('stops in the middle of its sentence by the button, and shows what was heard of it, by Chromium', async () => {
    const page = await openPage(new Int16Array(16_000));
    await listenToGreeting(page);
    await ask(page, 'When are you open?');
    await said(page, 'agent', 'We are open').waitFor(patience);
    await isHeard(page);
    await page.getByRole('button', { name: 'Interrupt' }).click(patience);
    await page.locator('.interruption').waitFor(patience);
    await eventually('silence', async () => (await loudnessOfPage(page)) < 0.001);
    expect(await page.locator('.unheard').last().textContent()).toContain('closed');
  });

  withChromium('stops when the caller speaks up, by Chromium', async () => {
    const page = await openPage(await spoken('Wait a moment please, I have got another question for you.'));
    await listenToGreeting(page);
    await ask(page, 'When are you open?');
    await said(page, 'agent', 'We are open').waitFor(patience);
    await isHeard(page);
    await speakInto(page);
    await page.locator('.interruption').waitFor(patience);
    expect(await page.locator('.unheard').last().textContent()).toContain('closed');
  });
});
