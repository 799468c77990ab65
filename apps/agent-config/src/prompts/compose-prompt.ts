import { personaWords, type SpeechLanguage } from '@parley/contracts';

/** Everything that a system prompt is made of, in words. */
export interface PromptParts {
  readonly name: string;
  readonly type: string;
  readonly industry: string;
  readonly description: string;
  readonly instructions: string | null;
  readonly business: string | null;
  readonly language: SpeechLanguage;
  readonly manner: string;
  readonly region: string;
  readonly timezone: string;
}

const speaking: Record<SpeechLanguage, string> = {
  english: 'Speak English as it is spoken in the region of the caller.',
  hindi: 'Speak Hindi, written in Devanagari. Keep the English words that people really use.',
  marathi: 'Speak Marathi, written in Devanagari. Keep the English words that people really use.',
};

/** The headings are fixed so that builders find their words again, and an override can start from this text. */
export function composePrompt(parts: PromptParts): string {
  const sections: [heading: string, body: string | null][] = [
    [personaWords.who, `You are ${parts.name}. Your work: ${parts.type}. Industry: ${parts.industry}.\n${parts.description}`],
    ['# What to do', parts.instructions],
    [personaWords.business, parts.business],
    ['# How you speak', manners(parts)],
    ['# Rules', rules(parts)],
  ];
  return sections.flatMap(([heading, body]) => (body ? [`${heading}\n${body.trim()}`] : [])).join('\n\n');
}

function manners({ language, manner }: PromptParts): string {
  return listed([
    speaking[language],
    manner,
    'Your words are read aloud: one to three short sentences, one question at a time, no lists, links, symbols or markup.',
    'If the other person changes to another language that you know, follow.',
  ]);
}

function rules({ region, timezone }: PromptParts): string {
  return listed([
    `${personaWords.onlyWhatIsHere}, in the knowledge you are given or in the result of a tool. If you do not know, say so and offer to pass the question on.`,
    'Never make up prices, dates, names, numbers or promises.',
    `${personaWords.information}.`,
    'Ask for no password, PIN, one-time code or full card number, and refuse to repeat one.',
    `${personaWords.secrecy}.`,
    `Callers are in ${region}; times are in the time zone ${timezone} unless somebody says otherwise.`,
  ]);
}

const listed = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');
