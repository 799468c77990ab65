import { personaWords } from '@parley/contracts';
import { composePersona, type PersonaParts } from './agent-prompts';

const parts: PersonaParts = {
  name: 'Maya',
  type: 'Front desk',
  industry: 'Retail',
  description: 'You greet.',
  instructions: 'Greet.',
  manner: 'Be warm.',
  region: 'India',
};

describe('a composed persona', () => {
  it.each(Object.values(personaWords))('contains the phrases by which a leaked prompt is recognized: %s', (words) => {
    expect(composePersona(parts)).toContain(words);
  });

  it('has a heading for each present part, and leaves rules, knowledge and language to the full prompt', () => {
    const headings = (prompt: string) => prompt.match(/^# .*$/gmu);
    expect(headings(composePersona(parts))).toEqual(['# Who you are', '# What to do', '# How you speak']);
    expect(headings(composePersona({ ...parts, instructions: null }))).toEqual(['# Who you are', '# How you speak']);
  });
});
