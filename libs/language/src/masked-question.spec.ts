import { maskedQuestion } from './masked-question';

it.each([
  ['My PAN is ABCDE1234F, and abcde1234f.', 'My PAN is …, and ….'],
  ['PAN ABCDE 1234 F or pan card number abcde 1234 f?', 'PAN … or pan card number …?'],
  ['GST 27ABCDE1234F1Z5 on the bill', 'GST … on the bill'],
  ['Aadhaar 2345 6789 0123, card 4111-1111-1111-1111', 'Aadhaar …, card …'],
  ['Pay to DE89 3704 0044 0532 0130 00 or GB29 NWBK 6016 1331 9268 19', 'Pay to … or …'],
  ['Pay to de89370400440532013000 now', 'Pay to … now'],
  ['Pay leela.m@okhdfc or write to l@menon.in.', 'Pay …@… or write to …@…'],
  ['Write to leela dot menon at gmail dot com please', 'Write to …@… please'],
  ['Call nine eight two two zero one two three four five today', 'Call … today'],
  ['Call double nine two, 20, one two three four five', 'Call …'],
  ['मेरा नंबर नौ आठ दो दो शून्य एक दो तीन चार पाँच है', 'मेरा नंबर … है'],
  ['nau aath do do shunya ek do teen char paanch par', '… par'],
])('leaves out what identifies a person: %s', (question, masked) => {
  expect(maskedQuestion(question)).toBe(masked);
});

it.each([
  'About 2024 a book, or since 2020 I wonder',
  'Do you sell a WH1000XM5 or an iPhone 15 for 1,20,000?',
  'One or two or three nights, open at 10:30 on 25.12.2026?',
  'Are you at level two dot matrix printers @ home',
  'Is the B2B price of two to three plates ₹499?',
])('leaves other questions as they are: %s', (question) => {
  expect(maskedQuestion(question)).toBe(question);
});

it('reads no more of a long text without blanks than it shows', () => {
  expect(maskedQuestion('a'.repeat(8000))).toBe('a'.repeat(300));
});
