import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { joinSamples, muLaw, resample } from '@parley/audio';
import { describeSpeechToText } from '@parley/ports/suites';
import { Flite } from '../flite';
import { howToGetPocketsphinx, Pocketsphinx, transcriptionFrom } from './index';

const unpacked = path.resolve(__dirname, '../../../../.cache/pocketsphinx');
const folders = [unpacked, '/'];
const flite = new Flite();
afterAll(() => flite.close());

async function say(text: string): Promise<Int16Array> {
  const blocks: Int16Array[] = [];
  for await (const { samples } of flite.speak({ text, language: 'english', voice: 'rms' })) blocks.push(samples);
  return joinSamples(blocks);
}

const sentences = [
  'please open the door and come into the house',
  'the weather will be warm and sunny this afternoon',
  'I would like to change the address on my account',
  'the store is open every day from morning to evening',
  'we will send the report to your office next week',
  'there are many people waiting for the train',
];

describe('Pocketsphinx', () => {
  it('explains how to install it', async () => {
    const absent = new Pocketsphinx({ folders: ['/nowhere'] });
    expect(absent.capabilities.unavailable).toContain('node tools/pocketsphinx.mjs');
    const request = { audio: async function* () {}, sampleRate: 16_000 };
    await expect(absent.transcribe(request)).rejects.toMatchObject({ provider: 'pocketsphinx', retryable: false });
  });

  it('is found when it is unpacked while the platform runs', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-pocketsphinx-'));
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    const engine = new Pocketsphinx({ folders: [folder] });
    const seen = [engine.capabilities.unavailable];
    mkdirSync(path.join(folder, 'usr/bin'), { recursive: true });
    mkdirSync(path.join(folder, 'usr/lib'));
    mkdirSync(path.join(folder, 'usr/share/pocketsphinx/model/en-us'), { recursive: true });
    writeFileSync(path.join(folder, 'usr/bin/pocketsphinx_continuous'), '', { mode: 0o755 });
    writeFileSync(path.join(folder, 'usr/share/pocketsphinx/model/en-us/en-us.lm.bin'), '');
    now.mockReturnValue(2001);
    seen.push(engine.capabilities.unavailable);
    now.mockRestore();
    rmSync(folder, { recursive: true });
    expect(seen).toEqual([howToGetPocketsphinx, undefined]);
  });

  it('gives its audio file no name, and removes folders left by killed processes', async () => {
    const [left, current] = ['left', 'current'].map((name) => mkdtempSync(path.join(tmpdir(), `parley-speech-${name}-`)));
    utimesSync(left ?? '', new Date(0), new Date(0));
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-pocketsphinx-'));
    for (const made of ['usr/bin', 'usr/share/pocketsphinx/model/en-us']) mkdirSync(path.join(folder, made), { recursive: true });
    writeFileSync(path.join(folder, 'usr/share/pocketsphinx/model/en-us/en-us.lm.bin'), '');
    const script = `#!/bin/sh
echo "$(stat -L -c %h "$2") 0.0 0.1 1.0"
echo "$(wc -c < "$2") 0.1 0.2 1.0"
`;
    writeFileSync(path.join(folder, 'usr/bin/pocketsphinx_continuous'), script, { mode: 0o755 });
    try {
      const audio = async function* () {
        yield new Int16Array(16_000);
      };
      const { text } = await new Pocketsphinx({ folders: [folder] }).transcribe({ audio, sampleRate: 16_000 });
      expect(text).toBe('0 32000');
      expect([left, current].map((made) => existsSync(made ?? ''))).toEqual([false, true]);
    } finally {
      for (const made of [folder, left, current]) rmSync(made ?? '', { recursive: true, force: true });
    }
  });

  it('reads words and times from the engine’s output, without its noise markers', () => {
    const printed =
      'hello are you\n<s> 0.000 0.110 0.99\nhello 0.120 0.570 0.55\nare(2) 0.810 0.950 0.38\n[NOISE] 1.0 1.1 0.5\n<sil> 1.2 1.3 1\n';
    expect(transcriptionFrom(printed)).toEqual({
      text: 'hello are',
      words: [
        { text: 'hello', startMs: 120, endMs: 570 },
        { text: 'are', startMs: 810, endMs: 950 },
      ],
    });
  });
});

// Whether the engine is installed must be known when tests are defined, before anything can be awaited.
const isInstalled = folders.some((folder) => existsSync(path.join(folder, 'usr/bin/pocketsphinx_continuous')));

if (isInstalled) {
  describeSpeechToText(
    'Pocketsphinx',
    () => new Pocketsphinx({ folders }),
    async () => ({ samples: await say('good morning'), language: 'english', word: 'morning' }),
  );

  it('transcribes flite with at most one word in ten wrong', async () => {
    const engine = new Pocketsphinx({ folders });
    const heard: string[] = [];
    for (const sentence of sentences) {
      const samples = await say(sentence);
      heard.push((await engine.transcribe({ audio: () => once(samples), sampleRate: 16_000 })).text);
    }
    expect(wordErrorRate(sentences.join(' '), heard.join(' '))).toBeLessThanOrEqual(0.1);
  });

  it('transcribes it over a telephone with at most one word in four wrong', async () => {
    const engine = new Pocketsphinx({ folders });
    const asked = ['when are you open', 'how much does a dental cleaning cost'];
    const heard: string[] = [];
    for (const sentence of asked) {
      const narrow = await resample(joinSamples([await say(sentence), new Int16Array(8000)]), 16_000, 8000);
      const samples = muLaw.decode(muLaw.encode(narrow));
      heard.push((await engine.transcribe({ audio: () => once(samples), sampleRate: 8000 })).text);
    }
    expect(wordErrorRate(asked.join(' '), heard.join(' '))).toBeLessThanOrEqual(0.25);
  });
} else {
  process.stdout.write(`Not shown: that pocketsphinx hears what flite says, since it ${howToGetPocketsphinx}\n`);
}

async function* once(samples: Int16Array): AsyncGenerator<Int16Array> {
  yield samples;
}

/** Words wrong, missing or added, as a share of the words spoken. */
function wordErrorRate(said: string, heard: string): number {
  const saidWords = wordsOf(said);
  let costs = Array.from({ length: wordsOf(heard).length + 1 }, (_, index) => index);
  for (const [row, word] of saidWords.entries()) {
    const next = [row + 1];
    for (const [column, other] of wordsOf(heard).entries()) {
      const replaced = (costs[column] ?? 0) + (word === other ? 0 : 1);
      next.push(Math.min(replaced, (costs[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    costs = next;
  }
  return (costs.at(-1) ?? 0) / Math.max(1, saidWords.length);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}']+/gu) ?? [];
}
