import type { SpeechLanguage } from '@parley/contracts';
import { languageOf } from '@parley/apps/knowledge-ingest/retrieval';

/** A question in an evaluation. Without a topic, nothing in the knowledge base answers it. */
export interface Question {
  readonly part: 'plain' | 'adversarial' | 'unanswerable';
  readonly language: SpeechLanguage;
  readonly text: string;
  readonly topic?: string;
}

export function questionOf(part: Question['part'], text: string, topic?: string): Question {
  return { part, language: languageOf(text), text, ...(topic && { topic }) };
}
