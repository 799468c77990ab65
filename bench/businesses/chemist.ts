import { asker, type Business, honest, inDays, product, service, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const devices = `Device,Brand,Price (INR),Warranty (years),Rent per week (INR)
Blood pressure monitor,Omron,2150,3,150
Glucometer,Accu-Chek,1240,5,
Nebulizer,Philips,1890,2,200
Oxygen concentrator,Inogen,46500,2,2800
Wheelchair,Karma,7400,1,450
Digital thermometer,Omron,260,1,
`;

const leaflet = `# What customers should know

## Prescriptions
Antibiotics and sleeping tablets are only sold against a doctor's prescription not older than six months. A photo of it on WhatsApp is enough for us to keep the medicine ready.
We never sell medicines on the telephone's word alone.

## Home delivery
Within four kilometres we deliver free above ₹500; below that it costs ₹30. Orders that reach us before 6 PM come the same evening, later ones the next morning. We do not deliver insulin, because it must stay cold.

## Taking back
Unopened strips are taken back within fifteen days with the bill. Insulin, vaccines and anything from the refrigerator is not taken back.
Expired tablets from your home can be thrown into the red bin at our door.

## Discounts
Pensioners get 12 percent off on medicines when they show their card. Monthly patients who register with us get 8 percent. Discounts do not add up, and devices are excluded.

## Emergency
After closing time ring the night bell at the side door: our pharmacist Suhas Pendse lives upstairs. A night opening costs ₹50.

## Hiring devices
Whoever hires a device leaves a deposit of half its price. It comes back within two days of return.

## Blood pressure and sugar
We measure blood pressure free of charge every morning until noon. A sugar test with a finger prick costs ₹40 and takes two minutes.
`;

/** A chemist in Nashik that hires out devices. */
export const chemist: Business = {
  name: 'Sanjeevani Chemist',
  part: 'tuning',
  profile: {
    business_name: 'Sanjeevani Chemist',
    business_type: 'Pharmacy',
    industry: 'Healthcare',
    company_description: 'Medicines and devices for home care on College Road since 1994.',
    support_email: 'ask@sanjeevani.example',
    support_phone: '+912532577310',
    office_address: '12 Vasant Market, College Road, Nashik 422005',
    working_hours: [
      ...(week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'], '08:30 AM', '10:30 PM') ?? []).slice(0, 6),
      { day: 'Sunday', is_open: true, open_time: '09:00 AM', close_time: '02:00 PM' },
    ],
    holidays: [
      { date: inDays(2), opens: '', closes: '', note: 'Chemists association strike' },
      { date: inDays(9), opens: '09:00 AM', closes: '01:00 PM', note: 'Holi' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    product('Protein powder 500 g', 'Nutrition', 780),
    product('Baby diapers pack of 40', 'Baby', 640),
    product('Hot water bag', 'Care', 220),
    product('Knee cap pair', 'Care', 390),
    product('N95 masks pack of 10', 'Care', 250, false),
  ],
  services: [service('Injection at the counter', 10, 60), service('Diet consultation', 30, 350)],
  faqs: [
    { Question: 'Do you keep homeopathic medicines?', Answer: 'No, only allopathic and a few ayurvedic ones.' },
    { Question: 'Can I get a GST bill for my insurance?', Answer: 'Yes, ask at the counter; we also send it by email.' },
  ],
  documents: [
    { fileName: 'devices.csv', text: devices },
    { fileName: 'leaflet.md', text: leaflet },
  ],
  asked: [
    en('plain', 'Do you need a prescription for antibiotics?', ['not older than six months'], ['prescription'], notHonest),
    en('price', 'What does a wheelchair cost?', ['7400'], ['7,400|7400'], { never: ['450'] }),
    en('price', 'how much to rent a nebulizer for a week', ['200'], ['200'], { never: ['1,890'] }),
    en('hours', 'What time do you close on a Sunday?', ['02:00 PM'], ['2:00 PM|2 PM|two']),
    en(
      'exception',
      "I heard there's a strike, will you be shut?",
      ['Chemists association strike'],
      ['closed|shut|strike'],
      notHonest,
    ),
    en('exception', 'Will I find you open on Holi in the evening?', ['Holi'], ['1:00 PM|1 PM|one|no,|closed']),
    en(
      'comparison',
      'Which lasts longer under warranty, the glucometer or the blood pressure machine?',
      ['Glucometer'],
      ['Glucometer'],
    ),
    en('computing', 'What will two hot water bags and one pair of knee caps come to?', ['220', '390'], ['830']),
    en('computing', 'I want the oxygen concentrator on rent for three weeks, how much is that?', ['2800'], ['8,400|8400']),
    en(
      'paraphrase',
      "It's midnight and my child has a fever, how can I get medicine from you?",
      ['night bell'],
      ['night bell|ring|₹50'],
    ),
    en('paraphrase', 'My father is retired, does he pay less?', ['12 percent'], ['12']),
    en('paraphrase', 'What should I do with old medicines that are past their date?', ['red bin'], ['red bin']),
    en('follow-up', 'and if my order is only 300 rupees?', ['₹30'], ['₹30|30 rupees'], {
      before: ['Do you deliver to my house for free?'],
    }),
    en('negation', 'Which things can I not return?', ['Insulin, vaccines'], ['insulin|vaccines|refrigerator']),
    en('unanswerable', 'Do you sell contact lens solution for dogs?', []),
    hi('price', 'ग्लूकोमीटर कितने का आता है?', ['1240'], ['1,240|1240']),
    hi('plain', 'शुगर टेस्ट का कितना लेते हो?', ['₹40'], ['40']),
    hi('paraphrase', 'दवा का एक पत्ता बच गया है, खोला नहीं है, वापस ले लोगे?', ['fifteen days'], ['fifteen|15|पंद्रह']),
    hi('hours', 'रविवार को सुबह कितने बजे खुलता है?', ['09:00 AM'], ['9:00|9 बजे|नौ']),
    hi('computing', 'डायपर के तीन पैकेट के कितने पैसे होंगे?', ['640'], ['1,920|1920']),
    hi('unanswerable', 'क्या आपके यहाँ एक्स-रे होता है?', []),
    mr('price', 'प्रोटीन पावडर कितीला आहे?', ['780'], ['780']),
    mr('plain', 'इंजेक्शन द्यायचे किती पैसे घेता?', ['60'], ['60']),
    mr('paraphrase', 'भाड्याने घेतलेल्या वस्तूसाठी आधी किती पैसे ठेवावे लागतात?', ['deposit of half'], ['half|निम्म|deposit']),
    mr('negation', 'इन्सुलिन घरी पाठवत नाही का तुम्ही?', ['do not deliver insulin'], ['not deliver|नाही|insulin'], notHonest),
    mr('comparison', 'सगळ्यात महाग मशीन कोणतं आहे?', ['46500'], ['Oxygen|ऑक्सिजन']),
    mr('hours', 'रात्री किती वाजेपर्यंत दुकान चालू असतं?', ['10:30 PM'], ['10:30|साडेदहा']),
    hl('plain', 'homeopathy ki dawai milti hai kya?', ['only allopathic'], ['no,|nahi|नहीं|only allopathic'], notHonest),
    hl('price', 'thermometer kitne ka hai', ['260'], ['260']),
    hl('paraphrase', 'doctor ki parchi whatsapp pe bhej du to chalega?', ['WhatsApp is enough'], ['WhatsApp']),
  ],
};
