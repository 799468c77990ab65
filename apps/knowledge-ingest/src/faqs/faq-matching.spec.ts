import { differsInMeaning, matchFaq, normalizedQuestion } from './faq-matching';

const thresholds = { paraphrase: 0.8 };

describe('matching a question with an FAQ', () => {
  it.each([
    ['When do you deliver?', ' when  do you deliver '],
    ['What’s the price of 1,500 bags?', 'whats the price of 1500 bags'],
    ['वारंटी कितनी है?', 'वारण्टी कितनी है'],
    ['५ दिन में?', '5 दिन में'],
    ['तुमचे दुकान कुठे आहे?', 'तुमचं दुकान कुठं आहे'],
  ])('treats %j and %j as the same question', (stored, asked) => {
    expect(normalizedQuestion(asked)).toBe(normalizedQuestion(stored));
  });

  it.each([
    ['do you deliver to Pune', 'do you not deliver to Pune'],
    ['can I return within 7 days', 'can I return within 30 days'],
    ['when do you open', 'when do you close'],
    ['क्या आप रविवार को खुले हैं', 'क्या आप रविवार को खुले नहीं हैं'],
    ['दुकान कधी उघडते', 'दुकान कधी बंद होते'],
  ])('never treats %j as %j, however similar', (asked, stored) => {
    expect(differsInMeaning(asked, stored)).toBe(true);
    expect(matchFaq(asked, [{ id: 1, question: stored, similarity: 0.99 }], thresholds)).toBeUndefined();
  });

  it('accepts a paraphrase above the threshold and leaves one below it to the model', () => {
    const stored = 'How long does delivery take?';
    expect(matchFaq('how much time does a delivery need', [{ id: 7, question: stored, similarity: 0.86 }], thresholds)?.id).toBe(
      7,
    );
    expect(matchFaq('do you deliver on holidays', [{ id: 7, question: stored, similarity: 0.55 }], thresholds)).toBeUndefined();
  });

  it('chooses the nearest of several', () => {
    const candidates = [
      { id: 1, question: 'How do I cancel an order?', similarity: 0.82 },
      { id: 2, question: 'How do I return an order?', similarity: 0.93 },
    ];
    expect(matchFaq('how can I return my order', candidates, thresholds)?.id).toBe(2);
  });
});
