import { asker, type Business, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');

const rooms = `Room,Size (sq ft),Beds,Price per night (INR),View
Garden room,180,2,2200,garden
Lake room,240,2,3600,lake
Family suite,420,5,5800,lake and garden
Dormitory bed,40,1,650,road
`;

const rules = `# House rules

## Arrival and departure
Check-in is from 1 PM, check-out is until 11 AM. A late check-out until 3 PM costs ₹500 when the room is free.
Please bring an Aadhaar card or a passport for every guest.

## Meals
Breakfast is included and is served from 7:30 AM to 10 AM on the terrace. Dinner must be ordered before 5 PM and costs ₹350 per plate.
We cook vegetarian food only; eggs are available on request.

## Cancellation
A booking that is cancelled seven days before arrival is refunded in full. After that we keep one night.

## Pets and noise
Small dogs are welcome for ₹300 a night, cats are not. Music has to end at 10 PM.

## Getting here
We are four kilometres from Mahabaleshwar bus stand. Our driver Ganesh Jadhav picks guests up for ₹250.

## Swimming pool
The pool is open from 8 AM to 6 PM and closed for cleaning on Wednesday. Children below ten years need an adult.

## Payment
An advance of 30 percent is paid by UPI when booking. The rest is paid at check-in by cash, card or UPI.
`;

/** A guest house in Mahabaleshwar with a table of rooms. */
export const guestHouse: Business = {
  name: 'Sahyadri View',
  part: 'tuning',
  profile: {
    business_name: 'Sahyadri View',
    business_type: 'Guest house',
    industry: 'Hospitality',
    company_description: 'A guest house with eleven rooms above Venna lake.',
    support_email: 'stay@sahyadriview.example',
    support_phone: '+912168260300',
    office_address: 'Lake Road 7, Mahabaleshwar 412806',
    working_hours: week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], '08:00 AM', '09:00 PM'),
    holidays: [{ date: inDays(5), opens: '08:00 AM', closes: '12:00 PM', note: 'Village fair' }],
    timezone: 'Asia/Kolkata',
  },
  products: [],
  services: [
    {
      service_id: null,
      service_name: 'Guided strawberry farm tour',
      service_duration: 120,
      service_price: 400,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'Bicycle hire',
      service_duration: 60,
      service_price: 80,
      currency: 'INR',
      booking_required: false,
    },
  ],
  faqs: [{ Question: 'Do you have wifi?', Answer: 'Yes, free wifi in all rooms and on the terrace.' }],
  documents: [
    { fileName: 'rooms.csv', text: rooms },
    { fileName: 'rules.md', text: rules },
  ],
  asked: [
    en('plain', 'Until when do I have to leave the room?', ['11 AM']),
    en('plain', 'When is breakfast served?', ['7:30 AM'], ['7:30']),
    en('plain', 'What do you charge for a dog?', ['₹300'], ['300']),
    en('price', 'How much is the lake room?', ['3600'], ['3,600']),
    en('price', 'What would three garden rooms cost?', ['2200'], ['6,600']),
    en('plain', 'Which is bigger, the lake room or the garden room?', ['240'], ['lake', '240']),
    en('plain', 'Which is your cheapest room?', ['650'], ['Dormitory']),
    en('follow-up', 'How many beds does the bigger one have?', ['5'], ['5'], {
      before: ['Tell me about the lake room and the family suite'],
    }),
    en('follow-up', 'And the family suite?', ['5800'], ['5,800'], { before: ['How much is the lake room?'] }),
    en('plain', 'What is the difference in price between the lake room and the family suite?', ['3600', '5800'], ['2,200']),
    en('price', 'What do two garden rooms and a bicycle cost?', ['2200'], ['2,200|4,400']),
    en('paraphrase', 'Can I bring my puppy?', ['Small dogs'], ['dogs']),
    en('paraphrase', 'I want to call off my stay, do I get my money back?', ['seven days'], ['seven']),
    en('paraphrase', 'Is chicken on the menu?', ['vegetarian'], ['vegetarian']),
    en('paraphrase', 'Who can collect us from the bus?', ['Ganesh Jadhav'], ['Ganesh']),
    en('trap', 'When is the pool open?', ['8 AM to 6 PM'], ['6 PM'], { never: ['09:00 PM'] }),
    en('exception', 'Are you open on the day of the village fair?', ['Village fair'], ['12:00|12 PM'], { never: ['09:00 PM'] }),
    en('plain', 'Which room looks out on the garden?', ['Garden room'], ['Garden']),
    en('plain', 'How large is the family suite?', ['420']),
    en('plain', 'Until when can I order dinner?', ['before 5 PM'], ['5 PM']),
    en('plain', 'What time does the music have to stop?', ['10 PM'], ['10 PM']),
    en('plain', 'How much advance do I pay when booking?', ['30 percent'], ['30 percent']),
    en('plain', 'Can I pay the rest by card?', ['cash, card'], ['card']),
    en('plain', 'How do we get to you from the bus stand, and what does it cost?', ['₹250'], ['250']),
    en('unanswerable', 'Do you have a sauna?', []),
    en('unanswerable', 'Is there a conference hall for weddings?', []),
    hi('plain', 'नाश्ता कितने बजे मिलता है?', ['7:30 AM'], ['7:30']),
    hi('price', 'लेक रूम का किराया कितना है?', ['3600'], ['3,600']),
    hi('plain', 'क्या बिल्ली ला सकते हैं?', ['cats are not'], ['cats are not|नहीं']),
    hi('paraphrase', 'क्या मांसाहारी खाना मिलता है?', ['vegetarian'], ['vegetarian']),
    hi('plain', 'सबसे सस्ता कमरा कौन सा है?', ['650'], ['Dormitory']),
    hi('price', 'दो गार्डन रूम कितने के पड़ेंगे?', ['2200'], ['4,400']),
    hi('unanswerable', 'क्या यहाँ हेलीकॉप्टर की सवारी है?', []),
    mr('plain', 'चेक-आउट किती वाजता करायचे?', ['11 AM'], ['11']),
    mr('paraphrase', 'बुकिंगसाठी किती टक्के आगाऊ भरायचे?', ['30 percent'], ['30']),
    mr('plain', 'जेवण कधीपर्यंत सांगायला हवे?', ['before 5 PM'], ['5 PM']),
    mr('trap', 'स्विमिंग पूल कधी बंद असतो?', ['Wednesday'], ['Wednesday|बुधवार']),
    mr('unanswerable', 'तुमच्याकडे घोडेस्वारी आहे का?', []),
    hl('plain', 'breakfast kitne baje milta hai?', ['7:30 AM'], ['7:30']),
    hl('price', 'family suite ka rate kya hai?', ['5800'], ['5,800']),
    hl('plain', 'kutta la sakte hain kya?', ['Small dogs'], ['dogs']),
    hl('follow-up', 'aur lake room ka?', ['3600'], ['3,600'], { before: ['garden room ka kiraya kitna hai?'] }),
    hl('unanswerable', 'kya aap paragliding karwate ho?', []),
  ],
};
