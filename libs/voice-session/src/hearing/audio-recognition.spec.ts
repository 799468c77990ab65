import { dtmfTone, joinSamples } from '@parley/audio';
import {
  LoudnessVoiceActivity,
  type NoiseSuppression,
  ProviderFailure,
  ScriptedSpeechToText,
  ScriptedTurnEnd,
  type VoiceActivity,
} from '@parley/ports';
import { eventually } from '@parley/testing';
import { EchoCanceller } from './echo-canceller';
import { EchoGuard } from './echo-guard';
import { finalOf, hear, kindsOf, listen, type Listening, loud, quiet, rate } from './listening.suite';

/** What the agent says, which no caller of these tests repeats. */
const otherVoice = (ms: number) => quiet(ms).map((_, at) => 9000 * Math.sin((2 * Math.PI * 470 * at) / rate));

/** Syllables that never repeat, four a second. */
const babble = (ms: number): Int16Array => {
  let last = 5;
  let level = 0;
  return quiet(ms).map((_, at) => {
    last = (Math.imul(last, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    level += ((last / 2_147_483_648 - 0.5) * 30_000 - level) * 0.3;
    return level * Math.max(0.02, Math.sin((at / rate) * Math.PI * 4)) ** 2;
  });
};

describe('openRecognition', () => {
  it.each([8000, 16_000, 24_000, 48_000])('places a voice to within two windows at %i Hz', async (sampleRate) => {
    const { recognition, events } = await listen({ sampleRate });
    hear(recognition, joinSamples([quiet(640, sampleRate), loud(960, sampleRate), quiet(640, sampleRate)]), sampleRate);
    const [suspected, started, stopped] = events;
    expect(suspected).toEqual({ kind: 'voice-suspected' });
    expect(started).toMatchObject({ kind: 'speech-started' });
    expect(stopped).toMatchObject({ kind: 'speech-stopped' });
    expect(Math.abs((started?.kind === 'speech-started' ? started.atMs : 0) - 640)).toBeLessThanOrEqual(64);
    expect(Math.abs((stopped?.kind === 'speech-stopped' ? stopped.atMs : 0) - 1600)).toBeLessThanOrEqual(64);
    recognition.close();
  });

  it('does not take a voice much softer than the caller’s for an interruption, but hears it while the agent is silent', async () => {
    const { recognition, events } = await listen();
    const soft = loud(640).map((sample) => sample / 5);
    const starts = () => kindsOf(events).filter((kind) => kind === 'speech-started').length;
    hear(recognition, joinSamples([quiet(640), loud(1600), quiet(1000)]));
    expect(starts()).toBe(1);
    recognition.noticeOwnVoice(otherVoice(2000), 3240);
    hear(recognition, joinSamples([quiet(320), soft, quiet(320)]));
    expect(starts()).toBe(1);
    hear(recognition, joinSamples([loud(640), quiet(1500)]));
    expect(starts()).toBe(2);
    hear(recognition, joinSamples([soft, quiet(320)]));
    expect(starts()).toBe(3);
  });

  it('has windows wait for those of other lines only while a voice goes on that did not begin during the agent’s', async () => {
    const waits: boolean[] = [];
    const engine = new LoudnessVoiceActivity();
    const open = async (request: Parameters<VoiceActivity['open']>[0]) => {
      const stream = await engine.open(request);
      const push = (samples: Int16Array, mayWait = false): void => (waits.push(mayWait), stream.push(samples));
      return { push, close: () => stream.close() };
    };
    const { recognition } = await listen({
      voiceActivity: { capabilities: engine.capabilities, open, close: () => engine.close() },
    });
    const waitedFor = (sound: Int16Array): number => {
      waits.length = 0;
      hear(recognition, sound);
      return waits.filter(Boolean).length / waits.length;
    };
    expect(waitedFor(quiet(640))).toBe(0);
    const ofVoice = waitedFor(loud(1600));
    expect(ofVoice).toBeGreaterThan(0.8);
    expect(ofVoice).toBeLessThan(0.98);
    waitedFor(quiet(1000));
    expect(waitedFor(quiet(100))).toBe(0);
    recognition.noticeOwnVoice(otherVoice(2000), 3340);
    expect(waitedFor(joinSamples([quiet(320), loud(640)]))).toBe(0);
  });

  it('lets callers interrupt after their browser turned down their loud voice', async () => {
    const { recognition, events } = await listen();
    hear(recognition, joinSamples([quiet(640), loud(1600).map((sample) => sample * 3.5), quiet(1000)]));
    recognition.noticeOwnVoice(otherVoice(2000), 3240);
    hear(recognition, joinSamples([quiet(320), loud(640).map((sample) => sample / 2)]));
    expect(kindsOf(events).filter((kind) => kind === 'speech-started')).toHaveLength(2);
  });

  it('drops a voice during the agent’s that began as near as the caller but is far as a whole, and transcribes none of it', async () => {
    const engine = new ScriptedSpeechToText(['an earlier question', 'and now the weather']);
    const listening = await listen({ speechToText: engine });
    const { recognition, events } = listening;
    hear(recognition, joinSamples([quiet(640), loud(1600), quiet(1000)]));
    await finalOf(listening);
    const before = events.length;
    recognition.noticeOwnVoice(otherVoice(4000), 3240);
    const syllable = loud(100).map((sample) => sample / 2);
    hear(recognition, joinSamples([quiet(320), syllable, loud(2000).map((sample) => sample / 5)]));
    const [started, stopped] = events.slice(before).filter(({ kind }) => kind === 'speech-started' || kind === 'speech-stopped');
    expect([started?.kind, stopped?.kind]).toEqual(['speech-started', 'speech-stopped']);
    expect((await finalOf(listening)).text).toBe('');
    expect(engine.heardSeconds).toHaveLength(1);
  });

  it('follows a caller to the end who interrupts 6 dB softer than before', async () => {
    const engine = new ScriptedSpeechToText(['an earlier question', 'how can I pay']);
    const listening = await listen({ speechToText: engine });
    hear(listening.recognition, joinSamples([quiet(640), loud(1600).map((sample) => sample / 2), quiet(1000)]));
    await finalOf(listening);
    listening.recognition.noticeOwnVoice(otherVoice(4000), 3240);
    hear(listening.recognition, joinSamples([quiet(320), loud(2000).map((sample) => sample / 4), quiet(320)]));
    expect((await finalOf(listening)).text).toBe('how can I pay');
    expect(engine.heardSeconds.at(-1)).toBeGreaterThan(2);
  });

  it('transcribes everything of a caller who interrupts softly at first', async () => {
    const engine = new ScriptedSpeechToText(['an earlier question', 'how can I pay']);
    const listening = await listen({ speechToText: engine, prefixMs: 300 });
    const { recognition } = listening;
    hear(recognition, joinSamples([quiet(640), loud(1600), quiet(1000)]));
    await finalOf(listening);
    recognition.noticeOwnVoice(otherVoice(3000), 3240);
    hear(recognition, joinSamples([quiet(1000), loud(900).map((sample) => sample / 5), loud(640), quiet(640)]));
    expect((await finalOf(listening)).text).toBe('how can I pay');
    const seconds = engine.heardSeconds.at(-1) ?? 0;
    expect(seconds).toBeGreaterThan(0.3 + 0.9 + 0.64 - 0.07);
    expect(seconds).toBeLessThan(0.3 + 0.9 + 0.64 + 0.25);
  });

  it('tells of words said over the agent whether they may be its own: on a line that has not proved to have no echo', async () => {
    const listening = await listen();
    const { recognition } = listening;
    const over = async (ownMs: number): Promise<boolean | undefined> => {
      for (let at = 0; at < ownMs; at += 20) {
        recognition.noticeOwnVoice(otherVoice(20));
        hear(recognition, ownMs - at > 640 ? quiet(20) : loud(20));
      }
      hear(recognition, quiet(1500));
      return (await finalOf(listening)).isOverEcho;
    };
    expect([await over(1000), await over(4000)]).toEqual([true, undefined]);
    hear(recognition, joinSamples([loud(640), quiet(1500)]));
    expect((await finalOf(listening)).isOverEcho).toBeUndefined();
  });

  it('does not take a soft syllable under the agent’s fading echo for the end of an interruption', async () => {
    const { recognition, events } = await listen();
    const own = babble(4300);
    const echo = joinSamples([own, quiet(1000)]).map((_, at) => 0.5 * (own[at - 480] ?? 0));
    const caller = joinSamples([quiet(4000), loud(120), loud(300).map((sample) => sample / 60), loud(400), quiet(480)]);
    for (let at = 0; at < caller.length; at += 160) {
      if (at < own.length) recognition.noticeOwnVoice(own.subarray(at, at + 160), at === 0 ? 0 : undefined);
      recognition.hear(caller.subarray(at, at + 160).map((sample, i) => sample + (echo[at + i] ?? 0)));
    }
    const edges = events.flatMap((event) => (event.kind === 'speech-started' || event.kind === 'speech-stopped' ? [event] : []));
    const interruption = edges.filter(({ atMs }) => atMs > 3900);
    expect(interruption.map(({ kind }) => kind)).toEqual(['speech-started', 'speech-stopped']);
    expect(interruption[1]?.atMs).toBeGreaterThan(4700);
  });

  it.each([
    ['doubtful', 'own', false],
    ['doubtful', 'doubtful', true],
    ['doubtful', 'caller', true],
    ['caller', 'own', true],
    ['own', 'caller', false],
  ] as const)('where the residual is %s and the whole input %s, suspects a voice: %s', async (residual, whole, isSuspected) => {
    const spies = [
      jest.spyOn(EchoCanceller.prototype, 'residualOwner').mockReturnValue(residual),
      jest.spyOn(EchoGuard.prototype, 'whoSpeaks').mockReturnValue(whole),
    ];
    const { recognition, events } = await listen();
    hear(recognition, joinSamples([quiet(320), loud(320)]));
    expect(kindsOf(events).includes('voice-suspected') || kindsOf(events).includes('speech-started')).toBe(isSuspected);
    for (const spy of spies) spy.mockRestore();
    recognition.close();
  });

  it('reports the end of a voice’s sound early, though the detector lags by a tenth of a second', async () => {
    const pushed: number[] = [];
    const late: VoiceActivity = {
      ...new LoudnessVoiceActivity(),
      capabilities: new LoudnessVoiceActivity().capabilities,
      open: async ({ listener }) => ({
        push: (samples) => {
          pushed.push(samples.length);
          const endMs = (pushed.reduce((sum, count) => sum + count, 0) * 1000) / rate;
          listener({ startMs: endMs - 20, endMs, probability: endMs > 640 && endMs <= 1700 ? 0.9 : 0.1 });
        },
        close: () => undefined,
      }),
      close: async () => undefined,
    };
    const { recognition, events } = await listen({ voiceActivity: late });
    const soft = loud(200).map((sample) => sample / 20);
    hear(recognition, joinSamples([quiet(640), loud(760), soft, quiet(160)]));
    const stopped = events.find(({ kind }) => kind === 'speech-stopped');
    expect(Math.abs((stopped?.kind === 'speech-stopped' ? stopped.atMs : 0) - 1600)).toBeLessThanOrEqual(20);
  });

  it('gives the engine each voice with a short prefix, and none of the silence', async () => {
    const engine = new ScriptedSpeechToText(['good morning']);
    const { recognition, events } = await listen({ speechToText: engine, prefixMs: 300 });
    hear(recognition, joinSamples([quiet(3200), loud(960), quiet(3200)]));
    await eventually('a guess comes', () => events.some(({ kind }) => kind === 'partial'));
    const [seconds = 0] = engine.heardSeconds;
    expect(seconds).toBeGreaterThan(0.96 + 0.3 - 0.07);
    expect(seconds).toBeLessThan(0.96 + 0.3 + 0.25);
  });

  it('treats a voice with a short pause as one piece, and joins pieces into one turn', async () => {
    const engine = new ScriptedSpeechToText(['a first guess', 'the whole phrase', 'and more']);
    const listening = await listen({ speechToText: engine });
    hear(listening.recognition, joinSamples([quiet(640), loud(640), quiet(320)]));
    await eventually('a guess comes', () => listening.events.some(({ kind }) => kind === 'partial'));
    hear(listening.recognition, joinSamples([loud(640), quiet(320)]));
    await eventually('another guess comes', () => kindsOf(listening.events).filter((kind) => kind === 'partial').length === 2);
    hear(listening.recognition, joinSamples([quiet(1600), loud(640), quiet(320)]));
    expect((await finalOf(listening)).text).toBe('the whole phrase and more');
    expect(engine.heardSeconds[1]).toBeGreaterThan((engine.heardSeconds[0] ?? 0) + 0.6);
  });

  it('ends a turn with exactly one final text, empty when nobody spoke', async () => {
    const listening = await listen();
    hear(listening.recognition, quiet(1000));
    expect(await finalOf(listening)).toMatchObject({ kind: 'final', text: '' });
    expect(kindsOf(listening.events)).toEqual(['final']);
  });

  it('transcribes what follows the end of a turn into the next', async () => {
    const engine = new ScriptedSpeechToText(['one', 'two']);
    const listening = await listen({ speechToText: engine });
    hear(listening.recognition, joinSamples([quiet(320), loud(960)]));
    expect((await finalOf(listening)).text).toBe('one');
    hear(listening.recognition, joinSamples([loud(640), quiet(320)]));
    expect((await finalOf(listening)).text).toBe('two');
  });

  it('retries at the end of the turn, and reports when nothing can be transcribed', async () => {
    const failing = new ScriptedSpeechToText(['good morning', 'good evening']);
    const failure = new ProviderFailure('scripted', 'is down', { retryable: true });
    failing.failNext(failure);
    const listening = await listen({ speechToText: failing });
    hear(listening.recognition, joinSamples([quiet(320), loud(640), quiet(320)]));
    await eventually('the engine was asked', () => kindsOf(listening.events).includes('speech-stopped'));
    await new Promise(setImmediate);
    expect((await finalOf(listening)).text).toBe('good morning');
    for (let i = 0; i < 3; i++) failing.failNext(failure);
    hear(listening.recognition, joinSamples([quiet(1600), loud(640), quiet(320)]));
    await new Promise(setImmediate);
    expect((await finalOf(listening)).text).toBe('');
    expect(listening.events.at(-2)).toEqual({ kind: 'recognition-failed', code: 'SPEECH_PROVIDER_UNAVAILABLE' });
  });

  it('detects voices without a transcription engine, and reports that at once', async () => {
    const speechToText = new ScriptedSpeechToText([], { unavailable: 'is not installed' });
    const listening = await listen({ speechToText });
    hear(listening.recognition, joinSamples([quiet(320), loud(640), quiet(320)]));
    expect((await finalOf(listening)).text).toBe('');
    expect(kindsOf(listening.events)).toEqual([
      'recognition-failed',
      'voice-suspected',
      'speech-started',
      'speech-stopped',
      'final',
    ]);
  });

  it('has the prosody of the whole turn judged, and of nothing before it', async () => {
    const turnEnd = new ScriptedTurnEnd([0.9, 0.2, 0.7]);
    const { recognition, events } = await listen({ turnEnd });
    hear(recognition, joinSamples([quiet(640), loud(960), quiet(320), loud(640), quiet(200)]));
    recognition.judgeEnd();
    await eventually('it is judged', () => kindsOf(events).includes('end-judged'));
    expect(events).toContainEqual({ kind: 'end-judged', soundsDone: 0.9 });
    const isWithinWindow = (seconds = 0, expected = 0) => Math.abs(seconds - expected) <= 0.064;
    expect(isWithinWindow(turnEnd.heardSeconds[0], 0.4 + 0.96 + 0.32 + 0.64 + 0.2)).toBe(true);
    recognition.noticeOwnVoice(loud(20));
    hear(recognition, joinSamples([quiet(640), loud(640), quiet(200)]));
    recognition.judgeEnd();
    await eventually('it is judged again', () => turnEnd.heardSeconds.length === 2);
    expect(isWithinWindow(turnEnd.heardSeconds[1], 0.4 + 0.64 + 0.2)).toBe(true);
    hear(recognition, joinSamples([quiet(4000), loud(640), quiet(200)]));
    recognition.judgeEnd();
    expect(isWithinWindow(turnEnd.heardSeconds[2], 0.4 + 0.64 + 0.2)).toBe(true);
  });

  it('reports no prosody once somebody speaks again, and requests none during speech', async () => {
    const turnEnd = new ScriptedTurnEnd([0.9]);
    const { recognition, events } = await listen({ turnEnd });
    hear(recognition, joinSamples([quiet(640), loud(640), quiet(200)]));
    recognition.judgeEnd();
    hear(recognition, loud(320));
    recognition.judgeEnd();
    await new Promise(setImmediate);
    expect(kindsOf(events)).not.toContain('end-judged');
    expect(turnEnd.heardSeconds).toHaveLength(1);
  });

  it('detects keys as tones, if asked to', async () => {
    const tones = [...'42#'].flatMap((key) => [dtmfTone(key, rate) ?? quiet(0), quiet(100)]);
    const asked = await listen({ hearsDigits: true });
    const notAsked = await listen();
    for (const { recognition } of [asked, notAsked]) hear(recognition, joinSamples(tones));
    const digits = ({ events }: Listening) => events.flatMap((event) => (event.kind === 'digit' ? event.digit : []));
    expect(digits(asked)).toEqual(['4', '2', '#']);
    expect(digits(notAsked)).toEqual([]);
  });

  it('judges the raw sound, and transcribes the cleaned sound that arrives later', async () => {
    const delayMs = 40;
    const uncleaned: Int16Array[] = [];
    let clean = (): void => undefined;
    const suppression: NoiseSuppression = {
      delayMs,
      sampleRates: [rate],
      open: async ({ listener }) => {
        listener(quiet(delayMs));
        return {
          push: (samples) => {
            uncleaned.push(samples);
            clean = () => listener((uncleaned.shift() ?? quiet(0)).map((sample) => sample / 10));
          },
          close: () => undefined,
        };
      },
      close: async () => undefined,
    };
    const engine = new ScriptedSpeechToText(['good morning']);
    const listening = await listen({ noise: { suppression, strength: 100 }, speechToText: engine, prefixMs: 300 });
    hear(listening.recognition, joinSamples([quiet(640), loud(640), quiet(640)]));
    expect(kindsOf(listening.events)).not.toContain('speech-stopped');
    while (uncleaned.length > 0) clean();
    const [startedMs = 0] = listening.events.flatMap((event) => (event.kind === 'speech-started' ? event.atMs : []));
    expect(Math.abs(startedMs - 640)).toBeLessThanOrEqual(64);
    expect((await finalOf(listening)).text).toBe('good morning');
    expect(engine.heardSeconds[0]).toBeGreaterThan(0.64 + 0.3 - 0.07);
  });

  it('bounds a voice that never ends, and cuts it into pieces', async () => {
    const engine = new ScriptedSpeechToText([]);
    const listening = await listen({ speechToText: engine });
    for (let second = 0; second < 100; second++)
      hear(
        listening.recognition,
        loud(1000).map((sample) => sample + (second % 2)),
      );
    await finalOf(listening);
    expect(Math.max(...engine.heardSeconds)).toBeLessThan(31);
  });

  it('reports nothing after close, whatever is called', async () => {
    const { recognition, events } = await listen();
    hear(recognition, joinSamples([quiet(320), loud(640)]));
    recognition.close();
    recognition.close();
    const before = events.length;
    hear(recognition, quiet(640));
    recognition.noticeOwnVoice(loud(20));
    recognition.finishTurn();
    await new Promise(setImmediate);
    expect(events).toHaveLength(before);
  });

  it('refuses a sample rate too low for speech', async () => {
    await expect(listen({ sampleRate: 4000 })).rejects.toThrow(RangeError);
  });
});
