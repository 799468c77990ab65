import { asker, type Business, honest, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const garments = `Garment,Stitching charge (INR),Cloth needed (metres),Ready in (days),Trials
Full sleeve shirt,550,2.25,6,none
Half sleeve shirt,480,1.75,5,none
Trousers,650,1.25,6,none
Kurta pyjama,900,4.5,7,none
Nehru jacket,1900,1.75,10,one
Three-piece suit,7500,5.5,21,two
Sherwani,6200,4,18,two
Plain blouse,450,0.9,4,none
Padded blouse with lining,850,1,8,one
Salwar kameez,750,4,5,none
Lehenga,3800,5,15,one
`;

const guide = `# Tailoring guide

## Measuring
Gents are measured at the counter by Master Iqbal; no appointment is needed. Ladies are measured on the first floor by Shabana Khan between 12 PM and 6 PM, but not on Wednesdays.
In place of being measured you may leave a garment that fits you well. We keep measurements in our register for two years.

## Advance and bills
Half of the stitching charge is taken when the order is placed; cloth is paid in full. The balance is due at collection.
We take cash, UPI and cards. Cheques are not accepted.

## Urgent orders
Urgent stitching within 48 hours costs 40 percent extra and is possible for shirts, trousers and blouses only.
From 20 April to 31 May we take no urgent orders because of the wedding season.

## Alterations
Whatever we stitched is altered free of charge for thirty days. For garments from elsewhere: shortening trousers ₹80, taking in a shirt ₹150, replacing a zip ₹120.
We do not alter leather jackets or woollen sweaters.

## Collecting
Bring the pink slip. If it is lost, the mobile number given with the order is enough.
Garments that are not collected are kept for ninety days and then given to the Asha old people’s home.

## Sending
We send parcels by Speed Post anywhere in India for ₹110 per kilogram. We do not ship abroad.

## When something goes wrong
If our cutting spoils your cloth, we buy the same cloth again at our cost and charge nothing for stitching.
Shrinking after the first wash is not our fault: soak cotton overnight before you bring it.

## Uniforms
We make uniforms for schools and hotels. Orders of 25 pieces or more get 12 percent off the stitching. A sample piece is ready in four days.
`;

/** A tailor in Chhatrapati Sambhajinagar who also sells cloth by the metre. */
export const tailor: Business = {
  name: 'Rangrez Tailors and Fabrics',
  part: 'tuning',
  profile: {
    business_name: 'Rangrez Tailors and Fabrics',
    business_type: 'Tailor and cloth shop',
    industry: 'Garments',
    company_description: 'Made-to-measure clothes for gents and ladies near Gulmandi since 1972.',
    support_email: 'orders@rangrez.example',
    support_phone: '+912402481175',
    office_address: 'Shop 6, Tilak Path, Gulmandi, Chhatrapati Sambhajinagar 431001',
    working_hours: week(['Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], '10:30 AM', '09:00 PM'),
    holidays: [
      { date: inDays(4), opens: '', closes: '', note: 'Eid' },
      { date: inDays(9), opens: '10:30 AM', closes: '03:00 PM', note: 'Makar Sankranti' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    {
      product_id: null,
      product_name: 'Cotton shirting, per metre',
      category: 'Cloth',
      price: 320,
      currency: 'INR',
      availability: true,
    },
    {
      product_id: null,
      product_name: 'Linen shirting, per metre',
      category: 'Cloth',
      price: 780,
      currency: 'INR',
      availability: true,
    },
    { product_id: null, product_name: 'Khadi, per metre', category: 'Cloth', price: 410, currency: 'INR', availability: true },
    {
      product_id: null,
      product_name: 'Terry-wool suiting, per metre',
      category: 'Cloth',
      price: 1250,
      currency: 'INR',
      availability: true,
    },
    {
      product_id: null,
      product_name: 'Raw silk, per metre',
      category: 'Cloth',
      price: 940,
      currency: 'INR',
      availability: false,
    },
    { product_id: null, product_name: 'Chiffon dupatta', category: 'Dupattas', price: 360, currency: 'INR', availability: true },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Measuring at your home',
      service_duration: 30,
      service_price: 250,
      currency: 'INR',
      booking_required: true,
    },
  ],
  faqs: [
    { Question: 'Can I bring my own cloth?', Answer: 'Yes, you may bring any cloth; the stitching charge stays the same.' },
    { Question: 'Do you do embroidery?', Answer: 'Yes, by hand and by machine, from ₹600. You see a sample before we begin.' },
    { Question: 'Do you rent out sherwanis?', Answer: 'No, we only stitch; we have no clothes on rent.' },
  ],
  documents: [
    { fileName: 'garments.csv', text: garments },
    { fileName: 'guide.md', text: guide },
  ],
  asked: [
    en('plain', 'Who measures ladies?', ['Shabana Khan'], ['Shabana']),
    en('plain', 'For how long do you keep garments that are not collected?', ['ninety days'], ['ninety|90']),
    en('price', 'How much do you take to stitch a sherwani?', ['6200'], ['6,200|6200']),
    en('price', 'what is the rate of linen for one metre', ['780'], ['780']),
    en('hours', 'What time do you shut on a Thursday?', ['09:00 PM'], ['9:00 PM|9 PM|nine']),
    en('hours', 'Is Monday a working day for you?', ['Monday'], ['closed|not open|no,'], notHonest),
    en('exception', 'Can I collect my kurta in the evening on Makar Sankranti?', ['Makar Sankranti'], ['3:00 PM|3 PM|three']),
    en('comparison', 'Which one takes more days, the sherwani or the three-piece suit?', ['18', '21'], ['Three-piece suit|21']),
    en('comparison', 'How much extra do you charge for a padded blouse compared to a plain one?', ['850', '450'], ['400']),
    en(
      'computing',
      'I want three half sleeve shirts and two trousers stitched, how much will the stitching be?',
      ['480', '650'],
      ['2,740|2740'],
    ),
    en('computing', 'What will five metres of khadi cost me?', ['410'], ['2,050|2050']),
    en(
      'paraphrase',
      'My jeans drag on the floor, what do you take for making them shorter?',
      ['shortening trousers ₹80'],
      ['80'],
    ),
    en(
      'paraphrase',
      'What if your man ruins my material with the scissors?',
      ['same cloth again'],
      ['same cloth|buy|replace|nothing for stitching'],
    ),
    en('paraphrase', 'I cannot find the receipt, will you still hand over my dress?', ['mobile number'], ['mobile|phone number']),
    en('follow-up', 'And how many metres do I have to buy for it?', ['1.75'], ['1.75'], {
      before: ['What does stitching a Nehru jacket cost?'],
    }),
    en('follow-up', 'and with half sleeves', ['480'], ['480'], {
      before: ['How much is the stitching of a full sleeve shirt?'],
      never: ['550'],
    }),
    en('negation', 'Which clothes do you refuse to alter?', ['leather jackets'], ['leather']),
    en('trap', 'Until what time can my wife get her measurements taken?', ['12 PM and 6 PM'], ['6 PM|6:00 PM|six'], {
      never: ['9:00 PM', '9 PM'],
    }),
    en(
      'trap',
      'Will you post a suit to my brother in Dubai?',
      ['do not ship abroad'],
      ['not ship|no,|only in India|within India'],
      {
        never: ['yes', ...notHonest.never],
      },
    ),
    en('unanswerable', 'How many tailors work in your shop?', []),
    en('unanswerable', 'Do you sell shoes to go with the suit?', []),
    hi('price', 'सलवार कमीज़ की सिलाई कितनी है?', ['750'], ['750']),
    hi('plain', 'अर्जेंट सिलाई के कितने पैसे ज़्यादा लगते हैं', ['40 percent'], ['40|चालीस']),
    hi('paraphrase', 'मैं घर से अपना कपड़ा लेकर आऊँ तो चलेगा?', ['any cloth'], ['हाँ|हां|जी|yes|any cloth|कोई भी']),
    hi('hours', 'रविवार को आप कितने बजे खोलते हैं?', ['10:30 AM'], ['10:30|साढ़े दस']),
    hi('exception', 'ईद के दिन दुकान खुली रहेगी क्या', ['Eid'], ['बंद|closed']),
    hi('computing', 'दो मीटर कॉटन और एक मीटर लिनन मिलाकर कितना होगा?', ['320', '780'], ['1,420|1420']),
    hi('negation', 'क्या आप चेक नहीं लेते?', ['Cheques are not accepted'], ['not accepted|नहीं'], notHonest),
    hi('unanswerable', 'क्या आप पर्दे भी सिलते हैं?', []),
    mr('price', 'थ्री पीस सूट शिवायला किती घेता?', ['7500'], ['7,500|7500']),
    mr('plain', 'आमची मापं किती वर्षं ठेवता?', ['two years'], ['two|2|दोन']),
    mr('paraphrase', 'पँटची चेन तुटली आहे, बदलून द्यायला किती लागतील?', ['replacing a zip ₹120'], ['120']),
    mr('follow-up', 'आणि किती दिवसांत मिळेल?', ['15'], ['15|पंधरा'], { before: ['लेहेंगा शिवायला किती पैसे लागतात?'] }),
    mr('comparison', 'सलवार कमीज आणि कुर्ता पायजमा यांत कोणाची शिलाई स्वस्त आहे?', ['750', '900'], ['Salwar|सलवार']),
    mr('computing', 'पाच साध्या ब्लाउजची शिलाई किती होईल?', ['450'], ['2,250|2250']),
    mr('hours', 'सोमवारी दुकान सुरू असतं का', ['Monday'], ['बंद|closed|नाही|नसत'], notHonest),
    mr('unanswerable', 'साडीला फॉल पिको करून देता का?', []),
    hl('plain', 'sherwani kitne din me ready ho jayegi', ['18'], ['18']),
    hl('paraphrase', 'hotel staff ke 30 uniform silwane hai kuch discount milega kya', ['12 percent'], ['12']),
    hl('price', 'ghar aake naap lene ka kitna charge hai?', ['250'], ['250']),
    hl('negation', 'sherwani kiraye pe nahi milti kya?', ['only stitch'], ['only stitch|nahi|nahin|no,'], notHonest),
  ],
};
