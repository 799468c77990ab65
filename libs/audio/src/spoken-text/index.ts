import { speakableEnglish } from './english';
import { speakableHindi } from './hindi';
import { speakableMarathi } from './marathi';

export { SentenceCutter, sentencesOf } from './sentences';
export { withoutMarkup } from './without-markup';
export { speakableEnglish, speakableHindi, speakableMarathi };

/** Text as a voice of that language can read it aloud. */
export const speakableIn = { english: speakableEnglish, hindi: speakableHindi, marathi: speakableMarathi };
