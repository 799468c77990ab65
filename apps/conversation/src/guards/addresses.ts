/** Schemes that are left out together with what follows them. Others stay as a word when their address goes. */
const schemes = ['http', 'https', 'ftp', 'blob', 'javascript', 'vbscript', 'mailto', 'skype', 'whatsapp', 'intent'];
const countries =
  'ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd cf cg ch ci ck ' +
  'cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gd ge gf gg gh gi gl gm gn gp gq gr ' +
  'gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls ' +
  'lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ' +
  'ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj ' +
  'tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw';
/** What ends the name of a file and no domain. */
const fileEndings = new Set('pdf doc docx txt csv xls xlsx ppt pptx jpg jpeg png gif mp3 wav html htm js json'.split(' '));

const dot = String.raw`\\?[.。．｡]`;
const label = String.raw`[\p{L}\p{N}_-]{1,63}`;
const domainEnd = String.raw`(?:${countries.replaceAll(' ', '|')}|[a-z]{3,24}|xn--[a-z0-9-]{2,59}|भारत|भारतम्|संगठन|नेट|कॉम)`;
const slashes = String.raw`[\\/]{2}`;
const forms = [
  // The target of a link or an image in Markdown.
  String.raw`(?<=\]\()[^\s)]+`,
  // What follows a known scheme, with slashes or without, and what names no scheme at all.
  String.raw`(?<![\p{L}\p{N}])(?:(?:${schemes.join('|')}|data(?=:\w+/)):|www\.)\S+`,
  String.raw`(?<![\p{L}\p{N}])${slashes}\S+`,
  // Any other scheme, a mailbox, a domain.
  String.raw`(?<rest>[a-z][a-z0-9+-]{0,30}:${slashes}\S+|` +
    String.raw`(?:[^\s@()<>[\],;:"/\\]{1,64}@)?(?:${label}${dot}){1,10}${domainEnd}(?![\p{L}\p{N}_-])(?::\d+)?(?:[/?#\\]\S*)?)`,
];
const address = new RegExp(forms.join('|'), 'giu');
/** Letters that Markdown and HTML would read as others. */
const coded = /&(?:#\w{1,8}|colon|sol|bsol|period|commat|lpar|rpar|tab|newline);?/giu;
/** From here on, a word may be an address. */
const doubtful = /[.@:\\/\]&。．｡]/u;
const begunScheme = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${[...new Set([...schemes, 'data', 'www'].flatMap((scheme) => [...scheme].map((_, at) => scheme.slice(0, at + 1))))].join('|')})$`,
  'iu',
);
const closing = /[.,;:!?)\]}'"*_>।]+$/u;
/** A word without a space grows no longer before it is judged. */
const wordLettersMax = 4_000;
/** No address of a prompt is longer; behind so many letters of different ones, the rest are as unknown as if nobody had named them. */
const addressLettersMax = 2_000;
const knownLettersMax = 60_000;

/** The addresses that a text names, for comparing others with: each as it is, and the place that it is at. */
export function addressesIn(text: string): Set<string> {
  const found = (doubtfulWordsOf(text).match(address) ?? []).map(bareOf);
  return new Set(found.flatMap((bare) => [bare, bare.replace(/^[^@]*@/u, '').replace(/[/?#:].*$/u, '')]));
}

/** The words that may be addresses, each once. Most words of a prompt are none, and are cheaper to pass over than to try. */
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
 * Text without the addresses that are not known. A link, mailbox or domain goes whole; of a word that turns out to be one when it has
 * been said in part, the part stays.
 */
export function withoutStrangeAddresses(text: string, known: ReadonlySet<string>): string {
  return text.replace(coded, '').replace(address, (...match: unknown[]) => {
    const found = String(match[0]);
    const groups = match.at(-1);
    const hasRest = typeof groups === 'object' && groups !== null && 'rest' in groups && groups.rest !== undefined;
    if (known.has(bareOf(found)) || (hasRest && isNoDomain(found))) return found;
    const said = !hasRest ? '' : found.slice(0, Math.max(0, found.search(doubtful)));
    return said + (closing.exec(found)?.[0] ?? '');
  });
}

/** How many letters at the end of a text may be the beginning of an address. */
export function doubtfulLettersOf(text: string): number {
  const word = /\S*$/u.exec(text)?.[0] ?? '';
  if (word.length > wordLettersMax) return 0;
  const from = word.search(doubtful);
  const harmless = from < 0 ? word : word.slice(0, from);
  return word.length - harmless.length + (begunScheme.exec(harmless)?.[0].length ?? 0);
}

/** Two sentences without a space between them, or the name of a file. */
function isNoDomain(found: string): boolean {
  const [, first, last] = /^([\p{L}\p{N}_-]+)\.([\p{L}]+)$/u.exec(found.replace(closing, '')) ?? [];
  if (first === undefined || last === undefined) return false;
  return /^\p{Lu}\p{Ll}/u.test(last) || fileEndings.has(last.toLowerCase());
}

function bareOf(found: string): string {
  return found
    .toLowerCase()
    .replace(closing, '')
    .replace(/^<|^(?:https?:)?\/\/|^mailto:/gu, '')
    .replace(/^www\.|\/$/gu, '');
}
