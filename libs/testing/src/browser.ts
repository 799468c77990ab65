import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { z } from 'zod';

const Found = z.object({ program: z.string(), environment: z.record(z.string(), z.string()) }).nullable();

let found: z.output<typeof Found> | undefined;

/** Whether Chromium is available; `npm test` unpacks it if possible. */
export function hasBrowser(): boolean {
  return findBrowser() !== null;
}

/**
 * Opens a headless Chromium that plays sound without a user gesture, and whose microphone plays a WAV file once, from the moment a
 * page opens it. It has to be closed.
 */
export async function openBrowser({ microphone }: { readonly microphone: string }): Promise<Browser> {
  const browser = findBrowser();
  if (!browser) throw new Error('no Chromium on this machine: see tools/chromium.mjs');
  // Imported here, since most tests need no browser.
  const { chromium } = await import('playwright-core');
  return chromium.launch({
    executablePath: browser.program,
    env: { ...process.env, ...browser.environment },
    args: [
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${microphone}%noloop`,
      '--autoplay-policy=no-user-gesture-required',
      // Chromium cannot create its sandbox as root, as which containers often run.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
    timeout: 120_000,
  });
}

function findBrowser(): z.output<typeof Found> {
  found ??= search();
  return found;
}

function search(): z.output<typeof Found> {
  const tool = pathToFileURL(path.resolve(__dirname, '../../../tools/chromium.mjs')).href;
  // Runs in plain Node, since Jest would transform the import.
  const script = `const { findChromium } = await import(${JSON.stringify(tool)});
    process.stdout.write(JSON.stringify(findChromium() ?? null));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return Found.parse(JSON.parse(stdout));
}
