import { asker, type Business, honest, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');
const notHonest = { never: honest.split('|') };

const vehicles = `Vehicle,Passenger seats,AC,Rate per km (INR),Least km billed a day,Driver allowance a day (INR)
Swift Dzire,4,yes,12,250,300
Ertiga,6,yes,15,250,300
Innova Crysta,7,yes,20,300,400
Tempo Traveller,17,yes,28,300,500
Mini bus,27,no,38,300,700
Sleeper coach,36,yes,55,300,1000
`;

const routes = `Fixed trip,Swift Dzire (INR),Innova Crysta (INR)
Nanded to Hyderabad airport,5200,8100
Nanded to Latur,2400,3900
Nanded to Parbhani,1500,2500
Nanded to Mahur and back the same day,3300,5200
`;

const terms = `Terms of hire

What the price covers. Fuel and the driver are included. Toll, parking and state tax are paid by the customer as per receipts. For driving between 11 PM and 5 AM we add ₹250 a night.

Waiting. At stations and airports the first forty minutes of waiting are free, afterwards ₹150 an hour.

Booking. Twenty percent is paid in advance. Cars can be booked by phone until two hours before leaving; a mini bus or coach needs a week.

Cancelling. Until 24 hours before the trip you get everything back. After that we keep ₹500 for a car and half of the fare for a bus.

Luggage. A Dzire takes two large suitcases, an Innova four. A roof carrier must be asked for when booking and fits on the Ertiga and the Innova only.

Animals. Small dogs travel in a cage, in an Ertiga or Innova, with a cleaning charge of ₹300. Other animals are not carried.

In the vehicle. Smoking and alcohol are forbidden. Our drivers do not drive more than ten hours a day; on longer tours a second driver comes along for ₹900 a day.

Breakdown. If a vehicle breaks down we send another one within three hours, and you do not pay for the kilometres driven that day.

Drivers. All drivers are verified by the police and speak Marathi and Hindi; some speak Telugu. Women travelling alone may ask for Sunita Kamble or Rekha Jadhav as driver, between 6 AM and 8 PM.

Lost things. Whatever is found in a vehicle is kept at the office for one month.

Paying. Cash, UPI or bank transfer; cards are not taken. GST of 5 percent is added when you want a tax invoice.
`;

const everyDay = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** A company in Nanded that hires out cars and buses with drivers. */
export const carHire: Business = {
  name: 'Godatir Tours and Cabs',
  part: 'tuning',
  profile: {
    business_name: 'Godatir Tours and Cabs',
    business_type: 'Car and bus hire',
    industry: 'Travel',
    company_description: 'Cars, travellers and buses with driver from Nanded since 2003.',
    support_email: 'book@godatir.example',
    support_phone: '+912462255680',
    office_address: 'Opposite the State Transport stand, Shivaji Nagar, Nanded 431602',
    working_hours: week(everyDay, '05:30 AM', '11:30 PM'),
    holidays: [
      { date: inDays(7), opens: '', closes: '', note: 'Ayudha Puja' },
      { date: inDays(2), opens: '05:30 AM', closes: '04:00 PM', note: 'Drivers’ health check' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    {
      product_id: null,
      product_name: 'Roof carrier, per trip',
      category: 'Extras',
      price: 400,
      currency: 'INR',
      availability: true,
    },
    {
      product_id: null,
      product_name: 'Child seat, per trip',
      category: 'Extras',
      price: 250,
      currency: 'INR',
      availability: true,
    },
    {
      product_id: null,
      product_name: 'Box of 24 water bottles',
      category: 'Extras',
      price: 220,
      currency: 'INR',
      availability: true,
    },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Local car, 4 hours and 40 km',
      service_duration: 240,
      service_price: 1300,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Local car, 8 hours and 80 km',
      service_duration: 480,
      service_price: 2200,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Wedding car with flowers',
      service_duration: 480,
      service_price: 6500,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Driver for your own car',
      service_duration: 600,
      service_price: 1100,
      currency: 'INR',
      booking_required: true,
    },
  ],
  faqs: [
    {
      Question: 'Can I hire a car without a driver?',
      Answer: 'No, every vehicle comes with our driver; we do not do self-drive.',
    },
    { Question: 'Do you run shared seats to Pune?', Answer: 'No, you always hire the whole vehicle.' },
    {
      Question: 'Who pays for the driver’s meals?',
      Answer: 'They are part of the driver allowance; you need not give anything.',
    },
  ],
  documents: [
    { fileName: 'vehicles.csv', text: vehicles },
    { fileName: 'routes.csv', text: routes },
    { fileName: 'terms.txt', text: terms },
  ],
  asked: [
    en('plain', 'How many passengers can sit in a Tempo Traveller?', ['17'], ['17|seventeen']),
    en('plain', 'How large is the advance?', ['Twenty percent'], ['twenty|20']),
    en(
      'plain',
      'Is toll included in the price?',
      ['Toll, parking'],
      ['paid by the customer|not included|extra|no,|you pay'],
      notHonest,
    ),
    en('price', 'What does the Innova Crysta cost per kilometre?', ['20'], ['20']),
    en('price', 'how much for a dzire from nanded to hyderabad airport', ['5200'], ['5,200|5200'], { never: ['8,100', '8100'] }),
    en('price', 'What do you take for a wedding car?', ['6500'], ['6,500|6500']),
    en('hours', 'Until when at night is your office open?', ['11:30 PM'], ['11:30|half past eleven']),
    en('hours', 'Is somebody there on Sundays too?', ['Sunday'], ['open|yes'], { never: ['closed', ...notHonest.never] }),
    en('exception', 'Will the office be working on Ayudha Puja?', ['Ayudha Puja'], ['closed|not|no,'], notHonest),
    en('comparison', 'Which vehicle has the most seats?', ['36'], ['Sleeper coach']),
    en('comparison', 'To Latur, how much do I save if I take the Dzire and not the Innova?', ['2400', '3900'], ['1,500|1500']),
    en('computing', 'We want an Ertiga for 400 kilometres, what do the kilometres cost?', ['15'], ['6,000|6000']),
    en('computing', 'How much do two child seats and a roof carrier add?', ['250', '400'], ['900']),
    en(
      'paraphrase',
      'My flight lands late, how long will your man stand there before I get charged?',
      ['first forty minutes'],
      ['forty|40'],
    ),
    en('paraphrase', 'I am a girl and go alone, can a lady be at the wheel?', ['Sunita Kamble'], ['Sunita|Rekha']),
    en(
      'paraphrase',
      'If your car gives up in the middle of the highway, what do you do for us?',
      ['within three hours'],
      ['three hours|3 hours'],
    ),
    en(
      'paraphrase',
      'I forgot my umbrella on the back seat yesterday, where can I look for it?',
      ['one month'],
      ['office|month'],
    ),
    en('follow-up', 'And with the Innova?', ['5200'], ['5,200|5200'], {
      before: ['How much is a Dzire to Mahur and back the same day?'],
      never: ['3,300', '3300'],
    }),
    en('follow-up', 'Does it have AC?', ['no'], ['no'], {
      before: ['How much per kilometre is the mini bus?'],
      never: ['yes', ...notHonest.never],
    }),
    en('negation', 'What is not allowed inside the vehicle?', ['Smoking and alcohol'], ['Smoking']),
    en('trap', 'Between which hours can I get a woman driver?', ['6 AM and 8 PM'], ['8 PM|8:00 PM'], { never: ['11:30'] }),
    en('unanswerable', 'Do you arrange flight tickets?', []),
    en('unanswerable', 'What colour is your Innova?', []),
    hi('price', 'नांदेड़ से परभणी डिज़ायर का कितना लगेगा?', ['1500'], ['1,500|1500']),
    hi('plain', 'रात की गाड़ी चलाने का अलग से कितना लेते हैं?', ['₹250'], ['250']),
    hi('paraphrase', 'मेरे पास गाड़ी अपनी है, बस चलाने वाला आदमी चाहिए, कितना लगेगा', ['1100'], ['1,100|1100']),
    hi('comparison', 'प्रति किलोमीटर सबसे सस्ती गाड़ी कौन सी है?', ['12'], ['Dzire|डिज़ायर|डिजायर']),
    hi('computing', 'इनोवा तीन दिन रखें तो ड्राइवर का भत्ता कुल कितना होगा?', ['400'], ['1,200|1200']),
    hi('follow-up', 'और बस का?', ['half of the fare'], ['half|आधा|आधी|आधे'], {
      before: ['कार की बुकिंग आखिरी दिन रद्द करें तो कितना कटेगा?'],
    }),
    hi('negation', 'क्या बिना ड्राइवर के गाड़ी नहीं मिलती?', ['do not do self-drive'], ['self-drive|नहीं'], notHonest),
    hi('unanswerable', 'क्या आप होटल का कमरा भी बुक करते हैं?', []),
    mr('price', 'आठ तासांसाठी लोकल गाडी कितीला मिळेल?', ['2200'], ['2,200|2200']),
    mr('plain', 'बस किती दिवस आधी बुक करावी लागते?', ['needs a week'], ['week|आठवडा|आठवड|सात']),
    mr('paraphrase', 'आमच्या कुत्र्याला बरोबर न्यायचं आहे, जास्तीचे किती लागतील?', ['₹300'], ['300']),
    mr('hours', 'सकाळी किती वाजल्यापासून ऑफिस सुरू असतं', ['05:30 AM'], ['5:30|साडेपाच']),
    mr(
      'exception',
      'परवा संध्याकाळी सहा वाजता ऑफिसला आलो तर चालेल का?',
      ['Drivers’ health check'],
      ['4:00|4 वाज|चार|बंद|नाही|4 PM'],
      notHonest,
    ),
    mr('computing', 'सहाशे किलोमीटरचे टेम्पो ट्रॅव्हलरचे किती होतील?', ['28'], ['16,800|16800']),
    mr('follow-up', 'त्यात किती जण बसतात?', ['27'], ['27|सत्तावीस'], { before: ['मिनी बसचा दर किलोमीटरला किती आहे?'] }),
    mr('unanswerable', 'तुमच्याकडे दुचाकी भाड्याने मिळते का?', []),
    hl('price', 'innova ka ek km ka kya rate hai', ['20'], ['20']),
    hl('plain', 'card se payment ho jayega kya?', ['cards are not taken'], ['not taken|nahi|नहीं|no,'], notHonest),
    hl('paraphrase', 'gaadi me samaan kitna rakh sakte hain dzire me', ['two large suitcases'], ['two|2|दो']),
    hl('computing', 'dus water bottle ke box kitne ke honge?', ['220'], ['2,200|2200']),
  ],
};
