import { type Block, limits, Refused, type RowBlock } from './parsed-file.ts';
import { RowContext } from './row-context.ts';

/** A piece of a document that can be found and understood on its own. */
export interface Chunk {
  readonly text: string;
  readonly page?: number;
  readonly row?: number;
  readonly sheet?: string;
  readonly heading?: string;
}

interface Sizes {
  readonly tokens: number;
  /** What the end of a chunk shares with the beginning of the next, so that no sentence loses its context. */
  readonly overlapTokens: number;
  readonly rowTokens: number;
}

const usual: Sizes = { tokens: 180, overlapTokens: 30, rowTokens: 90 };
const sentenceEnd = /(?<=[.!?।॥])\s+|\n+/u;
const wordsPerCut = 60;
/** Longer headings and column names are cut, because they are repeated in every chunk below them. */
const labelLettersMax = 200;

/** Cuts a document where a reader would pause: at headings, after sentences, between table rows. */
export class Chunker {
  private readonly sizes: Sizes;
  private headings: string[] = [];
  /** The headings of a document that has had nothing else so far. */
  private alone: string[] | undefined = [];
  private sentences: string[] = [];
  private rows: string[] = [];
  private readonly context = new RowContext();
  /** The context of the collected rows: the name of their sheet, and the line that starts their section. */
  private overRows: readonly string[] = [];
  private place: Omit<Chunk, 'text' | 'heading'> = {};
  private characters = 0;

  constructor(sizes: Sizes = usual) {
    this.sizes = sizes;
  }

  *add(block: Block): Generator<Chunk> {
    for (const told of this.context.read(block)) yield* this.take(told);
  }

  private *take(block: Block): Generator<Chunk> {
    if (block.kind === 'heading') this.alone?.push(block.text);
    else this.alone = undefined;
    if (block.kind === 'row') {
      yield* this.endText();
      yield* this.addRow(block);
      return;
    }
    yield* this.endRows();
    if (block.kind === 'heading') {
      yield* this.endText();
      this.headings = [...this.headings.slice(0, block.level - 1), block.text.slice(0, labelLettersMax)];
    } else yield* this.addText(block.text, block.page);
  }

  *end(): Generator<Chunk> {
    for (const told of this.context.end()) yield* this.take(told);
    if (this.alone) {
      this.headings = [];
      for (const text of this.alone) yield* this.addText(text, undefined);
    }
    yield* this.endText();
    yield* this.endRows();
  }

  private *addText(text: string, page: number | undefined): Generator<Chunk> {
    for (const sentence of sentencesOf(text, this.sizes.tokens)) {
      if (estimatedTokens([...this.sentences, sentence].join(' ')) > this.sizes.tokens) {
        yield* this.flush();
        this.sentences = this.overlap();
      }
      if (this.sentences.length === 0 || this.place.page === undefined) this.place = page === undefined ? {} : { page };
      this.sentences.push(sentence);
    }
  }

  /** The last sentences again, as far as they fit. */
  private overlap(): string[] {
    const kept: string[] = [];
    for (const sentence of this.sentences.toReversed()) {
      if (estimatedTokens([sentence, ...kept].join(' ')) > this.sizes.overlapTokens) break;
      kept.unshift(sentence);
    }
    this.place = {};
    return kept;
  }

  private *addRow({ header, cells, row, sheet, section }: RowBlock): Generator<Chunk> {
    // A semicolon separates cells in the line, so cells must contain none.
    const values = cells.map((cell) => cell.replace(/;(?=\s|$)/gu, ','));
    const line =
      pairIn(header, values) ??
      values
        .map((cell, column) => (cell !== '' && header[column] ? `${header[column].slice(0, labelLettersMax)}: ${cell}` : cell))
        .filter((cell) => cell !== '')
        .join('; ');
    if (line === '') return;
    const over = [sheet !== undefined && !unnamedSheet.test(sheet) ? sheet : '', section?.slice(0, labelLettersMax) ?? ''];
    const isElsewhere = this.place.sheet !== sheet || over.join('\n') !== this.overRows.join('\n');
    if (isElsewhere || estimatedTokens([...this.rows, line].join('\n')) > this.sizes.rowTokens) yield* this.endRows();
    if (this.rows.length === 0) [this.place, this.overRows] = [{ row, ...(sheet !== undefined && { sheet }) }, over];
    // Rows that people wrote stay whole; only absurdly long ones are cut.
    if (estimatedTokens(line) > this.sizes.tokens * 4) yield* this.inParts(line);
    else this.rows.push(line);
  }

  private *inParts(line: string): Generator<Chunk> {
    let part: string[] = [];
    let tokens = 0;
    for (const sentence of sentencesOf(line, this.sizes.tokens)) {
      const more = estimatedTokens(sentence) + 1;
      if (part.length > 0 && tokens + more > this.sizes.tokens) {
        yield this.chunk(part.join(' '), this.overRows);
        [part, tokens] = [[], 0];
      }
      part.push(sentence);
      tokens += more;
    }
    if (part.length > 0) yield this.chunk(part.join(' '), this.overRows);
  }

  private *endText(): Generator<Chunk> {
    if (this.sentences.length === 0) return;
    yield* this.flush();
    this.sentences = [];
    this.place = {};
  }

  private *flush(): Generator<Chunk> {
    if (this.sentences.length > 0) yield this.chunk(this.sentences.join(' '));
  }

  private *endRows(): Generator<Chunk> {
    if (this.rows.length > 0) yield this.chunk(this.rows.join('\n'), this.overRows);
    this.rows = [];
  }

  private chunk(body: string, over: readonly string[] = []): Chunk {
    const heading = [...this.headings, ...over].filter(Boolean).join(' › ');
    const text = heading === '' ? body : `${heading}\n${body}`;
    this.characters += text.length;
    if (this.characters > limits.piecedCharacters) throw new Refused(tooLong);
    return { text, ...this.place, ...(heading !== '' && { heading }) };
  }
}

const tooLong = `The document has more than ${limits.piecedCharacters} characters, its headings and overlaps counted with each piece.`;

/** Default sheet names mean nothing. */
const unnamedSheet = /^(?:sheet|tabelle|feuil(?:le)?|hoja|foglio|planilha|blad|лист|शीट|पत्रक)[ _]?\d*$/iu;

/** Two cells without a header are a name and its value: `Phone: 0253 555 0142`. */
function pairIn(header: readonly string[], cells: readonly string[]): string | undefined {
  const [name = '', value, ...more] = cells.filter((cell) => cell !== '');
  const isPair = header.length === 0 && value !== undefined && more.length === 0 && /^\P{N}*$/u.test(name);
  return isPair && name.length <= labelLettersMax ? `${name.replace(/\s*:$/u, '')}: ${value}` : undefined;
}

/** The sentences of a text; one that is too long for a chunk is cut into parts. */
function sentencesOf(text: string, tokensMax: number): string[] {
  return text.split(sentenceEnd).flatMap((sentence) => {
    const trimmed = sentence.replace(/\s+/g, ' ').trim();
    if (trimmed === '') return [];
    return estimatedTokens(trimmed) <= tokensMax ? [trimmed] : cutWords(trimmed, tokensMax);
  });
}

/** Parts of up to sixty words. Writing without blanks is cut into words of 200 letters, of which fewer fit. */
function cutWords(sentence: string, tokensMax: number): string[] {
  const parts: string[] = [];
  let part: string[] = [];
  let tokens = 0;
  for (const word of sentence.split(' ').flatMap((long) => long.match(/.{1,200}/gu) ?? [])) {
    const more = estimatedTokens(`${word} `);
    if (part.length === wordsPerCut || (part.length > 0 && tokens + more > tokensMax)) {
      parts.push(part.join(' '));
      [part, tokens] = [[], 0];
    }
    part.push(word);
    tokens += more;
  }
  return [...parts, part.join(' ')];
}

const charactersPerLatinToken = 4;
const charactersPerDevanagariToken = 1.6;

/** Roughly how many tokens a text takes in a prompt, rather too many than too few: no tokenizer fits every model. */
export function estimatedTokens(text: string): number {
  const devanagari = text.match(/[\u0900-\u097f]/gu)?.length ?? 0;
  return Math.ceil(devanagari / charactersPerDevanagariToken + (text.length - devanagari) / charactersPerLatinToken);
}
