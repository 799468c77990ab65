import { aLaw, bytesFromSamples, muLaw, samplesFromBytes } from '@parley/audio';
import { charactersOf, type SpeechLanguage, synthesizeSpeech } from '@parley/contracts';
import type { ServiceBus } from '@parley/messaging';
import type { CallMedia, MediaFormat } from '@parley/ports';
import type { CallMeter } from './call-meter';
import { type CallIdentity, inCallOf } from './call-parts';

/** A message spoken on a line outside a conversation. */
interface SpokenMessage {
  readonly text: string;
  readonly language: SpeechLanguage;
}

interface MessageListener {
  readonly media: CallMedia;
  readonly format: MediaFormat;
}

/**
 * Speaks on a line, charged to the call. Resolves once everything is sent, with its duration. After a hang-up nothing more is begun, and
 * what was begun is charged.
 */
export async function speakOn(
  { media, format }: MessageListener,
  { text, language }: SpokenMessage,
  around: { readonly bus: ServiceBus; readonly identity: CallIdentity; readonly meter: CallMeter },
): Promise<number> {
  const wish = { text, language, sampleRate: format.sampleRate, format: 'pcm' as const, isFollowed: true };
  const items = inCallOf(around.identity, () => around.bus.stream(synthesizeSpeech, wish));
  let rest = new Uint8Array();
  let samples = 0;
  let [given, charged] = [0, 0];
  let isLeft = false;
  const charge = (characters: number): void => {
    around.meter.use([{ kind: 'TTS_API', units: characters - charged }]);
    charged = characters;
  };
  for await (const item of items) {
    isLeft = item.type === 'next' && media.isEnded;
    if (isLeft) break;
    if (item.type === 'given') given = item.characters;
    // A speech service that has not been updated knows no pieces: it gives its engine all of the text.
    if (item.type === 'format') given ||= item.characters;
    if (item.type !== 'audio') continue;
    if (given > charged) charge(given);
    const bytes = Buffer.concat([rest, Buffer.from(item.base64, 'base64')]);
    const whole = bytes.length - (bytes.length % 2);
    rest = new Uint8Array(bytes.subarray(whole));
    const sound = samplesFromBytes(bytes.subarray(0, whole));
    samples += sound.length;
    media.send(format.encoding === 'pcm16' ? bytesFromSamples(sound) : bytesOf(sound, format));
  }
  charge(isLeft ? given : charactersOf(text));
  return (samples * 1000) / format.sampleRate;
}

/** The format in which the speech service gets a carrier's audio: the same, or PCM instead of A-law. */
export function speechFormatOf({ encoding, sampleRate }: MediaFormat): { encoding: 'pcm16' | 'mulaw'; sampleRate: number } {
  return { encoding: encoding === 'mulaw' ? 'mulaw' : 'pcm16', sampleRate };
}

/** Converts a carrier's audio for the speech service. Only A-law changes. */
export function forSpeech(bytes: Uint8Array, { encoding }: MediaFormat): Uint8Array {
  return encoding === 'alaw' ? bytesFromSamples(aLaw.decode(bytes)) : bytes;
}

/** Converts the speech service's audio for a carrier. Only A-law changes. */
export function forCarrier(bytes: Uint8Array, { encoding }: MediaFormat): Uint8Array {
  return encoding === 'alaw' ? aLaw.encode(samplesFromBytes(bytes)) : bytes;
}

/** The samples of a carrier's audio. */
export function samplesOf(bytes: Uint8Array, { encoding }: MediaFormat): Int16Array {
  if (encoding === 'mulaw') return muLaw.decode(bytes);
  return encoding === 'alaw' ? aLaw.decode(bytes) : samplesFromBytes(bytes);
}

/** Encodes samples in a carrier's format. */
export function bytesOf(samples: Int16Array, { encoding }: MediaFormat): Uint8Array {
  if (encoding === 'mulaw') return muLaw.encode(samples);
  return encoding === 'alaw' ? aLaw.encode(samples) : bytesFromSamples(samples);
}

const silences: Record<MediaFormat['encoding'], ReadonlySet<number>> = {
  pcm16: new Set([0]),
  mulaw: new Set([0xff, 0x7f, 0xfe, 0x7e]),
  alaw: new Set([0xd5, 0x55, 0xd4, 0x54]),
};

/** Whether the line carries pure silence, without even the noise of a quiet room. */
export function isDigitalSilence(bytes: Uint8Array, { encoding }: MediaFormat): boolean {
  const silent = silences[encoding];
  for (const byte of bytes) if (!silent.has(byte)) return false;
  return true;
}

/** Silence of this length in a line's format. */
export function silenceOf({ encoding, sampleRate }: MediaFormat, ms: number): Uint8Array {
  const samples = Math.round((sampleRate * ms) / 1000);
  if (encoding === 'pcm16') return new Uint8Array(samples * 2);
  return new Uint8Array(samples).fill(encoding === 'mulaw' ? 0xff : 0xd5);
}
