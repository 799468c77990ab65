import { beginsWithBar, isTableRow, tableSaid } from './tables';

// Marks are tried from the first of a run: from each of a thousand question marks it would take quadratic time.
const end = /(?<![.!?…])[.!?…]+["'”’)\]]*(?=\s)|[।॥]+["'”’)\]]*|(?<![!?])[!?]+["'”’)\]]*$|\n+/gu;
// A dot after one of these ends no sentence: titles, initials, numbers of a list.
const unfinished =
  /(?:^\d{1,3}|(?:^|[\s("'])(?:Dr|Mr|Mrs|Ms|Prof|St|Shri|Smt|Sr|Jr|vs|approx|e\.g|i\.e|Pvt|Ltd(?=\.\s\p{Ll})|Rs|[ap]\.m|डॉ|श्री|प्रो|सौ|प्रा|रु|कि|क्र|नं|संध्या|दु|ता|मो|(?:\p{Lu}\.)*\p{Lu}))\.$/u;
// `No.` before a figure is a number, and otherwise an answer.
const maybeNumber = /(?:^|\s)[Nn]o\.$/;
const lengthMax = 300;

const leadMax = 300;

/**
 * Cuts streamed text into sentences, as early as each is certain. Tables become a few spoken sentences: readers of the text see
 * all of it.
 */
export class SentenceCutter {
  private held = '';
  /** Rows of a table that may continue. */
  private readonly rows: string[] = [];
  /** The last sentence, which decides the language in which a table is spoken. */
  private lead = '';

  /** The sentences that this piece completes. A dot at the very end waits for what follows it. */
  push(piece: string): string[] {
    this.held += piece;
    const sentences: string[] = [];
    let from = 0;
    for (const match of this.held.matchAll(end)) {
      const to = match.index + match[0].length;
      const sentence = this.held.slice(from, to);
      if (beginsWithBar(sentence) && !match[0].includes('\n')) continue;
      if (unfinished.test(sentence.trim())) continue;
      if (maybeNumber.test(sentence) && /^\s+(?:\d|$)/.test(this.held.slice(to))) continue;
      if (/^[!?]/.test(match[0]) && to === this.held.length) continue;
      sentences.push(...this.told(sentence));
      from = to;
    }
    this.held = this.held.slice(from);
    if (this.rows.length > 0 && /^\s*[^\s|]/u.test(this.held) && this.rows.every(beginsWithBar)) sentences.push(...this.table());
    if (this.held.length <= lengthMax || beginsWithBar(this.held)) return sentences;
    const parts = shortened(this.held);
    this.held = parts.pop() ?? '';
    return [...sentences, ...parts];
  }

  /** Text said earlier or cut elsewhere: a table after it is spoken in its language. */
  follow(said: string): void {
    this.lead = `${this.lead} ${said}`.slice(-leadMax);
  }

  /** The remainder at the end of the text. */
  flush(): string[] {
    const rest = [...this.told(this.held), ...this.table()];
    this.held = '';
    return rest;
  }

  /** A row waits for the rest of its table, and anything else comes behind the table before it. */
  private told(sentence: string): string[] {
    if (isTableRow(sentence)) {
      this.rows.push(sentence);
      return [];
    }
    const table = this.table();
    this.follow(sentence);
    return [...table, ...shortened(sentence)];
  }

  private table(): string[] {
    const rows = this.rows.splice(0);
    return rows.length === 0 ? [] : tableSaid(rows, this.lead).flatMap(shortened);
  }
}

/** The sentences of a whole text, none longer than 300 characters. */
export function sentencesOf(text: string): string[] {
  const cutter = new SentenceCutter();
  return [...cutter.push(text), ...cutter.flush()];
}

/** A sentence without margins; an endless one in parts, cut after a comma where there is one, else between words. */
function shortened(sentence: string): string[] {
  let rest = sentence.trim();
  const parts: string[] = [];
  while (rest.length > lengthMax) {
    const head = rest.slice(0, lengthMax);
    const comma = Math.max(head.lastIndexOf(', '), head.lastIndexOf('; '), head.lastIndexOf(': '));
    const space = head.lastIndexOf(' ');
    const cut = comma > lengthMax / 3 ? comma + 1 : space > 0 ? space : lengthMax;
    parts.push(rest.slice(0, cut).trim());
    rest = rest.slice(cut).trim();
  }
  return [...parts, rest].filter((part) => /[\p{L}\p{N}]/u.test(part));
}
