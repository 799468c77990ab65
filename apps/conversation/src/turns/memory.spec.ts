import { remember } from './composer';

const turn = (id: number, words = 20) => ({
  id: String(id),
  question: `question ${id} ${'word '.repeat(words)}`,
  answer: `answer ${id}`,
});
const nothing = { summary: '', summarizedTurnId: '0' };
const budget = { recentTokensMax: 100, summaryTokensMax: 60 };

describe('conversation memory', () => {
  it('keeps everything verbatim while it fits', () => {
    const past = { ...nothing, recent: [turn(1), turn(2)] };
    expect(remember(past, budget)).toEqual(past);
  });

  it('keeps the latest turns, and a line for each removed one', () => {
    const memory = remember({ ...nothing, recent: [1, 2, 3, 4].map((id) => turn(id)) }, budget);
    expect(memory.recent.map(({ id }) => id)).toEqual(['2', '3', '4'].slice(-memory.recent.length));
    expect(memory.summarizedTurnId).toBe(String(4 - memory.recent.length));
    expect(memory.summary).toContain('answer 1');
    expect(memory.summary).not.toContain('answer 4');
  });

  it('drops the oldest lines first when the summary itself is full', () => {
    let memory = remember({ ...nothing, recent: [] }, budget);
    for (let id = 1; id <= 30; id++) memory = remember({ ...memory, recent: [...memory.recent, turn(id, 60)] }, budget);
    expect(memory.summary).not.toContain('question 1 ');
    expect(memory.summary.split('\n').length).toBeLessThan(5);
    expect(Number(memory.summarizedTurnId) + memory.recent.length).toBe(30);
  });

  it('never leaves a gap between two turns that it keeps', () => {
    const memory = remember({ ...nothing, recent: [turn(1, 1), turn(2, 500), turn(3, 1)] }, budget);
    expect(memory.recent.map(({ id }) => id)).toEqual(['3']);
  });
});
