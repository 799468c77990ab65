import { expectedAnswer } from './expected-answer';

describe('expectedAnswer', () => {
  it.each([
    ['Thank you. May I have your phone number, please?', { kind: 'number', digits: 10 }],
    ['Could you tell me the six digit code that we sent you?', { kind: 'number', digits: 6 }],
    ['Please enter your 4-digit PIN.', { kind: 'number', digits: 4 }],
    ['What is your account number? It stands on your bill.', { kind: 'number' }],
    ['कृपया अपना मोबाइल नंबर बताइए।', { kind: 'number', digits: 10 }],
    ['apna account number bataiye', { kind: 'number' }],
    ['तुमचा फोन नंबर सांगाल का?', { kind: 'number', digits: 10 }],
    ['चार अंकों का पिन बताइए', { kind: 'number', digits: 4 }],
    ['And what is your name?', { kind: 'name' }],
    ['आपका नाम क्या है?', { kind: 'name' }],
    ['Where do you live? Which city?', { kind: 'address' }],
    ['तुमचा पत्ता काय आहे?', { kind: 'address' }],
    ['Shall I book the table for you?', { kind: 'yes-no' }],
    ['क्या मैं टेबल बुक कर दूँ?', { kind: 'yes-no' }],
    ['मी टेबल बुक करू का?', { kind: 'yes-no' }],
  ])('%s', (said, expected) => {
    expect(expectedAnswer(said)).toEqual(expected);
  });

  it.each([
    'How many people will come?',
    'Your order number is 4711.',
    'Would you like tea or coffee?',
    'What can I do for you?',
    'Could you tell me more about it?',
    'We open at nine.',
    '',
  ])('expects nothing known of %j', (said) => {
    expect(expectedAnswer(said)).toEqual({ kind: 'free' });
  });
});
