// `npm run eval -- answers`: what is said to customers? Asks the engine that needs no key, unless the environment names another.
// `--tuning` asks the businesses on which words and rules may be chosen, instead of the held-out ones.
// `--misses` lists the questions whose answer is not acceptable, with what was said.
import { AskedPlatform } from '../businesses/asked-platform';
import { type Asked, honest } from '../businesses/business';
import { businessesOf, holdsAll, holdsAny, type Judged, showJudged } from '../businesses/every-business';

const outcomes = ['acceptable', 'does not know', 'wrong'] as const;
type Outcome = (typeof outcomes)[number];

async function main(): Promise<void> {
  const platform = await AskedPlatform.start({});
  const judged: Judged<Outcome>[] = [];
  try {
    for (const business of businessesOf(process.argv.includes('--tuning') ? 'tuning' : 'held-out')) {
      const agent = await platform.open(business);
      for (const asked of business.asked) {
        const { answer } = await platform.answer(agent, asked);
        judged.push({ business: business.name, asked, outcome: outcomeOf(asked, answer), seen: answer });
      }
    }
  } finally {
    await platform.stop();
  }
  showJudged(judged, { outcomes, good: ['acceptable'] });
}

function outcomeOf({ says, never = [] }: Asked, answer: string): Outcome {
  if (holdsAll(answer, says) && !holdsAny(answer, never)) return 'acceptable';
  return holdsAll(answer, [honest]) ? 'does not know' : 'wrong';
}

void main();
