import { existsSync } from 'node:fs';
import path from 'node:path';
import { joinSamples, loudnessOf, openAudio } from '@parley/audio';
import { demo } from './platform';

const root = path.resolve(__dirname, '../../../..');

/** Which of the optional local engines this machine has. */
export const machineHas = {
  recognizer: ['.cache/models/moonshine-base', '.cache/pocketsphinx/usr/bin/pocketsphinx_continuous'].some((place) =>
    existsSync(path.join(root, place)),
  ),
  espeak: existsSync(path.join(root, 'node_modules/@echogarden/espeak-ng-emscripten')),
};

/** One request for speech, as a client of the public API sends it. */
export async function speak(wish: object): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
  const reply = await fetch(`${demo().baseUrl}/api/v1/tts/external`, {
    method: 'POST',
    headers: { 'x-api-key': demo().speechKey, 'content-type': 'application/json' },
    body: JSON.stringify(wish),
  });
  return { status: reply.status, headers: reply.headers, bytes: Buffer.from(await reply.arrayBuffer()) };
}

/** Raw samples have no header, so the client that requested them must know their format. */
interface Raw {
  readonly sampleRate: number;
  readonly encoding: 'pcm16' | 'mulaw';
}

/** The length of a recording, and its loudness from 0 to 1. */
export async function listen(bytes: Uint8Array, raw?: Raw): Promise<{ seconds: number; loudness: number }> {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  const { blocks } = await openAudio(source(), { toRate: 16_000, ...(raw && { raw }) });
  const heard: Int16Array[] = [];
  for await (const block of blocks) heard.push(block.slice());
  const samples = joinSamples(heard);
  return { seconds: samples.length / 16_000, loudness: loudnessOf(samples) };
}
