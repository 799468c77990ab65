import { aModelRequest, type Embeddings, ProviderFailure, ScriptedEmbeddings } from '@parley/ports';
import { answerFrom } from './answer';
import type { SentenceMeanings } from './answers/nearness';
import { MeaningReader } from './index';

const texts = { passages: ['The pool closes at nine.', 'Towels cost ₹30.'], questions: ['When can I swim?'] };

describe('Reader', () => {
  it('reads a base once, however often and concurrently it is asked', async () => {
    const engine = new ScriptedEmbeddings();
    const reader = new MeaningReader(engine);
    await Promise.all([reader.read(texts), reader.read(texts)]);
    await reader.read({ ...texts, questions: ['What does a towel cost?'] });
    const read = engine.calls.flat();
    expect(read).toHaveLength(4);
    expect(new Set(read).size).toBe(4);
  });

  it('returns nothing if reading takes too long, and has the result for the next question', async () => {
    const held = Promise.withResolvers<void>();
    const engine = new ScriptedEmbeddings();
    const slow: Embeddings = {
      capabilities: engine.capabilities,
      embed: (all, options) => held.promise.then(() => engine.embed(all, options)),
      close: () => engine.close(),
    };
    const reader = new MeaningReader(slow, 0);
    expect(await reader.read(texts)).toBeUndefined();
    held.resolve();
    expect(await reader.read(texts, { patienceMs: 10_000 })).toBe(reader);
    expect(engine.calls.flat()).toHaveLength(3);
  });

  it('reports a failed engine, and retries at the next question', async () => {
    const engine = new ScriptedEmbeddings();
    const failures: string[] = [];
    engine.failNext(new ProviderFailure('local embeddings', 'the worker ended', { retryable: true }));
    const reader = new MeaningReader(engine);
    expect(await reader.read(texts, { onFailure: ({ provider }) => void failures.push(provider) })).toBeUndefined();
    expect(failures).toEqual(['local embeddings']);
    expect(await reader.read(texts)).toBe(reader);
  });
});

/** Embeddings that find some texts near and all others far. */
function nearTo(...words: readonly string[]): SentenceMeanings {
  const direction = new Float32Array(1);
  return { of: () => direction, closeness: (_, text) => (words.some((one) => text.includes(one)) ? 0.93 : 0.74) };
}

function asked(question: string, meanings?: SentenceMeanings): string {
  const knowledge = [
    '# Document: rules.md',
    '## Swimming',
    'Whoever cannot come may hand the ticket to somebody else until noon.',
    'A locker is ₹20 and opens with a coin.',
    'The ticket office sells caps for ₹80.',
  ].join('\n');
  const { grounds } = aModelRequest();
  const messages = [{ role: 'user' as const, text: question }];
  return answerFrom(aModelRequest({ messages, grounds: { ...grounds, passages: [], knowledge } }), meanings);
}

describe('answers with embeddings', () => {
  it('are unsure about the same in other words, where words alone find nothing', () => {
    const question = 'My wife fell ill, what now?';
    expect(asked(question)).toContain('do not know');
    const told = asked(question, nearTo('hand the ticket'));
    expect(told).toContain('not sure');
    expect(told).toContain('Whoever cannot come may hand the ticket');
  });

  it('give up to three facts that are equally near, or one that leads by far', () => {
    const question = 'My wife fell ill, what now?';
    expect(asked(question, nearTo('hand the ticket'))).toMatch(/“Whoever cannot come [^.]*\.”/u);
    const told = asked('Is there a hand, a coin or some caps?', nearTo('hand the ticket', 'A locker is', 'sells caps'));
    for (const one of ['hand the ticket', 'A locker is', 'sells caps']) expect(told).toContain(one);
  });

  it('give no weekly hours for a date if some days have other hours', () => {
    const day = { day: 'Monday' as const, is_open: true, open_time: '09:00 AM', close_time: '06:00 PM' };
    const holiday = { date: '2026-11-30', opens: '', closes: '', note: 'Stock day' };
    const { grounds } = aModelRequest();
    const told = (question: string) =>
      answerFrom(
        aModelRequest({
          messages: [{ role: 'user', text: question }],
          grounds: {
            ...grounds,
            passages: [],
            knowledge: '# Document: rules.md\nA locker is ₹20.',
            schedule: { timezone: 'Asia/Kolkata', working_hours: [day], holidays: [holiday] },
          },
        }),
        nearTo('Opening hours'),
      );
    expect(told('Is anybody around for a chat?')).toContain('Monday');
    expect(told('Is anybody around on 2026-11-30?')).not.toContain('not sure');
  });

  it('are unsure about a match of words if another sentence is much nearer', () => {
    const question = 'Does the ticket office sell caps?';
    expect(asked(question)).not.toContain('not sure');
    expect(asked(question, nearTo('sells caps'))).not.toContain('not sure');
    const told = asked(question, nearTo('A locker is'));
    expect(told).toContain('not sure');
    expect(told).toContain('A locker is ₹20');
    expect(told).toContain('sells caps');
  });
});
