import { ProviderFailure } from '../provider-failure';
import { SpeechCache } from './enduring-speech';
import { meteredSpeech, ScriptedTextToSpeech, type SpeechRequest, type SpeechUse, type TextToSpeech } from './text-to-speech';

const greeting: SpeechRequest = { text: 'welcome', language: 'english' };

async function say(engine: TextToSpeech, request = greeting): Promise<Int16Array[]> {
  const blocks: Int16Array[] = [];
  for await (const { samples } of engine.speak(request)) blocks.push(samples);
  return blocks;
}

describe('SpeechCache', () => {
  it('repeats a prompt without asking the engine again', async () => {
    const engine = new ScriptedTextToSpeech();
    const speech = new SpeechCache().around(engine);
    const first = (await say(speech)).map((samples) => samples.slice());
    for (const samples of await say(speech)) samples.fill(0);
    expect(await say(speech)).toEqual(first);
    expect(engine.requests).toHaveLength(1);
  });

  it.each<[string, Partial<SpeechRequest>]>([
    ['text', { text: 'goodbye' }],
    ['voice', { voice: 'tone' }],
    ['pace', { pace: 0.8 }],
    ['language', { language: 'hindi' }],
    ['rate', { sampleRate: 8000 }],
  ])('asks again if the %s differs', async (_what, other) => {
    const engine = new ScriptedTextToSpeech();
    const speech = new SpeechCache().around(engine);
    await say(speech);
    await say(speech, { ...greeting, ...other });
    expect(engine.requests).toHaveLength(2);
  });

  it('keeps no speech that broke off or was not heard to its end', async () => {
    const engine = new ScriptedTextToSpeech();
    const speech = new SpeechCache().around(engine);
    engine.failNext(new ProviderFailure('scripted', 'broke off', { retryable: true }), 3);
    await expect(say(speech)).rejects.toThrow('broke off');
    for await (const _block of speech.speak(greeting)) break;
    await say(speech);
    expect(engine.requests).toHaveLength(3);
  });

  it('never uses one owner’s speech for another', async () => {
    const cache = new SpeechCache();
    const [ours, theirs] = [new ScriptedTextToSpeech(), new ScriptedTextToSpeech()];
    await say(cache.around(ours));
    await say(cache.around(theirs, 'organization 7'));
    await say(cache.around(theirs, 'organization 7'));
    expect([ours.requests.length, theirs.requests.length]).toEqual([1, 1]);
  });

  it('drops the least recently used when full', async () => {
    const engine = new ScriptedTextToSpeech();
    const bytesOfGreeting = 7 * 800 * 2;
    const speech = new SpeechCache({ bytesMax: bytesOfGreeting * 4 }).around(engine);
    for (const text of ['welcom1', 'welcom2', 'welcom3', 'welcom4']) await say(speech, { ...greeting, text });
    await say(speech, { ...greeting, text: 'welcom1' });
    await say(speech, { ...greeting, text: 'welcom5' });
    expect(engine.requests).toHaveLength(5);
    await say(speech, { ...greeting, text: 'welcom1' });
    expect(engine.requests).toHaveLength(5);
    await say(speech, { ...greeting, text: 'welcom2' });
    expect(engine.requests).toHaveLength(6);
  });
});

describe('meteredSpeech', () => {
  it('counts code points, not UTF-16 units, and the produced sound', async () => {
    const uses: SpeechUse[] = [];
    await say(
      meteredSpeech(new ScriptedTextToSpeech(), (use) => uses.push(use)),
      { ...greeting, text: 'hi👋' },
    );
    expect(uses).toEqual([expect.objectContaining({ characters: 3, spokenMs: 150, outcome: 'spoken' })]);
  });

  it('tells a failure from a listener who left', async () => {
    const uses: SpeechUse[] = [];
    const engine = new ScriptedTextToSpeech();
    const speech = meteredSpeech(engine, (use) => uses.push(use));
    for await (const _block of speech.speak(greeting)) break;
    engine.failNext(new ProviderFailure('scripted', 'is down', { retryable: true }));
    await expect(say(speech)).rejects.toThrow('is down');
    expect(uses.map(({ outcome }) => outcome)).toEqual(['abandoned', 'failed']);
    expect(uses[1]?.firstSoundMs).toBeUndefined();
  });
});
