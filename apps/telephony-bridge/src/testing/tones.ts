import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { muLaw, wavFile } from '@parley/audio';
import type { ScriptedServices, ScriptedLine } from './scripted-services';

/** Distinct tones for the far end, the agent, and what an interrupted agent says next. */
export const [theirHz, ourHz, nextHz] = [440, 1000, 1500];
const rate = 8000;

/** A tone of a third of full scale at 8 kHz. */
function tone(hz: number, ms: number): Int16Array {
  return Int16Array.from({ length: ms * 8 }, (_, at) => Math.round(9000 * Math.sin((2 * Math.PI * hz * at) / rate)));
}

/** The share of these samples' energy at one frequency: near 1 for a clean tone, near 0 without it. */
export function shareOf(samples: Int16Array, hz: number): number {
  let [real, imaginary, energy] = [0, 0, 1];
  for (const [at, sample] of samples.entries()) {
    real += sample * Math.cos((2 * Math.PI * hz * at) / rate);
    imaginary += sample * Math.sin((2 * Math.PI * hz * at) / rate);
    energy += sample * sample;
  }
  return (2 * (real * real + imaginary * imaginary)) / (samples.length * energy);
}

/** How many milliseconds of these samples are one frequency. */
export function msOf(samples: Int16Array, hz: number): number {
  const window = 400;
  let ms = 0;
  for (let at = 0; at + window <= samples.length; at += window)
    if (shareOf(samples.subarray(at, at + window), hz) > 0.8) ms += (window * 1000) / rate;
  return ms;
}

/** A WAV file of a tone, for programs that play files into their calls. */
export async function toneFile(hz: number): Promise<{ file: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-tone-'));
  const file = path.join(folder, 'tone.wav');
  await writeFile(file, wavFile(tone(hz, 30_000), rate));
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Longer than what is buffered while a line is opened. */
const interruptsAfter = 3 * rate;
const nextMs = 1_000;
const turn = '7e1c9d3a-0b52-4f6e-8a41-6d2f0c9b8a71';

/** Makes the scripted agent greet with a tone of this length; if the caller interrupts it, it continues with another tone. */
export function speaksInTones(scripted: ScriptedServices, { greetingMs, isInterruptible = false, by = theirHz }: Script): void {
  scripted.greet = (line) => speak(line, greetingMs, ourHz);
  const { hear } = scripted;
  let isSpeaking = true;
  scripted.hear = (line, item) => {
    hear(line, item);
    if (!isInterruptible || !isSpeaking || !('frame' in item) || heardBy(line).length < interruptsAfter) return;
    if (shareOf(heardBy(line).subarray(-1600), by) < 0.8) return;
    isSpeaking = false;
    line.channel.signal({ type: 'agent.interrupted', heardText: '', playedMs: 0 });
    speak(line, nextMs, nextHz);
  };
}

interface Script {
  readonly greetingMs: number;
  readonly isInterruptible?: boolean;
  /** The voice that interrupts. */
  readonly by?: number;
}

function speak(line: ScriptedLine, ms: number, hz: number): void {
  line.channel.signal({ type: 'agent.audio.start', turnUUID: turn, sampleRate: rate });
  const sound = tone(hz, ms);
  const isMuLaw = line.opening.encoding === 'mulaw';
  for (let at = 0; at < sound.length; at += rate) {
    const second = sound.slice(at, at + rate);
    line.channel.send(isMuLaw ? muLaw.encode(second) : new Uint8Array(second.buffer));
  }
}

/** What the scripted agent has heard so far. */
export function heardBy({ sounds, opening }: ScriptedLine): Int16Array {
  const bytes = Buffer.concat(sounds);
  if (opening.encoding === 'mulaw') return muLaw.decode(bytes);
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length - (bytes.length % 2)));
}
