import { normalized } from './spelling';

const consonants: Readonly<Record<string, string>> = {
  ...{ क: 'k', ख: 'kh', ग: 'g', घ: 'gh', ङ: 'n', च: 'ch', छ: 'chh', ज: 'j', झ: 'jh', ञ: 'n', ट: 't', ठ: 'th', ड: 'd', ढ: 'dh' },
  ...{ ण: 'n', त: 't', थ: 'th', द: 'd', ध: 'dh', न: 'n', प: 'p', फ: 'ph', ब: 'b', भ: 'bh', म: 'm', य: 'y', र: 'r', ल: 'l' },
  ...{ ळ: 'l', व: 'v', श: 'sh', ष: 'sh', स: 's', ह: 'h', ऱ: 'r' },
};
/** Letters with a nukta. */
const dotted: Readonly<Record<string, string>> = { ज: 'z', फ: 'f', क: 'q', ख: 'kh', ग: 'g', ड: 'd', ढ: 'dh' };
const vowels: Readonly<Record<string, string>> = {
  ...{ अ: 'a', आ: 'aa', इ: 'i', ई: 'i', उ: 'u', ऊ: 'u', ऋ: 'ri', ए: 'e', ऐ: 'ai', ऑ: 'o', ओ: 'o', औ: 'au', ऍ: 'e' },
  ...{ ॲ: 'a', ॐ: 'om', ऎ: 'e', ऒ: 'o', ॠ: 'ri', 'ॄ': 'ri', 'ॆ': 'e', 'ॊ': 'o' },
  ...{ 'ा': 'a', 'ि': 'i', 'ी': 'i', 'ु': 'u', 'ू': 'u', 'ृ': 'ri', 'े': 'e', 'ै': 'ai', 'ॉ': 'o', 'ो': 'o', 'ौ': 'au', 'ॅ': 'e' },
};
/** Long vowels are doubled in words of one closed syllable: daam, teen, phool. */
const long: Readonly<Record<string, string>> = { 'ा': 'aa', 'ी': 'ee', 'ू': 'oo' };

/** Words that people spell irregularly. */
const usual = new Map(
  (
    'है hai हैं hain में mein मैं main नहीं nahi यह yeh वह woh ये ye वे ve हम hum हमसे humse हमारा hamara हमारी hamari हमारे hamare हूँ hoon ' +
    'कीमत keemat जानकारी jaankari माफ़ maaf कीजिए kijiye संपर्क sampark यहाँ yahan वहाँ wahan कहाँ kahan हाँ haan ज़रूरी zaroori ज़रूरत zaroorat ' +
    'रहते rehte रहता rehta रहती rehti रहा raha बुकिंग booking मिनट minute किराया kiraya पैसे paise फ़ीस fees साल saal और aur क्योंकि kyunki ' +
    'मुझे mujhe आपको aapko ज़्यादा zyada क्या kya मुफ़्त muft रुपये rupaye रुपए rupaye पता pata लिए liye फ़र्क़ fark गारंटी guarantee वारंटी warranty ' +
    'कार्ड card फ़ोन phone फोन phone बिल bill डिलीवरी delivery ऑर्डर order टेस्ट test रिपोर्ट report सर्विस service किलो kilo लीटर litre लिटर litre ' +
    'आहे aahe आहेत aahet आहोत aahot आम्ही aamhi आमची aamchi आमचे aamche आमचा aamcha आमच्या aamchya आमच्याकडे aamchyakade तुम्ही tumhi नाही nahi ' +
    'किंमत kimmat वेळ vel माहिती mahiti याची yachi याबद्दल yabaddal माझ्याकडे majhyakade होतील hotil मिळून milun एकूण ekun एकाची ekachi हे he ' +
    'सोमवार somvar मंगलवार mangalvar मंगळवार mangalvar बुधवार budhvar गुरुवार guruvar शुक्रवार shukravar शनिवार shanivar रविवार ravivar'
  )
    .split(' ')
    .reduce<(readonly [string, string])[]>(
      (pairs, word, place, all) => (place % 2 === 0 ? [...pairs, [word, all[place + 1] ?? ''] as const] : pairs),
      [],
    ),
);

interface Letter {
  readonly consonant: string;
  vowel: string;
  /** Whether it is the inherent vowel, which has no sign and is often silent. */
  isInherent: boolean;
  nasal: string;
}

const wordOfDevanagari = /[\u0900-\u0963\u0971-\u097f]+/gu;

/** Romanizes Hindi and Marathi as people do: `कीमत ₹480 है।` becomes `keemat ₹480 hai.` Other text is unchanged. */
export function inLatinLetters(text: string): string {
  return normalized(text, 'NFC')
    .replace(/[\u0966-\u096f]/gu, (digit) => String(digit.charCodeAt(0) - 0x0966))
    .replace(/[।॥]/gu, '.')
    .replace(wordOfDevanagari, (word) => usual.get(word) ?? spelled(word));
}

/** Words that an English voice reads wrongly as people spell them. */
const asSaid = new Map([
  ['है', 'hay'],
  ['हैं', 'hen'],
  ['में', 'men'],
  ['हम', 'hum'],
]);

/**
 * Hindi and Marathi for an English voice: as people write them, but an `e` at the end, which English leaves silent, is written as it is
 * said: `कपड़े` becomes `kap-day`.
 */
export function saidInLatinLetters(text: string): string {
  return normalized(text, 'NFC').replace(
    wordOfDevanagari,
    (word) => asSaid.get(word) ?? withLastVowel(word, inLatinLetters(word)),
  );
}

const lastSyllable = /^(.*[aeiou].*?)?([bcdgkpst]?h|[^aeiouh]|)e$/u;

function withLastVowel(word: string, latin: string): string {
  if (!/[एे]$/u.test(word)) return latin;
  return latin.replace(lastSyllable, (_, before: string | undefined, last: string) =>
    before ? `${before}-${last}ay` : `${last}ay`,
  );
}

function spelled(word: string): string {
  const letters = lettersOf(word);
  silenceInherent(letters);
  const isShort =
    letters.filter(({ vowel }) => vowel !== '').length === 1 && (letters.at(-1)?.vowel === '' || letters.at(-1)?.nasal !== '');
  return letters
    .map(({ consonant, vowel, nasal }, place) => {
      const next = letters[place + 1]?.consonant ?? '';
      return `${consonant}${(isShort && long[vowel]) || (vowels[vowel] ?? vowel)}${nasal === '' ? '' : /^[pbm]/u.test(next) ? 'm' : 'n'}`;
    })
    .join('');
}

function lettersOf(word: string): Letter[] {
  const letters: Letter[] = [];
  for (const sign of word.replaceAll('ज्ञ', 'ग्य')) {
    const last = letters.at(-1);
    const consonant = consonants[sign];
    if (consonant !== undefined) letters.push({ consonant, vowel: 'a', isInherent: true, nasal: '' });
    else if (sign === '\u093c' && last) letters[letters.length - 1] = { ...last, consonant: dottedOf(last.consonant) };
    else if (sign === '\u094d' && last) Object.assign(last, { vowel: '', isInherent: false });
    else if ((sign === '\u0902' || sign === '\u0901') && last) last.nasal = 'n';
    else if (/^[\u093e-\u094c]$/u.test(sign) && last) Object.assign(last, { vowel: sign, isInherent: false });
    else if (vowels[sign] !== undefined) letters.push({ consonant: '', vowel: sign, isInherent: false, nasal: '' });
  }
  return letters;
}

const dottedByLatin = new Map(Object.entries(dotted).map(([letter, latin]) => [consonants[letter] ?? '', latin]));
const dottedOf = (consonant: string): string => dottedByLatin.get(consonant) ?? consonant;

/** Drops the inherent vowel at the end of a word, and between two syllables with vowels. */
function silenceInherent(letters: Letter[]): void {
  const last = letters.at(-1);
  if (last?.isInherent && letters.length > 1 && last.nasal === '') last.vowel = '';
  for (let place = letters.length - 2; place > 0; place -= 1) {
    const [before, letter, after] = [letters[place - 1], letters[place], letters[place + 1]];
    if (letter?.isInherent && letter.nasal === '' && before?.vowel !== '' && before?.nasal === '' && after?.vowel !== '')
      letter.vowel = '';
  }
}
