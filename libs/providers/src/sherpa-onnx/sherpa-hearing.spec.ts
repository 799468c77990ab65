import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type SpokenLanguage, spokenLanguages } from '@parley/ports';
import { describeSpeechToText } from '@parley/ports/suites';
import { SherpaHearing } from './index';
import { makeToneWhisper, toneWords } from './tone-whisper.fixture';

const sampleRate = 16_000;
const loud = Int16Array.from({ length: sampleRate }, (_, at) => ((at * 7919) % 16_000) - 8000);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'models-'));
  await makeToneWhisper(path.join(folder, 'sherpa-onnx-whisper-base'), 'base');
});
afterAll(() => rm(folder, { recursive: true }));

/** With the real engine and real processes; only the weights are tiny, since no registry has a model. */
describeSpeechToText(
  'Whisper by sherpa-onnx',
  () => new SherpaHearing(folder),
  () => ({ samples: loud, language: 'english', word: 'tone' }),
);

describe('Whisper by sherpa-onnx', () => {
  let hearing: SherpaHearing;
  beforeAll(() => {
    hearing = new SherpaHearing(folder);
  });
  afterAll(() => hearing.close());

  async function* blocks(seconds: number): AsyncGenerator<Int16Array> {
    for (let second = 0; second < seconds; second++) yield loud;
  }

  it('transcribes each language with one model, sequentially and concurrently', async () => {
    const hear = (language: SpokenLanguage) => hearing.transcribe({ audio: () => blocks(2), sampleRate, language });
    for (const language of spokenLanguages) expect(await hear(language)).toEqual({ text: toneWords[language], language });
    const all = await Promise.all(spokenLanguages.map(hear));
    expect(all.map(({ text }) => text)).toEqual(spokenLanguages.map((language) => toneWords[language]));
  });

  it('detects the language if none is given', async () => {
    // The previous language must not decide; these weights consider the model's last language likeliest.
    await hearing.transcribe({ audio: () => blocks(1), sampleRate, language: 'english' });
    const found = await hearing.transcribe({ audio: () => blocks(1), sampleRate });
    expect(found).toEqual({ text: toneWords.marathi, language: 'marathi' });
  });

  it('accepts a telephone’s rate, and refuses more than the model can take at once', async () => {
    expect((await hearing.transcribe({ audio: () => blocks(2), sampleRate: 8000, language: 'english' })).text).toBe('tone');
    const long = hearing.transcribe({ audio: () => blocks(30), sampleRate, language: 'english' });
    await expect(long).rejects.toMatchObject({ retryable: false, message: expect.stringContaining('29 seconds') });
  });
});
