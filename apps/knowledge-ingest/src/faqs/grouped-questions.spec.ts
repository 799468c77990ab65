import { groupedQuestions, type Wording } from './unanswered';

const asked = (question: string, day: number, count = 1, language: Wording['languages'][number] = 'english'): Wording => {
  const at = `2026-11-0${day}T10:00:00.000Z`;
  return { question, count, languages: [language], firstAskedOn: at, lastAskedOn: at };
};

describe('questions without an answer', () => {
  it('are grouped if they ask about the same thing, in any words or language', async () => {
    const groups = await groupedQuestions([
      asked('Do you repair kettles?', 3, 2),
      asked('can you repair my kettle', 1),
      asked('क्या आप केटल रिपेयर करते हैं?', 2, 1, 'hindi'),
      asked('Do you sell sofas?', 4),
    ]);
    expect(groups).toHaveLength(2);
    expect(groups[0]).toEqual({
      question: 'Do you repair kettles?',
      count: 4,
      examples: ['Do you repair kettles?', 'क्या आप केटल रिपेयर करते हैं?', 'can you repair my kettle'],
      languages: ['english', 'hindi'],
      firstAskedOn: '2026-11-01T10:00:00.000Z',
      lastAskedOn: '2026-11-03T10:00:00.000Z',
    });
  });

  it('stay apart if they share only small words', async () => {
    expect(await groupedQuestions([asked('what is it', 1), asked('how is that', 2)])).toHaveLength(2);
  });
});
