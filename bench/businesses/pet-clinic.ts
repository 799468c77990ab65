import { asker, type Business, inDays, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');

const grooming = `Animal,Bath (INR),Full groom (INR),Nail clipping (INR),Minutes
Small dog,450,900,120,60
Large dog,700,1500,150,90
Cat,500,1000,120,50
Rabbit,250,600,100,30
`;

const care = `# Care and clinic

## Consultation
A consultation costs ₹400; a second visit for the same illness within seven days is free. Bring the vaccination card.
Walk-ins are seen after those who have an appointment.

## Vaccination
Puppies get the first shot at six weeks and the next at nine and twelve weeks. The rabies shot costs ₹350 and is due every year.
The seven-in-one shot costs ₹900. Kittens get theirs from eight weeks. A pet with fever is not vaccinated.

## Our vets
Dr Meera Joshi operates on Tuesday and Saturday mornings. Dr Salim Khan looks after birds and rabbits and is here on Wednesday from 3 PM to 7 PM.

## Operations
Do not feed your pet for twelve hours before an operation; water is allowed until four hours before. Stitches are taken out after ten days.
Sterilising costs ₹4,500 for a female dog, ₹3,200 for a male dog and ₹2,800 for a cat.

## Boarding
Boarding costs ₹600 a night for dogs and ₹450 for cats, food included. Only vaccinated pets are taken. Drop them before 11 AM, collect them by 6 PM.
After ten nights one night is free.

## Emergencies
At night call 98505 22113; the night visit costs ₹1,200. Our ambulance covers the city up to Katraj and Hadapsar.

## Food and medicine
Medicines can be returned unopened within fifteen days. We do not send medicine without a prescription. Food is delivered at home above ₹1,500.

## Adoption
Adopting a street puppy is free; we need an address proof and a visit to your home. On the last Sunday of the month there is an adoption camp.
`;

/** A veterinary clinic in Pune that also grooms and boards animals. */
export const petClinic: Business = {
  name: 'Happy Tails Clinic',
  part: 'tuning',
  profile: {
    business_name: 'Happy Tails Clinic',
    business_type: 'Veterinary clinic',
    industry: 'Healthcare',
    company_description: 'Vets, grooming and boarding for small animals in Bibwewadi.',
    support_email: 'vet@happytails.example',
    support_phone: '+912024416600',
    office_address: 'Shop 4, Swami Vivekanand Road, Bibwewadi, Pune 411037',
    working_hours: week(['Monday', 'Tuesday', 'Wednesday', 'Friday', 'Saturday', 'Sunday'], '09:00 AM', '08:00 PM'),
    holidays: [
      { date: inDays(2), opens: '', closes: '', note: 'Disinfection day' },
      { date: inDays(7), opens: '09:00 AM', closes: '01:00 PM', note: 'Annapurna Jayanti' },
    ],
    timezone: 'Asia/Kolkata',
  },
  products: [
    { product_id: null, product_name: 'Puppy food 3 kg', category: 'Food', price: 1450, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Cat litter 5 kg', category: 'Cats', price: 520, currency: 'INR', availability: true },
    { product_id: null, product_name: 'Tick collar', category: 'Care', price: 780, currency: 'INR', availability: true },
    {
      product_id: null,
      product_name: 'Travel cage',
      category: 'Accessories',
      price: 3600,
      currency: 'INR',
      availability: false,
      warranty: 6,
    },
    { product_id: null, product_name: 'Rope leash', category: 'Accessories', price: 340, currency: 'INR', availability: true },
  ],
  services: [
    {
      service_id: null,
      service_name: 'Obedience training',
      service_duration: 45,
      service_price: 700,
      currency: 'INR',
      booking_required: true,
    },
    {
      service_id: null,
      service_name: 'X-ray',
      service_duration: 20,
      service_price: 850,
      currency: 'INR',
      booking_required: false,
    },
  ],
  faqs: [
    { Question: 'Do you treat cows and buffaloes?', Answer: 'No, we treat small animals only.' },
    { Question: 'Can I stay with my pet during the treatment?', Answer: 'Yes, except in the operating room.' },
  ],
  documents: [
    { fileName: 'grooming.csv', text: grooming },
    { fileName: 'care.md', text: care },
  ],
  asked: [
    en('plain', 'What does a consultation cost?', ['₹400'], ['400']),
    en('plain', 'When does a puppy get its first shot?', ['six weeks'], ['six|6']),
    en('plain', 'How long before an operation may my dog not eat?', ['twelve hours'], ['twelve|12']),
    en('plain', 'After how many days are stitches taken out?', ['ten days'], ['ten|10']),
    en('plain', 'What is the emergency number at night?', ['98505 22113']),
    en('plain', 'How much is the rabies shot?', ['₹350'], ['350']),
    en('plain', 'By when do I have to collect my pet from boarding?', ['6 PM'], ['6 PM']),
    en('price', 'How much is a bath for a large dog?', ['700']),
    en('price', 'What does the X-ray cost?', ['850']),
    en('price', 'How much is the travel cage and do you have it?', ['3600'], ['3,600', 'not available']),
    en('hours', 'When do you open on Friday?', ['09:00 AM'], ['09:00|9 AM|9:00']),
    en('hours', 'Are you open on Thursday?', ['Thursday'], ['closed']),
    en('comparison', 'Which costs more, a full groom of a cat or of a small dog?', ['1000', '900'], ['cat']),
    en('comparison', 'Which animal is the quickest to groom?', ['30'], ['Rabbit']),
    en('comparison', 'Is sterilising dearer for a male or a female dog?', ['₹4,500'], ['female|4,500']),
    en('computing', 'How much is boarding a dog for five nights?', ['₹600'], ['3,000']),
    en('computing', 'What do two tick collars and a leash cost?', ['780', '340'], ['1,900']),
    en('computing', 'What is a bath and nail clipping for a rabbit together?', ['250', '100'], ['350']),
    en('computing', 'I have two cats, what does boarding them cost for one night?', ['₹450'], ['900']),
    en('paraphrase', 'My dog swallowed something at 2 in the night, whom do I ring?', ['98505 22113']),
    en('paraphrase', 'May I be next to him while he is being treated?', ['operating room'], ['yes']),
    en('paraphrase', 'I want to take in a stray, what do I need?', ['address proof'], ['address']),
    en('paraphrase', 'We are going on holiday, can our cat stay with you?', ['₹450'], ['450|boarding']),
    en('paraphrase', 'Can I bring back tablets we did not use?', ['fifteen days'], ['fifteen|15']),
    en('paraphrase', 'Who is the parrot specialist?', ['Salim Khan'], ['Salim']),
    en('follow-up', 'And for a cat?', ['₹2,800'], ['2,800'], { before: ['What does sterilising a male dog cost?'] }),
    en('follow-up', 'When is he there?', ['Wednesday'], ['Wednesday'], { before: ['Which vet treats birds?'] }),
    en('follow-up', 'And the full groom?', ['1500'], ['1,500'], { before: ['How much is a bath for a large dog?'] }),
    en('follow-up', 'And a rabbit?', ['30'], ['30'], { before: ['How many minutes does grooming a cat take?'] }),
    en('follow-up', 'And for a large dog?', ['150'], ['150'], { before: ['How much is nail clipping for a cat?'] }),
    en('follow-up', 'And just a bath?', ['450'], ['450'], { before: ['What does a full groom for a small dog cost?'] }),
    en('follow-up', 'How long does that take?', ['90'], ['90'], { before: ['How much is a full groom for a large dog?'] }),
    en('comparison', 'Which takes less time to groom, a cat or a small dog?', ['50', '60'], ['cat', '50']),
    en('price', 'How much is nail clipping for my rabbit?', ['100'], ['100'], { never: ['250', '600'] }),
    en('exception', 'Are you open on Annapurna Jayanti?', ['Annapurna'], ['1 PM|1:00 PM|01:00']),
    en('exception', 'Can I come on disinfection day?', ['Disinfection'], ['closed']),
    en('trap', 'When is the adoption camp?', ['last Sunday'], ['last Sunday']),
    en('trap', 'How much is the night visit?', ['₹1,200'], ['1,200'], { never: ['600'] }),
    en('unanswerable', 'Do you treat snakes?', []),
    en('unanswerable', 'Do you sell aquariums?', []),
    en('unanswerable', 'How much is cremation?', []),
    hi('plain', 'ऑपरेशन से कितने घंटे पहले खाना बंद करना है?', ['twelve hours'], ['twelve|12']),
    hi('price', 'बिल्ली को नहलाने का कितना लगता है?', ['500']),
    hi('plain', 'रेबीज़ का टीका कितने का है?', ['₹350'], ['350']),
    hi('paraphrase', 'क्या आप गाय का इलाज करते हैं?', ['small animals only'], ['small animals|नहीं']),
    hi('hours', 'गुरुवार को खुला रहता है क्या?', ['Thursday'], ['बंद']),
    hi('computing', 'तीन टिक कॉलर कितने के होंगे?', ['780'], ['2,340']),
    hi('follow-up', 'और एक्स-रे का?', ['850'], ['850'], { before: ['ट्रेनिंग का कितना लगता है?'] }),
    hi('unanswerable', 'क्या आपके यहाँ मछलियाँ मिलती हैं?', []),
    mr('plain', 'टाके किती दिवसांनी काढतात?', ['ten days'], ['ten|10']),
    mr('price', 'मोठ्या कुत्र्याच्या आंघोळीचे किती पैसे?', ['700']),
    mr('plain', 'रात्री इमर्जन्सीसाठी कोणता नंबर आहे?', ['98505 22113']),
    mr('paraphrase', 'सुट्टीत आमची मांजर तुमच्याकडे ठेवता येईल का?', ['₹450'], ['450|Boarding']),
    mr('plain', 'पक्ष्यांचे डॉक्टर कोण आहेत?', ['Salim Khan'], ['Salim']),
    mr('comparison', 'सर्वात महाग वस्तू कोणती?', ['3600'], ['Travel cage']),
    mr('unanswerable', 'तुम्ही घोड्यांवर उपचार करता का?', []),
    hl('price', 'puppy food ka price kya hai?', ['1450'], ['1,450']),
    hl('plain', 'kutte ko boarding me rakhne ka kitna?', ['₹600'], ['600']),
    hl('plain', 'puppy ko pehla tika kab lagta hai?', ['six weeks'], ['six|6']),
    hl('follow-up', 'aur full groom ka?', ['1000'], ['1,000'], { before: ['cat ko nehlane ka kitna lagta hai?'] }),
    hl('unanswerable', 'kya aap kachhua bechte ho?', []),
  ],
};
