import { type AudioItem, synthesizeSpeech } from '@parley/contracts';
import type { ServiceBus } from '@parley/messaging';
import type { CallMedia, MediaFormat } from '@parley/ports';
import type { CallMeter } from './call-meter';
import { speakOn } from './spoken-message';

const text = 'One. Two.';
const format: MediaFormat = { encoding: 'pcm16', sampleRate: 8000 };
const sound = (): AudioItem => ({ type: 'audio', base64: Buffer.alloc(1600).toString('base64') });
const start: AudioItem = { type: 'format', contentType: 'audio/pcm', sampleRate: 8000, characters: 9, totalBytes: null };

describe('a message on a line', () => {
  const play = async (items: (line: { isEnded: boolean }) => AsyncGenerator<AudioItem>) => {
    const line = { isEnded: false, send: () => undefined };
    let charged = 0;
    const meter: Pick<CallMeter, 'use'> = { use: (usage) => usage.forEach(({ units }) => (charged += units)) };
    const bus: Pick<ServiceBus, 'stream'> = { stream: () => items(line) as never };
    const identity = { orgId: 1, keyId: 'a', agentId: 1, agentKey: 'b' };
    const around = { bus, meter, identity } as unknown as Parameters<typeof speakOn>[2];
    const spoken = speakOn({ media: line as unknown as CallMedia, format }, { text, language: 'english' }, around);
    const outcome = await spoken.catch(() => 'failed');
    return { charged, outcome };
  };

  it('is charged once it is spoken', async () => {
    const items = async function* (): AsyncGenerator<AudioItem> {
      yield* [{ type: 'next' }, { type: 'given', characters: 4 }, start, sound()] as const;
      yield* [{ type: 'next' }, { type: 'given', characters: 9 }, sound()] as const;
    };
    expect(await play(items)).toEqual({ charged: 9, outcome: 200 });
  });

  it('is charged as far as it was given to the engine if the listener hangs up, and no more of it is begun', async () => {
    let isBegun = false;
    const items = async function* (line: { isEnded: boolean }): AsyncGenerator<AudioItem> {
      yield* [{ type: 'next' }, { type: 'given', characters: 4 }, start, sound()] as const;
      line.isEnded = true;
      yield { type: 'next' };
      isBegun = true;
    };
    expect(await play(items)).toEqual({ charged: 4, outcome: 100 });
    expect(isBegun).toBe(false);
  });

  it('is free if the engine fails before its first sound', async () => {
    const items = async function* (): AsyncGenerator<AudioItem> {
      yield* [{ type: 'next' }, { type: 'given', characters: 4 }] as const;
      throw new Error(`${synthesizeSpeech.subject} failed`);
    };
    expect(await play(items)).toEqual({ charged: 0, outcome: 'failed' });
  });

  it('is charged whole by a speech service that knows no pieces', async () => {
    const items = async function* (): AsyncGenerator<AudioItem> {
      yield* [start, sound()];
    };
    expect(await play(items)).toEqual({ charged: 9, outcome: 100 });
  });
});
