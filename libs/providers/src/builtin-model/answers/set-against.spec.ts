import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Kaleidoscope
Kind: Costume hire
Telephone: +912168260311

# Products and services
- Lantern (Things). Price: 220 INR. Available.
- Wig pair (Things). Price: 390 INR. Available.
- Cable drum (Things). Price: 1850 INR. Available.

# Document: lines.csv
Line: Amber; Speed (Mbps): 40; Price per month (INR): 449; Price per year (INR): 4790
Line: Office; Speed (Mbps): 300; Price per month (INR): 999; Price per year (INR): 9990
Line: Crimson; Speed (Mbps): 500; Price per month (INR): 1699; Price per year (INR): 18290

# Document: care.csv
Care: Moths; One room (INR): 900; Two rooms (INR): 1200; Three rooms (INR): 1500

# Document: print.csv
Job: Leaflets; Rate per 100 (INR): 180
Job: Banners; Rate per 100 (INR): 900

# Document: hire.csv
Device: Loom; Price (INR): 7400; Rent per week (INR): 450`;

const schedule: NonNullable<Grounds['schedule']> = {
  timezone: 'Asia/Kolkata',
  working_hours: [{ day: 'Monday', is_open: true, open_time: '10:00 AM', close_time: '06:00 PM' }],
  holidays: [{ date: '2026-12-25', opens: '', closes: '', note: 'Transport workers strike' }],
};

function answer(question: string, language: Grounds['language'] = 'english'): string {
  const grounds: Grounds = { language, agentName: 'Maya', greeting: '', passages: [], knowledge, schedule };
  return answerFrom(aModelRequest({ messages: [{ role: 'user', text: question }], grounds }));
}

describe('comparing figures', () => {
  it('compares the two named items, and says nothing if one is unknown', () => {
    expect(answer('Which has more speed, Amber or Crimson?')).toContain('It is Crimson');
    expect(answer('Which is cheaper, the amber line or the bagpipe?')).not.toMatch(/It is|That is|costs/u);
    expect(answer('Which has more speed, Amber or Zither?')).not.toContain('40');
  });

  it('reads “fastest” as the highest speed, and a monthly price as no duration', () => {
    expect(answer('Which line is the fastest?')).toContain('Crimson');
  });

  it('reads a number before a column’s word as that column, not as a quantity', () => {
    expect(answer('How much is the moths care for three rooms?')).toContain('₹1,500');
    expect(answer('How much is the moths care for three rooms?')).not.toContain('₹2,700');
  });

  it('calculates a rate per hundred', () => {
    expect(answer('How much are 500 leaflets?')).toContain('₹900');
  });

  it('counts a pair once', () => {
    expect(answer('What do two lanterns and one pair of wigs come to?')).toContain('₹830');
  });

  it('gives the plain price unless another is named', () => {
    expect(answer('What does a loom cost?')).not.toContain('450');
    expect(answer('What is the rent of a loom per week?')).toContain('450');
  });

  it('knows English words in Devanagari with Marathi endings', () => {
    expect(answer('क्रिमसनचा स्पीड किती आहे?', 'marathi')).toContain('500');
  });

  it('answers whether somebody will be there from the calendar', () => {
    expect(answer('Will you be shut because of the strike?')).toContain('closed');
    expect(answer('How late are you there on Mondays?')).toContain('6:00 PM');
  });
});
