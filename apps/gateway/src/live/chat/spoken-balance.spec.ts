import { randomUUID } from 'node:crypto';
import { Controller } from '@nestjs/common';
import {
  type AudioItem,
  charactersOf,
  type CreditKind,
  examplesOf,
  getCreditBalance,
  LatencyParts,
  listCreditUsage,
  readTurn,
  streamTurn,
  synthesizeSpeech,
  type TurnItem,
} from '@parley/contracts';
import { Handles } from '@parley/messaging';
import type { z } from 'zod';
import { Harness, type TestOrganization } from '../../testing/harness';

const tokens = 25;
const latency = LatencyParts.parse(examplesOf(LatencyParts)[0]);
const tokenUsage = { promptTokens: 20, completionTokens: tokens - 20, totalTokens: tokens };
const wordsOf = (characters: number): string => 'five '.repeat(Math.ceil(characters / 5)).slice(0, characters - 1) + '.';

let asked = 0;
let answers: string[] = [];
let spoken: string[] = [];
/** Answers come when as many questions were asked, so that all of them hold credits at the same time. */
let together = 1;
let all = Promise.withResolvers<void>();

@Controller()
class Conversation {
  @Handles(streamTurn)
  async *stream(): AsyncGenerator<TurnItem> {
    const answer = answers[asked] ?? '';
    const ids = { sessionUUID: randomUUID(), turnUUID: randomUUID() };
    if ((asked += 1) === together) all.resolve();
    yield { type: 'session', ...ids };
    await all.promise;
    const about = { detectedLanguage: 'english', isFromFaq: false, wantsToEnd: false, audioSeconds: 0 } as const;
    yield { type: 'done', ...ids, ...about, answer, tokenUsage, latency };
  }

  @Handles(readTurn)
  read({ turnUUID }: { turnUUID: string }): z.input<typeof readTurn.reply> {
    return { turnUUID, status: 'COMPLETED', answer: '', tokenUsage, audioSeconds: 0 };
  }
}

@Controller()
class Speech {
  @Handles(synthesizeSpeech)
  async *speak({ text }: z.output<typeof synthesizeSpeech.request>): AsyncGenerator<AudioItem> {
    spoken.push(text);
    yield { type: 'format', contentType: 'audio/wav', sampleRate: 16_000, characters: charactersOf(text), totalBytes: null };
    yield { type: 'audio', base64: Buffer.from(text).toString('base64') };
  }
}

describe('an answer whose speech the balance cannot pay', () => {
  let harness: Harness;
  let url: string;
  let mine: TestOrganization;
  let key: string;

  const startWith = async (characters: number): Promise<void> => {
    const initial = `TTT_API=100000,TTS_API=${characters}`;
    ({ url } = await harness.startGateway({ PARLEY_INITIAL_CREDITS: initial }));
    mine = harness.organization();
    key = (await harness.key(mine, 'agt')).key;
  };
  beforeEach(async () => {
    [asked, spoken, together, all] = [0, [], 1, Promise.withResolvers()];
    harness = await Harness.open(undefined, ['conversation', 'speech']);
    await harness.play('conversation', Conversation);
    await harness.play('speech', Speech);
  });
  afterEach(() => harness.close());

  const ask = async () => {
    const body = JSON.stringify({ question: 'Well?', connectionType: 'tts' });
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/v1/external/chat`, { method: 'POST', headers, body });
    const said = decodeURIComponent(response.headers.get('x-answer-text') ?? '');
    return { status: response.status, said, sound: await response.text() };
  };
  const balanceOf = async (kind: CreditKind) =>
    (await harness.bus.ask(getCreditBalance, {}, { principal: mine.owner })).balances.find((account) => account.kind === kind);
  const charged = async (kind: CreditKind): Promise<number[]> => {
    const { rows } = await harness.bus.ask(listCreditUsage, { kind, sortOrder: 'ASC' }, { principal: mine.owner });
    return rows.filter(({ entry }) => entry === 'CHARGE').map(({ units }) => -units);
  };

  it('is spoken as far as that reaches, up to the end of a word, and given whole as text', async () => {
    await startWith(1_000);
    const answer = wordsOf(2_000);
    answers = [answer];
    const { status, said, sound } = await ask();
    expect([status, said]).toEqual([200, answer]);
    expect(answer.startsWith(sound) && sound.endsWith('five')).toBe(true);
    expect(sound.length).toBe(999);
    expect([await charged('TTT_API'), await charged('TTS_API')]).toEqual([[tokens], [999]]);
    expect(await balanceOf('TTS_API')).toMatchObject({ available: 1, held: 0 });
  });

  it.each([
    [100, 80, 80],
    [100, 99, 99],
    [100, 700, 99],
    [20, 200, 19],
    [599, 700, 599],
  ])('is begun with less than a usual answer left: %i of an answer of %i characters', async (left, length, heard) => {
    await startWith(left);
    const answer = wordsOf(length);
    answers = [answer];
    const { status, said, sound } = await ask();
    expect([status, said, answer.startsWith(sound)]).toEqual([200, answer, true]);
    expect([sound.length, await charged('TTS_API'), await charged('TTT_API')]).toEqual([heard, [heard], [tokens]]);
    expect(await balanceOf('TTS_API')).toMatchObject({ available: left - heard, held: 0 });
  });

  it('is refused before it is begun if not even a few words could be spoken', async () => {
    await startWith(19);
    answers = [wordsOf(15)];
    const { status } = await ask();
    expect([status, asked, spoken, await charged('TTT_API'), await charged('TTS_API')]).toEqual([403, 0, [], [], []]);
    expect(await balanceOf('TTT_API')).toMatchObject({ available: 100_000, held: 0 });
  });

  it.each([
    [1_500, [900, 900]],
    [2_400, [2_000, 800, 650, 900]],
    [4_800, [5_000, 5_000, 700, 5_000, 100, 3_000, 601, 5_000]],
  ])('is never charged and thrown away: on %i characters, answers of %j at once', async (balance, lengths) => {
    await startWith(balance);
    [answers, together] = [lengths.map(wordsOf), lengths.length];
    const heard = await Promise.all(lengths.map(ask));
    expect(heard.map(({ status }) => status)).toEqual(lengths.map(() => 200));
    for (const { said, sound } of heard) {
      expect(said.startsWith(sound)).toBe(true);
      // What was held at the beginning can be spoken in any case.
      expect(sound.length).toBeGreaterThanOrEqual(Math.min(said.length, 595));
    }
    expect(await charged('TTT_API')).toEqual(lengths.map(() => tokens));
    const bySize = (one: number, other: number): number => one - other;
    expect((await charged('TTS_API')).sort(bySize)).toEqual(heard.map(({ sound }) => sound.length).sort(bySize));
    expect((await balanceOf('TTS_API'))?.held).toBe(0);
  });
});
