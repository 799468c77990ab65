import { inIndianPlaces, type ClockTime, type SpokenRules } from './spoken-rules';
import { speakable } from './speakable';

const belowHundred = `शून्य एक दोन तीन चार पाच सहा सात आठ नऊ
दहा अकरा बारा तेरा चौदा पंधरा सोळा सतरा अठरा एकोणीस
वीस एकवीस बावीस तेवीस चोवीस पंचवीस सव्वीस सत्तावीस अठ्ठावीस एकोणतीस
तीस एकतीस बत्तीस तेहेतीस चौतीस पस्तीस छत्तीस सदतीस अडतीस एकोणचाळीस
चाळीस एक्केचाळीस बेचाळीस त्रेचाळीस चव्वेचाळीस पंचेचाळीस सेहेचाळीस सत्तेचाळीस अठ्ठेचाळीस एकोणपन्नास
पन्नास एक्कावन्न बावन्न त्रेपन्न चोपन्न पंचावन्न छप्पन्न सत्तावन्न अठ्ठावन्न एकोणसाठ
साठ एकसष्ट बासष्ट त्रेसष्ट चौसष्ट पासष्ट सहासष्ट सदुसष्ट अडुसष्ट एकोणसत्तर
सत्तर एक्काहत्तर बाहत्तर त्र्याहत्तर चौऱ्याहत्तर पंच्याहत्तर शहात्तर सत्त्याहत्तर अठ्ठ्याहत्तर एकोणऐंशी
ऐंशी एक्क्याऐंशी ब्याऐंशी त्र्याऐंशी चौऱ्याऐंशी पंच्याऐंशी शहाऐंशी सत्त्याऐंशी अठ्ठ्याऐंशी एकोणनव्वद
नव्वद एक्क्याण्णव ब्याण्णव त्र्याण्णव चौऱ्याण्णव पंच्याण्णव शहाण्णव सत्त्याण्णव अठ्ठ्याण्णव नव्व्याण्णव`.split(/\s+/);

const months = 'जानेवारी फेब्रुवारी मार्च एप्रिल मे जून जुलै ऑगस्ट सप्टेंबर ऑक्टोबर नोव्हेंबर डिसेंबर'.split(' ');
const firstOrdinals = ['', 'पहिला', 'दुसरा', 'तिसरा', 'चौथा'];

function integer(value: number): string {
  return inIndianPlaces(value, {
    belowHundred,
    thousand: 'हजार',
    lakh: 'लाख',
    crore: 'कोटी',
    hundreds: (count, isRound) => (count === 1 && isRound ? 'शंभर' : `${belowHundred[count]}शे`),
  });
}

function time({ hour, minute, half }: ClockTime, isOfSpan = false): string {
  const hourWord = belowHundred[hour % 12 || 12];
  const part = half === undefined && hour < 13 ? '' : `${partOfDay(half === 'pm' ? (hour % 12) + 12 : hour)} `;
  const spoken = minute === 0 ? hourWord : inQuarters(hour % 12 || 12, minute);
  if (spoken) return `${part}${spoken}${isOfSpan ? '' : ' वाजता'}`;
  return `${part}${hourWord} वाजून ${belowHundred[minute]} ${isOfSpan ? 'मिनिटे' : 'मिनिटांनी'}`;
}

/** Marathi has special words for halves and quarters of hours. */
function inQuarters(hour: number, minute: number): string | undefined {
  if (minute === 30) return andHalf(hour);
  if (minute === 15) return `सव्वा ${belowHundred[hour]}`;
  return minute === 45 ? `पावणे ${belowHundred[(hour % 12) + 1]}` : undefined;
}

const andHalf = (whole: number) => (whole === 0 ? undefined : ['', 'दीड', 'अडीच'][whole] || `साडे ${belowHundred[whole]}`);

/** Years before 2000 are said in hundreds. */
function yearOf(value: number): string {
  if (value < 1100 || value >= 2000) return integer(value);
  return [`${belowHundred[Math.floor(value / 100)]}शे`, value % 100 > 0 ? belowHundred[value % 100] : ''].join(' ').trim();
}

function partOfDay(hour: number): string {
  if (hour < 4 || hour >= 20) return 'रात्री';
  if (hour < 12) return 'सकाळी';
  return hour < 16 ? 'दुपारी' : 'संध्याकाळी';
}

const halvesAndQuarters: Record<string, string> = { '1/2': 'अर्धा', '1/4': 'पाव', '3/4': 'पाऊण' };

function fraction(numerator: number, denominator: number): string {
  const part = denominator === 3 ? 'तृतीयांश' : `छेद ${integer(denominator)}`;
  return halvesAndQuarters[`${numerator}/${denominator}`] ?? `${integer(numerator)} ${part}`;
}

/** Marathi, always in lakh and koti. */
export const marathi: SpokenRules = {
  integer,
  time,
  spanGoesOn: /^ (?:ते|पर्यंत|पासून)(?![\p{L}\p{M}])/u,
  andHalf,
  timeRange: (from, to) => `${time(from, true)} ते ${time(to, true)}`,
  ordinal: (value) => firstOrdinals[value] || `${integer(value)}वा`,
  months,
  day: integer,
  year: yearOf,
  digits: belowHundred.slice(0, 10),
  letters: 'ए बी सी डी ई एफ जी एच आय जे के एल एम एन ओ पी क्यू आर एस टी यू व्ही डब्ल्यू एक्स वाय झेड'.split(' '),
  fraction,
  square: 'चौरस',
  cubic: 'घन',
  lengths: { m: 'मीटर', km: 'किलोमीटर', cm: 'सेंटीमीटर', mm: 'मिलीमीटर', ft: 'फूट', in: 'इंच', yd: 'यार्ड' },
  point: 'पूर्णांक',
  minus: 'उणे',
  percent: 'टक्के',
  to: 'ते',
  and: '',
  currencies: {
    INR: { one: 'रुपया', many: 'रुपये', hundredthOne: 'पैसा', hundredthMany: 'पैसे' },
    USD: { one: 'डॉलर', many: 'डॉलर', hundredthOne: 'सेंट', hundredthMany: 'सेंट' },
    EUR: { one: 'युरो', many: 'युरो', hundredthOne: 'सेंट', hundredthMany: 'सेंट' },
    GBP: { one: 'पौंड', many: 'पौंड', hundredthOne: 'पेनी', hundredthMany: 'पेन्स' },
    AED: { one: 'दिरहम', many: 'दिरहम', hundredthOne: 'फिल्स', hundredthMany: 'फिल्स' },
  },
  per: 'प्रति',
  perUnits: {
    h: 'तास',
    hr: 'तास',
    s: 'सेकंद',
    min: 'मिनिट',
    kg: 'किलो',
    km: 'किलोमीटर',
    g: 'ग्रॅम',
    m: 'मीटर',
    metre: 'मीटर',
    l: 'लिटर',
    ltr: 'लिटर',
    litre: 'लिटर',
    month: 'महिना',
    day: 'दिवस',
    hour: 'तास',
    person: 'व्यक्ती',
    piece: 'नग',
  },
  address: { '@': 'ॲट', '.': 'डॉट', '/': 'स्लॅश', '-': 'डॅश', _: 'अंडरस्कोर' },
  abbreviations: {
    'डॉ.': 'डॉक्टर',
    'श्री.': 'श्री',
    'सौ.': 'सौभाग्यवती',
    'प्रा.': 'प्राध्यापक',
    'क्र.': 'क्रमांक',
    'संध्या.': 'संध्याकाळी',
    'दु.': 'दुपारी',
    'रु.': 'रुपये',
    'लि.': 'लिमिटेड',
    किमी: 'किलोमीटर',
    किग्रॅ: 'किलोग्रॅम',
    सेमी: 'सेंटीमीटर',
    'कि.मी.': 'किलोमीटर',
    'कि.ग्रॅ.': 'किलोग्रॅम',
    'Dr.': 'डॉक्टर',
    'Mr.': 'मिस्टर',
    'Mrs.': 'मिसेस',
    km: 'किलोमीटर',
    kg: 'किलोग्रॅम',
  },
  signs: {
    '&': 'आणि',
    '+': 'अधिक',
    '=': 'बरोबर',
    '@': 'ॲट',
    '°': 'अंश',
    '°C': 'अंश सेल्सिअस',
    '×': 'गुणिले',
    '#': 'क्रमांक',
    '/': 'भागिले',
    '≤': 'जास्तीत जास्त',
    '≥': 'कमीत कमी',
    '<': '… पेक्षा कमी',
    '>': '… पेक्षा जास्त',
    '±': 'अधिक उणे',
    '÷': 'भागिले',
    '≈': 'सुमारे',
    '≠': 'बरोबर नाही',
    '°F': 'अंश फॅरनहाइट',
    '‰': 'दर हजारी',
    '§': 'कलम',
    '№': 'क्रमांक',
    '→': 'ते',
    '√': '… चे वर्गमूळ',
    '∞': 'अनंत',
    '²': 'चा वर्ग',
    '³': 'चा घन',
    '^': 'चा घात',
    '′': 'फूट',
    '″': 'इंच',
    '¢': 'सेंट',
    '¥': 'येन',
    '₩': 'वॉन',
    '₽': 'रुबल',
    '₺': 'लिरा',
    '₫': 'डोंग',
    '₦': 'नायरा',
    '₪': 'शेकेल',
    '฿': 'बात',
    '₱': 'पेसो',
    '৳': 'टका',
    '₿': 'बिटकॉइन',
  },
};

/** Prepares Marathi text for a voice: without digits, signs, markup or emoji. */
export function speakableMarathi(text: string): string {
  return speakable(text, marathi);
}
