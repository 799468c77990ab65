import { beginsWithBar, isTableRow, tableSaid } from './tables';

// The look-behind matches only from the first mark of a run; otherwise a thousand question marks would take quadratic time.
const end = /(?<![.!?…])[.!?…]+["'”’)\]]*(?=\s)|[।॥]+["'”’)\]]*|(?<![!?])[!?]+["'”’)\]]*$|\n+/gu;
// A dot after one of these does not end a sentence: titles, initials, list numbers.
const unfinished =
  /(?:^\d{1,3}|(?:^|[\s("'])(?:Dr|Mr|Mrs|Ms|Prof|St|Shri|Smt|Sr|Jr|vs|approx|e\.g|i\.e|Pvt|Ltd(?=\.\s\p{Ll})|Rs|[ap]\.m|डॉ|श्री|प्रो|सौ|प्रा|रु|कि|क्र|नं|संध्या|दु|ता|मो|(?:\p{Lu}\.)*\p{Lu}))\.$/u;
// `No.` before a figure means number; otherwise it is an answer.
const maybeNumber = /(?:^|\s)[Nn]o\.$/;
const lengthMax = 300;

const leadMax = 300;
/** How much of a sentence's end is examined, which is longer than any abbreviation. */
const endingMax = 60;
/** A longer table row is treated as text rather than held back until its end. */
const rowMax = 2_000;

/**
 * Cuts streamed text into sentences as early as possible. Tables become a few spoken sentences, since readers of the text see all of
 * it.
 */
export class SentenceCutter {
  private held = '';
  /** The rows of a table that may continue. */
  private readonly rows: string[] = [];
  private areBarred = true;
  /** The last sentence, which determines the language of a table after it. */
  private lead = '';

  /** The sentences that this piece completes. A dot at the very end waits for the next piece. */
  push(piece: string): string[] {
    this.held += piece;
    const sentences: string[] = [];
    let from = 0;
    let isRow = beginsWithBar(this.held);
    for (const match of this.held.matchAll(end)) {
      const to = match.index + match[0].length;
      if (isRow && !match[0].includes('\n') && to - from <= rowMax) continue;
      if (!this.isFinished(from, to)) continue;
      if (/^[!?]/.test(match[0]) && to === this.held.length) continue;
      sentences.push(...this.spoken(this.held.slice(from, to)));
      from = to;
      isRow = beginsWithBar(this.held.slice(to));
    }
    this.held = this.held.slice(from);
    if (this.rows.length > 0 && this.areBarred && /^\s*[^\s|]/u.test(this.held)) sentences.push(...this.table());
    if (this.held.length <= (beginsWithBar(this.held) ? rowMax : lengthMax)) return sentences;
    const parts = shortened(this.held);
    this.held = parts.pop() ?? '';
    return [...sentences, ...parts];
  }

  /** Notes text that was cut elsewhere, which determines the language of a table after it. */
  follow(text: string): void {
    this.lead = `${this.lead} ${text}`.slice(-leadMax);
  }

  /** The sentences held back at the end of the text. */
  flush(): string[] {
    const rest = [...this.spoken(this.held), ...this.table()];
    this.held = '';
    return rest;
  }

  /** Whether a sentence ends here, rather than an abbreviation. Only its end is examined, since a sentence with many dots may be long. */
  private isFinished(from: number, to: number): boolean {
    const start = Math.max(from, to - endingMax);
    // A letter stands for the omitted part, so that the rest is not taken for the beginning of a sentence.
    const ending = `${start > from ? 'x' : ''}${this.held.slice(start, to)}`;
    if (unfinished.test(ending.trim())) return false;
    return !maybeNumber.test(ending) || !/^\s+(?:\d|$)/.test(this.held.slice(to));
  }

  /** Holds back rows until their table is complete, which then precedes other sentences. */
  private spoken(sentence: string): string[] {
    if (sentence.length <= rowMax && isTableRow(sentence)) {
      this.areBarred &&= beginsWithBar(sentence);
      this.rows.push(sentence);
      return [];
    }
    const table = this.table();
    this.follow(sentence);
    return [...table, ...shortened(sentence)];
  }

  private table(): string[] {
    const rows = this.rows.splice(0);
    this.areBarred = true;
    return rows.length === 0 ? [] : tableSaid(rows, this.lead).flatMap((sentence) => shortened(sentence));
  }
}

/** The sentences of a whole text, none longer than 300 characters. */
export function sentencesOf(text: string): string[] {
  const cutter = new SentenceCutter();
  return [...cutter.push(text), ...cutter.flush()];
}

/** A trimmed sentence; one that is too long is cut after commas, or otherwise between words. */
export function shortened(sentence: string, longest = lengthMax): string[] {
  let rest = sentence.trim();
  const parts: string[] = [];
  while (rest.length > longest) {
    const head = rest.slice(0, longest);
    const comma = Math.max(head.lastIndexOf(', '), head.lastIndexOf('; '), head.lastIndexOf(': '));
    const space = head.lastIndexOf(' ');
    const cut = comma > longest / 3 ? comma + 1 : space > 0 ? space : longest;
    parts.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  return [...parts, rest].filter((part) => /[\p{L}\p{N}]/u.test(part));
}
