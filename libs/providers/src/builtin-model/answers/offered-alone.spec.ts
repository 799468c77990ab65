import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Corner Works
Kind: Shop
Telephone: +912024001199

# Products and services
- Car wash and polish. Price: 900 INR per car. Duration: 60 minutes. Booking required.
- Polish only. Price: 400 INR per car. Duration: 30 minutes. Booking required.
- कपडे शिलाई आणि फॉल. Price: 350 INR per कपडा. Duration: 60 minutes. Booking required.
- फक्त फॉल. Price: 60 INR per साडी. Duration: 60 minutes. Booking required.
- धुलाई और प्रेस. Price: 90 INR per किलो. Duration: 60 minutes. Booking required.
- सिर्फ प्रेस. Price: 10 INR per कपड़ा. Duration: 60 minutes. Booking required.
- Chair cleaning and mending. Price: 250 INR per chair. Duration: 60 minutes. Booking required.
- Steel kettle. Price: 700 INR. Available.

# Document: rules.md
## Rules
Hotels pay ₹65 for clothes above 200 kg in a month.`;

function answer(question: string, language: Grounds['language'] = 'english'): string {
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge, schedule: null };
  return answerFrom(aModelRequest({ messages: [{ role: 'user', text: question }], grounds }));
}

describe('of a service that is offered alone and with another', () => {
  it.each([
    ['How much is polish only for 2 cars?', 'english', '2 × Polish only comes to ₹800', 'wash'],
    ['How much is only polishing for three cars?', 'english', '3 × Polish only comes to ₹1,200', 'wash'],
    ['How much is polish for 2 cars?', 'english', '2 × Polish only comes to ₹800', 'wash'],
    ['How much is wash and polish for 2 cars?', 'english', '2 × Car wash and polish comes to ₹1,800', 'only'],
    ['How much is polish only and a steel kettle?', 'english', '₹400', 'wash'],
    ['फक्त फॉलसाठी 5 साड्यांचे किती?', 'marathi', '5 × फक्त फॉल चे ₹300', '350'],
    ['शिलाई आणि फॉलसाठी 2 कपड्यांचे किती?', 'marathi', '₹700', 'फक्त'],
    ['सिर्फ प्रेस 6 कपड़ों का कितना?', 'hindi', '6 × सिर्फ प्रेस के ₹60', '350'],
    ['6 kapde sirf press karne ka kitna?', 'hindi', '6 × सिर्फ प्रेस के ₹60', '350'],
    ['6 kapde press karne ka kitna lagega?', 'hindi', '6 × सिर्फ प्रेस के ₹60', '90'],
  ] as const)('the one that is said is priced, and no other added: %s', (question, language, told, other) => {
    expect(answer(question, language)).toContain(told);
    expect(answer(question, language)).not.toContain(other);
  });

  it('the price of both is told as not sure for one that is not offered alone', () =>
    expect(answer('How much is only cleaning for 4 chairs?')).toContain('[unknown]'));

  it('"only" chooses nothing where the thing is one', () =>
    expect(answer('How much is it for only 2 steel kettles?')).toContain('2 × Steel kettle comes to ₹1,400'));

  it.each([
    ['6 shirt ke kapde ka kitna?', 'hindi'],
    ['What do 8 clothes cost for hotels?', 'english'],
  ] as const)('a price of more than so many is not that of fewer: %s', (question, language) =>
    expect(answer(question, language)).not.toMatch(/₹(?:390|520)/u),
  );
});
