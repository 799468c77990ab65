import { asker, type Business, honest, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const plans = `Plan,Meals a day,Rotis per meal,Price per week (INR),Price per month (INR)
Mini plan,1,3,600,2100
Regular plan,2,4,1100,3900
Executive plan,2,5,1450,5200
Diet plan,2,2,1300,4600
`;

const handbook = `# How we work

## Delivery
Lunch is delivered between 12 PM and 1 PM, dinner between 7:30 PM and 8:30 PM. Delivery is free in Kothrud, Karve Nagar and Warje; in Baner it costs ₹20 per meal. We do not deliver to Hadapsar.

## Pausing
A plan can be paused for up to ten days a month. Tell us before 8 PM the day before, on WhatsApp. Paused meals are added at the end of the plan.

## Trial
A single trial meal costs ₹120 and is deducted from the first month.

## Kitchen
Everything is cooked without onion and garlic on Mondays. We use groundnut oil only. Our head cook is Sunanda Bhosale. Guests may visit the kitchen on Fridays from 4 PM to 5 PM.

## Allergies
Peanut-free meals are not possible. Gluten-free meals cost ₹30 more per meal and have jowar bhakri in place of rotis.

## Containers
Food comes in steel tiffin boxes. The deposit is ₹400 and is returned when the boxes come back. A lost box costs ₹250.

## Payment
Plans are paid in advance by UPI or bank transfer. We do not take cash or cards.

## Party catering
Orders for parties start at 25 plates and have to be placed five days ahead. Half of the amount is paid when booking. A party order that is cancelled less than 48 hours ahead is not refunded.
`;

/** A kitchen in Pune that delivers daily meals; its knowledge is written in English. */
export const tiffinKitchen: Business = {
  name: 'Annapurna Tiffins',
  part: 'tuning',
  profile: {
    business_name: 'Annapurna Tiffins',
    business_type: 'Tiffin service',
    industry: 'Food',
    company_description: 'Home-style vegetarian meals for students and offices in Pune since 2011.',
    support_email: 'hello@annapurnatiffins.example',
    support_phone: '+912025430700',
    office_address: 'Lane 4, Dahanukar Colony, Kothrud, Pune 411038',
    working_hours: week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'], '07:00 AM', '09:30 PM'),
    holidays: [{ date: inDays(6), opens: '', closes: '', note: 'Annual kitchen cleaning' }],
    timezone: 'Asia/Kolkata',
  },
  products: [
    { product_id: null, product_name: 'Puran poli box', price: 180, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Mango pickle jar', price: 240, currency: 'INR', availability: true },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Party catering, standard plate',
      service_duration: 240,
      service_price: 320,
      currency: 'INR',
      booking_required: true,
    },
  ],
  faqs: [
    { Question: 'Is the food vegetarian?', Answer: 'Yes, our kitchen is purely vegetarian and uses no eggs.' },
    { Question: 'Can I choose the vegetables?', Answer: 'The menu is fixed each week and sent on Sunday evening on WhatsApp.' },
  ],
  documents: [
    { fileName: 'plans.csv', text: plans },
    { fileName: 'handbook.md', text: handbook },
  ],
  asked: [
    en('plain', 'When is dinner delivered?', ['7:30 PM'], ['7:30', '8:30']),
    en('plain', 'Who is the head cook?', ['Sunanda Bhosale'], ['Sunanda']),
    en('plain', 'How many rotis come with the executive plan?', ['Executive plan'], ['5']),
    en('plain', 'What is the deposit for the tiffin boxes?', ['₹400'], ['400'], { never: ['250'] }),
    en('price', 'How much is the regular plan per month?', ['3900'], ['3,900|3900']),
    en('price', 'What does a jar of mango pickle cost?', ['240'], ['240']),
    en('price', 'What does the diet plan cost for a week?', ['1300'], ['1,300|1300'], { never: ['4,600', '4600'] }),
    en('hours', 'What are your opening hours?', ['07:00 AM|7 AM|7:00 AM'], ['7:00 AM|7 AM|07:00 AM|seven', '9:30']),
    en('hours', 'Are you open on Sundays?', ['Sunday'], ['closed|not open|no,'], notHonest),
    en('comparison', 'Which plan is the cheapest?', ['2100'], ['Mini']),
    en('comparison', 'Is the diet plan cheaper than the executive plan?', ['4600', '5200'], ['yes|diet plan is cheaper|4,600'], {
      never: ['executive plan is cheaper'],
    }),
    en('comparison', 'Which gives more rotis, regular or executive?', ['Executive'], ['Executive']),
    en('computing', 'What would 40 plates of party catering come to?', ['320'], ['12,800|12800']),
    en('computing', 'How much are three months of the mini plan?', ['2100'], ['6,300|6300']),
    en('computing', 'How much do two puran poli boxes and one mango pickle jar cost together?', ['180', '240'], ['600']),
    en('paraphrase', 'I am travelling next week, can I skip my meals for some days?', ['ten days'], ['paused|pause', 'ten']),
    en('paraphrase', 'Could I taste the food once before I sign up?', ['₹120'], ['120']),
    en('paraphrase', 'What happens if I misplace the lunchbox?', ['₹250'], ['250'], { never: ['400'] }),
    en('paraphrase', 'Which fat do you fry in?', ['groundnut oil'], ['groundnut']),
    en('paraphrase', 'How small a gathering will you still cook for?', ['25 plates'], ['25']),
    en('follow-up', 'And per week?', ['1450'], ['1,450|1450'], {
      before: ['How much is the executive plan per month?'],
      never: ['5,200', '5200'],
    }),
    en('follow-up', 'And on Sunday?', ['Sunday'], ['closed|not open'], { before: ['When do you open on Friday?'] }),
    en('follow-up', 'How many rotis does it have?', ['Diet plan'], ['2'], { before: ['Tell me about the diet plan'] }),
    en('exception', 'Do you cook with onion and garlic every day?', ['without onion and garlic'], ['Monday']),
    en('exception', 'Can I pay in cash?', ['do not take cash'], ['not take cash|no,|upi'], {
      never: ['yes', ...notHonest.never],
    }),
    en('trap', 'When can I come and see the kitchen?', ['4 PM'], ['Friday', '4 PM|4:00 PM'], { never: ['9:30'] }),
    en('unanswerable', 'Do you have non-stop home delivery by drone?', []),
    en('unanswerable', 'Do you sell paneer by the kilo?', []),
    hi('price', 'मिनी प्लान का महीने का दाम क्या है?', ['2100'], ['2,100|2100']),
    hi('plain', 'दोपहर का खाना कितने बजे आता है?', ['12 PM'], ['12', '1']),
    hi('paraphrase', 'क्या आप हड़पसर तक खाना भेजते हैं?', ['Hadapsar'], ['नहीं|not deliver'], notHonest),
    hi('computing', 'दो महीने का रेगुलर प्लान कितने का पड़ेगा?', ['3900'], ['7,800|7800']),
    hi('follow-up', 'और एग्जीक्यूटिव का?', ['5200'], ['5,200|5200'], { before: ['रेगुलर प्लान का महीने का दाम क्या है?'] }),
    hi('hours', 'आप रविवार को खुले रहते हैं क्या?', ['Sunday'], ['बंद|नहीं'], notHonest),
    mr('plain', 'डब्यासाठी किती डिपॉझिट द्यावे लागते?', ['₹400'], ['400']),
    mr('exception', 'पैसे रोख दिले तर चालतील का?', ['do not take cash'], ['नाही|not take cash|upi'], notHonest),
    mr('comparison', 'सर्वात महाग प्लॅन कोणता आहे?', ['5200'], ['Executive|एक्झिक्युटिव्ह|एक्झिक्यूटिव']),
    mr('unanswerable', 'तुमच्याकडे चायनीज जेवण मिळते का?', []),
    hl('price', 'diet plan ka mahine ka rate kya hai?', ['4600'], ['4,600|4600']),
    hl('plain', 'baner mein delivery ka charge kitna hai?', ['₹20'], ['20']),
    hl('paraphrase', 'ek baar khana chakh ke dekh sakte hain kya?', ['₹120'], ['120']),
    hl('exception', 'cash de sakte hain kya?', ['do not take cash'], ['nahi|not take cash|नहीं|upi'], notHonest),
  ],
};
