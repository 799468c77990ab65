import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Tidy House
Kind: Household shop
Telephone: +912024009911

# Products and services
- सोफा. Price: 9000 INR. Available.
- गालिचा. Price: 2500 INR. Available.
- पंखा. Price: 1800 INR. Available.`;

function lastAnswer(language: Grounds['language'], ...questions: readonly string[]): string {
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge, schedule: null };
  return questions.reduce<{ messages: { role: 'user' | 'assistant'; text: string }[]; said: string }>(
    ({ messages }, text) => {
      const asked = [...messages, { role: 'user' as const, text }];
      const said = answerFrom(aModelRequest({ messages: asked, grounds }));
      return { messages: [...asked, { role: 'assistant' as const, text: said }], said };
    },
    { messages: [], said: '' },
  ).said;
}

it.each([
  [['सोफ्याची किंमत काय?'], '₹9,000'],
  [['गालिच्याची किंमत किती?'], '₹2,500'],
  [['पंख्याचे किती?'], '₹1,800'],
  [['सोफ्याची किंमत काय?', 'आणि गालिच्याची?'], '₹2,500'],
] as const)('Marathi names a thing in the form of its case: %j', (questions, told) => {
  const said = lastAnswer('marathi', ...questions);
  expect(said).toContain(told);
  expect(said).not.toContain('[unknown]');
});
