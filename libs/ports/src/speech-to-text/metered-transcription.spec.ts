import { ProviderFailure } from '../provider-failure';
import { type HearingUse, meteredTranscription } from './enduring-transcription';
import { type HearingEvent, type LiveHearing, ScriptedSpeechToText, type SpeechToText } from './speech-to-text';

const sampleRate = 16_000;
const second = new Int16Array(sampleRate).fill(5000);

async function* sound(): AsyncGenerator<Int16Array> {
  yield second;
  yield second;
}

describe('meteredTranscription', () => {
  const uses: HearingUse[] = [];
  const metered = (engine: SpeechToText): SpeechToText => meteredTranscription(engine, (use) => uses.push(use));
  beforeEach(() => {
    uses.length = 0;
  });

  it('counts the sound of a recording, even if the engine fails on it', async () => {
    const engine = new ScriptedSpeechToText(['hello']);
    await metered(engine).transcribe({ audio: sound, sampleRate });
    engine.failNext(new ProviderFailure('scripted', 'is down', { retryable: true }));
    await expect(metered(engine).transcribe({ audio: sound, sampleRate })).rejects.toThrow('is down');
    expect(uses).toMatchObject([
      { provider: 'scripted', heardMs: 2000, outcome: 'heard' },
      { heardMs: 2000, outcome: 'failed', firstTextMs: undefined },
    ]);
    expect(uses[0]?.firstTextMs).toBeGreaterThanOrEqual(0);
  });

  it('tells a caller who left from an engine that failed', async () => {
    const signal = AbortSignal.abort();
    await expect(metered(new ScriptedSpeechToText()).transcribe({ audio: sound, sampleRate, signal })).rejects.toThrow(/abort/i);
    expect(uses).toMatchObject([{ heardMs: 0, outcome: 'abandoned' }]);
  });

  it('counts a live line once, from its opening to its end', async () => {
    async function* events(): AsyncGenerator<HearingEvent> {
      yield { kind: 'final', text: 'hello' };
    }
    const line: LiveHearing = { push: jest.fn(), finish: jest.fn(), close: jest.fn(), events: events() };
    const engine = Object.assign(new ScriptedSpeechToText([], { live: true }), { listen: async () => line });
    const heard = await metered(engine).listen?.({ sampleRate });
    heard?.push(second);
    for await (const _event of heard?.events ?? []) expect(uses).toEqual([]);
    heard?.close();
    expect(uses).toMatchObject([{ heardMs: 1000, outcome: 'heard' }]);
    expect(uses).toHaveLength(1);
  });

  it('is live only if the engine is, and follows it as it becomes available', () => {
    let unavailable: string | undefined = 'is not installed';
    const engine = new ScriptedSpeechToText();
    const changing = Object.defineProperty(engine, 'capabilities', { get: () => ({ provider: 'scripted', unavailable }) });
    const wrapped = metered(changing);
    expect(wrapped.listen).toBeUndefined();
    expect(wrapped.capabilities.unavailable).toBe('is not installed');
    unavailable = undefined;
    expect(wrapped.capabilities.unavailable).toBeUndefined();
  });
});
