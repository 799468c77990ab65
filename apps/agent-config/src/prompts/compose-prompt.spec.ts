import { personaWords } from '@parley/contracts';
import { composePrompt, type PromptParts } from './compose-prompt';

const parts: PromptParts = {
  name: 'Maya', type: 'Front desk', industry: 'Retail', description: 'You greet.', instructions: 'Greet.', business: 'A shop.',
  language: 'english', manner: 'Be warm.', region: 'India', timezone: 'Asia/Kolkata',
};

describe('a composed prompt', () => {
  it.each(Object.values(personaWords))('holds the words by which an answer that recites it is known: %s', (words) => {
    expect(composePrompt(parts)).toContain(words);
  });

  it('has a heading for each part that there is', () => {
    const headings = (prompt: string) => prompt.match(/^# .*$/gmu);
    expect(headings(composePrompt(parts))).toEqual([
      '# Who you are', '# What to do', '# The business you speak for', '# How you speak', '# Rules',
    ]);
    expect(headings(composePrompt({ ...parts, instructions: null, business: null }))).toEqual([
      '# Who you are', '# How you speak', '# Rules',
    ]);
  });
});
