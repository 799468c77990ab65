// `npm run eval -- languages`: is the language of a short question recognized? Every second question of each language is held
// out: for those only the number recognized is printed. `--misses` lists those of the other half that were not.
import { detectLanguage, type HeardLanguage } from '@parley/language';
import { english } from './english';
import { hindi } from './hindi';
import { hinglish } from './hinglish';
import { latinMarathi } from './latin-marathi';
import { marathi } from './marathi';

const written: readonly (readonly [name: string, language: HeardLanguage, questions: string])[] = [
  ['English', 'english', english],
  ['Hindi', 'hindi', hindi],
  ['Marathi', 'marathi', marathi],
  ['Hindi in Latin letters', 'hinglish', hinglish],
  ['Marathi in Latin letters', 'marathi', latinMarathi],
];

for (const [name, language, text] of written) {
  const questions = text.trim().split('\n');
  const missed = questions.filter((question) => detectLanguage(question) !== language);
  const shareOf = (half: number) => {
    const all = questions.filter((_, place) => place % 2 === half);
    return `${all.filter((question) => !missed.includes(question)).length} of ${all.length}`;
  };
  console.log(`${name}: tuning ${shareOf(0)}, held out ${shareOf(1)}`);
  if (!process.argv.includes('--misses')) continue;
  for (const question of missed.filter((one) => questions.indexOf(one) % 2 === 0))
    console.log(`  ${question} (${detectLanguage(question) ?? 'none'})`);
}
