// `npm run eval -- conversations`: does the built-in engine remember what a conversation was about? Whole conversations of four
// to six turns with two small businesses, in English, Hindi, Marathi and Hindi in Latin letters. Every second conversation is
// held out: for those only figures are printed. `--misses` prints those of the other half with an answer that is not acceptable.
import { AskedPlatform } from '../businesses/asked-platform';
import { honest } from '../businesses/business';
import { holdsAll, holdsAny } from '../businesses/every-business';
import { cafe } from './cafe';
import { handloomShop } from './handloom-shop';
import type { Transcript, TranscriptTurn } from './transcript';

const outcomes = ['acceptable', 'acceptable, told as not sure', 'does not know', 'wrong'] as const;
type Outcome = (typeof outcomes)[number];

interface Judged {
  readonly half: 'tuning' | 'held out';
  readonly language: Transcript['language'];
  readonly outcome: Outcome;
}

const notSure = /not sure about that|पक्की जानकारी नहीं|नक्की माहिती नाही|pakki jaankari nahi|nakki mahiti nahi/u;

/** An answer that does not know may still contain telephone numbers and hours, and with them any figure. */
function outcomeOf({ says = [], never = [] }: TranscriptTurn, answer: string): Outcome {
  const isUnsure = notSure.test(answer);
  const isUnknown = !isUnsure && holdsAll(answer, [honest]) && !says.some((one) => one.includes('not know'));
  if (isUnknown) return 'does not know';
  if (holdsAll(answer, says) && !holdsAny(answer, never)) return isUnsure ? 'acceptable, told as not sure' : 'acceptable';
  return 'wrong';
}

async function main(): Promise<void> {
  const judged: Judged[] = [];
  const platform = await AskedPlatform.start({});
  try {
    for (const { business, transcripts } of [handloomShop, cafe]) {
      const agent = await platform.open(business);
      for (const [place, { language, turns }] of transcripts.entries()) {
        const answers = await platform.converse(
          agent,
          turns.map(({ question }) => question),
        );
        const half = place % 2 === 0 ? 'tuning' : 'held out';
        const lines = turns.map((turn, turnPlace) => {
          const answer = answers[turnPlace] ?? '';
          const outcome = turn.says && outcomeOf(turn, answer);
          if (outcome) judged.push({ half, language, outcome });
          return { outcome, said: `  ${outcome ?? 'not judged'}: ${turn.question} — ${answer}` };
        });
        const isMissed = lines.some(({ outcome }) => outcome !== undefined && outcome !== 'acceptable');
        if (isMissed && half === 'tuning' && process.argv.includes('--misses'))
          console.log([`${business.name}, ${language}`, ...lines.map(({ said }) => said)].join('\n'));
      }
    }
  } finally {
    await platform.stop();
  }
  show(judged);
}

function show(judged: readonly Judged[]): void {
  for (const half of ['tuning', 'held out'] as const)
    for (const language of ['english', 'hindi', 'marathi', 'hinglish', undefined] as const) {
      const own = judged.filter((one) => one.half === half && (language === undefined || one.language === language));
      const counts = outcomes.map((outcome) => `${own.filter((one) => one.outcome === outcome).length} ${outcome}`);
      console.log(`${half}, ${language ?? 'all'}: ${own.length} answers: ${counts.join(', ')}`);
    }
}

void main();
