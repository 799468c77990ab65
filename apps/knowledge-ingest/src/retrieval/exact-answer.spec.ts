import type { Passage } from '@parley/ports';
import { isMoreExact } from './selection';

const passage = (text: string): Passage => {
  return { sourceId: 'document:1', version: 1, ordinal: 0, kind: 'document', text, citation: {} };
};
const colour = { question: 'How long does a colour film take?', answer: 'Two working days.' };
const parcel = { question: 'When will my parcel arrive?', answer: 'Within three days.' };
const times = 'Black-and-white films take five working days. On 24 December we close at 2 PM.';

describe('a stored answer to a similar question', () => {
  it.each([
    ['How long does a black-and-white film take?', colour, times],
    ['When will my black and white film be ready?', { ...colour, question: 'When will my film be ready?' }, times],
    ['When will my parcel arrive in Nashik?', parcel, 'Parcels to Nashik arrive within nine days.'],
    ['ब्लैक फिल्म कब तक तैयार होगी?', { question: 'फिल्म कब तक तैयार होगी?', answer: 'दो दिन में।' }, 'ब्लैक फिल्म पाँच दिन में तैयार होगी।'],
  ])('is not certain for "%s", which another passage names', (asked, stored, text) => {
    expect(isMoreExact(asked, stored, passage(text))).toBe(true);
  });

  it.each([
    ['the same words', 'How long does a color film take?', colour, times],
    [
      'another wording of the same answer',
      'When will my package arrive?',
      parcel,
      'When does a package come? Within three days.',
    ],
    [
      'a word that a passage about something else has',
      'When will my parcel arrive in Pune?',
      parcel,
      'Our shop in Pune opens at ten.',
    ],
    ['a word of any question', 'When will my film be ready, please say it again?', colour, 'Say what your film shows.'],
    ['a word that no passage has', 'When will my velvet film be ready?', colour, times],
  ])('stays certain with %s', (_what, asked, stored, text) => {
    expect(isMoreExact(asked, stored, passage(text))).toBe(false);
  });
});
