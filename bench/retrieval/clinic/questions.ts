import { type Question, questionOf } from '../question';

const asked: readonly (readonly [topic: string, ...questions: string[]])[] = [
  [
    'appointment',
    'how do I book an appointment',
    'can I come without booking',
    'अपॉइंटमेंट कैसे लें',
    'अपॉइंटमेंट कशी घ्यायची',
    'apointment booking',
  ],
  [
    'fees',
    'what does a consultation cost',
    'is the second visit free',
    'जाँच की फीस कितनी है',
    'तपासणीची फी किती आहे',
    'doctor fees kitni hai',
  ],
  [
    'reports',
    'when will my blood report be ready',
    'how do I get the report',
    'खून की रिपोर्ट कब मिलेगी',
    'रक्ताचा अहवाल कधी मिळेल',
    'blud report',
  ],
  [
    'fasting',
    'may I eat before the sugar test',
    'can I drink water before the test',
    'शुगर टेस्ट खाली पेट होता है क्या',
    'शुगर टेस्टला उपाशी यायचे का',
  ],
  [
    'insurance',
    'do you accept health insurance',
    'which papers do I need for the insurer',
    'क्या बीमा चलता है',
    'आरोग्य विमा चालतो का',
  ],
  [
    'vaccination',
    'on which days are children vaccinated',
    'my baby needs a vaccine',
    'बच्चों का टीका कब लगता है',
    'मुलांचे लसीकरण कधी असते',
  ],
  ['emergency', 'I need an ambulance', 'is the emergency room open at night', 'एम्बुलेंस कैसे बुलाएँ', 'रुग्णवाहिका कशी बोलवायची'],
  [
    'home-visit',
    'can a nurse come to my house',
    'injection at home for my grandmother',
    'क्या नर्स घर आती है',
    'परिचारिका घरी येते का',
  ],
];
const unanswerable = [
  ...[
    'do you repair bicycles',
    'what is the price of gold',
    'who sings this song',
    'how do I bake bread',
    'where can I buy a train ticket',
    'do you have hotel rooms',
  ],
  ...['साइकिल की मरम्मत करते हैं क्या', 'गाना कौन गा रहा है', 'रोटी कैसे बनाएँ', 'ट्रेन का टिकट कहाँ मिलेगा', 'होटल का कमरा चाहिए'],
  ...['सायकल दुरुस्त करता का', 'गाणे कोण गाते', 'भाकरी कशी करायची', 'रेल्वेचे तिकीट कुठे मिळेल', 'हॉटेलची खोली हवी आहे'],
];

/** The questions on which thresholds and weights were chosen. */
export const clinicQuestions: readonly Question[] = [
  ...asked.flatMap(([topic, ...questions]) => questions.map((text) => questionOf('plain', text, topic))),
  ...unanswerable.map((text) => questionOf('unanswerable', text)),
];
