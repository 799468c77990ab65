import type { Grounds, ModelRequest } from '@parley/ports';
import { ownWords } from '../prompts/own-words';

const refusals: Record<Grounds['language'], string> = {
  english: 'That cannot be shared.',
  hindi: 'यह बताना संभव नहीं है।',
  marathi: 'हे सांगणे शक्य नाही.',
};
const secrets = ownWords.map((words) => words.toLowerCase());
/** So much of our own words may stand in an answer by chance; with more of them it waits for what comes next. */
const chanceLetters = 8;
const keptLetters = Math.max(...secrets.map(({ length }) => length));
const address = /\b(?:https?:\/\/|www\.)\S*/giu;
/** The beginning of an address at the very end of what came. */
const openAddress = /(?<![\p{L}\p{N}])(?:h|ht|htt|https?:?\/?|https?:\/\/\S*|w|ww|www|www\.\S*)$/iu;
const closing = /[.,;:!?)\]}'"*_>]+$/u;

/**
 * Stands between a model and whoever hears it. An answer ends where it begins to recite the instructions of its prompt, and an
 * address that neither the prompt nor a tool has named is left out: a model that was talked into it could send away with such a
 * link what it knows. Holds text back only while that may be the beginning of either.
 */
export class AnswerGuard {
  private held = '';
  private passed = '';
  private readonly known: string;
  hasStopped = false;

  constructor(private readonly request: ModelRequest) {
    this.known = [request.system, ...request.messages.map(({ text }) => text)].join('\n').toLowerCase();
  }

  /** What of the answer so far may leave now. */
  take(text: string): string {
    this.held += text;
    return this.release(this.held.length - this.doubtfulLetters());
  }

  /** What is left when nothing follows. */
  rest(): string {
    return this.release(this.held.length);
  }

  private release(letters: number): string {
    const recited = this.recitedFrom();
    if (recited !== undefined) return this.stop(recited);
    const text = this.held.slice(0, letters).replace(address, (found) => this.named(found));
    this.held = this.held.slice(letters);
    this.passed = (this.passed + text).slice(-keptLetters);
    return text;
  }

  /** Where in what is held our own words begin, of which a few letters may have left already. */
  private recitedFrom(): number | undefined {
    if (this.hasStopped) return 0;
    const said = (this.passed + this.held).toLowerCase();
    const places = secrets.map((words) => said.indexOf(words)).filter((place) => place >= 0);
    return places.length > 0 ? Math.max(0, Math.min(...places) - this.passed.length) : undefined;
  }

  private stop(place: number): string {
    const before = this.hasStopped ? '' : `${this.held.slice(0, place)}${refusals[this.request.grounds.language]}`;
    this.hasStopped = true;
    this.held = '';
    return before;
  }

  private doubtfulLetters(): number {
    const link = openAddress.exec(this.held)?.[0].length ?? 0;
    const said = (this.passed + this.held).toLowerCase();
    const begun = secrets.map((words) => begunLetters(said, words));
    return Math.min(this.held.length, Math.max(link, ...begun));
  }

  private named(found: string): string {
    const punctuation = closing.exec(found)?.[0] ?? '';
    const bare = found.slice(0, found.length - punctuation.length).replace(/^https?:\/\/|\/$/giu, '');
    return this.known.includes(bare.toLowerCase()) ? found : punctuation;
  }
}

/** How many letters at the end of what was said are the beginning of these words; none as long as that may be chance. */
function begunLetters(said: string, words: string): number {
  for (let letters = Math.min(words.length - 1, said.length); letters >= chanceLetters; letters--) {
    if (said.endsWith(words.slice(0, letters))) return letters;
  }
  return 0;
}
