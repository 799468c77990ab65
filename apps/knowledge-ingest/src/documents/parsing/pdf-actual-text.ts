import { inflateSync } from 'node:zlib';
import { WorkBudget } from './parsed-file.ts';
import type { PlacedText } from './pdf-lines.ts';

/** A marked span of a page, in opening order, with the text that its author gave for it. */
export interface MarkedSpan {
  readonly tag: string;
  readonly actualText?: string;
}

/** What the PDF engine reports of a page: text, and where marked spans begin and end. */
export type PageItem = PlacedText | { readonly type: string; readonly tag?: string | null };

const contentBytesMax = 32 * 1024 * 1024;
const actualTextBytesMax = 2_000;

/**
 * The page's text, with the text of spans replaced by their `ActualText`. The engine reports where spans are, but not their text:
 * if its spans differ from those read from the page, no replacement is made.
 */
export function withActualText(items: readonly PageItem[], spans: readonly MarkedSpan[]): PlacedText[] {
  const opened = items.flatMap((item) => ('type' in item && item.type !== 'endMarkedContent' ? [item.tag] : []));
  const isSame = opened.length === spans.length && opened.every((tag, place) => tag === spans[place]?.tag);
  const shown = items.flatMap((item) => ('str' in item && item.str.trim() !== '' ? [item.str] : []));
  const page: PlacedText[] = [];
  const open: BegunSpan[] = [];
  let [next, place] = [0, 0];
  const close = (): void => {
    const closed = open.pop();
    // Checked before anything else, since spans may be nested a hundred thousand deep.
    if (closed?.said === undefined || page.length - closed.from > textsMin + closed.said.length * textsPerLetterMax) return;
    const beside = (shown[closed.place - 1] ?? '').slice(-lettersBeside) + (shown[place] ?? '').slice(0, lettersBeside);
    page.push(...saidBy(closed.said, page.splice(closed.from), beside));
  };
  for (const item of items) {
    if ('str' in item) {
      page.push(item);
      if (item.str.trim() !== '') place += 1;
    } else if (item.type === 'endMarkedContent') close();
    else open.push({ said: isSame ? spans[next++]?.actualText : undefined, from: page.length, place });
  }
  while (open.length > 0) close();
  return withMarks(page);
}

interface BegunSpan {
  readonly said: string | undefined;
  /** The index of its first text among those of the page. */
  readonly from: number;
  /** Of its first text among those that are shown. */
  readonly place: number;
}

/** Joins marks that are placed separately to the text before them. */
function withMarks(texts: readonly PlacedText[]): PlacedText[] {
  const whole: PlacedText[] = [];
  for (const item of texts) {
    const last = whole.at(-1);
    if (last && isMarkOf(last, item)) whole[whole.length - 1] = { ...last, str: last.str + item.str };
    else whole.push(item);
  }
  return whole;
}

/** Scripts of India, whose letters change their shapes and places, so that fonts cannot tell them. */
const indic = /[\u0900-\u0963\u0966-\u0dff]/u;
const otherLetters = /[^\P{L}\u0900-\u0dff]/gu;
const digits = /\p{N}/gu;
const lettersPerSquareMax = 6;
const lettersMin = 8;
const clusters = new Intl.Segmenter('hi', { granularity: 'grapheme' });
const otherLettersMax = 3;
const lettersBeside = 3;
/** A letter may be drawn in parts, each of which the engine reports separately. */
const textsPerLetterMax = 4;
const textsMin = 8;
/** Characters that cannot be stored or are invisible, except the two joiners, which shape Indic letters. */
const unseen = /(?![\u200c\u200d])\p{C}|\ufffd/u;

/** A mark that is placed separately, at the end of the text it belongs to. */
function isMarkOf(last: PlacedText, { str, transform: [, , , , left = 0, bottom = 0] }: PlacedText): boolean {
  const [, , , , x = 0, y = 0] = last.transform;
  const isNear = Math.abs(x + last.width - left) < last.height / 2 && Math.abs(bottom - y) < last.height;
  return isNear && /^\p{Mn}+$/u.test(str) && indic.test(str) && indic.test(last.str.slice(-1));
}

/** A span as one text where its author may be believed: in a script of India over shapes of it or of none, on one line, of their figures. */
function saidBy(said: string, texts: readonly PlacedText[], beside: string): readonly PlacedText[] {
  const seen = texts.filter(({ str }) => str.trim() !== '');
  const shown = seen.map(({ str }) => str).join('');
  if (!isOf(said, shown, beside)) return texts;
  const place = placeOf(seen.length > 0 ? seen : texts);
  if (!place || said.length > lettersMin + (place.width / Math.max(place.height, 1)) * lettersPerSquareMax) return texts;
  // Blanks are the space before the span, which the engine reports after the span has begun.
  return [...(seen.length > 0 ? texts.filter((text) => !seen.includes(text)) : []), { ...place, str: said }];
}

/**
 * Fonts may map the glyphs of a cluster to letters of another alphabet or to digits. If the neighbouring text is Indic, the
 * span's text is used for a single cluster with a few such letters.
 */
function isOf(said: string, shown: string, beside: string): boolean {
  if (!indic.test(said) || countOf(said, otherLetters) > 0 || unseen.test(said)) return false;
  if (figuresOf(said) !== '' && figuresOf(said) !== figuresOf(shown)) return false;
  const others = countOf(shown, otherLetters);
  return others === 0 || (others <= otherLettersMax && indic.test(shown + beside) && [...clusters.segment(said)].length === 1);
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
const figuresOf = (text: string): string => (text.match(digits) ?? []).join('');

/** The combined position of adjacent texts. */
function placeOf(texts: readonly PlacedText[]): PlacedText | undefined {
  const [first] = texts;
  if (!first) return undefined;
  const [a = 1, b = 0, , , x = 0, y = 0] = first.transform;
  const scale = Math.hypot(a, b) || 1;
  const height = Math.max(...texts.map((text) => text.height));
  const placed = texts.map(({ transform: [, , , , left = 0, bottom = 0], width }) => {
    const [right, up] = [left - x, bottom - y];
    const from = (right * a + up * b) / scale;
    return { from, to: from + width, isBeside: Math.abs(up * a - right * b) / scale <= height };
  });
  if (!placed.every(({ isBeside }) => isBeside)) return undefined;
  const [from, to] = [Math.min(...placed.map((text) => text.from)), Math.max(...placed.map((text) => text.to))];
  const transform = [...first.transform.slice(0, 4), x + (from * a) / scale, y + (from * b) / scale];
  return { ...first, transform, width: to - from, height };
}

/** The marked spans of a PDF's pages, read from the page content because the engine does not report their text. */
export class MarkedSpans {
  private readonly file: Buffer;
  private readonly budget: WorkBudget;
  private places?: ReadonlyMap<number, number>;
  private packed?: ReadonlyMap<number, string>;

  constructor(file: Buffer) {
    this.file = file;
    this.budget = new WorkBudget('pdfBytes', file.length);
  }

  /** The spans of the page with this object number; none if its content cannot be read here. */
  ofPage(object: number): MarkedSpan[] {
    const contents = /\/Contents\s*(\[[^\][]*\]|\d+\s+\d+\s+R)/u.exec(this.dictionaryOf(object))?.[1];
    const listed =
      contents && !contents.startsWith('[')
        ? /^\s*\[[^\][]*\]/u.exec(this.dictionaryOf(referencesIn(contents)[0]))?.[0]
        : undefined;
    return spansIn(this.contentOfAll(referencesIn(listed ?? contents ?? '')));
  }

  /** The streams of a page, read as one; nothing if one of them cannot be read or they are too large together. */
  private contentOfAll(references: readonly number[]): string {
    if (references.length > streamsMax) return '';
    const streams: string[] = [];
    let room = contentBytesMax;
    for (const reference of references) {
      const content = this.contentOf(reference, room);
      if (content === undefined) return '';
      // Counted apart from what the engine reads, which stops at an error.
      this.budget.spend(content.length);
      room -= content.length;
      streams.push(content);
    }
    return streams.join('\n');
  }

  /** An object without its stream. */
  private dictionaryOf(object: number | undefined): string {
    if (object === undefined) return '';
    this.places ??= placesOfObjects(this.file);
    const at = this.places.get(object);
    if (at === undefined) return this.packedObjects().get(object) ?? '';
    const text = this.file.toString('latin1', at, at + dictionaryBytesMax);
    return text.split(/\bstream\r?\n|endobj/u, 1)[0] ?? '';
  }

  /** The content of a stream; undefined if it cannot be read here or is too large. */
  private contentOf(object: number, bytesMax: number): string | undefined {
    const dictionary = this.dictionaryOf(object);
    const at = this.places?.get(object);
    if (at === undefined || bytesMax <= 0) return undefined;
    const begins = this.file.indexOf('stream', at + dictionary.length);
    const data = begins + (this.file[begins + 6] === 0x0d ? 8 : 7);
    if (!/\/Filter/u.test(dictionary)) {
      const end = this.file.indexOf('endstream', data);
      return end < 0 || end - data > bytesMax ? undefined : this.file.toString('latin1', data, end);
    }
    if (!/\/Filter\s*(?:\/FlateDecode|\[\s*\/FlateDecode\s*\])/u.test(dictionary)) return undefined;
    try {
      return inflateSync(this.file.subarray(data), { maxOutputLength: bytesMax }).toString('latin1');
    } catch {
      return undefined;
    }
  }

  /** Objects within object streams, as newer programs write them. */
  private packedObjects(): ReadonlyMap<number, string> {
    if (this.packed) return this.packed;
    const packed = new Map<number, string>();
    let room = contentBytesMax;
    for (const [object, at] of this.places ?? []) {
      const dictionary = this.file.toString('latin1', at, at + packedDictionaryBytesMax);
      if (!dictionary.includes('/ObjStm')) continue;
      const first = Number(/\/First\s+(\d+)/u.exec(dictionary)?.[1]);
      if (!/\/Type\s*\/ObjStm/u.test(dictionary) || Number.isNaN(first)) continue;
      const content = this.contentOf(object, room);
      if (content === undefined) continue;
      room -= content.length;
      const heads = [...content.slice(0, first).matchAll(/(?<!\d)(\d+)\s+(\d+)/gu)];
      for (const [place, [, number, from]] of heads.entries()) {
        const to = heads[place + 1]?.[2];
        packed.set(
          Number(number),
          content.slice(first + Number(from), to === undefined ? undefined : first + Number(to)).slice(0, dictionaryBytesMax),
        );
      }
    }
    this.packed = packed;
    return packed;
  }
}

const dictionaryBytesMax = 20_000;
/** For an object stream, whose dictionary is short. */
const packedDictionaryBytesMax = 1_000;
const objectsMax = 1_000_000;
const streamsMax = 200;
const referencesIn = (text: string): number[] =>
  [...text.matchAll(/(?<!\d)(\d+)\s+\d+\s+R/gu)].map(([, number]) => Number(number));

/** The offset of each object's content. If several have the same number the last counts, as for updates appended to a file. */
function placesOfObjects(file: Buffer): Map<number, number> {
  const places = new Map<number, number>();
  let count = 0;
  for (let at = file.indexOf(' obj'); at >= 0; at = file.indexOf(' obj', at + 4)) {
    if ((count += 1) > objectsMax) return new Map();
    const number = /(?<!\d)(\d{1,9})\s+\d{1,5}$/u.exec(file.toString('latin1', Math.max(0, at - 24), at))?.[1];
    if (number !== undefined) places.set(Number(number), at + 4);
  }
  return places;
}

/** Comments, names, hexadecimal strings, brackets and operators. Strings in parentheses can nest, so they are parsed by hand. */
const token = /%[^\r\n]*|\/[^\s()<>[\]{}/%]*|<<|>>|<[^<>]*>|\(|[[\]{}]|[^\s()<>[\]{}/%]+/gu;
const spansMax = 200_000;

function spansIn(content: string): MarkedSpan[] {
  const spans: MarkedSpan[] = [];
  if (!content.includes('ActualText')) return spans;
  let [tag, key, depth] = ['', '', 0];
  let actualText: string | undefined;
  token.lastIndex = 0;
  for (let found = token.exec(content); found && spans.length < spansMax; found = token.exec(content)) {
    const [piece] = found;
    if (piece === '<<') depth += 1;
    else if (piece === '>>') depth -= 1;
    else if (piece.startsWith('/')) [tag, key] = depth === 0 && key === '' ? [piece.slice(1), piece] : [tag, piece];
    else if (piece === '(' || piece.startsWith('<')) {
      const bytes = piece === '(' ? literalFrom(content) : Buffer.from(piece.replace(/[^\da-f]/giu, ''), 'hex');
      if (key === '/ActualText' && depth === 1) actualText = lettersOf(bytes);
    } else if (/^[A-Za-z'"*]/u.test(piece) && depth === 0) {
      if (piece === 'BDC' || piece === 'BMC') spans.push({ tag, ...(actualText !== undefined && { actualText }) });
      if (piece === 'ID') token.lastIndex = endOfImage(content, token.lastIndex);
      [tag, key, actualText] = ['', '', undefined];
    }
  }
  return spans;
}

function endOfImage(content: string, from: number): number {
  const end = content.slice(from).search(/\sEI(?=\s|$)/u);
  return end < 0 ? content.length : from + end;
}

/** The bytes of a string in parentheses, after the opening one. */
function literalFrom(content: string): Buffer {
  const part = /\\([0-7]{1,3}|\r\n|[^])|[()]|[^\\()]+/uy;
  const bytes: Buffer[] = [];
  let depth = 1;
  part.lastIndex = token.lastIndex;
  for (let found = part.exec(content); found; found = part.exec(content)) {
    const [piece, escaped] = found;
    if (piece === '(') depth += 1;
    if (piece === ')') depth -= 1;
    if (depth === 0) break;
    bytes.push(Buffer.from(escaped === undefined ? piece : escapedByte(escaped), 'latin1'));
  }
  token.lastIndex = part.lastIndex || content.length;
  return Buffer.concat(bytes);
}

const escapes = new Map(Object.entries({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '\n': '', '\r': '', '\r\n': '' }));
const escapedByte = (escaped: string): string =>
  /^[0-7]/u.test(escaped) ? String.fromCodePoint(Number.parseInt(escaped, 8) % 256) : (escapes.get(escaped) ?? escaped);

/** Text without a byte order mark is in an encoding without Indic letters, so it is not needed. */
function lettersOf(bytes: Buffer): string | undefined {
  if (bytes.length > actualTextBytesMax) return undefined;
  const [encoding, mark] =
    bytes[0] === 0xfe && bytes[1] === 0xff
      ? ['utf-16be', 2]
      : bytes[0] === 0xff && bytes[1] === 0xfe
        ? ['utf-16le', 2]
        : ['utf-8', 3];
  if (mark === 3 && !bytes.subarray(0, 3).equals(Buffer.from('efbbbf', 'hex'))) return undefined;
  return new TextDecoder(encoding).decode(bytes.subarray(mark));
}
