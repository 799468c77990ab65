import { setImmediate as others } from 'node:timers/promises';
import { type Grounds, type ModelRequest, unknownMark } from '@parley/ports';
import { ownWords } from '../prompts/own-words';
import { addressesIn, doubtfulLettersOf, withoutStrangeAddresses } from './addresses';

const refusals: Record<Grounds['language'], string> = {
  english: 'That cannot be shared.',
  hindi: 'यह बताना संभव नहीं है।',
  marathi: 'हे सांगणे शक्य नाही.',
};
const secrets = ownWords.map((words) => words.toLowerCase());
/** So much of our own words may stand in an answer by chance; with more of them it waits for what comes next. */
const chanceLetters = 8;
const keptLetters = Math.max(500, ...secrets.map(({ length }) => length));
const mark = new RegExp(`\\s*${unknownMark.replace(/[[\]]/gu, '\\$&')}`, 'giu');
/** The beginning of the mark at the very end of what came. */
const openMark = /\s*\[(?:u|un|unk|unkn|unkno|unknow|unknown)?$/iu;

/** What is judged at once. Models say a few letters at a time; whatever speaks like one may send a megabyte. */
const pieceLetters = 1_000;

/** A text as a guard takes it, however much came at once: everything else on the event loop has its turn in between. */
export async function* inPieces(text: string): AsyncGenerator<string> {
  for (let [from, to] = [0, 0]; from < text.length; from = to) {
    if (from > 0) await others();
    to = from + pieceLetters;
    // Not between the two halves of one letter.
    if (/[\uD800-\uDBFF]/.test(text.charAt(to - 1))) to += 1;
    yield text.slice(from, to);
  }
}

/**
 * Stands between a model and whoever hears it. An answer ends where it begins to recite the instructions of its prompt, and an
 * address that neither the prompt nor a tool has named is left out: a model that was talked into it could send away with such a
 * link what it knows. The mark of an answer
 * that does not know is noted and not heard. Holds text back only while that may be the beginning of any of them.
 */
export class AnswerGuard {
  private held = '';
  private passed = '';
  private readonly known: ReadonlySet<string>;
  hasStopped = false;
  /** Whether the model has marked its answer as one that does not know. */
  saysUnknown = false;

  constructor(private readonly request: ModelRequest) {
    this.known = addressesIn([request.system, request.turn ?? '', ...request.messages.map(({ text }) => text)].join('\n'));
  }

  /** What of the answer so far may leave now. */
  take(text: string): string {
    this.held += text;
    this.noteMark();
    return this.release(this.held.length - this.doubtfulLetters());
  }

  /** What is left when nothing follows. */
  rest(): string {
    this.noteMark();
    return this.release(this.held.length);
  }

  private noteMark(): void {
    const without = this.held.replace(mark, '');
    if (without.length < this.held.length) this.saysUnknown = true;
    this.held = without;
  }

  private release(letters: number): string {
    const recited = this.recitedFrom();
    if (recited !== undefined) return this.stop(recited);
    const begun = this.begunWord();
    const text = withoutStrangeAddresses(begun + this.held.slice(0, letters), this.known).slice(begun.length);
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
    const link = doubtfulLettersOf(this.begunWord() + this.held);
    const said = (this.passed + this.held).toLowerCase();
    const begun = secrets.map((words) => begunLetters(said, words));
    const marked = openMark.exec(this.held)?.[0].length ?? 0;
    return Math.min(this.held.length, Math.max(link, marked, ...begun));
  }

  /** What has left of the word that what is held goes on with. */
  private begunWord(): string {
    return /\S*$/u.exec(this.passed)?.[0] ?? '';
  }
}

/** How many letters at the end of what was said are the beginning of these words; none as long as that may be chance. */
function begunLetters(said: string, words: string): number {
  for (let letters = Math.min(words.length - 1, said.length); letters >= chanceLetters; letters--) {
    if (said.endsWith(words.slice(0, letters))) return letters;
  }
  return 0;
}
