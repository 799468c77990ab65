import { type Grounds, type LanguageModel, type ModelEvent, type ModelRequest } from '@parley/ports';
import { countTokens } from '../token-count';
import { answerFrom } from './answer';
import { asksNeverToBeCalled } from './never-again';
import { type Remark, remarkOf } from './remarks';

type Language = Grounds['language'];

/** What is said with the agent's name. */
type Introduction = 'greeting' | 'identity' | 'ability';

/** What is said to somebody who asks never to be called again: once that is written down, and where it could not be. */
type Refusal = 'promised' | 'notPromised';

type Phrases = Record<Exclude<Remark, Introduction> | Refusal, string> & Record<Introduction, (name: string) => string>;

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
    promised: 'I understand. You will not be called again. Goodbye!',
    notPromised: 'I am sorry, I could not write that down now. Please ask for it once more in a moment.',
  },
  hindi: {
    greeting: (name) => `नमस्ते, मैं ${name} हूँ। मैं आपकी क्या मदद कर सकती हूँ?`,
    thanks: 'आपका स्वागत है। क्या और कुछ जानना चाहेंगे?',
    farewell: 'बात करने के लिए धन्यवाद। नमस्ते!',
    identity: (name) => `मैं ${name} हूँ, एक स्वचालित सहायक। मैं आपकी क्या मदद कर सकती हूँ?`,
    ability: (name) => `मैं ${name} हूँ, एक स्वचालित सहायक। हमारे सामान, सेवाओं और कामकाज के बारे में पूछिए; मुझे जो बताया गया है, वह मैं बताऊँगी।`,
    wellbeing: 'मैं ठीक हूँ, धन्यवाद। मैं आपकी क्या मदद कर सकती हूँ?',
    assent: 'ठीक है। क्या और कुछ जानना चाहेंगे?',
    promised: 'समझ गई। आपको दोबारा कॉल नहीं किया जाएगा। नमस्ते!',
    notPromised: 'माफ़ कीजिए, मैं यह अभी दर्ज नहीं कर सकी। कृपया थोड़ी देर में एक बार फिर कहिए।',
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
    promised: 'समजले. तुम्हाला पुन्हा फोन केला जाणार नाही. नमस्कार!',
    notPromised: 'माफ करा, मला हे आत्ता नोंदवता आले नाही. कृपया थोड्या वेळाने पुन्हा सांगा.',
    insult: 'माफ करा, मी मदत करू शकले नाही. कृपया दुसऱ्या शब्दांत सांगा, तुम्हाला काय हवे आहे.',
  },
};

const endConversation = 'end_conversation';
const neverAgain = 'do_not_call_again';
/** How its tool says that it is done. */
const isPromised = /will not be called again/u;

/** Speaks without any key: greets, quotes the passage that fits, and says so when it does not know. It invents nothing. */
export class BuiltinModel implements LanguageModel {
  readonly name = 'builtin/extractive';
  readonly capabilities = { contextTokens: 8192, hasTools: true, isExtractive: true };

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const asked = request.messages.findLast(({ role }) => role === 'user')?.text ?? '';
    const refusal = refusalIn(asked, request);
    if (refusal === 'asked') return yield* calling(neverAgain, usageOf(request, asked, ''));
    const answer = refusal ? phrases[request.grounds.language][refusal] : answerTo(asked, request);
    for (const piece of answer.match(/\S+\s*/gu) ?? []) {
      signal.throwIfAborted();
      yield { type: 'text', text: piece };
    }
    const usage = usageOf(request, asked, answer);
    const isOver = refusal === 'promised' || remarkOf(asked, request.grounds.agentName) === 'farewell';
    if (isOver && offers(request, endConversation)) return yield* calling(endConversation, usage);
    yield { type: 'finish', reason: 'stop', usage };
  }
}

type Usage = ReturnType<typeof usageOf>;

function* calling(name: string, usage: Usage): Generator<ModelEvent> {
  yield { type: 'tool-call', call: { id: name, name, arguments: {} } };
  yield { type: 'finish', reason: 'tool-calls', usage };
}

function offers({ tools }: ModelRequest, tool: string): boolean {
  return tools.some(({ name }) => name === tool);
}

/** Where somebody asks never to be called again, and that can be had: how far it is. */
function refusalIn(asked: string, request: ModelRequest): 'asked' | Refusal | undefined {
  const told = request.messages.findLast((message) => message.role === 'tool' && message.name === neverAgain);
  if (told) return isPromised.test(told.text) ? 'promised' : 'notPromised';
  return offers(request, neverAgain) && asksNeverToBeCalled(asked) ? 'asked' : undefined;
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
