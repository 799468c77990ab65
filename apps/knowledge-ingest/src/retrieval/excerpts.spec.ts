import type { Passage } from '@parley/ports';
import { excerptsOf } from './excerpts';

const passage = (kind: Passage['kind'], text: string): Passage => ({
  kind,
  sourceId: 'd:1',
  version: 1,
  ordinal: 0,
  text,
  citation: { key: 'k', title: 't' },
});
const excerpts = (question: string, passages: readonly Passage[], inContext = question) =>
  excerptsOf({ question, inContext }, passages);

const terms = passage(
  'document',
  'Harness rules. Guests may smoke on the terrace. Pets. Cats are welcome for a small fee. Dogs stay outside. Birds are a matter of taste. Noise. It is quiet after ten.',
);
const faq = passage('faq', 'Do you sell gift cards?\nYes, of ₹500 and ₹1,000.');
const kettle = passage(
  'catalogue',
  'Copper kettle (Kitchen). Holds two litres. Price: 1499 INR. Available. Warranty: 24 months. SKU: K-2.',
);

describe('the sentences that answer a question', () => {
  it('start with what was asked, are at most three, and end before the next heading', () => {
    expect(excerpts('Are cats welcome?', [terms])).toEqual([
      'Cats are welcome for a small fee. Dogs stay outside. Birds are a matter of taste.',
    ]);
    expect(excerpts('Is it quiet?', [terms])).toEqual(['It is quiet after ten.']);
  });

  it('are the answer without its stored question', () => {
    expect(excerpts('are there gift cards', [faq])).toEqual(['Yes, of ₹500 and ₹1,000.']);
  });

  it('are the requested ones of an entry, after its name', () => {
    expect(excerpts('what warranty has the copper kettle', [kettle])).toEqual(['Copper kettle (Kitchen). Warranty: 24 months.']);
    expect(excerpts('tell me about the copper kettle', [kettle])[0]).toMatch(/^Copper kettle \(Kitchen\)\. Holds two litres\./);
  });

  it.each([
    ['do you sell bicycles?', faq],
    ['where is my gift?', faq],
    ['what is the price?', kettle],
    ['may dogs swim in the pool?', terms],
  ])('are none if only little of the question is covered: %s', (question, other) => {
    expect(excerpts(question, [other])).toEqual(['']);
  });

  it('are found even if a word of the question was misheard', () => {
    const hours = passage('profile', 'Opening hours. Saturday: 9 AM to 5 PM. Sunday: 11 AM to 6 PM.');
    expect(excerpts('are you again on sunday', [hours])).toEqual(['Sunday: 11 AM to 6 PM.']);
  });

  it('come from the passage that covers most', () => {
    const delivery = passage('faq', 'How long does delivery take?\nTwo days.');
    const charges = passage('faq', 'What does delivery cost?\n₹80.');
    expect(excerpts('डिलिव्हरीला किती दिवस लागतात?', [charges, delivery])).toEqual(['', 'Two days.']);
  });

  it('cover what a question leaves to the previous one, and nothing it did not ask', () => {
    expect(excerpts('how long is its warranty?', [kettle], 'how long is its warranty? copper kettle')).toEqual([
      'Copper kettle (Kitchen). Warranty: 24 months.',
    ]);
    expect(excerpts('can I return it?', [kettle], 'can I return it? copper kettle')).toEqual(['']);
  });

  it('do not run from one row of a table into the next', () => {
    const table = passage('document', 'Topic: Zips; Price: 250 rupees.\nTopic: Poles; Price: 90 rupees.');
    expect(excerpts('what do zips cost', [table])).toEqual(['Topic: Zips; Price: 250 rupees.']);
  });
});
