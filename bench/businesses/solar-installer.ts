import { asker, type Business, honest, inDays, service, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const systems = `System,Size (kW),Panels,Roof needed (sq ft),Units a day,Price before subsidy (₹),Subsidy (₹)
Nano,1,2,80,4,72000,30000
Home,2,4,160,8,138000,60000
Family,3,6,240,12,195000,78000
Villa,5,10,400,20,310000,78000
Society,10,19,800,40,590000,0
`;

const guide = `How we work

Site visit
An engineer looks at your roof before you order. The visit takes about forty minutes and is free inside Nashik; outside the city it costs ₹500, which is taken off your bill if you order.

Installation
From the signed order to the first unit of power takes 21 days. The work on the roof itself is done in two days. You do not have to be at home on the second day.

Net meter
The electricity board fits the net meter. Its fee of ₹2,950 is not in our prices. Power that you do not use goes to the grid and is credited on your next bill.

Warranty
Panels carry a warranty of 25 years on output and 12 years on the product. The inverter is covered for 8 years. Damage by monkeys, hail or cyclones is not covered; your home insurance usually pays for that.

Paying
Thirty per cent with the order, sixty when the material arrives, ten after the meter runs. We take UPI, cheque and bank transfer, no cash above ₹20,000. Canara Bank lends up to 80 per cent of the price at 6.75 per cent a year.

Cleaning
Dust costs up to a fifth of the power. Wash the panels every fifteen days with plain water, early in the morning, never at noon. Our cleaning team comes on Wednesdays and Saturdays.

Power cuts
A system without a battery switches itself off during a power cut, for the safety of the linemen. With a battery the lights, fans and the refrigerator go on for about five hours.

Roofs
We build on concrete and on tin sheds. We do not build on asbestos or clay tiles. Tin sheds cost ₹4,000 more a kilowatt.

Moving house
We take a system down and build it up again at the new address for ₹18,000, within Maharashtra.

Showroom
The model roof behind the office can be seen on Saturdays from 11 to 4. Children are welcome, dogs have to wait outside.
`;

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** A company in Nashik that installs solar panels on roofs. */
export const solarInstaller: Business = {
  name: 'Suryadeep Solar',
  part: 'held-out',
  profile: {
    business_name: 'Suryadeep Solar',
    business_type: 'Rooftop solar installer',
    industry: 'Energy',
    company_description: 'Roofs that earn, since 2014. More than 1,900 homes in northern Maharashtra.',
    support_email: 'hello@suryadeep.example',
    support_phone: '+912532660417',
    office_address: '14 Trimbak Road, opposite the ITI, Nashik 422007',
    working_hours: week(days, '10:00 AM', '06:30 PM'),
    holidays: [
      { date: inDays(4), opens: '', closes: '', note: 'Founders day' },
      { date: inDays(6), opens: '10:00 AM', closes: '01:00 PM', note: 'Stock taking' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    {
      product_id: null,
      product_name: 'Lithium battery 5 kWh',
      category: 'Batteries',
      price: 98000,
      currency: 'INR',
      availability: true,
    },
    {
      product_id: null,
      product_name: 'Tubular battery 150 Ah',
      category: 'Batteries',
      price: 17500,
      currency: 'INR',
      availability: true,
    },
    {
      product_id: null,
      product_name: 'Solar street light',
      category: 'Lights',
      price: 6400,
      currency: 'INR',
      availability: true,
    },
    { product_id: null, product_name: 'Solar garden lamp', category: 'Lights', price: 850, currency: 'INR', availability: true },
    {
      product_id: null,
      product_name: 'Solar water heater 200 litre',
      category: 'Water heaters',
      price: 32000,
      currency: 'INR',
      availability: false,
    },
  ],
  services: [service('Panel cleaning', 60, 600), service('Inverter check', 45, 900), service('Yearly care plan', 120, 4500)],
  faqs: [
    {
      Question: 'Who applies for the subsidy?',
      Answer: 'We fill in the form on the government portal for you; the money comes to your own account in about 45 days.',
    },
    { Question: 'Does it work in the monsoon?', Answer: 'Yes, at about 40 per cent of a summer day.' },
    { Question: 'Can tenants have a system?', Answer: 'Only with a letter from the owner of the house.' },
  ],
  documents: [
    { fileName: 'systems.csv', text: systems },
    { fileName: 'guide.txt', text: guide },
  ],
  asked: [
    en('plain', 'How long does the site visit take?', ['forty minutes'], ['forty|40']),
    en('plain', 'How often should the panels be washed?', ['fifteen days'], ['fifteen|15']),
    en('plain', 'Do you build on asbestos roofs?', ['asbestos'], ['not build|do not|don’t|no,']),
    en('plain', 'How long is the warranty on the inverter?', ['8 years'], ['8 years|eight years']),
    en('plain', 'How many panels does the Villa system have?', ['10'], ['10|ten']),
    en('plain', 'How much roof does the Family system need?', ['240'], ['240']),
    en('plain', 'On which days does the cleaning team come?', ['Wednesdays'], ['Wednesday']),
    en('price', 'What does the Home system cost?', ['138000|1,38,000|138,000'], ['138000|1,38,000|138,000|1.38']),
    en('price', 'How much is the lithium battery?', ['98000|98,000'], ['98000|98,000']),
    en('price', 'What do you charge for an inverter check?', ['900'], ['900']),
    en('price', 'What is the fee for the net meter?', ['2,950'], ['2,950|2950']),
    en('price', 'Price of a garden lamp?', ['850'], ['850']),
    en('hours', 'When do you open on Saturday?', ['10:00'], ['10']),
    en('hours', 'Are you open on Sundays?', ['closed|Closed'], ['closed|not open|no,']),
    en('hours', 'Until what time can I reach the office today?', ['6:30 PM'], ['6:30|18:30|half past six']),
    en('comparison', 'Which system makes the most power?', ['Society'], ['Society']),
    en('comparison', 'Which battery is cheaper, lithium or tubular?', ['17500|17,500'], ['tubular']),
    en('comparison', 'Which is bigger, Family or Villa?', ['Villa'], ['Villa'], { never: ['Family is'] }),
    en('comparison', 'How much dearer is the street light than the garden lamp?', ['6400|6,400'], ['5,550|5550']),
    en('computing', 'What do three garden lamps cost?', ['850'], ['2,550|2550']),
    en('computing', 'What does the Nano system cost after the subsidy?', ['30000|30,000'], ['42,000|42000']),
    en('computing', 'How many units does the Villa make in ten days?', ['20'], ['200']),
    en('computing', 'Two tubular batteries and a panel cleaning, what is that together?', ['17500|17,500'], ['35,600|35600']),
    en('paraphrase', 'Will my lights stay on when the grid goes down?', ['power cut'], ['battery']),
    en('paraphrase', 'What happens to electricity that we have left over?', ['credited'], ['credited|grid']),
    en('paraphrase', 'A hailstorm smashed my panels, who pays?', ['insurance'], ['insurance|not covered']),
    en('paraphrase', 'We are shifting to Pune, can the panels come along?', ['18,000'], ['18,000|18000']),
    en('paraphrase', 'Do I have to do the government paperwork myself?', ['portal'], ['fill in|for you']),
    en('paraphrase', 'Is there any generation when it rains for weeks?', ['40 per cent'], ['40']),
    en('paraphrase', 'Can I pay in instalments through a bank?', ['Canara'], ['Canara|80 per cent|6.75']),
    en('paraphrase', 'I live on rent, is it possible for me?', ['owner'], ['letter|owner']),
    en('paraphrase', 'How soon after ordering will it be running?', ['21 days'], ['21']),
    en('follow-up', 'And the subsidy on it?', ['78000|78,000'], ['78000|78,000'], {
      before: ['What is the price of the Villa system?'],
    }),
    en('follow-up', 'How many panels does it have?', ['6'], ['6|six'], { before: ['Tell me about the Family system'] }),
    en('follow-up', 'And outside the city?', ['500'], ['500'], { before: ['Is the site visit free?'] }),
    en('exception', `Are you open on ${inDays(4)}?`, [inDays(4)], ['closed|not open|no,']),
    en('exception', `Until when are you open on ${inDays(6)}?`, [inDays(6)], ['1:00|one|1 PM|13:00']),
    en('negation', 'What is not covered by the warranty?', ['monkeys'], ['monkeys|hail']),
    en('negation', 'On which roofs can you not build?', ['asbestos'], ['asbestos']),
    en('trap', 'When can I see the model roof?', ['11 to 4'], ['Saturday']),
    en('trap', 'At what time should I wash the panels?', ['early in the morning'], ['morning']),
    en('unanswerable', 'Do you build wind turbines?', [], []),
    en('unanswerable', 'What is the salary of an engineer at your company?', [], []),
    en('unanswerable', 'Which brand of inverter do you use?', [], []),
    hi('price', 'फैमिली सिस्टम कितने का है?', ['195000|1,95,000'], ['195000|1,95,000|195,000']),
    hi('price', 'पैनल की सफाई के कितने पैसे लगते हैं?', ['600'], ['600']),
    hi('plain', 'इन्वर्टर की वारंटी कितने साल की है?', ['8 years'], ['8|आठ']),
    hi('plain', 'सब्सिडी का फॉर्म कौन भरता है?', ['portal'], ['fill in|हम']),
    hi('paraphrase', 'बिजली चली जाए तो पंखे चलेंगे क्या?', ['power cut'], ['battery|बैटरी']),
    hi('paraphrase', 'क्या किराएदार भी लगवा सकता है?', ['owner'], ['owner|letter|मालिक']),
    hi('hours', 'रविवार को दफ्तर खुला रहता है क्या?', ['closed|Closed'], ['बंद']),
    hi('computing', 'दो गार्डन लैंप कितने के पड़ेंगे?', ['850'], ['1,700|1700']),
    hi('comparison', 'सबसे छोटा सिस्टम कौन सा है?', ['Nano'], ['Nano|नैनो']),
    hi('unanswerable', 'क्या आप जनरेटर भी बेचते हैं?', [], []),
    mr('price', 'सोलर स्ट्रीट लाइटची किंमत किती आहे?', ['6400|6,400'], ['6400|6,400']),
    mr('plain', 'पॅनेल किती दिवसांनी धुवायचे?', ['fifteen days'], ['fifteen|15|पंधरा']),
    mr('plain', 'साइट व्हिजिटला किती वेळ लागतो?', ['forty minutes'], ['forty|40|चाळीस']),
    mr('paraphrase', 'पावसाळ्यात वीज तयार होते का?', ['40 per cent'], ['40']),
    mr('paraphrase', 'घर बदललं तर सिस्टम हलवता येईल का?', ['18,000'], ['18,000|18000']),
    mr('hours', 'शनिवारी ऑफिस किती वाजता बंद होतं?', ['06:30 PM|6:30 PM'], ['6:30|18:30|साडेसहा']),
    mr('follow-up', 'आणि त्यावर सबसिडी किती?', ['60000|60,000'], ['60000|60,000'], { before: ['होम सिस्टमची किंमत काय आहे?'] }),
    mr('unanswerable', 'तुमच्याकडे नोकरी आहे का?', [], []),
    hl('price', 'tubular battery kitne ki hai?', ['17500|17,500'], ['17500|17,500']),
    hl('plain', 'installation mein kitne din lagte hain?', ['21 days'], ['21|two days']),
    hl('paraphrase', 'light chali jaye to fridge chalega kya?', ['power cut'], ['battery|baitri']),
    hl('hours', 'sunday ko khula hai kya?', ['closed|Closed'], ['band|closed|बंद']),
    hl('plain', 'net meter kaun lagata hai?', ['electricity board'], ['electricity board|board'], notHonest),
  ],
};
