import { wordLettersMax } from './spelling';

/** Case and number endings of Hindi and Marathi, in folded spelling; the longest match is removed. */
const devanagariEndings = [
  ...[
    'ांमध्ये',
    'ामध्ये',
    'ांसाठि',
    'ासाठि',
    'ियों',
    'ाओं',
    'ियां',
    'ांचि',
    'ांचे',
    'ांचा',
    'ांना',
    'ांनि',
    'ाच्या',
    'ांवर',
    'मध्ये',
    'साठि',
    'च्या',
    'णार',
  ],
  ...[
    'ाचि',
    'ाचे',
    'ाचा',
    'ाला',
    'ाने',
    'ावर',
    'ातुन',
    'तात',
    'ताना',
    'ायला',
    'ाएं',
    'िए',
    'ेगा',
    'ेगि',
    'ेंगे',
    'ला',
    'ने',
    'चि',
    'चे',
    'चा',
    'वर',
    'तो',
    'ते',
    'ति',
  ],
  ...['ंचि', 'ंचे', 'ंचा', 'ंना'],
  ...['ों', 'ें', 'ता', 'ना', 'नि', 'कर', 'ां', 'ात', 'ाइ', 'े', 'ि', 'ा', 'ो', 'ु', 'ं'],
].sort((a, b) => b.length - a.length);
const stemLengthMin = 2;

function withoutEnding(word: string): string {
  const ending = devanagariEndings.find(
    (candidate) => word.endsWith(candidate) && word.length - candidate.length >= stemLengthMin,
  );
  return ending ? word.slice(0, -ending.length) : word;
}

/** A case ending may follow a number ending: वस्तूंची is वस्तू + ं + ची. */
const devanagariStem = (word: string) => withoutEnding(withoutEnding(word));

const englishEndings: readonly (readonly [RegExp, string])[] = [
  [/(?<=..)(ss|sh|ch|x)es$/, '$1'],
  [/(?<=..)ies$/, 'y'],
  [/(?<=[^su])s$/, ''],
  [/(?<=[a-z]{3})ments?$/, ''],
  [/(?<=[a-z]{2}[aeiouy][a-z]*)(ations?|ation)$/, ''],
  [/(?<=[aeiouy][a-z]*)(?:ed|ing)$/, ''],
  [/(?<=[a-z]{3})ly$/, ''],
  [/([bdfgmnprt])\1$/, '$1'],
  [/(?<=[a-z]{2})y$/, 'i'],
  [/(?<=[a-z]{3})(?:ein|iyan|iyon|aon)$/, ''],
  [/(?<=[a-z]{3})e$/, ''],
];

function englishStem(word: string): string {
  return word.length < 4 ? word : englishEndings.reduce((rest, [ending, by]) => rest.replace(ending, by), word);
}

/** The stem of a word in folded spelling. What is too long for a word has no endings. */
export function stemOf(word: string): string {
  if (word.length > wordLettersMax) return word;
  return /^[a-z]/.test(word) ? englishStem(word) : devanagariStem(word);
}
