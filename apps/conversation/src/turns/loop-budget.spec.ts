/** @quiet Judged by CPU time. */
import { aModelRequest } from '@parley/ports';
import { loopBudgetMs, warmTurnMs } from '@parley/testing';
import { AnswerGuard, inPieces } from '../answers/answer-guard';
import { composePrompt } from '../answers/compose-prompt';
import { remember } from './composer';
import { anAgent } from '../surroundings.suite';

/** The longest question, answer and knowledge base that a prompt may have, and more than a model answers. */
const letters = 600_000;
const sentence = 'The parcel left Pune on Monday; आपका ऑर्डर रास्ते में है। See shop.example or https://shop.example/orders. ';

const texts: Readonly<Record<string, string>> = {
  'plain words': 'plain words only '.repeat(letters / 17),
  'sentences with addresses': sentence.repeat(letters / sentence.length),
  'one letter': 'a'.repeat(letters),
  spaces: ' '.repeat(letters),
  dots: '.'.repeat(letters),
  'a.a.a': 'a.'.repeat(letters / 2),
  slashes: '/'.repeat(letters),
  'at signs': 'a@'.repeat(letters / 2),
  'opened brackets': '[unknow '.repeat(letters / 8),
  entities: '&#x2f;'.repeat(letters / 6),
  'entities of entities': '&amp;'.repeat(letters / 5),
  'opened tags': '<a'.repeat(letters / 2),
  'targets of links': ']('.repeat(letters / 2),
  'domains that become others': 'http.com:'.repeat(letters / 9),
};

describe('the longest texts do not block the event loop', () => {
  it.each(Object.entries(texts))('in an answer of %s in one piece', async (_name, text) => {
    const request = aModelRequest();
    const spent = await warmTurnMs(async () => {
      const guard = new AnswerGuard({ ...request, system: 'See shop.example.' });
      // Anything longer is an answer that never stops, and is cut off.
      for await (const piece of inPieces(text.slice(0, 21_000))) guard.take(piece);
      return guard.rest();
    });
    expect(spent).toBeLessThan(loopBudgetMs);
  });

  it.each(Object.entries(texts))('in an answer of %s in small pieces', async (_name, text) => {
    const request = aModelRequest();
    const spent = await warmTurnMs(async () => {
      const guard = new AnswerGuard({ ...request, system: 'See shop.example.' });
      for (let at = 0; at < 8_000; at += 4) {
        guard.take(text.slice(at, at + 4));
        await new Promise(setImmediate);
      }
    });
    expect(spent).toBeLessThan(loopBudgetMs);
  });

  it.each(Object.entries(texts))('in a prompt with a knowledge base of %s, and the guard of its answer', async (_name, text) => {
    const schedule = { timezone: 'Asia/Kolkata', working_hours: [], holidays: [] };
    const base = { revision: 3, isWhole: true, text, tokens: 30, schedule };
    const spent = await warmTurnMs(() => {
      const request = composePrompt({
        agent: anAgent({}),
        channel: 'API',
        language: 'english',
        heard: 'english',
        variables: {},
        known: { base, passages: [], sources: [], leansOnBefore: false },
        summary: '',
        history: [],
        isFromStart: true,
        question: 'Are you open on Wednesday?',
        tools: [],
        atMs: Date.parse('2026-11-22T07:05:00Z'),
      });
      return new AnswerGuard(request).take('We are.');
    });
    expect(spent).toBeLessThan(loopBudgetMs);
  });

  it.each(Object.entries(texts))('in a memory of turns of %s', async (_name, text) => {
    const turn = { question: text, answer: text, isInterrupted: true };
    const turns = [1, 2, 3].map((id) => ({ id: String(id), ...turn }));
    const past = { summary: '', summarizedTurnId: '0', recent: turns };
    const spent = await warmTurnMs(() => remember(past, { recentTokensMax: 1_000, summaryTokensMax: 500 }));
    expect(spent).toBeLessThan(loopBudgetMs);
  });
});
