import { agrees, differsInMeaning, matchFaq, normalizedQuestion, repliesYesOrNo } from './same-question';

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

describe('whether the Yes to one question is the Yes to another', () => {
  it.each([
    ['Can we stay at home while you spray?', 'Must we leave the house during spraying?'],
    ['Do we have to be in the house when you come?', 'Must we leave the house during spraying?'],
    ['Is the gel dangerous for cats?', 'Is the gel safe for pets?'],
    ['Is the gel unsafe for pets?', 'Is the gel safe for pets?'],
    ['Can I skip the shower before swimming?', 'Do I have to shower before swimming?'],
    ['Is photography forbidden?', 'Is photography allowed?'],
    ['Can I come without a booking?', 'Can I come with a booking?'],
    ['Is it impossible to park?', 'Is it possible to park?'],
    ['Is entry restricted?', 'Is entry unrestricted?'],
    ['क्या दवा छिड़कते समय घर में रह सकते हैं?', 'क्या दवा छिड़कते समय घर छोड़ना पड़ेगा?'],
    ['क्या जेल बच्चों के लिए ख़तरनाक है?', 'क्या जेल बच्चों के लिए सुरक्षित है?'],
    ['क्या जेल बच्चों के लिए असुरक्षित है?', 'क्या जेल बच्चों के लिए सुरक्षित है?'],
    ['फ़ोटो खींचने की मनाही है?', 'क्या फ़ोटो खींच सकते हैं?'],
    ['बिना कार्ड के आ सकते हैं?', 'क्या कार्ड लाना ज़रूरी है?'],
    ['फवारणी करताना घरात राहता येते का?', 'फवारणी करताना घर सोडावे लागते का?'],
    ['फोटो काढायला बंदी आहे का?', 'फोटो काढायला परवानगी आहे का?'],
    ['photo khinchna mana hai kya?', 'क्या फ़ोटो खींच सकते हैं?'],
    ['kya davai ke samay ghar mein reh sakte hain?', 'क्या दवा छिड़कते समय घर छोड़ना पड़ेगा?'],
  ])('is in doubt for %j and %j', (asked, stored) => {
    expect(agrees(asked, stored)).toBe(false);
    expect(agrees(stored, asked)).toBe(false);
  });

  it.each([
    ['Do we need to leave the house when you spray?', 'Must we leave the house during spraying?'],
    ['Is the gel safe for my cat?', 'Is the gel safe for pets?'],
    ['Are dogs allowed in?', 'Is it permitted to bring dogs?'],
    ['Can I use a card?', 'Do you take cards?'],
    ['क्या दवा डालते समय घर छोड़ना ज़रूरी है?', 'क्या दवा छिड़कते समय घर छोड़ना पड़ेगा?'],
    ['घर सोडणे आवश्यक आहे का?', 'फवारणी करताना घर सोडावे लागते का?'],
  ])('is sure for %j and %j', (asked, stored) => {
    expect(agrees(asked, stored)).toBe(true);
  });

  it.each(['Yes, for four hours.', 'No.', 'हाँ, चार घंटे के लिए।', 'नहीं, कहीं भी नहीं।', 'हो, चार तास.', 'नाही.'])(
    'is a question of an answer that begins with one: %s',
    (answer) => {
      expect(repliesYesOrNo(answer)).toBe(true);
    },
  );

  it.each(['Nothing until 6 pm.', 'Noon to four.', 'होटल के पास।', 'By card.'])('is none of: %s', (answer) => {
    expect(repliesYesOrNo(answer)).toBe(false);
  });
});
