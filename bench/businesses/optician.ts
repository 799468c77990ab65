import { asker, type Business, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');

const lenses = `Lens,Material,Index,Price per pair (INR),Ready in (days)
Single vision basic,CR-39,1.50,900,1
Single vision thin,Polycarbonate,1.59,2200,2
Progressive standard,CR-39,1.50,5400,6
Progressive premium,High index,1.67,11800,8
Blue filter,CR-39,1.56,1600,2
`;

const handbook = `# Guide for customers

## Eye test
An eye test takes twenty minutes and costs ₹300; the amount is taken off the bill when you buy spectacles on the same day.
Contact lens wearers must take their lenses out two hours before the test. Children from five years can be tested.
Tests are done by our optometrist Neha Wagle, who is here every day but Thursday.

## Collecting and fitting
We send an SMS when your spectacles are ready. They are kept for sixty days. Bring the order slip when you come.
Adjusting a frame is free for life, also for frames bought elsewhere.

## Guarantee
Frames have one year of guarantee against broken hinges; scratches are not covered. Lenses whose coating peels are replaced within six months.
If you cannot get used to progressive lenses, we swap them once for single vision lenses within thirty days; the difference is not paid back.

## Repairs
A new nose pad costs ₹60, a screw is free. Soldering a metal frame takes three days and costs ₹350. We do not repair plastic frames.

## Contact lenses
Opened boxes cannot be returned. A trial pair is free after a test. Never wash lenses with tap water.

## Home visits
For customers above seventy years we test eyes at home within eight kilometres, on Monday and Friday afternoons, for ₹600.

## Paying
We take cash, UPI and cards. No EMI below ₹8,000; from there three months without interest.
Orders are paid half in advance and half at collection. Invoices for insurers and companies carry our GST number.

## Old spectacles
Leave your old spectacles in the blue box: the Drishti Trust gives them to village schools.
`;

/** An optician in Kolhapur with a table of lenses. */
export const optician: Business = {
  name: 'Nazar Opticals',
  part: 'tuning',
  profile: {
    business_name: 'Nazar Opticals',
    business_type: 'Optician',
    industry: 'Retail',
    company_description: 'Spectacles, lenses and eye tests in Rajarampuri since 1987.',
    support_email: 'hello@nazar.example',
    support_phone: '+912312659040',
    office_address: '5th Lane, Rajarampuri, Kolhapur 416008',
    working_hours: week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'], '10:00 AM', '08:30 PM'),
    holidays: [
      { date: inDays(3), opens: '', closes: '', note: 'Stock taking' },
      { date: inDays(8), opens: '10:00 AM', closes: '02:00 PM', note: 'Datta Jayanti' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    {
      product_id: null,
      product_name: 'Titan metal frame',
      category: 'Frames',
      price: 2400,
      currency: 'INR',
      availability: true,
      warranty: 12,
    },
    {
      product_id: null,
      product_name: 'Kids flexible frame',
      category: 'Frames',
      price: 1150,
      currency: 'INR',
      availability: true,
    },
    {
      product_id: null,
      product_name: 'Aviator sunglasses',
      category: 'Sunglasses',
      price: 3200,
      currency: 'INR',
      availability: false,
    },
    {
      product_id: null,
      product_name: 'Polarised sunglasses',
      category: 'Sunglasses',
      price: 4100,
      currency: 'INR',
      availability: true,
    },
    {
      product_id: null,
      product_name: 'Monthly contact lenses',
      category: 'Contact lenses',
      price: 1350,
      currency: 'INR',
      availability: true,
    },
    { product_id: null, product_name: 'Lens cleaning spray', category: 'Care', price: 180, currency: 'INR', availability: true },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Retina photograph',
      service_duration: 15,
      service_price: 500,
      currency: 'INR',
      booking_required: true,
    },
  ],
  faqs: [
    { Question: 'Can you make spectacles from my old prescription?', Answer: 'Yes, when it is not older than one year.' },
    {
      Question: 'Do you have parking?',
      Answer: 'Two-wheelers park in front; cars can use the municipal parking behind the temple.',
    },
  ],
  documents: [
    { fileName: 'lenses.csv', text: lenses },
    { fileName: 'guide.md', text: handbook },
  ],
  asked: [
    en('plain', 'How long does an eye test take?', ['twenty minutes'], ['twenty|20']),
    en('plain', 'What does the eye test cost?', ['₹300'], ['300']),
    en('plain', 'How long do you keep my spectacles after they are ready?', ['sixty days'], ['sixty|60']),
    en('plain', 'Do you repair plastic frames?', ['do not repair plastic'], ['not repair|no']),
    en('plain', 'Which day is the optometrist not there?', ['Thursday']),
    en('plain', 'From what age do you test children?', ['five years'], ['five|5']),
    en('plain', 'How much is a new nose pad?', ['₹60'], ['60']),
    en('price', 'How much are the polarised sunglasses?', ['4100'], ['4,100']),
    en('price', 'What do premium progressive lenses cost?', ['11800'], ['11,800']),
    en('price', 'Price of the kids frame please', ['1150'], ['1,150']),
    en('hours', 'Until when are you open on Saturday?', ['08:30 PM'], ['08:30|8:30|half past eight']),
    en('hours', 'Are you open on Sundays?', ['Sunday'], ['closed']),
    en('comparison', 'Which is cheaper, the aviator or the polarised sunglasses?', ['3200'], ['aviator']),
    en('comparison', 'Which lens is ready soonest?', ['Single vision basic'], ['Single vision basic']),
    en('comparison', 'How much more is progressive premium than progressive standard?', ['11800', '5400'], ['6,400']),
    en('computing', 'What do two kids frames and a cleaning spray come to?', ['1150', '180'], ['2,480']),
    en('computing', 'How much would I pay for a Titan frame with thin single vision lenses?', ['2400', '2200'], ['4,600']),
    en('computing', 'What would a year of monthly contact lenses cost me if I need one box a month?', ['1350'], ['16,200']),
    en('paraphrase', 'The arm of my glasses snapped at the joint, is that covered?', ['broken hinges'], ['hinges|one year']),
    en('paraphrase', 'My grandfather cannot leave the house, could somebody come to him?', ['at home'], ['seventy|home']),
    en('paraphrase', 'Can I split the bill over a few months?', ['three months'], ['8,000|three months']),
    en('paraphrase', 'What happens with glasses people no longer need?', ['Drishti'], ['Drishti|blue box']),
    en('paraphrase', 'My new varifocals make me dizzy, can I swap them?', ['within thirty days'], ['thirty|30']),
    en('follow-up', 'And the premium one?', ['11800'], ['11,800'], { before: ['How much is the progressive standard?'] }),
    en('follow-up', 'How many days do they take?', ['8'], ['8'], { before: ['What do the premium progressive lenses cost?'] }),
    en('follow-up', 'And how much does it cost?', ['₹350'], ['350'], { before: ['How long does soldering a metal frame take?'] }),
    en('follow-up', 'And the blue filter ones?', ['2'], ['2 days|2 day'], {
      before: ['In how many days are premium progressive lenses ready?'],
    }),
    en('plain', 'What material is the thin single vision lens made of?', ['Polycarbonate'], ['Polycarbonate']),
    en('comparison', 'Which lens takes the longest?', ['8'], ['Progressive premium']),
    en('exception', 'Are you open on Datta Jayanti?', ['Datta'], ['2 PM|2:00 PM|02:00']),
    en('exception', 'Can I come on the day of stock taking?', ['Stock taking'], ['closed']),
    en('trap', 'When do you do home visits?', ['Monday and Friday'], ['Monday'], { never: ['08:30 PM'] }),
    en('trap', 'How much is it to solder my frame?', ['₹350'], ['350'], { never: ['2,400'] }),
    en('unanswerable', 'Do you do laser surgery?', []),
    en('unanswerable', 'How much are hearing aids?', []),
    en('unanswerable', 'Who founded the shop?', []),
    hi('plain', 'आँखों की जाँच में कितना समय लगता है?', ['twenty minutes'], ['twenty|20']),
    hi('price', 'ब्लू फ़िल्टर लेंस कितने का है?', ['1600'], ['1,600']),
    hi('plain', 'नोज़ पैड बदलने का कितना लगेगा?', ['₹60'], ['60']),
    hi('paraphrase', 'क्या किस्तों में भुगतान कर सकते हैं?', ['three months'], ['8,000']),
    hi('hours', 'शनिवार को दुकान कब तक खुली रहती है?', ['08:30 PM'], ['08:30|8:30|साढ़े आठ']),
    hi('comparison', 'सबसे महंगा लेंस कौन सा है?', ['11800'], ['Progressive premium']),
    hi('follow-up', 'और बच्चों वाला फ्रेम?', ['1150'], ['1,150'], { before: ['टाइटन मेटल फ्रेम कितने का है?'] }),
    hi('unanswerable', 'क्या आप मोतियाबिंद का ऑपरेशन करते हैं?', []),
    mr('plain', 'चष्मा तयार झाल्यावर किती दिवस ठेवता?', ['sixty days'], ['sixty|60']),
    mr('price', 'मेटल फ्रेमची किंमत किती आहे?', ['2400'], ['2,400']),
    mr('paraphrase', 'माझी आजी ७५ वर्षांची आहे, घरी येऊन डोळे तपासता का?', ['at home'], ['home|घरी']),
    mr('plain', 'गुरुवारी डोळे तपासून मिळतील का?', ['Thursday'], ['Thursday|नाही']),
    mr('computing', 'दोन क्लिनिंग स्प्रे किती रुपयांना?', ['180'], ['360']),
    mr('unanswerable', 'तुम्ही घड्याळे दुरुस्त करता का?', []),
    hl('plain', 'purana prescription chalega kya?', ['one year'], ['one year|1']),
    hl('price', 'contact lens kitne ke hain?', ['1350'], ['1,350']),
    hl('plain', 'EMI milta hai kya?', ['8,000'], ['8,000']),
    hl('hours', 'sunday ko khula hai kya?', ['Sunday'], ['closed|band|बंद']),
  ],
};
