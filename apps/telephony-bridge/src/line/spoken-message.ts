import { bytesFromSamples, samplesFromBytes } from '@parley/audio';
import { charactersOf, type SpeechLanguage, synthesizeSpeech } from '@parley/contracts';
import type { ServiceBus } from '@parley/messaging';
import type { CallMedia, MediaFormat } from '@parley/ports';
import type { CallMeter } from './call-meter';
import { type CallIdentity, inCallOf } from './call-parts';
import { bytesOf } from './line-audio';

/** Words for somebody on a line, outside of any conversation. */
export interface SpokenMessage {
  readonly text: string;
  readonly language: SpeechLanguage;
}

interface Listener {
  readonly media: CallMedia;
  readonly format: MediaFormat;
}

/** Speaks on a line, paid by the call. Resolves with how long it takes to hear, once all is handed over. */
export async function speakOn(
  { media, format }: Listener,
  { text, language }: SpokenMessage,
  around: { readonly bus: ServiceBus; readonly identity: CallIdentity; readonly meter: CallMeter },
): Promise<number> {
  const wish = { text, language, sampleRate: format.sampleRate, format: 'pcm' as const };
  const items = inCallOf(around.identity, () => around.bus.stream(synthesizeSpeech, wish));
  let rest = new Uint8Array();
  let samples = 0;
  for await (const item of items) {
    if (item.type === 'format') {
      around.meter.use([{ kind: 'TTS_API', units: charactersOf(text) }]);
      continue;
    }
    const bytes = Buffer.concat([rest, Buffer.from(item.base64, 'base64')]);
    const whole = bytes.length - (bytes.length % 2);
    rest = new Uint8Array(bytes.subarray(whole));
    const sound = samplesFromBytes(bytes.subarray(0, whole));
    samples += sound.length;
    media.send(format.encoding === 'pcm16' ? bytesFromSamples(sound) : bytesOf(sound, format));
  }
  return (samples * 1000) / format.sampleRate;
}
