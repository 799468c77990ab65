import { aModelRequest, type Grounds, unknownMark } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Ulhas Boat Club
Kind: Boat club
Telephone: +912512700311

# Products and services
- Rope, per metre (Gear). Price: 45 INR. Available.
- Sail cloth, per metre (Gear). Price: 380 INR. Available.

# Document: boats.csv
Boat: Kayak; One hour (INR): 300; Three hours (INR): 750; Crew: 1; Ready in (minutes): 10
Boat: Dinghy; One hour (INR): 500; Three hours (INR): 1200; Crew: 3; Ready in (minutes): 25

# Document: legs.csv
Leg: Dam to island; Kayak (INR): 400; Dinghy (INR): 650

# Document: rules.md
## Rules of the club
Lost things. A paddle that sinks costs ₹900. Evenings. Nobody sails after sunset.
Boats come with a helper. Members bring their own towels.
Life jackets are lent to everybody.

# Document: marathi.txt
होडीची तारीख पक्की करण्यासाठी निम्मी रक्कम आगाऊ द्यावी लागते.`;

const schedule: NonNullable<Grounds['schedule']> = {
  timezone: 'Asia/Kolkata',
  working_hours: [
    { day: 'Monday', is_open: true, open_time: '07:00 AM', close_time: '11:00 AM' },
    { day: 'Monday', is_open: true, open_time: '03:00 PM', close_time: '06:00 PM' },
  ],
  holidays: [],
};

type Before = readonly [asked: string, said: string];

function answer(question: string, language: Grounds['language'] = 'english', before?: Before, known = knowledge): string {
  const [asked = '', said = ''] = before ?? [];
  const earlier = before && [
    { role: 'user' as const, text: asked },
    { role: 'assistant' as const, text: said },
  ];
  const grounds: Grounds = {
    language,
    agentName: 'Maya',
    greeting: '',
    passages: [],
    knowledge: known,
    schedule: known === knowledge ? schedule : null,
  };
  return answerFrom(aModelRequest({ messages: [...(earlier ?? []), { role: 'user', text: question }], grounds }));
}

const inThreeLanguages = `# The business
Name: Deepa Stores
Telephone: +912025501234

# Questions and answers
Q: When are you open?
A: We are open Monday to Saturday from 9:30 AM to 7:00 PM.
Q: आप कब खुले रहते हैं?
A: हम सोमवार से शनिवार सुबह 9:30 बजे से शाम 7 बजे तक खुले रहते हैं।
Q: तुम्ही कधी उघडे असता?
A: आम्ही सोमवार ते शनिवार सकाळी 9:30 ते संध्याकाळी 7 पर्यंत उघडे असतो.`;

describe('an unsure answer from knowledge in several languages', () => {
  it.each([
    ['english', 'When are you open on a new screen?', 'We are open', /[\u0900-\u097f]/u],
    ['hindi', 'आप परदे पर कब खुले रहते हैं?', 'हम सोमवार से', /We are open|उघडे/u],
    ['marathi', 'तुम्ही पडद्यावर कधी उघडे असता?', 'उघडे असतो', /We are open|खुले/u],
  ] as const)('quotes what is in the caller’s own: %s', (language, question, own, other) => {
    const told = answer(question, language, undefined, inThreeLanguages);
    expect(told).toContain(own);
    expect(told).not.toMatch(other);
  });

  it('quotes another language if nothing is known in the caller’s', () => {
    const [english = ''] = inThreeLanguages.split('Q: आप');
    expect(answer('आप परदे पर कब open रहते हैं?', 'hindi', undefined, english)).toContain('We are open');
  });
});

describe('an unsure answer', () => {
  it('quotes the nearest sentence as such, says whom to ask, and counts as unanswered', () => {
    const told = answer('My paddle went down in the lake, what happens?');
    expect(told).toMatch(/^I am not sure about that\..*“A paddle that sinks costs ₹900\.”.*\+912512700311/u);
    expect(told).toContain(unknownMark);
  });

  it('only says whom to ask when no sentence is about it', () => {
    expect(answer('Do you repair bicycles?')).toMatch(/^I am sorry, I do not know about bicycles\./u);
  });

  it('is unsure of a sentence that says more than the question, or lacks its "not"', () => {
    expect(answer('Can we have boats without a helper?')).toContain(unknownMark);
    expect(answer('Is there something you do not lend, like jackets?')).toContain(unknownMark);
  });

  it('does not pick one of several by a single sentence', () => {
    expect(answer('Which helper is the tallest?')).not.toContain('“');
  });
});

describe('a sure answer', () => {
  it('picks the price by the requested amount', () => {
    expect(answer('How much is the dinghy for three hours?')).toBe('The three hours of Dinghy is ₹1,200.');
    expect(
      answer('And for one hour?', 'english', ['How much is the dinghy for three hours?', 'The three hours of Dinghy is ₹1,200.']),
    ).toBe('The one hour of Dinghy is ₹500.');
  });

  it('multiplies a price per metre, and does not read the unit as a name', () => {
    expect(answer('What do four metres of rope cost?')).toContain('₹180');
    expect(answer('What do four metres of rope cost?')).not.toContain('Sail');
  });

  it('compares two columns of a row even if they are named like items', () => {
    expect(answer('How much do I save from the dam to the island if I take the kayak and not the dinghy?')).toContain('₹250');
  });

  it('reads a heading on the same line as its paragraph', () => {
    expect(answer('What are the rules for the evenings?')).toContain('Nobody sails after sunset.');
    expect(answer('What does a paddle cost that sinks?')).not.toContain('Evenings');
  });

  it('gives both spans of a day that closes at noon', () => {
    expect(answer('Are you open on Monday?')).toBe(
      'On Mondays we are open from 7:00 AM to 11:00 AM and from 3:00 PM to 6:00 PM.',
    );
  });

  it.each([
    ['kayak ek ghante ka kitna hai?', 'hindi', '₹300'],
    ['dus metre rassi kitne ki hogi?', 'hindi', '₹450'],
    ['डिंगी किती मिनिटांत तयार होते?', 'marathi', '25'],
    ['How much advance do I pay to fix the date?', 'english', 'निम्मी रक्कम'],
  ] as const)('understands what is said in one language of what is written in another: %s', (question, language, said) =>
    expect(answer(question, language)).toContain(said),
  );
});
