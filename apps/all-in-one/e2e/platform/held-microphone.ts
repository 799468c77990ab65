import type { Page } from 'playwright-core';

/**
 * Gives a page a microphone controlled by the test: Chromium's own, fed from a file, cannot wait for the agent's turn. Call it
 * before opening the page.
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

/** Plays the WAV into the microphone. */
export async function speakInto(page: Page): Promise<void> {
  await page.evaluate('globalThis.speak()');
}
