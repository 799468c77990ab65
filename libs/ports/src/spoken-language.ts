/** The languages that the platform speaks and understands, as the public API spells them. */
export const spokenLanguages = ['english', 'hindi', 'marathi'] as const;
export type SpokenLanguage = (typeof spokenLanguages)[number];

/** A word and its position in the sound. */
export interface TimedWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** What kind of use an engine is good enough for. */
export type SpeechGrade = 'demo' | 'production';
