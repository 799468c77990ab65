import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';
import { readFacts } from './read-facts';

const knowledge = `# The business
Name: Ketaki Electric Cycles
Kind: Cycle workshop
Telephone: +912312654321

# Questions and answers
Q: Do you repair e-scooters?
A: We check electric scooters, but never open or repair their battery packs.
Q: Is there a guarantee on repairs?
A: The work is covered for thirty days.

# Document: rules.csv
Rule: Late cancellation; Detail: A visit cancelled less than three hours before; Charge: half the visit charge
Rule: Senior citizens; Detail: Discount on labour for people above 60; Charge: 10 percent
Rule: Deposit; Detail: For parts that have to be ordered; Charge: 1000
Rule: Insurance; Detail: cashless repairs are possible with New India only; Charge: no charge
नियम: खोबरे गाळप; तपशील: फक्त बुधवार आणि शनिवार; शुल्क: 35 रुपये किलो

# Document: prices.csv
Part: Chain; Detail: With fitting; Price (INR): 450`;

function answer(question: string, language: Grounds['language'] = 'english'): string {
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge };
  return answerFrom(aModelRequest({ messages: [{ role: 'user', text: question }], grounds }));
}

describe('a table of rules', () => {
  it('is read as sentences, and a table of things as things', () =>
    expect(readFacts(knowledge).items.map(({ name }) => name)).toEqual(['Chain (With fitting)']));

  it.each([
    ['What does a late cancellation cost?', 'english', /less than three hours before; half the visit charge\.$/u],
    ['Is there a discount for senior citizens?', 'english', /above 60; 10 percent\.$/u],
    ['What is the deposit for parts?', 'english', /charge: 1000\.$/u],
    ['खोबरे गाळप कोणत्या दिवशी होते?', 'marathi', /बुधवार आणि शनिवार/u],
  ] as const)('answers with what the rule says: %s', (question, language, said) =>
    expect(answer(question, language)).toMatch(said),
  );
});

describe('what the knowledge does not hold', () => {
  it.each([
    ['Do you repair cars?', 'english'],
    ['क्या आप कार की मरम्मत करते हैं?', 'hindi'],
    ['तुम्ही चारचाकी गाडीची दुरुस्ती करता का?', 'marathi'],
  ] as const)('is not told surely by a sentence about another thing of its kind: %s', (question, language) =>
    expect(answer(question, language)).toContain('[unknown]'),
  );

  it('leaves a guarantee to its own sentence, beside one about an insurance', () =>
    expect(answer('repair ke baad kuch guarantee milti hai?', 'hindi')).not.toContain('Insurance'));
});
