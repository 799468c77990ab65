const wordPattern = /[\p{L}\p{M}\p{N}@.+_-]*[\p{L}\p{M}\p{N}@_]/gu;

const digitNames = wordSet(
  'zero oh one two three four five six seven eight nine',
  'शून्य एक दो तीन चार पाँच पांच छह छः छे सात आठ नौ दोन पाच सहा नऊ',
  'shunya ek do teen char paanch panch chhe chah saat sat aath ath nau don tin pach saha nav',
);
const repeaters = wordSet('double triple डबल ट्रिपल');
const letterNames = wordSet('बी सी डी ई एफ एच आई जे एल एम एन ओ पी क्यू आर एस टी यू वी डब्ल्यू एक्स वाई ज़ेड');
// These are also words, so they are letters only among letters.
const letterOrWord = wordSet('a i ए जी के');
const numbered = new RegExp(
  folded('(?:number|phone|mobile|otp|code|pin|account|card|reference|नंबर|नम्बर|क्रमांक|ओटीपी|कोड|पिन|खाता|मोबाइल|मोबाईल|फोन)'),
  'u',
);
const mailHosts = '(?:gmail|yahoo|hotmail|outlook|rediff\\S*|icloud|जीमेल|याहू|हॉटमेल)';
const openMail = ending(
  `\\S+ (?:at|एट|ॲट|अॅट|ऍट) ${mailHosts}`,
  '(?:to|is|write|mail|email) \\S+ at',
  '\\S*@\\S*',
  '(?:dot|डॉट)(?: \\S+)* (?:at|एट|ॲट|अॅट)',
  '\\S+ (?:underscore|dot|dash|hyphen|अंडरस्कोर|डॉट)',
  '(?:e-?mail|ईमेल)(?: id| address| आईडी| आयडी)? (?:is|hai|है|आहे|aahe|ahe)(?: \\S+){1,4}',
);
const wholeMail = /(?:\.|dot |डॉट )(?:com|in|org|net|co|edu|कॉम|इन|ओआरजी)$/u;
const spelling = ending('[b-hj-z] (?:as in|for)(?: \\S+)?', '(?:spelled|spelt|spelling is|spelling)(?: \\S+){1,12}');

/** Whether a number, letters one by one or an e-mail address is being dictated at the end of a text, or has been to its end. */
export function dictationIn(text: string, words: readonly string[]): 'dictating' | 'dictated' | undefined {
  if (wholeMail.test(text)) return 'dictated';
  if (openMail.test(text) || spelling.test(text)) return 'dictating';
  const run = trailingRun(words);
  if (run.length === 0) return undefined;
  const isAskedFor = numbered.test(words.slice(0, words.length - run.length).join(' '));
  if (run.some(isLetter)) return isSpelt(run, isAskedFor) ? 'dictating' : undefined;
  if (isPhoneNumber(digitsIn(run), run)) return 'dictated';
  return isCounted(run, isAskedFor) ? 'dictating' : undefined;
}

/** Whether the last word is part of a number. */
export function endsInDigits(words: readonly string[]): boolean {
  const last = words.at(-1) ?? '';
  return isPiece(last) && !isLetter(last);
}

/** How many digits were said in all. */
export function digitsOf(words: readonly string[]): number {
  return digitsIn(words.filter((word) => isPiece(word) && !isLetter(word)));
}

function trailingRun(words: readonly string[]): readonly string[] {
  let from = words.length;
  while (from > 0 && isPiece(words[from - 1] ?? '')) from -= 1;
  return words.slice(from);
}

function isPiece(word: string): boolean {
  return /^\+?[\p{Nd}-]+$/u.test(word) || word === 'plus' || digitNames.has(word) || repeaters.has(word) || isLetter(word);
}

function isLetter(word: string): boolean {
  return /^[a-z]$/u.test(word) || letterNames.has(word) || letterOrWord.has(word);
}

function isSpelt(run: readonly string[], isAskedFor: boolean): boolean {
  const sure = run.filter((word) => isLetter(word) && !letterOrWord.has(word)).length;
  return sure > 0 && run.length >= (isAskedFor ? 1 : 2);
}

function isCounted(run: readonly string[], isAskedFor: boolean): boolean {
  const digits = digitsIn(run);
  if (isAskedFor) return digits > 0;
  const [first = ''] = run;
  if (run.length > 1) return digits > 2 || run.some((word) => repeaters.has(word));
  return digits > 4 || (digits === 4 && !/^(?:19|20)|00$/u.test(first));
}

function digitsIn(run: readonly string[]): number {
  let digits = 0;
  let times = 1;
  for (const word of run) {
    if (repeaters.has(word)) times = /^[dड]/u.test(word) ? 2 : 3;
    else {
      digits += times * (/\p{Nd}/u.test(word) ? word.replace(/\P{Nd}/gu, '').length : 1);
      times = 1;
    }
  }
  return digits;
}

/** Ten digits in India; with a zero or the country before them, eleven or twelve. */
function isPhoneNumber(digits: number, [first = '']: readonly string[]): boolean {
  const isAbroad = first === 'plus' || first.startsWith('+');
  if (isAbroad) return digits >= (first === 'plus' ? 13 : 12);
  return digits === 10 || (digits === 11 && /^(?:0|zero|शून्य)/u.test(first)) || (digits === 12 && /^(?:91|nine)/u.test(first));
}

/** One spelling for what engines write in several: case, apostrophes, nukta, chandrabindu. */
export function folded(text: string): string {
  return respelt(text).toLowerCase();
}

/** The words of a folded text without the punctuation between them. */
export function wordsOf(foldedText: string): readonly string[] {
  return foldedText.match(wordPattern) ?? [];
}

/** The words of some lines, spelt as `folded` spells them. */
export function wordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => folded(line).split(/\s+/u)).filter(Boolean));
}

/** Matches a text, folded, that ends with one of these phrases; it knows where words begin in Devanagari, which `\b` does not. */
export function ending(...phrases: readonly string[]): RegExp {
  return new RegExp(`(?:^|\\s)(?:${respelt(phrases.join('|'))})$`, 'u');
}

function respelt(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\u200c\u200d\u093c'’]/gu, '')
    .replaceAll('\u0901', '\u0902');
}
