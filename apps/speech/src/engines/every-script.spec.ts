import { synthesizeSpeech } from '@parley/contracts';
import { ProviderFailure, ScriptedFileStore, ScriptedTextToSpeech, type SpeechRequest, type SpokenLanguage } from '@parley/ports';
import { Espeak } from '@parley/providers/espeak';
import { Flite } from '@parley/providers/flite';
import type { z } from 'zod';
import { SpeechEngines } from './speech-engines';
import { startSpeech } from '../testing/running-speech';

const lead = 'We are open every day.';
const ofHindi = 'दुकान सुबह नौ बजे खुलती है।';
const ofMarathi = 'आमच्याकडे कपडे स्वस्त आहेत.';
const withWords = 'Our shop is called दुकान and we sell कपड़े every day of the week.';

/** Records its requests, and says them in any voice. */
class Recorded extends ScriptedTextToSpeech {
  readonly asked: SpeechRequest[] = [];

  get texts(): string[] {
    return this.asked.map(({ text }) => text);
  }

  override speak(request: SpeechRequest): ReturnType<ScriptedTextToSpeech['speak']> {
    this.asked.push(request);
    return super.speak({ ...request, voice: 'tone' });
  }
}

describe('text in several scripts', () => {
  const latin = () => new Recorded({ provider: 'flite', languages: ['english'], scripts: { english: ['Latin'] } });
  const both = ['Latin', 'Devanagari'];
  const indic = () =>
    new Recorded({
      ...{ provider: 'espeak', languages: ['hindi', 'marathi', 'english'] },
      scripts: { hindi: both, marathi: both, english: both },
    });

  async function spoken(engines: SpeechEngines, request: Pick<SpeechRequest, 'text' | 'language'>, voices: number[] = []) {
    const told = { characters: 0, unsaid: 0, given: [] as number[] };
    const { engine, voice } = engines.speakerOf(request.language, undefined, voices);
    const blocks = engine.speak({
      ...{ ...request, voice },
      beforePiece: async (characters) => void told.given.push(characters),
      onUnsaid: (characters) => (told.unsaid = characters),
    });
    for await (const { samples } of blocks) told.characters += samples.length / 800;
    return told;
  }

  it('goes whole and unchanged to a voice that says all of it', async () => {
    const [first, second, cloud] = [latin(), indic(), new Recorded({ provider: 'elevenlabs' })];
    for (const text of ['We open at nine. Come in, Zoë!', '₹480 — “café”']) {
      await spoken(new SpeechEngines([first, second], []), { text, language: 'english' });
      expect(first.texts.at(-1)).toBe(text);
    }
    const mixed = `${lead} ${ofHindi} हमारी shop में discount है। ${withWords}`;
    for (const language of ['english', 'hindi'] as const)
      await spoken(new SpeechEngines([cloud, first, second], []), { text: mixed, language });
    await spoken(new SpeechEngines([second], []), { text: mixed, language: 'marathi' });
    expect([cloud.texts, second.texts, first.texts.length]).toEqual([[mixed, mixed], [mixed], 2]);
  });

  it('is said sentence by sentence by a voice that can, in its own language and in order, and every character is asked for', async () => {
    const [first, second] = [latin(), indic()];
    const text = `${lead} ${ofHindi} ${ofHindi} Come in.`;
    const told = await spoken(new SpeechEngines([first, second], []), { text, language: 'english' });
    expect(first.texts).toEqual([lead, 'Come in.']);
    expect(second.asked).toMatchObject([{ text: `${ofHindi}\n${ofHindi}`, language: 'hindi' }]);
    expect(told.given).toEqual(told.given.toSorted((one, other) => one - other));
    expect([told.given.at(-1), told.given.length, told.unsaid]).toEqual([text.length, 3, 0]);
    await spoken(new SpeechEngines([first, second], []), { text: `${lead} ${ofMarathi}`, language: 'english' });
    expect(second.asked.at(-1)).toMatchObject({ text: ofMarathi, language: 'marathi' });
  });

  it('has single words of Devanagari written in Latin letters for an English voice', async () => {
    const first = latin();
    await spoken(new SpeechEngines([first, indic()], []), { text: withWords, language: 'english' });
    expect(first.texts).toEqual(['Our shop is called dukan and we sell kap-day every day of the week.']);
  });

  it('is said in the voices of the agent, in its order, and as Latin letters if no voice has others', async () => {
    const [first, second, other] = [latin(), indic(), new Recorded({ provider: 'sarvam', languages: ['hindi'] })];
    const text = `${lead} ${ofHindi}`;
    await spoken(new SpeechEngines([first, other, second], []), { text, language: 'english' }, [3, 12, 51]);
    expect(second.asked).toMatchObject([{ text: ofHindi, voice: 'hi+f3' }]);
    second.failNext(new ProviderFailure('espeak', 'is down', { retryable: false }));
    await spoken(new SpeechEngines([first, other, second], []), { text, language: 'english' }, [3, 12, 51]);
    expect(other.asked).toMatchObject([{ text: ofHindi, voice: 'ritu' }]);
    const alone = latin();
    const told = await spoken(new SpeechEngines([alone], []), { text, language: 'english' });
    expect([alone.texts, told.unsaid]).toEqual([[`${lead}\ndukan subah nau ba-jay khulti hay।`], 0]);
  });

  it('gives no sentence to a voice because it said the one before', async () => {
    const [first, second] = [
      latin(),
      new Recorded({ provider: 'sarvam', languages: ['hindi'], scripts: { hindi: ['Devanagari'] } }),
    ];
    const third = new Recorded({ provider: 'espeak', languages: ['hindi'], scripts: { hindi: ['Devanagari', 'Gujarati'] } });
    const text = `${lead} ${ofHindi} દુકાન ખુલ્લી છે. ${ofHindi}`;
    await spoken(new SpeechEngines([first, second, third], []), { text, language: 'english' });
    expect([second.texts, third.texts]).toEqual([[ofHindi], ['દુકાન ખુલ્લી છે.']]);
  });

  it('keeps its other voice when an engine takes over that says less', async () => {
    const [cloud, first, second] = [new Recorded({ provider: 'elevenlabs' }), latin(), indic()];
    cloud.failNext(new ProviderFailure('elevenlabs', 'is down', { retryable: false }));
    await spoken(new SpeechEngines([cloud, first, second], []), { text: `${lead} ${ofHindi}`, language: 'english' });
    expect([first.texts, cloud.texts.at(-1), second.texts]).toEqual([[lead], ofHindi, []]);
  });

  it('does not hold the failure of another voice against the one for which it speaks', async () => {
    const [first, second] = [latin(), indic()];
    const engines = new SpeechEngines([first, second], []);
    for (let tries = 0; tries < 8; tries += 1) {
      for (let times = 0; times < 4; times += 1)
        second.failNext(new ProviderFailure('espeak', 'is down', { retryable: true, retryAfterMs: 2000 }));
      const { engine } = engines.speakerOf('english');
      await expect(gathered(engine.speak({ text: `${ofHindi} ${lead}`, language: 'english' }))).rejects.toThrow(/espeak|speech/u);
    }
    await spoken(engines, { text: lead, language: 'english' });
    expect(first.texts.at(-1)).toBe(lead);
  });

  it('is late by the voice that says it, not by the one for which that speaks', async () => {
    const second = new Recorded({ provider: 'sarvam', languages: ['hindi'] });
    second.speak = async function* () {
      yield await new Promise<never>(() => undefined);
    };
    const { engine } = new SpeechEngines([latin(), second], []).speakerOf('english');
    jest.useFakeTimers();
    const late = expect(gathered(engine.speak({ text: ofHindi, language: 'english' }))).rejects.toMatchObject({
      provider: 'sarvam',
    });
    await jest.advanceTimersByTimeAsync(20_000);
    jest.useRealTimers();
    await late;
  });

  it('is neither said nor charged where no voice has its letters, and the answer says how much', async () => {
    const first = latin();
    const harness = await startSpeech({ speaking: [first], hearing: [], files: new ScriptedFileStore() });
    const items = (wish: z.input<typeof synthesizeSpeech.request>) =>
      gathered(harness.bus.stream(synthesizeSpeech, wish, { principal: { kind: 'ext', keyId: 'spec', orgId: 1 } }));
    const text = 'We like 花鳥 here.';
    const found = await items({ text, language: 'english', isFollowed: true });
    expect(found.find(({ type }) => type === 'format')).toMatchObject({ characters: text.length - 2, unsaid: 2 });
    expect(found.filter(({ type }) => type === 'given').at(-1)).toMatchObject({ characters: text.length - 2 });
    expect(first.texts).toEqual(['We like\nhere.']);
    await expect(items({ text: '花鳥風月。', language: 'english' })).rejects.toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED' });
    await harness.stop();
  });

  it('times the words of each voice from the start of the whole speech', async () => {
    const [first, second] = [latin(), indic()];
    second.speak = async function* () {
      yield { samples: new Int16Array(1600), sampleRate: 16_000, words: [{ text: 'दुकान', startMs: 10, endMs: 100 }] };
    };
    const { engine } = new SpeechEngines([first, second], []).speakerOf('english');
    const blocks = await gathered(engine.speak({ text: `${lead} ${ofHindi} ${lead}`, language: 'english' }));
    const startMs = lead.length * 50 + 10;
    expect(blocks.flatMap(({ words = [] }) => words)).toEqual([{ text: 'दुकान', startMs, endMs: startMs + 90 }]);
  });
});

const lacking = new Espeak().capabilities.unavailable;

/** With the engines that are installed here. */
(lacking ? describe.skip : describe)('the sound of text in several scripts', () => {
  const installed = [new Flite(), new Espeak()];
  const engines = new SpeechEngines(installed, []);
  afterAll(() => Promise.all(installed.map((engine) => engine.close())));

  async function secondsOf(text: string, language: SpokenLanguage): Promise<number> {
    const { engine, voice } = engines.speakerOf(language);
    const blocks = await gathered(engine.speak({ text, language, voice }));
    return blocks.reduce((sum, { samples, sampleRate }) => sum + samples.length / sampleRate, 0);
  }

  it.each(['english', 'hindi', 'marathi'] as const)('lasts as long as its parts, asked for in %s', async (language) => {
    const english = await secondsOf(lead, language);
    const hindi = await secondsOf(ofHindi, language === 'english' ? 'hindi' : language);
    const marathi = await secondsOf(ofMarathi, language === 'english' ? 'marathi' : language);
    expect(await secondsOf(`${lead} ${ofHindi}`, language)).toBeCloseTo(english + hindi, 1);
    expect(await secondsOf(`${ofMarathi} ${lead}`, language)).toBeCloseTo(marathi + english, 1);
  });

  it.each([
    ['english', withWords, 'Our shop is called and we sell every day of the week.'],
    ['hindi', 'हमारी shop में discount मिलता है।', 'हमारी में मिलता है।'],
    ['marathi', 'आमच्या shop मध्ये discount आहे.', 'आमच्या मध्ये आहे.'],
  ] as const)('has its words of another script in %s', async (language, whole, without) =>
    expect(await secondsOf(whole, language)).toBeGreaterThan((await secondsOf(without, language)) + 0.5),
  );
});

async function gathered<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
