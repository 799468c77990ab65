/** @quiet Judged by CPU time. */
import { aModelRequest, type ModelRequest } from '@parley/ports';
import { longWords, loopBudgetMs, warmTurnMs } from '@parley/testing';
import { BuiltinModel } from '.';

/** The longest question, answer and name; a stored question is shorter. */
const [ofQuestion, ofStored, ofName] = [8_000, 8_000, 200];
const ofStoredQuestion = 1_000;
const open = { open_time: '09:30 AM', close_time: '07:00 PM', is_open: true };
const schedule = { timezone: 'Asia/Kolkata', working_hours: [{ day: 'Monday' as const, ...open }], holidays: [] };

const knowledgeOf = (stored: string, name: string) => `# The business
Name: Hill House

# Products and services
- Steel kettle (Kitchen). Holds two litres. Price: 1499 INR. Available. Warranty: 24 months.
- ${name} (Kitchen). Price: 20 INR. Available.

# Questions and answers
Q: Do you have wifi?
A: Yes, free wifi in all rooms.
Q: ${stored.slice(0, ofStoredQuestion)}?
A: ${stored}

# Document: rules.md
## House rules › Pets
Small dogs are welcome for ₹300 a night, cats are not. ${stored}`;

function asking(question: string, { stored = 'Is there a lift', name = 'Copper kettle' } = {}): ModelRequest {
  const request = aModelRequest();
  const grounds = { ...request.grounds, passages: [], knowledge: knowledgeOf(stored, name), schedule };
  return { ...request, messages: [{ role: 'user', text: question }], grounds };
}

async function answerTo(request: ModelRequest): Promise<string> {
  let answer = '';
  for await (const event of new BuiltinModel().stream(request, new AbortController().signal))
    if (event.type === 'text') answer += event.text;
  return answer;
}

describe('the builtin model', () => {
  it.each(Object.entries(longWords))('is not blocked by a question of %s', async (_name, textOf) => {
    expect(await warmTurnMs(() => answerTo(asking(textOf(ofQuestion))))).toBeLessThan(loopBudgetMs);
  });

  it.each(Object.entries(longWords))('is not blocked by knowledge of %s', async (_name, textOf) => {
    let run = 0;
    const spent = await warmTurnMs(() => {
      run += 1;
      const of = { stored: textOf(ofStored - run), name: textOf(ofName - run) };
      return answerTo(asking(`Do you have wifi? ${of.stored.slice(0, ofStoredQuestion)}`, of));
    });
    expect(spent).toBeLessThan(loopBudgetMs);
  });

  it('quotes a word that is too long for a word as it was written', async () => {
    const word = 'नमक'.repeat(100);
    const request = asking('What is the code of the gate?', { stored: `The code of the gate is ${word}.` });
    expect(await answerTo(request)).toContain(word);
  });

  it('answers what is asked at the end of a long message', async () => {
    expect(await answerTo(asking(`${'We came from far away. '.repeat(300)} Do you have wifi?`))).toContain('wifi');
  });
});
