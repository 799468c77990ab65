import { setImmediate as others } from 'node:timers/promises';
import { type Grounds, type ModelRequest, unknownMark } from '@parley/ports';
import { z } from 'zod';
import { ownWords } from './compose-prompt';

const refusals: Record<Grounds['language'], string> = {
  english: 'That cannot be shared.',
  hindi: 'यह बताना संभव नहीं है।',
  marathi: 'हे सांगणे शक्य नाही.',
};
const secrets = ownWords.map((words) => words.toLowerCase());
/** This many letters of our own wording may occur in an answer by chance. A longer partial match is held back until it is decided. */
const chanceLetters = 8;
const wordingLettersMax = Math.max(...secrets.map(({ length }) => length));
const keptLetters = Math.max(500, wordingLettersMax);
/** One pattern for all of our wordings, since searching for each would cost more than the rest of the filter. */
const recited = anyOf(secrets);
const heads = anyOf(secrets.map((words) => words.slice(0, chanceLetters)));

function anyOf(words: readonly string[]): RegExp {
  return new RegExp(words.map((each) => each.replace(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)).join('|'), 'gu');
}

const mark = new RegExp(`\\s*${unknownMark.replace(/[[\]]/gu, '\\$&')}`, 'giu');
/** A possible beginning of the mark at the end of the text so far. */
const openMark = /\s*\[(?:u|un|unk|unkn|unkno|unknow|unknown)?$/iu;

/** How much is filtered at once. Models emit a few letters at a time, but one may emit a megabyte. */
const pieceLetters = 1_000;

/** Splits a text for the guard, however long it is, and yields to the event loop in between. Most texts are a word. */
export function inPieces(text: string): Iterable<string> | AsyncIterable<string> {
  return text.length <= pieceLetters ? [text] : manyPieces(text);
}

async function* manyPieces(text: string): AsyncGenerator<string> {
  for (let [from, to] = [0, 0]; from < text.length; from = to) {
    if (from > 0) await others();
    to = from + pieceLetters;
    // Never within a surrogate pair.
    if (/[\uD800-\uDBFF]/.test(text.charAt(to - 1))) to += 1;
    yield text.slice(from, to);
  }
}

/**
 * Filters a model's output. An answer is cut off where it begins to recite its prompt's instructions. Addresses that occur neither
 * in the prompt nor in a tool's result are removed, and markup is broken up: a manipulated model could otherwise leak what it knows
 * through a link or an image, or run a script in the page that shows its answer. The mark of an unknown answer is recorded and
 * removed. Text is held back only while it may be the beginning of any of these, and the result does not depend on how the output
 * was split.
 */
export class AnswerGuard {
  private held = '';
  /** A high surrogate whose low surrogate has not arrived yet. */
  private half = '';
  /** The last letter, if a joiner may follow it. */
  private last = '';
  private wordLetters = 0;
  private passed = '';
  private known: ReadonlySet<string> | undefined;
  hasStopped = false;
  /** Whether the model marked its answer as unknown. */
  saysUnknown = false;

  /** @param before What was said earlier in the turn. A space follows it, since its last word was judged and must not be extended. */
  constructor(
    private readonly request: ModelRequest,
    private readonly before = '',
  ) {}

  /** Adds text, and returns what can be sent now. */
  take(text: string): string {
    const whole = this.half + text;
    this.half = /[\uD800-\uDBFF]$/.exec(whole)?.[0] ?? '';
    // Lone surrogates are replaced, or removing the text between two of them would join them.
    const letters = whole.slice(0, whole.length - this.half.length).toWellFormed();
    const plain = inPlainLetters(this.last + letters).slice(this.last.length);
    if (plain !== '') this.last = joined.exec(this.last + plain)?.[0] ?? '';
    this.held += this.inShortWords(plain);
    this.noteMark();
    return this.release(this.held.length - this.doubtfulLetters());
  }

  /** What is said in place of what may not be. */
  get refusal(): string {
    return refusals[this.request.grounds.language];
  }

  /** What is still held back at the end of the output. */
  rest(): string {
    this.held += this.half.toWellFormed();
    this.half = '';
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
    const text = this.apart(this.harmless(this.held.slice(0, letters)));
    this.held = this.held.slice(letters);
    this.passed = (this.passed + text).slice(-keptLetters);
    return text;
  }

  private apart(text: string): string {
    return this.passed === '' && /\S$/u.test(this.before) && /^\S/u.test(text) ? ` ${text}` : text;
  }

  private harmless(text: string): string {
    const begun = this.begunWord();
    return withoutMarkup(begun + text, (bare) => this.isKnown(bare)).slice(begun.length);
  }

  /** Truncates words that are too long to be judged at once. */
  private inShortWords(text: string): string {
    return text.replace(/\s+|\S+/gu, (part) => {
      const isSpace = /^\s/u.test(part);
      const kept = isSpace ? part : part.slice(0, Math.max(0, wordLettersMax - this.wordLetters));
      this.wordLetters = isSpace ? 0 : this.wordLetters + part.length;
      return kept.replace(/[\uD800-\uDBFF]$/, '');
    });
  }

  /** The prompt is searched for addresses only at the first one in the answer, since most answers have none. */
  private isKnown(bare: string): boolean {
    const { system, turn = '', messages } = this.request;
    this.known ??= addressesIn([system, turn, ...messages.map(({ text }) => text)].join('\n'));
    return this.known.has(bare);
  }

  /** Where a recited wording begins in the held text; its first letters may already have been sent. */
  private recitedFrom(): number | undefined {
    if (this.hasStopped) return 0;
    const { sent, text } = this.lately();
    const place = text.search(recited);
    return place < 0 ? undefined : Math.max(0, place - sent);
  }

  /** The held text in lower case, preceded by the end of what was sent, in which one of our wordings may begin. */
  private lately(): { readonly sent: number; readonly text: string } {
    const sent = this.passed.slice(-wordingLettersMax).toLowerCase();
    return { sent: sent.length, text: sent + this.held.toLowerCase() };
  }

  private stop(place: number): string {
    const allowed = this.hasStopped ? '' : this.harmless(this.held.slice(0, place)).replace(/<$/u, '');
    const before = this.hasStopped ? '' : this.apart(allowed + this.refusal);
    this.hasStopped = true;
    this.held = '';
    return before;
  }

  private doubtfulLetters(): number {
    const marked = openMark.exec(this.held)?.[0].length ?? 0;
    const held = Math.min(this.held.length, Math.max(marked, begunLetters(this.lately().text)));
    const link = doubtfulLettersOf(this.begunWord() + this.held.slice(0, this.held.length - held));
    return Math.min(this.held.length, held + link);
  }

  /** The part already sent of a word that the held text continues. */
  private begunWord(): string {
    return lastWordOf(this.passed);
  }
}

/** How many letters at the end of the output match the beginning of a wording of ours; 0 if that may be chance. */
function begunLetters(said: string): number {
  heads.lastIndex = Math.max(0, said.length - wordingLettersMax);
  for (let head = heads.exec(said); head; head = heads.exec(said)) {
    const end = said.slice(head.index);
    if (secrets.some((words) => words.length > end.length && words.startsWith(end))) return end.length;
    heads.lastIndex = head.index + 1;
  }
  return 0;
}

/** Schemes that are removed with their address. Others stay as a word. */
const schemes = ['http', 'https', 'ftp', 'blob', 'javascript', 'vbscript', 'mailto', 'skype', 'whatsapp', 'intent'];
const countries =
  'ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd cf cg ch ci ck ' +
  'cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gd ge gf gg gh gi gl gm gn gp gq gr ' +
  'gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls ' +
  'lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ' +
  'ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj ' +
  'tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw';
/** Endings of file names, which are not top-level domains. */
const fileEndings = new Set('pdf doc docx txt csv xls xlsx ppt pptx jpg jpeg png gif mp3 wav html htm js json'.split(' '));

const dot = String.raw`(?:\\?[.。．｡․﹒]|%(?:25)*2e)`;
const colon = '(?::|%(?:25)*3a)';
const label = String.raw`[\p{L}\p{M}\p{N}\p{So}\u200c\u200d_-]{1,63}`;
const mailbox = String.raw`[^\s@()<>[\],;:"/\\]{1,64}@`;
/** A letter of a script that no agent speaks. A word after a dot in such letters is a domain, not a sentence without a space. */
const foreign = String.raw`(?![\p{Script=Latin}\p{Script=Devanagari}])[\p{L}\p{M}]`;
const domainEnd = String.raw`(?:${countries.replaceAll(' ', '|')}|[a-z]{3,24}|xn--[a-z0-9-]{2,59}|भारत|भारतम्|संगठन|नेट|कॉम|(?:${foreign}){2,24})`;
const slashes = String.raw`(?:[\\/]|%(?:25)*(?:2f|5c)){2}`;
const openers = 'tel|callto|facetime|sms|smsto|mms|magnet';
const forms = [
  // The target of a link or an image in Markdown.
  String.raw`\]\((?<target>[^\s)]*)(?<end>\)?)`,
  // A known scheme, with slashes or without, and `www.`.
  String.raw`(?<![\p{L}\p{N}])(?:(?:${schemes.join('|')}|data(?=${colon}\w+/))${colon}|www\.)\S+`,
  String.raw`(?<![\p{L}\p{N}])${slashes}\S+`,
  // Any other scheme, an IP address with a path or port, a mailbox, a domain.
  String.raw`(?<rest>[a-z][a-z0-9+-]{0,30}${colon}${slashes}\S+|` +
    String.raw`(?<![\d.])\d{1,3}(?:${dot}\d{1,3}){3}[/:]\S+|${mailbox}\d{1,3}(?:${dot}\d{1,3}){3}|\[[0-9a-f:.]{3,45}\][/:]\S+|` +
    String.raw`(?:${mailbox})?(?:${label}${dot}){1,10}${domainEnd}(?![\p{L}\p{N}_-])(?::\d+)?(?:[/?#\\]\S*)?)`,
  // What opens a telephone or another program. A space turns it into text: "Tel: 5550100".
  String.raw`(?<![\p{L}\p{N}])(?<opener>(?:${openers})${colon})\S+`,
];
const address = new RegExp(forms.join('|'), 'giu');
/** Styled letters, which browsers read as plain ones: 𝗯𝗼𝗹𝗱, ⓒⓘⓡⓒⓛⓔⓓ, ｗｉｄｅ. */
const styled = /[\u{1D400}-\u{1D7FF}\u24B6-\u24E9\u{1F110}-\u{1F149}\uFF01-\uFF5E]/gu;
/** Characters that are invisible or reverse text, and so disguise a word. */
const invisible =
  /(?![\u200C\u200D\t\n\r])[\p{Cf}\p{Cc}\u034F\u115F\u1160\u17B4\u17B5\u3164\uFFA0\uFE00-\uFE0E\u{E0100}-\u{E01EF}]/gu;
/** What makes an emoji of the letter before it. After another letter it is invisible. */
const strayVariants = /(?<!\p{Extended_Pictographic})\uFE0F/gu;
/** Joiners are kept only within Devanagari and emoji. Invisible characters are removed first, as if they had come in an earlier piece. */
const strayJoiners = /(?<![\p{Script=Devanagari}\p{Extended_Pictographic}\uFE0F])[\u200C\u200D]/gu;
const joined = /(?:\p{Script=Devanagari}|\p{Extended_Pictographic}\uFE0F?)$/u;

function inPlainLetters(text: string): string {
  return text
    .replace(invisible, '')
    .replace(strayVariants, '')
    .replace(strayJoiners, '')
    .replace(styled, (letter) => letter.normalize('NFKC'));
}

/** Characters from which on a word may be an address. */
const doubtful = /[.@:\\/\]&%<。．｡․﹒]/u;
const doubtfulLetters = new RegExp(doubtful, 'gu');
const begunScheme = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${[...new Set([...schemes, 'data', 'www'].flatMap((scheme) => [...scheme].map((_, at) => scheme.slice(0, at + 1))))].join('|')})$`,
  'iu',
);
const closing = /[.,;:!?)\]}'"*_>।]+$/u;
/** Longer than any real word. */
const wordLettersMax = 4_000;
/** Longer than any address in a prompt. */
const addressLettersMax = 2_000;
const knownLettersMax = 60_000;

/** The addresses in a text, for comparison: each as written, and its host alone. */
function addressesIn(text: string): Set<string> {
  const found = [...doubtfulWordsOf(text).matchAll(address)].map(([whole, target]) => bareOf(target ?? whole));
  return new Set(found.flatMap((bare) => (opened.test(bare) ? [bare] : [bare, hostOf(bare)])));
}

const opened = new RegExp(`^(?:${openers})${colon}`, 'iu');
const hostOf = (bare: string): string => bare.replace(/^[^@]*@/u, '').replace(/[/?#:].*$/u, '');

/** The distinct words that may be addresses. Skipping the others, which are most of a prompt, is cheaper than matching them. */
function doubtfulWordsOf(text: string): string {
  const words = new Set<string>();
  let letters = 0;
  for (const word of text.split(/\s+/u)) {
    if (word.length > addressLettersMax || words.has(word) || !doubtful.test(word)) continue;
    words.add(word);
    letters += word.length;
    if (letters > knownLettersMax) break;
  }
  return [...words].join(' ');
}

/**
 * Removes unknown addresses, and markup that a page could load or run. A link, mailbox or domain is removed whole, except for a part
 * already sent. Markup keeps its words: a space after its first character makes it text. The result is filtered again, since
 * removing something may form another address.
 */
function withoutMarkup(text: string, isKnown: (bare: string) => boolean): string {
  let left = text;
  for (let round = 0; doubtful.test(left) && round < roundsMax; round += 1) {
    const before = left;
    left = withoutReferences(left)
      .replace(address, (...match: unknown[]) => judged(String(match[0]), Groups.parse(match.at(-1)), isKnown))
      .replaceAll(']:', '] :')
      .replace(tag, (_, autolink: string | undefined) => autolink ?? '< ');
    if (left === before) return left;
  }
  return left.replace(doubtfulLetters, '');
}

const roundsMax = 8;
/** What a browser runs or opens in another program. It is removed even if it occurs in the prompt: a document or a caller may have put it there. */
const runnable = new RegExp(`^<?(?:javascript|vbscript|data|blob|intent|file|ms-[a-z]+)${colon}`, 'iu');
const Groups = z.object({ target: z.string(), end: z.string(), rest: z.string(), opener: z.string() }).partial();
type Groups = z.output<typeof Groups>;

function judged(found: string, { target, end, rest, opener }: Groups, isKnown: (bare: string) => boolean): string {
  if (!runnable.test(target ?? found) && isKnown(bareOf(target ?? found))) return found;
  if (opener !== undefined) return `${opener} ${found.slice(opener.length)}`;
  const parts = rest === undefined ? [] : (/^([\p{L}\p{N}_-]+)\.([\p{L}]+)$/u.exec(found.replace(closing, '')) ?? []);
  if (fileEndings.has(parts[2]?.toLowerCase() ?? '')) return found;
  // Two sentences without a space between them, unlike a domain.
  if (/^\p{Lu}\p{Ll}/u.test(parts[2] ?? '')) return found.replace('.', '. ');
  // A word right after an abbreviation also looks like a domain: "a.m.to", "e.g.in". A space separates them.
  const abbreviated = rest === undefined ? undefined : afterAbbreviation.exec(found);
  if (abbreviated) return `${abbreviated[1]} ${found.slice(abbreviated[1]?.length)}`;
  if (target !== undefined) return end === '' ? '] (' : ']()';
  const certain = rest === undefined ? '' : found.slice(0, Math.max(0, found.search(doubtful)));
  return certain + (closing.exec(found)?.[0] ?? '');
}

/** A link in angle brackets, whose address was judged before, or the beginning of markup other than a plain style. */
const tag =
  /<(?:(https?:\/\/[^\s<>]+|[^\s<>:/]+@[^\s<>:/]+)>|(?=[a-z/!?])(?!\/?(?:b|i|u|s|em|strong|p|br|ul|ol|li|code|sub|sup)\/?>))/giu;

/** Single letters followed by dots, then a word. */
const afterAbbreviation = /^((?:\p{L}\.){2,4})\p{L}{2,}[.,;:!?)\]}'"*_>।]*$/u;

/** Named character references, which browsers and Markdown decode. */
const named: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...['amp &', 'lt <', 'gt >', 'quot "', "apos '", 'lpar (', 'rpar )', 'lsqb [', 'lbrack [', 'rsqb ]', 'rbrack ]', 'lcub {'],
    ...['rcub }', 'colon :', 'semi ;', 'comma ,', 'period .', 'sol /', 'bsol \\', 'commat @', 'excl !', 'quest ?', 'equals ='],
    ...['num #', 'percnt %', 'lowbar _', 'hyphen -', 'dash -', 'plus +', 'grave `', 'ast *', 'Tab  ', 'NewLine  ', 'nbsp  '],
    ...['shy ', 'zwsp ', 'ZeroWidthSpace ', 'NoBreak ', 'lrm ', 'rlm '],
  ].map((pair) => [pair.slice(0, pair.indexOf(' ')).toLowerCase(), pair.slice(pair.indexOf(' ') + 1)]),
);
const reference = new RegExp(`&(?:#x0*([0-9a-f]{1,6})|#0*([0-9]{1,7})|(${Object.keys(named).join('|')})(?=;));?`, 'giu');
function withoutReferences(text: string): string {
  const read = text.replace(reference, (_, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return named[name.toLowerCase()] ?? '';
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code).replace(/[\uD800-\uDFFF]/, '') : '';
  });
  return inPlainLetters(read);
}

/** The text after the last space. A pattern would try every position of the text. */
function lastWordOf(text: string): string {
  let from = text.length;
  while (from > 0 && /\S/u.test(text.charAt(from - 1))) from -= 1;
  return text.slice(from);
}

/** How many letters at the end of a text may be the beginning of an address. */
function doubtfulLettersOf(text: string): number {
  const word = lastWordOf(text);
  const from = word.search(doubtful);
  const harmless = from < 0 ? word : word.slice(0, from);
  return word.length - harmless.length + (begunScheme.exec(harmless)?.[0].length ?? 0);
}

function bareOf(found: string): string {
  return found
    .toLowerCase()
    .replace(closing, '')
    .replace(/^<?(?:(?:https?:)?\/\/|mailto:)?/u, '')
    .replace(/^www\.|\/$/gu, '');
}
