import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Peak and Drum
Kind: Club
Telephone: +912024006611

# Products and services
- लावणी वर्ग. Price: 1200 INR per महिना. Booking required.

# Questions and answers
Q: Do you repair tents?
A: Yes, tears and zips within three days.
Q: क्या आप उधार देते हैं?
A: नहीं, केवल नकद।
Q: तुम्ही वेशभूषा भाड्याने देता का?
A: हो, ₹300 रोज.

# Document: walks.csv
Walk: Ridge walk; Day: Saturday; Length (km): 9; Price (₹): 350; Guide: Anand
Walk: Lake walk; Day: Sunday; Length (km): 6; Price (₹): 250; Guide: Meera
Walk: Night walk; Day: Friday; Length (km): 4; Price (₹): 450; Guide: Anand

# Document: sweets.csv
Weekday: सोमवार; Special: जलेबी; Price (₹): 30
Weekday: मंगलवार; Special: कचौड़ी; Price (₹): 25
Weekday: शुक्रवार; Special: जलेबी; Price (₹): 30

# Document: dance.csv
वार: बुधवार; नृत्य: लावणी; वेळ: संध्याकाळी 6; शिक्षिका: सुमन
वार: शनिवार; नृत्य: भरतनाट्यम; वेळ: सकाळी 9; शिक्षिका: रेवती`;

function answer(question: string, language: Grounds['language'] = 'english'): string {
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge, schedule: null };
  return answerFrom(aModelRequest({ messages: [{ role: 'user', text: question }], grounds }));
}

describe('a timetable is asked for the day of what is in it', () => {
  it.each([
    ['On which day is the lake walk?', 'english', 'Lake walk is on Sunday.'],
    ['When do you have the night walk?', 'english', 'Night walk is on Friday.'],
    ['On which days do you have jalebi?', 'english', 'जलेबी is on Monday and Friday.'],
    ['कचौड़ी किस दिन मिलती है?', 'hindi', 'कचौड़ी मंगलवार को है।'],
    ['जलेबी कब मिलती है?', 'hindi', 'जलेबी सोमवार और शुक्रवार को है।'],
    ['jalebi kis din milti hai?', 'hindi', 'सोमवार और शुक्रवार'],
    ['लावणी कोणत्या दिवशी असते?', 'marathi', 'लावणी बुधवारी आहे (संध्याकाळी 6).'],
    ['भरतनाट्यम कधी असते?', 'marathi', 'भरतनाट्यम शनिवारी आहे (सकाळी 9).'],
    ['रेवती कोणत्या दिवशी शिकवतात?', 'marathi', 'शनिवारी'],
  ] as const)('%s', (question, language, told) => {
    expect(answer(question, language)).toContain(told);
    expect(answer(question, language)).not.toContain('[unknown]');
  });

  it.each([
    ['On which day is the kayak trip?', 'english'],
    ['समोसा किस दिन मिलता है?', 'hindi'],
    ['गरबा कोणत्या दिवशी असतो?', 'marathi'],
  ] as const)('and names none for what is not in it: %s', (question, language) =>
    expect(answer(question, language)).not.toMatch(/day\b|वार/u),
  );
});

describe('a stored Yes or No is told for certain to a question with a "not"', () => {
  it.each([
    ["Don't you repair tents?", 'english', 'Yes, tears and zips'],
    ["You don't repair tents, do you?", 'english', 'Yes, tears and zips'],
    ['क्या आप उधार नहीं देते?', 'hindi', 'नहीं, केवल नकद।'],
    ['तुम्ही वेशभूषा भाड्याने देत नाही का?', 'marathi', 'हो, ₹300 रोज.'],
  ] as const)('with its own question: %s', (question, language, said) => {
    expect(answer(question, language)).toMatch(/^(?:About )?“/u);
    expect(answer(question, language)).toContain(said);
    expect(answer(question, language)).not.toContain('[unknown]');
  });
});
