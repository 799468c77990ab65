import type { AgentRuntime, ConversationChannel, SpeechLanguage } from '@parley/contracts';
import { detectLanguage, type HeardLanguage } from '@parley/language';
import type { z } from 'zod';

interface Written {
  readonly agent: Pick<AgentRuntime, 'RuntimeConfiguration'>;
  readonly channel: z.output<typeof ConversationChannel>;
  /** The language of the answer, and the one detected. */
  readonly language: SpeechLanguage;
  readonly heard: HeardLanguage;
  readonly question: string;
}

/** Whether answers on a channel are spoken. */
export function isSpoken(channel: Written['channel']): boolean {
  return channel === 'VOICE' || channel === 'PHONE';
}

/** Whether a question in Hindi or Marathi is written in Latin letters, and answered in them. */
export function isInLatinLetters({ agent, channel, language, heard, question }: Written): boolean {
  if (isSpoken(channel) || agent.RuntimeConfiguration.HinglishAnswers !== 'AS_WRITTEN') return false;
  if (heard === 'hinglish') return language === 'hindi';
  return language === 'marathi' && !/\p{Script=Devanagari}/u.test(question) && detectLanguage(question, language) === 'marathi';
}

/** The language in which an agent answers a question. */
export function answerLanguageOf(
  heard: HeardLanguage,
  { RuntimeConfiguration }: Pick<AgentRuntime, 'RuntimeConfiguration'>,
): SpeechLanguage {
  if (heard !== 'hinglish') return heard;
  return RuntimeConfiguration.HinglishAnswers === 'ENGLISH' ? 'english' : 'hindi';
}
