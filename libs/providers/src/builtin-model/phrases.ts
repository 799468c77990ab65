import type { Grounds } from '@parley/ports';

type Language = Grounds['language'];

/** The few sentences that the builtin model says in its own words. */
export const phrases: Record<
  Language,
  { greeting(name: string): string; unknown: string; thanks: string; farewell: string; identity(name: string): string }
> = {
  english: {
    greeting: (name) => `Hello, this is ${name}. How can I help you?`,
    unknown: 'I am sorry, I do not know that. Is there something else I can help you with?',
    thanks: 'You are welcome. Is there anything else?',
    farewell: 'Thank you for talking with us. Goodbye!',
    identity: (name) => `I am ${name}, an automated assistant. How can I help you?`,
  },
  hindi: {
    greeting: (name) => `नमस्ते, मैं ${name} हूँ। मैं आपकी क्या मदद कर सकती हूँ?`,
    unknown: 'माफ़ कीजिए, मुझे इसकी जानकारी नहीं है। क्या मैं किसी और बात में आपकी मदद कर सकती हूँ?',
    thanks: 'आपका स्वागत है। क्या और कुछ जानना चाहेंगे?',
    farewell: 'बात करने के लिए धन्यवाद। नमस्ते!',
    identity: (name) => `मैं ${name} हूँ, एक स्वचालित सहायक। मैं आपकी क्या मदद कर सकती हूँ?`,
  },
  marathi: {
    greeting: (name) => `नमस्कार, मी ${name} बोलत आहे. मी तुमची काय मदत करू शकते?`,
    unknown: 'माफ करा, मला याची माहिती नाही. मी आणखी काही मदत करू शकते का?',
    thanks: 'आपले स्वागत आहे. आणखी काही हवे आहे का?',
    farewell: 'बोलल्याबद्दल धन्यवाद. नमस्कार!',
    identity: (name) => `मी ${name}, एक स्वयंचलित सहायक आहे. मी तुमची काय मदत करू शकते?`,
  },
};

type Remark = 'greeting' | 'thanks' | 'farewell' | 'identity';

const remarks: readonly [Remark, RegExp][] = [
  [
    'greeting',
    /^(hi|hello|hey|good (morning|afternoon|evening)|namaste|namaskar|नमस्ते|नमस्कार|हैलो|हेलो|हॅलो|राम राम)( there| ji|जी| maya)?$/u,
  ],
  ['thanks', /^(thanks|thank you|thank you very much|thanks a lot|dhanyavad|shukriya|धन्यवाद|शुक्रिया|आभारी आहे|बहुत धन्यवाद)$/u],
  ['farewell', /^(bye|goodbye|bye bye|good night|see you|thats all|nothing else|अलविदा|बाय|बस इतना ही|येतो|येते|निरोप)$/u],
  [
    'identity',
    /^(who are you|what are you|are you (a )?(bot|robot|human)|what is your name|आप कौन हैं|तुम कौन हो|आपका नाम क्या है|तुम्ही कोण आहात|तुमचे नाव काय आहे)$/u,
  ],
];

/** What a remark is when it asks for no knowledge: a greeting, thanks, a farewell, a question who speaks. */
export function remarkOf(text: string): Remark | undefined {
  const words = text
    .toLowerCase()
    .replace(/['’]/gu, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
  return remarks.find(([, pattern]) => pattern.test(words))?.[0];
}
