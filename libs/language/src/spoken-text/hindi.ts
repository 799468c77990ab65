import { inIndianPlaces, type ClockTime, type SpokenRules } from './spoken-rules';
import { speakable } from './speakable';

const belowHundred = `शून्य एक दो तीन चार पाँच छह सात आठ नौ
दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस
बीस इक्कीस बाईस तेईस चौबीस पच्चीस छब्बीस सत्ताईस अट्ठाईस उनतीस
तीस इकतीस बत्तीस तैंतीस चौंतीस पैंतीस छत्तीस सैंतीस अड़तीस उनतालीस
चालीस इकतालीस बयालीस तैंतालीस चौवालीस पैंतालीस छियालीस सैंतालीस अड़तालीस उनचास
पचास इक्यावन बावन तिरपन चौवन पचपन छप्पन सत्तावन अट्ठावन उनसठ
साठ इकसठ बासठ तिरसठ चौंसठ पैंसठ छियासठ सड़सठ अड़सठ उनहत्तर
सत्तर इकहत्तर बहत्तर तिहत्तर चौहत्तर पचहत्तर छिहत्तर सतहत्तर अठहत्तर उनासी
अस्सी इक्यासी बयासी तिरासी चौरासी पचासी छियासी सत्तासी अट्ठासी नवासी
नब्बे इक्यानवे बानवे तिरानवे चौरानवे पंचानवे छियानवे सत्तानवे अट्ठानवे निन्यानवे`.split(/\s+/);

const months = 'जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर'.split(' ');
const firstOrdinals = ['', 'पहला', 'दूसरा', 'तीसरा', 'चौथा', 'पाँचवाँ', 'छठा'];

function integer(value: number): string {
  return inIndianPlaces(value, {
    belowHundred,
    thousand: 'हज़ार',
    lakh: 'लाख',
    crore: 'करोड़',
    hundreds: (count) => `${belowHundred[count]} सौ`,
  });
}

function time({ hour, minute, half }: ClockTime): string {
  const hourWord = belowHundred[hour % 12 || 12];
  const part = half === undefined && hour < 13 ? '' : `${partOfDay(half === 'pm' ? (hour % 12) + 12 : hour)} `;
  const spoken = minute === 0 ? hourWord : inQuarters(hour % 12 || 12, minute);
  return spoken ? `${part}${spoken} बजे` : `${part}${hourWord} बजकर ${belowHundred[minute]} मिनट`;
}

/** Hindi has special words for halves and quarters of hours. */
function inQuarters(hour: number, minute: number): string | undefined {
  if (minute === 30) return andHalf(hour);
  if (minute === 15) return `सवा ${belowHundred[hour]}`;
  return minute === 45 ? `पौने ${belowHundred[(hour % 12) + 1]}` : undefined;
}

const andHalf = (whole: number) => (whole === 0 ? undefined : ['', 'डेढ़', 'ढाई'][whole] || `साढ़े ${belowHundred[whole]}`);

/** Years before 2000 are said in hundreds. */
function yearOf(value: number): string {
  if (value < 1100 || value >= 2000) return integer(value);
  return [belowHundred[Math.floor(value / 100)], 'सौ', value % 100 > 0 ? belowHundred[value % 100] : ''].join(' ').trim();
}

function partOfDay(hour: number): string {
  if (hour < 4 || hour >= 20) return 'रात';
  if (hour < 12) return 'सुबह';
  return hour < 16 ? 'दोपहर' : 'शाम';
}

function fraction(numerator: number, denominator: number): string {
  if (numerator === 1 && denominator === 2) return 'आधा';
  const part = { 3: 'तिहाई', 4: 'चौथाई' }[denominator] ?? `बटा ${integer(denominator)}`;
  return `${integer(numerator)} ${part}`;
}

/** Hindi, always in lakh and crore. */
export const hindi: SpokenRules = {
  integer,
  time,
  andHalf,
  timeRange: (from, to) => `${time(from).replace(/ बजे$/u, '')} से ${time(to)}`,
  ordinal: (value) => firstOrdinals[value] || `${integer(value)}वाँ`,
  months,
  day: integer,
  year: yearOf,
  digits: belowHundred.slice(0, 10),
  letters: 'ए बी सी डी ई एफ़ जी एच आई जे के एल एम एन ओ पी क्यू आर एस टी यू वी डब्ल्यू एक्स वाई ज़ेड'.split(' '),
  fraction,
  square: 'वर्ग',
  cubic: 'घन',
  lengths: { m: 'मीटर', km: 'किलोमीटर', cm: 'सेंटीमीटर', mm: 'मिलीमीटर', ft: 'फ़ुट', in: 'इंच', yd: 'गज' },
  point: 'दशमलव',
  minus: 'माइनस',
  percent: 'प्रतिशत',
  to: 'से',
  and: '',
  currencies: {
    INR: { one: 'रुपया', many: 'रुपये', hundredthOne: 'पैसा', hundredthMany: 'पैसे' },
    USD: { one: 'डॉलर', many: 'डॉलर', hundredthOne: 'सेंट', hundredthMany: 'सेंट' },
    EUR: { one: 'यूरो', many: 'यूरो', hundredthOne: 'सेंट', hundredthMany: 'सेंट' },
    GBP: { one: 'पाउंड', many: 'पाउंड', hundredthOne: 'पेनी', hundredthMany: 'पेंस' },
    AED: { one: 'दिरहम', many: 'दिरहम', hundredthOne: 'फ़िल्स', hundredthMany: 'फ़िल्स' },
  },
  per: 'प्रति',
  perUnits: {
    h: 'घंटा',
    hr: 'घंटा',
    s: 'सेकंड',
    min: 'मिनट',
    kg: 'किलो',
    km: 'किलोमीटर',
    g: 'ग्राम',
    m: 'मीटर',
    metre: 'मीटर',
    l: 'लीटर',
    ltr: 'लीटर',
    litre: 'लीटर',
    month: 'महीना',
    day: 'दिन',
    hour: 'घंटा',
    person: 'व्यक्ति',
    piece: 'पीस',
  },
  address: { '@': 'ऐट', '.': 'डॉट', '/': 'स्लैश', '-': 'डैश', _: 'अंडरस्कोर' },
  abbreviations: {
    'डॉ.': 'डॉक्टर',
    'श्री.': 'श्री',
    'प्रो.': 'प्रोफ़ेसर',
    'नं.': 'नंबर',
    'रु.': 'रुपये',
    'लि.': 'लिमिटेड',
    किमी: 'किलोमीटर',
    किग्रा: 'किलोग्राम',
    सेमी: 'सेंटीमीटर',
    'कि.मी.': 'किलोमीटर',
    'कि.ग्रा.': 'किलोग्राम',
    'Dr.': 'डॉक्टर',
    'Mr.': 'मिस्टर',
    'Mrs.': 'मिसेज़',
    km: 'किलोमीटर',
    kg: 'किलोग्राम',
  },
  signs: {
    '&': 'और',
    '+': 'प्लस',
    '=': 'बराबर',
    '@': 'ऐट',
    '°': 'डिग्री',
    '°C': 'डिग्री सेल्सियस',
    '×': 'गुणा',
    '#': 'नंबर',
    '/': 'बटा',
    '≤': 'अधिकतम',
    '≥': 'कम से कम',
    '<': '… से कम',
    '>': '… से अधिक',
    '±': 'प्लस माइनस',
    '÷': 'भागा',
    '≈': 'लगभग',
    '≠': 'बराबर नहीं',
    '°F': 'डिग्री फ़ारेनहाइट',
    '‰': 'प्रति हज़ार',
    '§': 'धारा',
    '№': 'नंबर',
    '→': 'से',
    '√': '… का वर्गमूल',
    '∞': 'अनंत',
    '²': 'का वर्ग',
    '³': 'का घन',
    '^': 'की घात',
    '′': 'फ़ुट',
    '″': 'इंच',
    '¢': 'सेंट',
    '¥': 'येन',
    '₩': 'वॉन',
    '₽': 'रूबल',
    '₺': 'लीरा',
    '₫': 'डोंग',
    '₦': 'नाइरा',
    '₪': 'शेकेल',
    '฿': 'बाट',
    '₱': 'पेसो',
    '৳': 'टका',
    '₿': 'बिटकॉइन',
  },
};

/** Prepares Hindi text for a voice: without digits, signs, markup or emoji. */
export function speakableHindi(text: string): string {
  return speakable(text, hindi);
}
