import { answerContact } from '../retrieval/ready-answers';

const contact = {
  business_name: 'Lotus Care',
  office_address: '7 College Road, Nashik',
  support_phone: '+91 253 555 0142',
  support_email: 'help@lotus.example',
};

describe('a question about location or contact', () => {
  it.each([
    ['Where are you located?', 'english', 'Our address is 7 College Road, Nashik.'],
    ['where is Lotus Care?', 'english', 'Our address is 7 College Road, Nashik.'],
    ['आपकी दुकान कहाँ है?', 'hindi', 'हमारा पता है: 7 College Road, Nashik।'],
    ['तुमचा पत्ता काय आहे?', 'marathi', 'आमचा पत्ता: 7 College Road, Nashik.'],
    ['can I email you?', 'english', 'You reach us at +91 253 555 0142 or help@lotus.example.'],
    ['I want to speak to a human', 'english', 'You reach us at +91 253 555 0142 or help@lotus.example.'],
    ['what is your phone number', 'english', 'You reach us at +91 253 555 0142 or help@lotus.example.'],
  ] as const)('%s', (question, language, answer) => {
    expect(answerContact(question, contact, language)).toBe(answer);
  });

  it.each(['where is my order?', 'where is it?', 'where can I park?', 'when do you call back?', 'who are you?'])(
    'is about something else: %s',
    (question) => {
      expect(answerContact(question, contact, 'english')).toBeUndefined();
    },
  );

  it('has no answer if the profile has none', () => {
    expect(answerContact('Where are you?', { ...contact, office_address: '' }, 'english')).toBeUndefined();
  });
});
