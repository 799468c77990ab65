import { inLatinLetters, saidInLatinLetters } from './latin-letters';

describe('Hindi and Marathi in Latin letters', () => {
  it.each([
    ['Engine oil change की कीमत ₹480 है।', 'Engine oil change ki keemat ₹480 hai.'],
    ['माफ़ कीजिए, मुझे इसकी जानकारी नहीं है।', 'maaf kijiye, mujhe iski jaankari nahi hai.'],
    ['सोमवार से शनिवार 9:30 AM से 7:00 PM तक; रविवार को बंद।', 'somvar se shanivar 9:30 AM se 7:00 PM tak; ravivar ko band.'],
    ['गहू दळण ची किंमत ₹8 आहे.', 'gahu dalan chi kimmat ₹8 aahe.'],
    ['४ डिसेंबर रोजी आम्ही बंद आहोत.', '4 disembar roji aamhi band aahot.'],
    ['Call us at 98220 11445.', 'Call us at 98220 11445.'],
  ])('are written as people do: %s', (said, written) => expect(inLatinLetters(said)).toBe(written));

  it('leave no letter of Devanagari behind', () =>
    expect(inLatinLetters('ज्ञानेश्वरी, कृष्ण, ऑगस्ट, बैंक, हूँ, पढ़ाई, फ़ुट, दुःख, ॐ, ॲप, ॠण, पितॄ')).not.toMatch(/[\u0904-\u0963]/u));

  it('have a sound for every letter of Hindi and Marathi', () =>
    expect(['ॐ', 'ॲप', 'ऍप', 'ऋण'].map(inLatinLetters)).toEqual(['om', 'ap', 'ep', 'rin']));
});

/** Each was compared with the sounds that flite reports for it: those of Hindi and Marathi, with an English accent. */
describe('Hindi and Marathi words for an English voice', () => {
  it.each([
    ...[
      ['दुकान', 'dukan'],
      ['कपड़े', 'kap-day'],
      ['नमस्ते', 'namas-tay'],
      ['कीमत', 'keemat'],
      ['पैसे', 'pai-say'],
      ['खुलेगा', 'khulega'],
    ],
    ...[
      ['से', 'say'],
      ['के', 'kay'],
      ['है', 'hay'],
      ['हैं', 'hen'],
      ['में', 'men'],
      ['हम', 'hum'],
      ['लिए', 'li-yay'],
      ['रोटी', 'roti'],
    ],
    ...[
      ['आहे', 'aa-hay'],
      ['पुणे', 'pu-nay'],
      ['आमच्याकडे', 'aamchyaka-day'],
      ['येथे', 'ye-thay'],
      ['किंमत', 'kimmat'],
      ['हे', 'hay'],
    ],
    ...[
      ['सर्विस', 'service'],
      ['मिनट', 'minute'],
      ['फ़ोन', 'phone'],
      ['आप', 'aap'],
    ],
  ])('%s is read as %s', (word, said) => expect(saidInLatinLetters(word)).toBe(said));

  it('leave English as it is', () => expect(saidInLatinLetters('The site has one price.')).toBe('The site has one price.'));
});
