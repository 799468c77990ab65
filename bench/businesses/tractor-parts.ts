import { asker, type Business, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');

const models = [
  'Mahindra 575 DI',
  'Swaraj 744 FE',
  'Sonalika DI 750',
  'John Deere 5310',
  'Massey Ferguson 241',
  'Eicher 380',
  'New Holland 3630',
  'Farmtrac 60',
];
const parts: readonly [part: string, rupees: number, rack: string][] = [
  ['Clutch plate', 2650, 'A'],
  ['Oil filter', 240, 'B'],
  ['Fuel injector', 1780, 'C'],
  ['Hydraulic pump', 8400, 'D'],
  ['Front axle bush', 320, 'E'],
  ['Radiator', 6900, 'F'],
  ['Alternator', 5200, 'G'],
  ['Brake shoe set', 1150, 'H'],
  ['Head gasket', 780, 'K'],
  ['Piston ring set', 1460, 'L'],
  ['Water pump', 1980, 'M'],
  ['PTO shaft', 3950, 'N'],
  ['Air cleaner', 860, 'P'],
  ['Fan belt', 310, 'Q'],
  ['Starter motor', 6150, 'R'],
  ['Steering box', 9700, 'S'],
  ['Release bearing', 690, 'T'],
  ['Silencer', 1540, 'U'],
  ['Head lamp', 940, 'V'],
  ['Fuel tank cap', 180, 'W'],
  ['Top link', 1250, 'X'],
  ['Lift arm', 2890, 'Y'],
  ['Tie rod end', 420, 'Z'],
  ['Crown wheel and pinion', 11800, 'AA'],
  ['Valve set', 1330, 'AB'],
  ['Speedometer cable', 260, 'AC'],
];

/** One row for every part of every model: prices rise with the model, and some are out of stock. */
const priceList = [
  'Part,Tractor,Price (INR),Stock,Rack,Guarantee (months)',
  ...parts.flatMap(([part, rupees, rack], row) =>
    models.map((model, column) => {
      const stock = (row * 7 + column * 3) % 11;
      return `${part},${model},${rupees + column * 35},${stock === 0 ? 'out of stock' : `${stock} pieces`},${rack}${column + 1},${row % 2 === 0 ? 6 : 12}`;
    }),
  ),
].join('\n');

const terms = `# Terms of sale

## Delivery
Orders before 3 PM leave the same day by MSRTC parcel. Delivery within Jalna district takes one day, elsewhere in Maharashtra two to three days.
Parcels above 40 kg go by transport and are paid by the receiver.

## Returns
Electrical parts are not taken back once the seal is open. Everything else may be returned within ten days with the bill.
A restocking charge of 8 percent applies when the box is torn.

## Credit
Registered garages get 21 days of credit up to ₹50,000. Farmers pay in advance.

## Fitting
We do not fit parts ourselves. Our partner Pawar Garage on Mantha Road fits clutch plates for ₹1,800 and hydraulic pumps for ₹2,400.

## Workshop training
A free training for mechanics takes place on the second Sunday of every month from 11 AM to 3 PM in our store room.
`;

/** A dealer of tractor parts in Jalna, whose price list is too long for a prompt. */
export const tractorParts: Business = {
  name: 'Balaji Tractor Spares',
  part: 'tuning',
  profile: {
    business_name: 'Balaji Tractor Spares',
    business_type: 'Spare parts dealer',
    industry: 'Agriculture',
    company_description: 'Genuine spare parts for eight tractor makes, wholesale and retail, since 1994.',
    support_email: 'sales@balajispares.example',
    support_phone: '+912482230777',
    office_address: 'Plot 14, New Mondha, Jalna 431203',
    working_hours: week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Saturday', 'Sunday'], '08:30 AM', '07:30 PM'),
    holidays: [{ date: inDays(6), opens: '', closes: '', note: 'Pola' }],
    timezone: 'Asia/Kolkata',
  },
  products: [
    {
      product_id: null,
      product_name: 'Gear oil 20 litres',
      category: 'Lubricants',
      price: 4350,
      currency: 'INR',
      availability: true,
    },
    { product_id: null, product_name: 'Grease 5 kg', category: 'Lubricants', price: 1290, currency: 'INR', availability: true },
    {
      product_id: null,
      product_name: 'Tractor battery 88 Ah',
      category: 'Electrical',
      price: 7450,
      currency: 'INR',
      availability: false,
      warranty: 24,
    },
  ],
  services: [],
  faqs: [
    { Question: 'क्या आप पुराने पुर्जे बदलते हैं?', Answer: 'नहीं, हम पुराने पुर्जे नहीं लेते; सिर्फ़ पुरानी बैटरी पर ₹600 की छूट देते हैं।' },
    { Question: 'Do you send parts by courier?', Answer: 'Yes, by MSRTC parcel the same day when you order before 3 PM.' },
    { Question: 'Are your parts original?', Answer: 'Yes, every part carries the hologram of its maker.' },
  ],
  documents: [
    { fileName: 'price-list.csv', text: priceList },
    { fileName: 'terms.md', text: terms },
  ],
  asked: [
    en('plain', 'What is the price of a radiator for the John Deere 5310?', ['7005|7,005']),
    en('plain', 'In which rack is the hydraulic pump of the Swaraj 744 FE?', ['D2']),
    en('plain', 'How many months of guarantee has the alternator of the Eicher 380?', ['5375|5,375'], ['6|six']),
    en('plain', 'How much does Pawar Garage take for fitting a clutch plate?', ['1,800']),
    en('paraphrase', 'Can my garage pay later?', ['21 days of credit'], ['21']),
    en('paraphrase', 'The carton is damaged, do I lose money when I give the part back?', ['8 percent'], ['8']),
    en('paraphrase', 'My parcel is heavy, who pays for the truck?', ['paid by the receiver'], ['receiver']),
    en('hours', 'What are your opening hours?', ['08:30 AM|8:30 AM', '07:30 PM|7:30 PM'], ['8:30|08:30|half past eight']),
    en('price', 'How much is gear oil 20 litres?', ['4350|4,350']),
    en('exception', 'Are you open on Pola?', ['Pola'], ['closed'], { never: ['08:30'] }),
    en('trap', 'When is the training for mechanics open?', ['second Sunday'], ['second Sunday'], { never: ['08:30', '7:30'] }),
    en('trap', 'Which day is your shop closed?', ['Friday'], ['Friday'], { never: ['Monday: open'] }),
    en('unanswerable', 'Do you sell seeds?', []),
    en('unanswerable', 'What is the price of a tyre for the Eicher 380?', []),
    en('follow-up', 'And for the Sonalika DI 750?', ['2720|2,720'], ['2,720|2720'], {
      before: ['What is the price of a clutch plate for the Mahindra 575 DI?'],
    }),
    en('follow-up', 'Is it in stock?', ['2225|2,225'], ['in stock|3 pieces|available|yes'], {
      before: ['What does the water pump for the Farmtrac 60 cost?'],
    }),
    hi('plain', 'स्वराज 744 का ऑयल फिल्टर कितने का है?', ['275'], ['275']),
    hi('plain', 'इलेक्ट्रिकल पार्ट वापस होता है क्या?', ['not taken back'], ['not taken back|नहीं']),
    hi('paraphrase', 'पुरानी बैटरी देने पर कुछ कम होगा?', ['₹600'], ['600']),
    hi('paraphrase', 'जालना में सामान कितने दिन में पहुँचेगा?', ['takes one day'], ['one|एक|1']),
    hi('hours', 'दुकान कब खुलती है?', ['08:30 AM|8:30 AM'], ['8:30|08:30|साढ़े आठ']),
    hi('follow-up', 'और महिंद्रा 575 का?', ['2650|2,650'], ['2,650|2650'], { before: ['सोनालिका 750 की क्लच प्लेट कितने की है?'] }),
    hi('unanswerable', 'क्या आप ट्रैक्टर किराए पर देते हैं?', []),
    mr('plain', 'जॉन डिअर 5310 चा रेडिएटर कितीला आहे?', ['7005|7,005'], ['7,005|7005']),
    mr('plain', 'क्लच प्लेट कोण बसवून देतो?', ['Pawar Garage'], ['Pawar|पवार']),
    mr('paraphrase', 'गॅरेजला उधारी मिळते का?', ['21 days of credit'], ['21']),
    mr('hours', 'तुमचे दुकान किती वाजता उघडते?', ['08:30 AM|8:30 AM'], ['8:30|08:30|साडेआठ']),
    mr('unanswerable', 'खत मिळते का?', []),
    hl('plain', 'john deere 5310 ka radiator kitne ka hai?', ['7005|7,005'], ['7,005|7005']),
    hl('paraphrase', 'garage walo ko udhaar milta hai kya?', ['21 days of credit'], ['21']),
    hl('plain', 'purani battery pe kitni chhoot milegi?', ['₹600'], ['600']),
    hl('unanswerable', 'kya aap tractor loan dete ho?', []),
  ],
};
