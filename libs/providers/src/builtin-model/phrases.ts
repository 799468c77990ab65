import type { Grounds } from '@parley/ports';
import type { Remark } from './remarks';

type Language = Grounds['language'];
/** What is said with the agent's name. */
type Introduction = 'greeting' | 'identity' | 'ability';

type Phrases = Record<'unknown' | Exclude<Remark, Introduction>, string> & Record<Introduction, (name: string) => string>;

/** The few sentences that the builtin model says in its own words. */
export const phrases: Record<Language, Phrases> = {
  english: {
    greeting: (name) => `Hello, this is ${name}. How can I help you?`,
    unknown: 'I am sorry, I do not know that. Is there something else I can help you with?',
    thanks: 'You are welcome. Is there anything else?',
    farewell: 'Thank you for talking with us. Goodbye!',
    identity: (name) => `I am ${name}, an automated assistant. How can I help you?`,
    ability: (name) => `I am ${name}, an automated assistant. Ask me about what we offer and how we work; I answer what I have been told.`,
    wellbeing: 'I am well, thank you. How can I help you?',
    assent: 'All right. Is there anything else?',
    insult: 'I am sorry that I was no help. Please tell me in other words what you need.',
  },
  hindi: {
    greeting: (name) => `नमस्ते, मैं ${name} हूँ। मैं आपकी क्या मदद कर सकती हूँ?`,
    unknown: 'माफ़ कीजिए, मुझे इसकी जानकारी नहीं है। क्या मैं किसी और बात में आपकी मदद कर सकती हूँ?',
    thanks: 'आपका स्वागत है। क्या और कुछ जानना चाहेंगे?',
    farewell: 'बात करने के लिए धन्यवाद। नमस्ते!',
    identity: (name) => `मैं ${name} हूँ, एक स्वचालित सहायक। मैं आपकी क्या मदद कर सकती हूँ?`,
    ability: (name) => `मैं ${name} हूँ, एक स्वचालित सहायक। हमारे सामान, सेवाओं और कामकाज के बारे में पूछिए; मुझे जो बताया गया है, वह मैं बताऊँगी।`,
    wellbeing: 'मैं ठीक हूँ, धन्यवाद। मैं आपकी क्या मदद कर सकती हूँ?',
    assent: 'ठीक है। क्या और कुछ जानना चाहेंगे?',
    insult: 'माफ़ कीजिए कि मैं मदद नहीं कर सकी। कृपया दूसरे शब्दों में बताइए कि आपको क्या चाहिए।',
  },
  marathi: {
    greeting: (name) => `नमस्कार, मी ${name} बोलत आहे. मी तुमची काय मदत करू शकते?`,
    unknown: 'माफ करा, मला याची माहिती नाही. मी आणखी काही मदत करू शकते का?',
    thanks: 'आपले स्वागत आहे. आणखी काही हवे आहे का?',
    farewell: 'बोलल्याबद्दल धन्यवाद. नमस्कार!',
    identity: (name) => `मी ${name}, एक स्वयंचलित सहायक आहे. मी तुमची काय मदत करू शकते?`,
    ability: (name) => `मी ${name}, एक स्वयंचलित सहायक आहे. आमच्या वस्तू, सेवा आणि कामाबद्दल विचारा; मला जे सांगितले आहे ते मी सांगेन.`,
    wellbeing: 'मी छान आहे, धन्यवाद. मी तुमची काय मदत करू शकते?',
    assent: 'ठीक आहे. आणखी काही हवे आहे का?',
    insult: 'माफ करा, मी मदत करू शकले नाही. कृपया दुसऱ्या शब्दांत सांगा, तुम्हाला काय हवे आहे.',
  },
};
