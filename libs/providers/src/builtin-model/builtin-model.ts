import { type Grounds, type LanguageModel, type ModelEvent, type ModelRequest } from '@parley/ports';
import { countTokens } from '../token-count';
import { answerFrom } from './answer';
import { type Remark, remarkOf } from './remarks';

type Language = Grounds['language'];

/** What is said with the agent's name. */
type Introduction = 'greeting' | 'identity' | 'ability';

type Phrases = Record<Exclude<Remark, Introduction>, string> & Record<Introduction, (name: string) => string>;

/** The few sentences that the builtin model says in its own words. */
const phrases: Record<Language, Phrases> = {
  english: {
    greeting: (name) => `Hello, this is ${name}. How can I help you?`,
    thanks: 'You are welcome. Is there anything else?',
    farewell: 'Thank you for talking with us. Goodbye!',
    identity: (name) => `I am ${name}, an automated assistant. How can I help you?`,
    ability: (name) =>
      `I am ${name}, an automated assistant. Ask me about what we offer and how we work; I answer what I have been told.`,
    wellbeing: 'I am well, thank you. How can I help you?',
    assent: 'All right. Is there anything else?',
    insult: 'I am sorry that I was no help. Please tell me in other words what you need.',
  },
  hindi: {
    greeting: (name) => `नमस्ते, मैं ${name} हूँ। मैं आपकी क्या मदद कर सकती हूँ?`,
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
    thanks: 'आपले स्वागत आहे. आणखी काही हवे आहे का?',
    farewell: 'बोलल्याबद्दल धन्यवाद. नमस्कार!',
    identity: (name) => `मी ${name}, एक स्वयंचलित सहायक आहे. मी तुमची काय मदत करू शकते?`,
    ability: (name) => `मी ${name}, एक स्वयंचलित सहायक आहे. आमच्या वस्तू, सेवा आणि कामाबद्दल विचारा; मला जे सांगितले आहे ते मी सांगेन.`,
    wellbeing: 'मी छान आहे, धन्यवाद. मी तुमची काय मदत करू शकते?',
    assent: 'ठीक आहे. आणखी काही हवे आहे का?',
    insult: 'माफ करा, मी मदत करू शकले नाही. कृपया दुसऱ्या शब्दांत सांगा, तुम्हाला काय हवे आहे.',
  },
};

const endConversation = 'end_conversation';

/** Speaks without any key: greets, quotes the passage that fits, and says so when it does not know. It invents nothing. */
export class BuiltinModel implements LanguageModel {
  readonly name = 'builtin/extractive';
  readonly capabilities = { contextTokens: 8192, hasTools: true, isExtractive: true };

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const asked = request.messages.findLast(({ role }) => role === 'user')?.text ?? '';
    const answer = answerTo(asked, request);
    for (const piece of answer.match(/\S+\s*/gu) ?? []) {
      signal.throwIfAborted();
      yield { type: 'text', text: piece };
    }
    const usage = usageOf(request, asked, answer);
    if (!endsWith(asked, request)) return yield { type: 'finish', reason: 'stop', usage };
    yield { type: 'tool-call', call: { id: endConversation, name: endConversation, arguments: {} } };
    yield { type: 'finish', reason: 'tool-calls', usage };
  }
}

function answerTo(asked: string, request: ModelRequest): string {
  const { grounds } = request;
  const { language, agentName, greeting } = grounds;
  const own = phrases[language];
  const remark = remarkOf(asked, agentName);
  if (remark === undefined) return answerFrom(request);
  if (remark === 'greeting' && isWrittenFor(language, greeting)) return greeting;
  const said = own[remark];
  return typeof said === 'string' ? said : said(agentName);
}

/** The one tool that it knows: after a farewell it hangs up, where it may. */
function endsWith(asked: string, { tools, grounds }: ModelRequest): boolean {
  return remarkOf(asked, grounds.agentName) === 'farewell' && tools.some(({ name }) => name === endConversation);
}

/** An agent has one greeting, in the script of its own language. */
function isWrittenFor(language: string, greeting: string): boolean {
  const isDevanagari = /\p{Script=Devanagari}/u.test(greeting);
  return greeting.trim() !== '' && isDevanagari === (language !== 'english');
}

/** It reads the question and the passages, and no more of the prompt. */
function usageOf({ grounds }: ModelRequest, asked: string, answer: string) {
  const read = [asked, ...grounds.passages.map(({ text }) => text)].join('\n');
  return { promptTokens: countTokens(read), completionTokens: countTokens(answer) };
}
