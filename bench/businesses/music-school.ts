import { asker, type Business, week } from './business';

const en = asker('english');
const hi = asker('hindi');
const mr = asker('marathi');
const hl = asker('hinglish');

const courses = `वर्ग,शिक्षक,दिवस,वेळ,फी दरमहा (₹)
तबला,श्री. विनय काळे,सोमवार व गुरुवार,सायंकाळी 5 ते 6,1400
हार्मोनियम,सौ. मेधा जोशी,मंगळवार व शुक्रवार,सायंकाळी 6 ते 7,1200
गायन,सौ. मेधा जोशी,बुधवार व शनिवार,सकाळी 8 ते 9:30,1600
गिटार,श्री. रोहन सावंत,रविवार,सकाळी 10 ते 12,1800
`;

const notes = `प्रवेश
प्रवेशासाठी किमान वय सहा वर्षे आहे. प्रवेश फी ₹500 आहे आणि ती परत मिळत नाही.

सुट्टी
गैरहजर राहिल्यास त्याच आठवड्यात दुसऱ्या वर्गाला बसता येते. दिवाळीत दहा दिवस सुट्टी असते.

वाद्ये
सरावासाठी तबला दरमहा ₹300 भाड्याने मिळतो. गिटार स्वतःचे आणावे लागते.

परीक्षा
गांधर्व महाविद्यालयाच्या परीक्षा एप्रिल आणि नोव्हेंबरमध्ये होतात.
`;

/** A music school in Satara whose knowledge is written in Marathi. */
export const musicSchool: Business = {
  name: 'Swarada Sangeet Vidyalaya',
  part: 'tuning',
  profile: {
    business_name: 'Swarada Sangeet Vidyalaya',
    business_type: 'Music school',
    industry: 'Education',
    company_description: 'सातारा येथील संगीत विद्यालय, 1998 पासून.',
    support_email: 'swarada@sangeet.example',
    support_phone: '+912162234500',
    office_address: 'Powai Naka, Satara 415001',
    working_hours: week(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], '07:30 AM', '08:30 PM'),
    holidays: [],
    timezone: 'Asia/Kolkata',
  },
  products: [],
  services: [],
  faqs: [{ Question: 'पहिला वर्ग मोफत असतो का?', Answer: 'हो, पहिला वर्ग मोफत आहे.' }],
  documents: [
    { fileName: 'courses.csv', text: courses },
    { fileName: 'notes.txt', text: notes },
  ],
  asked: [
    mr('price', 'गिटारची फी किती आहे?', ['1800'], ['1,800']),
    mr('plain', 'तबला कोण शिकवतो?', ['विनय काळे']),
    mr('plain', 'प्रवेशासाठी किती वय लागते?', ['सहा']),
    mr('paraphrase', 'मी एक दिवस आलो नाही तर काय?', ['दुसऱ्या वर्गाला'], ['दुसऱ्या वर्गाला']),
    mr('plain', 'गायन आणि तबला यांत कोणते स्वस्त आहे?', ['1400'], ['तबला']),
    mr('follow-up', 'आणि हार्मोनियमची?', ['1200'], ['1,200'], { before: ['गिटारची फी किती आहे?'] }),
    mr('plain', 'मेधा जोशी कोणते वर्ग घेतात?', ['हार्मोनियम'], ['हार्मोनियम', 'गायन']),
    mr('plain', 'गायन वर्ग किती वाजता असतो?', ['सकाळी 8'], ['8']),
    mr('plain', 'दिवाळीत किती दिवस सुट्टी असते?', ['दहा दिवस'], ['दहा']),
    mr('unanswerable', 'तुम्ही बासरी शिकवता का?', []),
    hi('price', 'गिटार की फीस कितनी है?', ['1800'], ['1,800']),
    hi('plain', 'हारमोनियम कौन सिखाता है?', ['मेधा जोशी']),
    hi('plain', 'परीक्षा कब होती है?', ['एप्रिल'], ['एप्रिल|अप्रैल']),
    hi('unanswerable', 'क्या आप नृत्य भी सिखाते हैं?', []),
    en('price', 'How much is the guitar class?', ['1800'], ['1,800']),
    en('plain', 'On which days is tabla taught?', ['सोमवार व गुरुवार'], ['सोमवार|Monday']),
    en('plain', 'Can I rent a tabla to practise?', ['₹300'], ['300']),
    en('price', 'What do three months of guitar cost?', ['1800'], ['5,400']),
    en('unanswerable', 'Do you teach the violin?', []),
    hl('price', 'tabla ki fees kitni hai?', ['1400'], ['1,400']),
    hl('plain', 'admission ke liye umar kitni honi chahiye?', ['सहा'], ['सहा|6|छह']),
    hl('paraphrase', 'pehli class free hai kya?', ['मोफत'], ['मोफत']),
  ],
};
