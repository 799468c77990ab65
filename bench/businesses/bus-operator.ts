import { asker, type Business, honest, inDays, product, service, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const routes = `Route,Coach,Leaves,Arrives,Seat (INR),Sleeper (INR)
Amravati to Pune,Volvo AC,19:30,06:45,1150,1450
Amravati to Mumbai,Volvo AC,17:00,07:30,1380,1720
Amravati to Nagpur,Semi-luxury,07:15,10:30,320,
Amravati to Indore,AC sleeper,20:45,06:00,980,1260
Amravati to Hyderabad,AC sleeper,18:10,07:00,1240,1590
`;

const conditions = `# Travelling with us

## Boarding
Be at the stand fifteen minutes before the coach leaves; it does not wait. Show the ticket on your phone and an identity card. Boarding points are Rajapeth, Badnera Naka and Panchavati.

## Luggage
Each passenger takes fifteen kilos and a hand bag. Each further kilo costs ₹12. Bicycles go on the roof for ₹200. Gas cylinders, acids and pets are not carried.

## Cancelling
Cancelled a day before, a ticket is refunded less 10 percent; up to six hours before, less 50 percent; after that nothing. Refunds reach your account in five working days.
If we cancel a coach ourselves, you get everything back and a voucher of ₹100.

## Changing
The date of a ticket can be changed once, up to twelve hours before, for ₹75. The name on a ticket cannot be changed.

## Children and others
Children below five travel free on a lap. From five to eleven they pay half. Soldiers in uniform get 15 percent off. Women travelling alone are given a seat beside another woman.

## On board
Blankets and a bottle of water are included in AC coaches. There is a charging point at every seat. We stop for dinner at Hotel Shivneri for thirty minutes; food is not included.
Smoking and alcohol are forbidden. There is no toilet on board.

## Whole coaches
A coach for a wedding or a pilgrimage costs ₹62 a kilometre, at least 250 kilometres a day. Toll and parking are extra. The driver's meals are yours.

## Parcels
Small parcels go with the conductor for ₹90 and are collected at the office of the other city.

## Lost things
What is left in a coach is kept at Rajapeth for a month. Ask for Mr Nitin Wankhade.
`;

/** An operator of night coaches in Amravati. */
export const busOperator: Business = {
  name: 'Vidarbha Travels',
  part: 'held-out',
  profile: {
    business_name: 'Vidarbha Travels',
    business_type: 'Bus operator',
    industry: 'Travel',
    company_description: 'Night coaches from Amravati since 1999.',
    support_email: 'book@vidarbhatravels.example',
    support_phone: '+917212661010',
    office_address: 'Rajapeth Square, Amravati 444601',
    working_hours: [
      ...(week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'], '06:30 AM', '09:30 PM') ?? []).slice(0, 6),
      { day: 'Sunday', is_open: true, open_time: '08:00 AM', close_time: '06:00 PM' },
    ],
    holidays: [
      { date: inDays(1), opens: '', closes: '', note: 'Transport strike' },
      { date: inDays(7), opens: '06:30 AM', closes: '12:00 PM', note: 'Dussehra' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    product('Ticket booklet of 10 rides to Nagpur', 'Passes', 2800),
    product('Neck pillow', 'Travel needs', 240),
    product('Travel blanket', 'Travel needs', 380),
    product('Luggage lock', 'Travel needs', 110),
    product('Power bank', 'Travel needs', 950, false),
  ],
  services: [service('Tour planning', 45, 300)],
  faqs: [
    { Question: 'Can I choose my seat?', Answer: 'Yes, when you book on the website; at the counter we give what is free.' },
    { Question: 'Do your buses have wifi?', Answer: 'No, but there is a screen with films.' },
  ],
  documents: [
    { fileName: 'routes.csv', text: routes },
    { fileName: 'conditions.md', text: conditions },
  ],
  asked: [
    en('price', 'What does a sleeper to Pune cost?', ['1450'], ['1,450|1450'], { never: ['1,150'] }),
    en('plain', 'When does the Mumbai bus leave?', ['17:00'], ['17:00|5:00 PM|5 PM|five'], { never: ['6:30'] }),
    en('plain', 'What time do I reach Hyderabad?', ['07:00'], ['7:00|7 AM|seven'], { never: ['18:10'] }),
    en('hours', 'Till what time is your counter open on Sunday?', ['06:00 PM'], ['6:00 PM|6 PM|six']),
    en('exception', 'Is the office open tomorrow?', ['Transport strike'], ['closed|not open|no,'], notHonest),
    en('comparison', 'Which is the cheapest route for a seat?', ['320'], ['Nagpur']),
    en('comparison', 'Does the Indore coach leave later than the Pune one?', ['20:45', '19:30'], ['20:45|yes|Indore']),
    en('computing', 'Three seats to Indore, how much altogether?', ['980'], ['2,940|2940']),
    en('computing', 'I have twenty kilos of luggage, what extra will I pay?', ['₹12'], ['60|₹12']),
    en(
      'paraphrase',
      'Something came up and I have to travel two days later. What will it cost me to shift my booking?',
      ['₹75'],
      ['75'],
    ),
    en('paraphrase', 'Will my four year old need a ticket?', ['below five'], ['five|free|lap']),
    en('paraphrase', 'I forgot my jacket in the bus yesterday', ['kept at Rajapeth'], ['Rajapeth|month|Nitin']),
    en('follow-up', 'And a seat?', ['1380'], ['1,380|1380'], { before: ['How much is a sleeper to Mumbai?'], never: ['1,720'] }),
    en('negation', 'Which things do you not carry?', ['Gas cylinders'], ['gas|acids|pets']),
    en('unanswerable', 'Do you fly to Delhi?', []),
    hi('price', 'नागपुर का टिकट कितने का है?', ['320'], ['320']),
    hi('plain', 'क्या बस में वाईफाई है?', ['screen with films'], ['no,|नहीं|screen'], notHonest),
    hi('paraphrase', 'रास्ते में खाने के लिए कहीं रुकते हो?', ['Hotel Shivneri'], ['Shivneri|dinner']),
    hi('computing', 'दो नेक पिलो और एक लॉक का कितना होगा?', ['240', '110'], ['590']),
    hi('negation', 'बस में शौचालय नहीं है क्या?', ['no toilet'], ['no toilet|नहीं'], notHonest),
    hi('unanswerable', 'क्या आप होटल भी बुक करते हैं?', []),
    mr('price', 'हैदराबादचं स्लीपर कितीला आहे?', ['1590'], ['1,590|1590'], { never: ['1,240'] }),
    mr('plain', 'पुण्याची गाडी किती वाजता सुटते?', ['19:30'], ['19:30|7:30|साडेसात']),
    mr('paraphrase', 'तुम्हीच गाडी रद्द केली तर पैसे परत मिळतात का?', ['voucher'], ['everything|100|voucher']),
    mr('comparison', 'पुणे आणि मुंबई यातलं कोणतं सीट महाग आहे?', ['1150', '1380'], ['Mumbai|मुंबई']),
    mr('exception', 'दसऱ्याला ऑफिस किती वाजेपर्यंत उघडं असतं?', ['Dussehra'], ['12|बारा']),
    mr('unanswerable', 'तुमच्या ड्रायव्हरचं नाव काय?', []),
    hl('plain', 'faujiyon ko discount milta hai kya?', ['15 percent'], ['15']),
    hl('price', 'luggage lock kitne ka hai?', ['110'], ['110']),
    hl('paraphrase', 'ticket cancel kiya to paisa kitne din me wapas aayega?', ['five working days'], ['five|5|paanch']),
  ],
};
