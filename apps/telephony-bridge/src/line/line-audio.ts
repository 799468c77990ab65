import { aLaw, bytesFromSamples, muLaw, samplesFromBytes } from '@parley/audio';
import type { MediaFormat } from '@parley/ports';

/** How the speech service carries a carrier's audio: as it is, or as PCM where the line is a-law. */
export function speechFormatOf({ encoding, sampleRate }: MediaFormat): { encoding: 'pcm16' | 'mulaw'; sampleRate: number } {
  return { encoding: encoding === 'mulaw' ? 'mulaw' : 'pcm16', sampleRate };
}

/** A carrier's audio for the speech service. Only a-law is touched, once. */
export function forSpeech(bytes: Uint8Array, { encoding }: MediaFormat): Uint8Array {
  return encoding === 'alaw' ? bytesFromSamples(aLaw.decode(bytes)) : bytes;
}

/** The speech service's audio for a carrier. Only a-law is touched, once. */
export function forCarrier(bytes: Uint8Array, { encoding }: MediaFormat): Uint8Array {
  return encoding === 'alaw' ? aLaw.encode(samplesFromBytes(bytes)) : bytes;
}

/** The samples of a carrier's audio, for those who look into it. */
export function samplesOf(bytes: Uint8Array, { encoding }: MediaFormat): Int16Array {
  if (encoding === 'mulaw') return muLaw.decode(bytes);
  return encoding === 'alaw' ? aLaw.decode(bytes) : samplesFromBytes(bytes);
}

/** Samples in the form of a carrier. */
export function bytesOf(samples: Int16Array, { encoding }: MediaFormat): Uint8Array {
  if (encoding === 'mulaw') return muLaw.encode(samples);
  return encoding === 'alaw' ? aLaw.encode(samples) : bytesFromSamples(samples);
}

const silences: Record<MediaFormat['encoding'], ReadonlySet<number>> = {
  pcm16: new Set([0]),
  mulaw: new Set([0xff, 0x7f, 0xfe, 0x7e]),
  alaw: new Set([0xd5, 0x55, 0xd4, 0x54]),
};

/** Whether nothing at all is on the line: not even the noise of a quiet room. */
export function isDigitalSilence(bytes: Uint8Array, { encoding }: MediaFormat): boolean {
  const silent = silences[encoding];
  for (const byte of bytes) if (!silent.has(byte)) return false;
  return true;
}
