import { normalized } from '../spelling';
import { sayFigures } from './figures';
import { digitByDigit, type SpokenRules } from './spoken-rules';

// After these words a figure is a code, not a quantity. After `number` and the like it must have four digits.
const secret = 'otp|pin(?:\\s?code)?|password|passcode|pnr|code|ओटीपी|पिन(?:\\s?कोड)?|कोड|पासवर्ड';

const numbered = 'number|no\\.|id|क्र\\.|नं\\.|नंबर|क्रमांक|आईडी|आयडी';

const between = '\\s*(?:(?:is|:|=|-|है|आहे)\\s*)?#?';

// A PIN code or a password may be written in two halves: 400 001.
const code = '\\d{3} \\d{3}|\\d{4} \\d{4}|[A-Z]{0,4}-?\\d[\\dA-Z]*(?:-[\\dA-Z]+){0,4}';

const ending = '(?![\\p{L}\\p{M}\\d]|[,.]\\d|[ -]\\d)';

const labelled = new RegExp(`(?<![\\p{L}\\p{M}])((?:${secret}|${numbered})${between})(${code})${ending}`, 'giu');

const hashed = new RegExp(`#(${code})${ending}`, 'gu');

// A PIN code follows a place name at the end of an address: six digits without commas and without a unit.
const pinCode = /(?<![\p{L}\p{M}])(\p{Lu}[\p{Ll}]+|[\u0900-\u097F]{3,})( ?[-–] ?| )([1-9]\d{2} ?\d{3})(?=$|[.,;।)\n]|[ ]*[(])/gu;

const beforeAmount = /^(?:कीमत|क़ीमत|किंमत|दाम|फीस|फ़ीस|फी|शुल्क|कुल|एकूण|रुपये|लगभग|सुमारे|करीब|Price|Cost|Total|About|Only|Over|Nearly)$/u;

const codeLengthMin = 3;

const figureLengthMin = 4;

const isSecret = new RegExp(`^(?:${secret})`, 'iu');

const fence = /```[^\n]*\n?/g;

const image = /!\[([^\]\n]{0,500})\]\([^)\n]{0,2000}\)/g;

const link = /\[([^\]\n]{0,500})\]\([^)\n]{0,2000}\)/g;

// "<Rs. 500" begins no tag.
const tag = /<\/?(?!(?:Rs|INR|USD|EUR|GBP|AED)\.?\s?\d)[a-z][^<>\n]{0,200}>/gi;

const lineMark = /^[ \t]*(?:#{1,6}[ \t]+|>(?!\d)[ \t]?|[-*+•][ \t]+)/gm;

const rule = /^[ \t]*(?:[-*_][ \t]*){3,}$/gm;

const tableRule = /^(?=[ \t:|]*-)[ \t:|-]+$/gm;

// The look-behind matches only from the first blank of a run; otherwise a thousand blanks would take quadratic time.
const bar = /(?:(?<![ \t])[ \t]+)?\|[ \t]*/g;

const emphasis = /(\*{1,3}|~~|`+)(?=\S)/g;

const emphasisEnd = /(?<=\S)(\*{1,3}|~~|`+)/g;

const underscores = /(?<![\p{L}\p{N}_])_{1,2}(?=\S)|(?<=\S)_{1,2}(?![\p{L}\p{N}_])/gu;

// Only pictures, with their joiners and colours: in Unicode, digits, `#` and `*` count as emoji too.
const emoji = /[\p{Extended_Pictographic}\p{Regional_Indicator}\u{1F3FB}-\u{1F3FF}\u{FE0F}\u{20E3}]/gu;

// Joiners are needed in Devanagari, so only those left by emoji are removed.
const orphanedJoiner = /(?<![\p{L}\p{M}])\u200D/gu;

const email = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}/gu;
const url = /(?:https?:\/\/|www\.)[^\s<>()"'।]{1,500}/giu;

/** Converts everything that is not words into words of one language. The result contains no digits. */
export function speakable(text: string, rules: SpokenRules): string {
  const words = withoutMarkup(withUsualSigns(withLatinDigits(normalized(text, 'NFC'))))
    .replace(email, (address) => sayAddress(address, rules))
    .replace(url, (address) => sayUrl(address, rules));
  return tidy(sayAcronyms(sayShort(sayFigures(sayCodes(words, rules), rules), rules), rules));
}

const otherDigit = /[^\P{Nd}0-9]/gu;
const isDigit = (code: number): boolean => /\p{Nd}/u.test(String.fromCodePoint(code));

function withLatinDigits(text: string): string {
  return text.replace(otherDigit, (digit) => {
    const plain = digit.normalize('NFKC');
    return /[0-9]/.test(plain) ? plain : String(valueOf(digit.codePointAt(0) ?? 0));
  });
}

/** The digits of a script follow one another from its zero. */
function valueOf(code: number): number {
  let value = 0;
  while (value < 9 && isDigit(code - value - 1)) value += 1;
  return value;
}

/** Signs that are other forms of one that rules know. */
const usualSigns: Readonly<Record<string, string>> = {
  ...{ '﹣': '−', '∼': '~', '≅': '≈', '≃': '≈', '≒': '≈', '≦': '≤', '⩽': '≤', '<=': '≤', '≧': '≥', '⩾': '≥', '>=': '≥' },
  ...{ '!=': '≠', '+/-': '±', '∕': '/', '℃': '°C', '℉': '°F', '₨': '₹', '￥': '¥', '￡': '£', '⇒': '→' },
};
const otherSign = new RegExp(Object.keys(usualSigns).join('|').replaceAll('+', '\\+'), 'g');
const betweenFigures: Readonly<Record<string, string>> = { '➕': '+', '➖': '−', '➗': '÷' };

/** Brings signs to the forms that rules know. A star between figures would be taken for emphasis, and heavy signs for pictures. */
function withUsualSigns(text: string): string {
  return text
    .replace(/[\uFF01-\uFF5E]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replace(/[₀-₉]/g, (digit) => digit.normalize('NFKC'))
    .replace(otherSign, (sign) => usualSigns[sign] ?? sign)
    .replace(/(?<=\d)[º˚]/g, '°')
    .replace(/(?<=\d\s?)[*·⋅✕✖➕➖➗](?=\s?\d)/gu, (sign) => betweenFigures[sign] ?? '×');
}

function sayUrl(address: string, rules: SpokenRules): string {
  const trailing = /[.,!?;:]+$/.exec(address)?.[0] ?? '';
  const bare = address
    .slice(0, address.length - trailing.length)
    .replace(/^https?:\/\//i, '')
    .replace(/[?#].*$/, '')
    .replace(/\/$/, '');
  return sayAddress(bare, rules) + trailing;
}

function sayAddress(address: string, rules: SpokenRules): string {
  return address
    .replace(/\d+/g, (digits) => ` ${digitByDigit(digits, rules)} `)
    .replace(/[@./_-]/g, (sign) => ` ${rules.address[sign]} `)
    .replace(/[%+&=~:]/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
}

function sayShort(text: string, rules: SpokenRules): string {
  const long = text.replace(/(?<![\p{L}\p{M}])[\p{L}\p{M}]{1,8}(?:\.[\p{L}\p{M}]{1,5})*\.?(?![\p{L}\p{M}])/gu, (word) => {
    if (rules.abbreviations[word]) return rules.abbreviations[word];
    const bare = word.endsWith('.') ? word.slice(0, -1) : word;
    return rules.abbreviations[bare] ? `${rules.abbreviations[bare]}.` : word;
  });
  return long.replace(/%/g, ` ${rules.percent} `).replace(/°\s?[CF](?!\p{L})|[&+=@°×÷±≤≥≠≈‰§№→√∞¢¥₩₽₺₫₦₪฿₱৳₿]/gu, (sign) => {
    return ` ${rules.signs[sign.replace(/\s/, '')] ?? ''} `;
  });
}

function tidy(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\p{Co}]/gu, ' ')
    .replace(/[*#_~^\\{}[\]<>|₹$€£]/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ([,.;:!?।)])/g, '$1')
    .replace(/\( /g, '(')
    .replace(/^[,;:. ]+/, '')
    .trim();
}

/** Removes Markdown, HTML tags and emoji. */
function withoutMarkup(text: string): string {
  return text
    .replace(fence, ' ')
    .replace(image, '$1')
    .replace(link, '$1')
    .replace(tag, ' ')
    .replace(rule, '')
    .replace(tableRule, '')
    .replace(lineMark, '')
    .replace(emphasis, '')
    .replace(emphasisEnd, '')
    .replace(underscores, '')
    .replace(bar, ', ')
    .replace(emoji, ' ')
    .replace(orphanedJoiner, '');
}

/** Spells codes character by character, as in "OTP 4821" and "order #A-1029". */
function sayCodes(text: string, rules: SpokenRules): string {
  return text
    .replace(pinCode, (all, place: string, _, code: string) =>
      beforeAmount.test(place) ? all : `${place} ${digitByDigit(code.replace(' ', ''), rules)}`,
    )
    .replace(labelled, (all, label: string, written: string) => {
      const lengthMin = isSecret.test(label) ? codeLengthMin : figureLengthMin;
      return written.length < lengthMin ? all : `${label.replace('#', '')}${signBySign(written, rules)}`;
    })
    .replace(hashed, (_, written: string) => {
      const spoken = /^\d{1,3}$/.test(written) ? written : signBySign(written, rules);
      return `${rules.signs['#']} ${spoken}`;
    });
}

/** Spells acronyms that cannot be read as a word with this language's names of letters. */
function sayAcronyms(text: string, { letters }: SpokenRules): string {
  return text.replace(/(?<![\p{L}\p{M}.@/-])[A-Z]{1,5}(?![\p{L}\p{M}@/]|\.[\p{L}])/gu, (word) => {
    // English voices can read single letters, and short words in capitals are emphasis.
    if (!letters && (word.length === 1 || shouted.test(word))) return word;
    return readAsWord.test(word) ? word : named(word, letters);
  });
}

/** Acronyms that are read as words. */
const readAsWord = /^(?:NEET|RERA|AIIMS|MHADA|CIDCO|NASA|SIM|ISRO|AMUL|AADHAR)$|[^AEIOU][AEIOU][^AEIOU]/u;
const shouted =
  /^(?:DO|NO|IS|AT|IT|WE|US|IN|ON|OF|OR|TO|BY|AS|AN|IF|UP|GO|SO|MY|BE|HE|ME|AM|YOU|ARE|OUR|ALL|ANY|FREE|ONLY|THE|AND)$/u;

function signBySign(written: string, rules: SpokenRules): string {
  const parts = written.toUpperCase().match(/\d+|[A-Z]+/g) ?? [];
  return parts.map((part) => (/\d/.test(part) ? digitByDigit(part, rules) : named(part, rules.letters))).join(' ');
}

function named(word: string, letters: SpokenRules['letters']): string {
  return [...word].map((letter) => letters?.[letter.charCodeAt(0) - 65] ?? letter).join(' ');
}
