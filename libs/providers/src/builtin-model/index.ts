import { inLatinLetters } from '@parley/language';
import {
  type Embeddings,
  type Grounds,
  type LanguageModel,
  type ModelEvent,
  type ModelRequest,
  ProviderFailure,
  readOf,
  similarity,
  within,
} from '@parley/ports';
import { LRUCache } from 'lru-cache';
import { countTokens } from '../token-count';
import { answerFrom, textsToRead } from './answer';
import { asksNeverToBeCalled } from './never-again';
import type { SentenceMeanings, TextKind, TextsToRead } from './answers/nearness';
import type { AnswerLanguage } from './answers/phrases';

export { asksNeverToBeCalled };

/** Phrases that include the agent's name. */
type Introduction = 'greeting' | 'identity' | 'ability';

/** Replies to a request never to be called again: one if it was recorded, one if that failed. */
type Refusal = 'promised' | 'notPromised';

type Phrases = Record<Exclude<Remark, Introduction> | Refusal, string> & Record<Introduction, (name: string) => string>;

/** The sentences that the builtin model does not take from the knowledge. */
const phrases: Record<AnswerLanguage, Phrases> = {
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
/** The result of the tool if the request was recorded. */
const isPromised = /will not be called again/u;

/**
 * A model that needs no API key. It greets, quotes the passage that fits, and says so if it does not know the answer. It invents nothing.
 */
export class BuiltinModel implements LanguageModel {
  readonly name = 'builtin/extractive';
  readonly capabilities = { contextTokens: 8192, hasTools: true, isExtractive: true };

  /** With a reader it also understands paraphrases and other languages, and is more often unsure. */
  constructor(private readonly reader?: MeaningReader) {}

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const question = request.messages.findLast(({ role }) => role === 'user')?.text ?? '';
    const refusal = refusalIn(question, request);
    if (refusal === 'asked') return yield* calling(neverAgain, usageOf(request, ''));
    const text = refusal ? phrases[request.grounds.language][refusal] : await this.answerTo(question, request);
    const answer = request.grounds.isInLatinLetters ? inLatinLetters(text) : text;
    for (const piece of answer.match(/\S+\s*/gu) ?? []) {
      signal.throwIfAborted();
      yield { type: 'text', text: piece };
    }
    const usage = usageOf(request, answer);
    const isOver = refusal === 'promised' || remarkOf(question, request.grounds.agentName) === 'farewell';
    if (isOver && offers(request, endConversation)) return yield* calling(endConversation, usage);
    yield { type: 'finish', reason: 'stop', usage };
  }

  private async answerTo(asked: string, request: ModelRequest): Promise<string> {
    const remark = remarkTo(asked, request.grounds);
    if (remark !== undefined) return remark;
    return answerFrom(request, await this.reader?.read(textsToRead(request), { onFailure: request.onFailure }));
  }
}

type Usage = ReturnType<typeof usageOf>;

function* calling(name: string, usage: Usage): Generator<ModelEvent, void> {
  yield { type: 'tool-call', call: { id: name, name, arguments: {} } };
  yield { type: 'finish', reason: 'tool-calls', usage };
}

function offers({ tools }: ModelRequest, tool: string): boolean {
  return tools.some(({ name }) => name === tool);
}

/** The state of a request never to be called again, if the agent can record one. */
function refusalIn(asked: string, request: ModelRequest): 'asked' | Refusal | undefined {
  const result = request.messages.findLast((message) => message.role === 'tool' && message.name === neverAgain);
  if (result) return isPromised.test(result.text) ? 'promised' : 'notPromised';
  return offers(request, neverAgain) && asksNeverToBeCalled(asked) ? 'asked' : undefined;
}

/** The reply to a remark that needs no knowledge. */
function remarkTo(asked: string, { language, agentName, greeting }: Grounds): string | undefined {
  const remark = remarkOf(asked, agentName);
  if (remark === undefined) return undefined;
  if (remark === 'greeting' && isWrittenFor(language, greeting)) return greeting;
  const phrase = phrases[language][remark];
  return typeof phrase === 'string' ? phrase : phrase(agentName);
}

/** Whether the greeting is in the script of the language. An agent has only one greeting, in its own language. */
function isWrittenFor(language: string, greeting: string): boolean {
  const isDevanagari = /\p{Script=Devanagari}/u.test(greeting);
  return greeting.trim() !== '' && isDevanagari === (language !== 'english');
}

function usageOf(request: ModelRequest, answer: string) {
  return { promptTokens: countTokens(readOf(request, { isExtractive: true })), completionTokens: countTokens(answer) };
}

type Remark = 'greeting' | 'thanks' | 'farewell' | 'identity' | 'ability' | 'wellbeing' | 'assent' | 'insult';

const sentences = (...lines: string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(', ')));

/** Words beside a remark that do not change its meaning. */
const fillers = sentences(
  'there, ji, sir, madam, maam, please, so, very, much, a, lot, again, ok, okay, oh, well, then, now, dear, everyone, team',
  'bahut, khup, बहुत, जी, सर, मैडम, अच्छा, ठीक, ओके, खूप, मनापासून, आपका, आपकी, तुमचे, तुमची, बरं, मग',
);

/** The words of each remark, without fillers. */
const remarks: readonly (readonly [Remark, ReadonlySet<string>])[] = [
  [
    'greeting',
    sentences(
      'hi, hello, hey, hiya, greetings, good morning, good afternoon, good evening, good day, namaste, namaskar',
      'नमस्ते, नमस्कार, हैलो, हेलो, हॅलो, हाय, राम राम, सुप्रभात, शुभ प्रभात',
    ),
  ],
  [
    'thanks',
    sentences('thanks, thank you, thx, thank, many thanks, dhanyavad, dhanyawad, shukriya, धन्यवाद, शुक्रिया, आभारी आहे, आभार'),
  ],
  [
    'farewell',
    sentences(
      'bye, goodbye, good bye, bye bye, good night, see you, see you later, thats all, that is all, nothing else, alvida',
      'अलविदा, बाय, बस इतना ही, येतो, येते, निरोप, चला येतो',
    ),
  ],
  [
    'identity',
    sentences(
      'who are you, who is this, who is speaking, who am i talking to, who am i speaking to, who am i speaking with, what are you',
      'what is your name, whats your name, your name, are you human, are you real, aap kaun ho, aap kaun hain, aap kaun hai, tum kaun ho',
      'aapka naam kya hai, tumhi kon ahat, kya aap robot ho, kya aap robot hain, आप कौन हैं, तुम कौन हो, आपका नाम क्या है',
      'क्या आप रोबोट हैं, क्या आप इंसान हैं, तुम्ही कोण आहात, तुमचे नाव काय आहे, तुमचं नाव काय, तुम्ही रोबोट आहात का',
    ),
  ],
  [
    'ability',
    sentences(
      'what can you do, what can you tell me, what can you help with, what can you help me with, how can you help, how can you help me',
      'what do you do, what do you know, can you help, can you help me, help, help me, i need help, i need some help, what can i ask',
      'what can i ask you, aap kya kar sakte ho, aap kya kar sakte hain, mujhe madad chahiye, आप क्या कर सकते हैं, आप क्या कर सकती हैं',
      'मदद, मुझे मदद चाहिए, क्या आप मेरी मदद करेंगे, क्या आप मेरी मदद कर सकते हैं, तुम्ही काय करू शकता, मदत, मला मदत हवी, मला मदत हवी आहे',
    ),
  ],
  [
    'wellbeing',
    sentences(
      'how are you, how are you doing, how are you today, how are you doing today, how is it going, hows it going, how do you do',
      'kaise ho, kaise hain, aap kaise ho, aap kaise hain, kase ahat, कैसे हैं, कैसे हो, आप कैसे हैं, आप कैसी हैं',
      'कसे आहात, तुम्ही कसे आहात, तुम्ही कशा आहात',
    ),
  ],
  [
    'assent',
    sentences(
      'alright, all right, fine, great, good, nice, cool, perfect, i see, got it, understood, no, no thanks, no thank you',
      'thik hai, theek hai, ठीक, ठीक है, ठीक आहे, समझ गया, समझ गई, समजले, नहीं, नाही',
    ),
  ],
];
const machine = /^(are you|am i (talking|speaking) (to|with)) (an? )?(real )?(bot|robot|human|person|ai|machine|computer)$/u;
const insults = sentences(
  'stupid, idiot, useless, dumb, fool, worthless, rubbish, bewakoof, bakwas, bekaar',
  'बेवकूफ, मूर्ख, बेकार, निकम्मे, निकम्मी, गधे, मूर्खा, बावळट',
);
const askingWords = sentences(
  'what, when, where, how, who, which, can, could, do, does, is, are, kya, kab, kahan, kitna, kitne, kaise',
  'क्या, कब, कहाँ, कहां, कैसे, कितना, कितने, काय, कधी, कुठे, कसे, किती',
);
const shortWordsMax = 7;

/** The kind of remark, if the text asks for no knowledge: a greeting, thanks, a farewell, or a question about who is speaking. */
function remarkOf(text: string, agentName: string): Remark | undefined {
  const words = wordsOf(text);
  if (words.length === 0) return /\p{Extended_Pictographic}/u.test(text) ? 'assent' : undefined;
  const name = new Set(wordsOf(agentName));
  const bare = words.filter((word) => !fillers.has(word) && !name.has(word)).join(' ');
  if (bare === '') return 'assent';
  const joined = words.join(' ');
  if (machine.test(joined)) return 'identity';
  const remark = remarks.find(([, known]) => known.has(joined) || known.has(bare))?.[0];
  return remark ?? (text.includes('?') || words.length > shortWordsMax ? undefined : exclamationOf(words));
}

/** A remark with more words: thanks with the reason, a reason and goodbye. */
function exclamationOf(words: readonly string[]): Remark | undefined {
  if (isRemark('farewell', words.slice(-1))) return 'farewell';
  const isThanks = isRemark('thanks', words.slice(0, 1)) || isRemark('thanks', words.slice(0, 2));
  if (isThanks && !words.some((word) => askingWords.has(word))) return 'thanks';
  return words.some((word) => insults.has(word)) ? 'insult' : undefined;
}

function isRemark(remark: Remark, words: readonly string[]): boolean {
  return remarks.some(([name, known]) => name === remark && known.has(words.join(' ')));
}

function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replace(/['’]/gu, '')
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

interface ReaderOptions {
  /** How long the first question to a knowledge base waits until it is read. After that, it is answered without the sentence model. */
  readonly patienceMs?: number;
  /** Called if the model cannot be used. */
  readonly onFailure?: ((failure: ProviderFailure) => void) | undefined;
}

const vectorsRemembered = 20_000;

/** Reads the texts of a knowledge base, once, with a sentence model for all languages of the platform. */
export class MeaningReader implements SentenceMeanings {
  private readonly vectors = new LRUCache<string, Float32Array>({ max: vectorsRemembered });
  /** The texts that are being read, so that two questions to a knowledge base do not read them twice. */
  private readonly reading = new Map<string, Promise<void>>();

  constructor(
    private readonly embeddings: Embeddings,
    private readonly patienceMs = 1500,
  ) {}

  /** Reads these texts and returns their meanings. Undefined if that took too long or failed. */
  async read({ passages, questions }: TextsToRead, { onFailure, patienceMs = this.patienceMs }: ReaderOptions = {}) {
    const all = [...this.taken(passages, 'passage'), ...this.taken(questions, 'question')];
    if (all.length === 0) return this;
    try {
      return await within<this | undefined>(
        patienceMs,
        Promise.all(all).then(() => this),
        () => undefined,
      );
    } catch (failure) {
      if (!(failure instanceof ProviderFailure)) throw failure;
      onFailure?.(failure);
      return undefined;
    }
  }

  of(text: string, as: TextKind): Float32Array | undefined {
    return this.vectors.get(keyOf(text, as));
  }

  closeness(asked: Float32Array | undefined, text: string, as: TextKind): number {
    const vector = this.of(text, as);
    return asked && vector ? similarity(asked, vector) : 0;
  }

  /** The pending reads of these texts. Starts reading those that are not yet being read. */
  private taken(texts: readonly string[], as: TextKind): Promise<void>[] {
    const unread = [...new Set(texts)].filter((text) => !this.vectors.has(keyOf(text, as)));
    const fresh = unread.filter((text) => !this.reading.has(keyOf(text, as)));
    if (fresh.length > 0) {
      const work = this.begin(fresh, as);
      for (const text of fresh) this.reading.set(keyOf(text, as), work);
    }
    return [...new Set(unread.flatMap((text) => this.reading.get(keyOf(text, as)) ?? []))];
  }

  private async begin(texts: readonly string[], as: TextKind): Promise<void> {
    try {
      const vectors = await this.embeddings.embed(texts, { as });
      vectors.forEach((vector, place) => this.vectors.set(keyOf(texts[place] ?? '', as), vector));
    } finally {
      for (const text of texts) this.reading.delete(keyOf(text, as));
    }
  }
}

const keyOf = (text: string, as: TextKind): string => `${as}: ${text}`;
