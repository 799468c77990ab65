// `npm run eval -- answers`: are customers answered correctly? Asks the built-in engine, unless the environment configures
// another. `--tuning` asks the businesses on which words and rules may be tuned, instead of the held-out ones; `--only=Name,Name`
// selects some of them. For wrong answers, `--shapes` prints only the kind of question and the shape of the answer, so that the
// held-out ones remain unseen. `--misses` lists the questions whose answer is not acceptable, with the answer.
import { AskedPlatform } from '../businesses/asked-platform';
import { type Asked, honest } from '../businesses/business';
import { askedBusinesses, holdsAll, holdsAny, type Judged, leadsWith, showJudged } from '../businesses/every-business';

const outcomes = ['acceptable', 'acceptable, told as not sure', 'does not know', 'wrong'] as const;
type Outcome = (typeof outcomes)[number];

async function main(): Promise<void> {
  const platform = await AskedPlatform.start({});
  const judged: Judged<Outcome>[] = [];
  try {
    for (const business of askedBusinesses()) {
      const agent = await platform.open(business);
      for (const asked of business.asked) {
        const { answer } = await platform.answer(agent, asked);
        judged.push({ business: business.name, asked, outcome: outcomeOf(asked, answer), seen: answer });
      }
    }
  } finally {
    await platform.stop();
  }
  if (process.argv.includes('--shapes'))
    for (const { asked, outcome, seen } of judged)
      if (outcome === 'does not know' || outcome === 'wrong')
        console.log(`${outcome}: ${asked.language}, ${asked.kind}, said: ${shapeOf(seen)}`);
  showJudged(judged, { outcomes, good: ['acceptable', 'acceptable, told as not sure'] });
}

/** The phrases with which the engine says that it only offers the closest match. */
const notSure = /not sure about that|पक्की जानकारी नहीं|नक्की माहिती नाही|pakki jaankari nahi|nakki mahiti nahi/u;

const shapes: readonly (readonly [name: string, said: RegExp])[] = [
  ['what comes nearest, told as not sure', notSure],
  ['nothing, and whom to ask', /do not know|जानकारी नहीं|माहिती नाही/u],
  ['a list and which one is meant', /Which one do you mean|किसके बारे में|कशाबद्दल/u],
  ['a sum', /comes? to ₹|together|होंगे|होतील/u],
  ['the one with the most', /^(?:That is|It is|वह .* है|ते .* आहे)/u],
  ['weekly hours', /(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day.*\d\d:\d\d/u],
  ['open or closed on a day', /We are (?:open|closed)|आम्ही .*(?:बंद|उघडे)|हम .*(?:बंद|खुले)/u],
  ['the price of a thing', / costs? ₹| costs? between|की कीमत|ची किंमत/u],
  ['a field of a thing', /^The .* of .* is | has \d|: .* (?:है|आहे)[।.]$/u],
  ['a quotation', /“/u],
];

function shapeOf(said: string): string {
  const times = /(?<!\d)0\d:\d\d/u.test(said) ? ', with an hour of two digits' : '';
  return `${shapes.find(([, form]) => form.test(said))?.[0] ?? 'a sentence of the knowledge'}${times}`;
}

function outcomeOf({ says, never = [], notLed = [] }: Asked, answer: string): Outcome {
  if (leadsWith(answer, notLed)) return 'wrong';
  if (holdsAll(answer, says) && !holdsAny(answer, never))
    return notSure.test(answer) ? 'acceptable, told as not sure' : 'acceptable';
  return holdsAll(answer, [honest]) ? 'does not know' : 'wrong';
}

void main();
