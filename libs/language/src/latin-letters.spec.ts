import { inLatinLetters } from './latin-letters';

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
    expect(inLatinLetters('ज्ञानेश्वरी, कृष्ण, ऑगस्ट, बैंक, हूँ, पढ़ाई, फ़ुट, दुःख, ॐ')).not.toMatch(/[\u0904-\u0963]/u));
});
