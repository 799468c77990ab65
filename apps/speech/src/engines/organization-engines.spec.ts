import { randomUUID } from 'node:crypto';
import { providerKeyChanged, synthesizeSpeech, transcribeRecording } from '@parley/contracts';
import { wavFile } from '@parley/audio';
import { ProviderFailure, ScriptedFileStore, ScriptedSpeechToText, ScriptedTextToSpeech } from '@parley/ports';
import type { OwnKey } from '@parley/providers/speech-catalogue';
import { eventually } from '@parley/testing';
import { startSpeech } from '../testing/running-speech';

const elevenLabs = { id: 5, name: 'elevenlabs' };
const deepgram = { id: 3, name: 'deepgram' };
const key: OwnKey = { key: 'sk-own-of-seven', baseURL: null, model: null };
const sevens = { principal: { kind: 'ext', keyId: 'spec', orgId: 7 } } as const;
const others = { principal: { kind: 'ext', keyId: 'spec', orgId: 8 } } as const;

describe('an organization’s own provider keys', () => {
  let harness: Awaited<ReturnType<typeof startSpeech>>;
  let common: ScriptedTextToSpeech;
  let hearing: ScriptedSpeechToText;
  let files: ScriptedFileStore;
  let opened: { name: string; key: OwnKey; engine: ScriptedTextToSpeech }[];
  let heardBy: { name: string; key: OwnKey }[];

  beforeEach(async () => {
    opened = [];
    heardBy = [];
    common = new ScriptedTextToSpeech({ provider: elevenLabs.name, grade: 'production' });
    hearing = new ScriptedSpeechToText(['by the installation', 'by the installation']);
    files = new ScriptedFileStore();
    harness = await startSpeech({
      speaking: [common],
      hearing: [hearing],
      files,
      own: {
        speaking: async (name, own) => {
          const engine = new ScriptedTextToSpeech({ provider: name });
          opened.push({ name, key: own, engine });
          return engine;
        },
        hearing: async (name, own) => {
          heardBy.push({ name, key: own });
          return new ScriptedSpeechToText(['by their own key'], { provider: name });
        },
      },
    });
  });
  afterEach(() => harness.stop());

  const say = async (caller: typeof sevens | typeof others, text = 'hello'): Promise<void> => {
    for await (const _item of harness.bus.stream(synthesizeSpeech, { text, language: 'english' }, caller)) continue;
  };

  it('are used to speak for that organization only', async () => {
    harness.keys.held.set(`7/VOICE/${elevenLabs.id}`, key);
    await say(sevens);
    await say(others);
    expect(opened).toMatchObject([{ name: 'elevenlabs', key, engine: { requests: [{ text: 'hello' }] } }]);
    expect(common.requests).toHaveLength(1);
  });

  it('are used to transcribe for that organization only', async () => {
    harness.keys.held.set(`7/TRANSCRIBE/${deepgram.id}`, key);
    async function* body(): AsyncGenerator<Uint8Array> {
      yield wavFile(new Int16Array(16_000).fill(5000), 16_000);
    }
    const heard = [];
    for (const [orgId, caller] of [
      [7, sevens],
      [8, others],
    ] as const) {
      const fileKey = `uploads/${orgId}/a.wav`;
      await files.put(fileKey, body(), { bytesMax: 100_000 });
      const audioFile = { fileKey, fileName: 'a.wav', size: 32_044, contentType: 'audio/wav' };
      heard.push((await harness.bus.ask(transcribeRecording, { audioFile, language: 'english' }, caller)).transcription);
    }
    expect(heard).toEqual(['by their own key', 'by the installation']);
    expect(heardBy).toEqual([{ name: 'deepgram', key }]);
  });

  it('never share cached speech between keys', async () => {
    await say(others);
    harness.keys.held.set(`7/VOICE/${elevenLabs.id}`, key);
    await say(sevens);
    await say(sevens);
    expect(opened).toHaveLength(1);
    expect(opened[0]?.engine.requests).toHaveLength(1);
  });

  it('are fetched once, and again after a change', async () => {
    await say(sevens);
    const asked = harness.keys.asked.length;
    expect(new Set(harness.keys.asked).size).toBe(asked);
    await say(sevens, 'again');
    expect(harness.keys.asked).toHaveLength(asked);
    harness.keys.held.set(`7/VOICE/${elevenLabs.id}`, key);
    const change = { providerKind: 'VOICE', providerID: elevenLabs.id } as const;
    await harness.bus.emit(providerKeyChanged, {
      id: randomUUID(),
      orgId: 7,
      occurredAt: new Date().toISOString(),
      payload: change,
    });
    await eventually('the new key speaks', async () => {
      await say(sevens, 'once more');
      return opened.length === 1;
    });
  });

  it('fall back to the installation’s other providers when they fail', async () => {
    harness.keys.held.set('7/VOICE/6', key);
    await say(sevens, 'first');
    opened[0]?.engine.failNext(new ProviderFailure('sarvam', 'answered 401', { retryable: false }));
    await say(sevens, 'second');
    expect(common.requests).toMatchObject([{ text: 'second' }]);
  });

  it('of the installation are kept from the organization whose texts they fail, and from no other', async () => {
    const attemptsOfEach = 2;
    for (let attempt = 0; attempt < 3 * attemptsOfEach; attempt++)
      common.failNext(new ProviderFailure('elevenlabs', 'answered 500', { retryable: true }));
    for (const text of ['one', 'two', 'three', 'four']) await expect(say(sevens, text)).rejects.toThrow();
    expect(common.requests).toHaveLength(3 * attemptsOfEach);
    await say(others, 'hello');
    expect(common.requests.at(-1)).toMatchObject({ text: 'hello' });
  });

  it('are counted in metrics by provider', async () => {
    harness.keys.held.set('7/VOICE/6', key);
    await say(sevens);
    await say(sevens);
    await say(others, 'hello there');
    const text = await harness.metrics.exposition();
    expect(text).toContain('parley_speech_spoken_characters_total{service="speech",provider="sarvam"} 5');
    expect(text).toContain('parley_speech_spoken_characters_total{service="speech",provider="elevenlabs"} 11');
    expect(text).toContain(
      'parley_speech_provider_requests_total{service="speech",provider="sarvam",kind="speak",outcome="spoken"} 1',
    );
    expect(text).toContain('parley_speech_first_sound_seconds_count{service="speech",provider="elevenlabs"} 1');
  });
});
