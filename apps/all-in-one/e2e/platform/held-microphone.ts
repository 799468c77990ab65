import type { Page } from 'playwright-core';

/**
 * Gives a page a microphone that a test controls: Chromium's own, fed from a file, cannot wait for the agent's turn. Call it
 * before the page is opened.
 */
export async function holdMicrophone(page: Page, wav: Uint8Array): Promise<void> {
  await page.addInitScript(`
    const wav = Uint8Array.from(atob('${Buffer.from(wav).toString('base64')}'), (letter) => letter.charCodeAt(0));
    navigator.mediaDevices.getUserMedia = async () => {
      const context = new AudioContext();
      const microphone = context.createMediaStreamDestination();
      const buffer = await context.decodeAudioData(wav.buffer.slice(0));
      globalThis.speak = () => {
        const source = new AudioBufferSourceNode(context, { buffer });
        source.connect(microphone);
        source.start();
      };
      return microphone.stream;
    };
  `);
}

/** Says what the WAV says. */
export async function speakInto(page: Page): Promise<void> {
  await page.evaluate('globalThis.speak()');
}
