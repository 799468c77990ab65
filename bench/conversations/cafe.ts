import { product, week } from '../businesses/business';
import { type Conversed, talker } from './transcript';

const en = talker('english');
const hi = talker('hindi');
const mr = talker('marathi');
const hl = talker('hinglish');

const packs = `Pack,Serves,Price (Rs.)
Family pack,4,620
Party pack,12,1750
Office pack,20,2900
`;

const rules = `# Bills
GST of 5% is extra on all bills.
Groups of ten or more reserve a day ahead.
`;

/** A small café with prices before tax, written to test what a conversation remembers. */
export const cafe: Conversed = {
  business: {
    name: 'Tapovan Cafe',
    part: 'tuning',
    profile: {
      business_name: 'Tapovan Cafe',
      business_type: 'Cafe',
      industry: 'Food',
      company_description: 'A cafe by the river in Nashik.',
      support_email: 'eat@tapovan.example',
      support_phone: '+912532574411',
      office_address: '3 Gangapur Road, Nashik 422013',
      working_hours: week(['Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], '08:00 AM', '10:00 PM'),
      timezone: 'Asia/Kolkata',
    },
    products: [
      product('Masala dosa', 'Breakfast', 90),
      product('Idli plate', 'Breakfast', 50),
      product('Veg sandwich', 'Snacks', 110),
      product('Paneer roll', 'Snacks', 130),
      product('Filter coffee', 'Drinks', 40),
      product('Mango lassi', 'Drinks', 60),
      product('Chocolate pastry', 'Sweets', 75, false),
    ],
    services: [],
    faqs: [{ Question: 'May we bring our own cake?', Answer: 'Yes, for ₹100 we cut and serve it.' }],
    documents: [
      { fileName: 'packs.csv', text: packs },
      { fileName: 'rules.md', text: rules },
    ],
  },
  transcripts: [
    en(
      ['How much is a masala dosa?', ['90']],
      ['And a filter coffee?', ['40']],
      ['So together?', ['130', '5%']],
      ['And for three people, one of each?', ['390']],
    ),
    en(
      ['What is the price of the paneer roll?', ['130']],
      ['What about the mango lassi?', ['60']],
      ['How much for the two?', ['190', '5%']],
      ['Two of the first and three of the second?', ['440']],
    ),
    en(
      ['How much are the veg sandwich and the idli plate?', ['110', '50']],
      ['Which is cheaper?', ['idli plate']],
      ['By how much?', ['60']],
      ['Five of those, please. How much?', ['250|which']],
    ),
    en(
      ['How much are the family pack and the party pack?', ['620', '1,750']],
      ['Which one is dearer?', ['party pack']],
      ['How many does it serve?', ['12']],
      ['Both together?', ['2,370'], ['2 ×']],
    ),
    en(
      ['Do you have chocolate pastry?', ['not available']],
      ['How much is it when you have it?', ['75']],
      ['And the veg sandwich?', ['110']],
      ['And the paneer roll?', ['130']],
      ['Which of these is the cheapest?', ['chocolate pastry']],
      ['All of them together?', ['315']],
    ),
    en(
      ['Tell me the price of the idli plate', ['50']],
      ['And the masala dosa?', ['90']],
      ['And the mango lassi?', ['60']],
      ['What do all three come to?', ['200']],
      ['And without the last one?', ['140|not know|which']],
      ['Is the first one cheaper than the second?', ['yes', '40|50']],
    ),
    hi(
      ['मसाला डोसा कितने का है?', ['90']],
      ['और फ़िल्टर कॉफ़ी?', ['40']],
      ['दोनों मिलाकर कितना हुआ?', ['130', '5%']],
      ['तीन-तीन लें तो?', ['390']],
    ),
    hi(
      ['पनीर रोल का दाम बताइए', ['130']],
      ['और मैंगो लस्सी का?', ['60']],
      ['दोनों का कुल कितना?', ['190', '5%']],
      ['पहले के दो और दूसरे के तीन?', ['440']],
    ),
    hi(
      ['फैमिली पैक और पार्टी पैक कितने के हैं?', ['620', '1,750']],
      ['महंगा कौन सा है?', ['party pack']],
      ['कितने का फ़र्क़ है?', ['1,130']],
      ['दोनों मिलाकर?', ['2,370'], ['2 ×']],
    ),
    hi(
      ['वेज सैंडविच कितने का?', ['110']],
      ['और इडली प्लेट?', ['50']],
      ['और मैंगो लस्सी?', ['60']],
      ['तीनों का कितना?', ['220']],
      ['सबसे सस्ता कौन सा है इनमें?', ['idli plate']],
    ),
    mr(
      ['मसाला डोसा कितीला आहे?', ['90']],
      ['आणि फिल्टर कॉफी?', ['40']],
      ['दोन्ही मिळून किती झाले?', ['130', '5%']],
      ['प्रत्येकी तीन घेतले तर?', ['390']],
    ),
    mr(
      ['पनीर रोलची किंमत सांगा', ['130']],
      ['आणि मँगो लस्सीची?', ['60']],
      ['दोन्हींचे एकूण किती?', ['190', '5%']],
      ['पहिल्याचे दोन आणि दुसऱ्याचे तीन?', ['440']],
    ),
    mr(
      ['फॅमिली पॅक आणि पार्टी पॅक कितीला आहेत?', ['620', '1,750']],
      ['महाग कोणते?', ['party pack']],
      ['कितीचा फरक आहे?', ['1,130']],
      ['दोन्ही मिळून?', ['2,370'], ['2 ×']],
    ),
    mr(
      ['व्हेज सँडविच कितीला?', ['110']],
      ['आणि इडली प्लेट?', ['50']],
      ['आणि मँगो लस्सी?', ['60']],
      ['तिन्हींचे किती?', ['220']],
      ['यातले सर्वात स्वस्त कोणते?', ['idli plate']],
    ),
    hl(
      ['masala dosa kitne ka hai?', ['90']],
      ['aur filter coffee?', ['40']],
      ['dono milakar kitna hua?', ['130', '5%']],
      ['teen teen le to?', ['390']],
    ),
    hl(
      ['paneer roll ka daam batao', ['130']],
      ['aur mango lassi ka?', ['60']],
      ['dono ka total kitna?', ['190', '5%']],
      ['pehle ke do aur doosre ke teen?', ['440']],
    ),
    hl(
      ['family pack aur party pack kitne ke hain?', ['620', '1,750']],
      ['mehnga kaunsa hai?', ['party pack']],
      ['kitne ka fark hai?', ['1,130']],
      ['dono milake?', ['2,370'], ['2 ×']],
    ),
    hl(
      ['veg sandwich kitne ka?', ['110']],
      ['aur idli plate?', ['50']],
      ['aur mango lassi?', ['60']],
      ['teeno ka kitna?', ['220']],
      ['inme sabse sasta kaunsa hai?', ['idli plate']],
    ),
    mr(
      ['इडली प्लेट आणि मसाला डोसा कितीला?', ['50', '90']],
      ['यांत महाग कोणते?', ['masala dosa']],
      ['त्या दोन्हींचे मिळून किती?', ['140'], ['2 ×']],
      ['आणि फिल्टर कॉफी?', ['40']],
      ['सगळ्यांचे मिळून?', ['180|कोणत']],
    ),
    hl(
      ['idli plate aur masala dosa kitne ke?', ['50', '90']],
      ['kaunsa mehnga hai?', ['masala dosa']],
      ['un dono ka kitna?', ['140'], ['2 ×']],
      ['aur filter coffee?', ['40']],
      ['sab milakar?', ['180|kaun']],
    ),
  ],
};
