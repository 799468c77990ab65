// The load: `node callers.js <carrier> <calls> <seconds> <place>` places the calls, prints `talking`, and after the given time
// prints its measurements.
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { watchLoop } from '../measure/loop-watch';
import { audioSocketLine, type CallerLine, type HearSound, jsonLine, type OpenLine, sipLine } from './lines';
import { keepTalking, Talker, type Talked } from './talk';

const Place = z.object({ webhookUrl: z.string(), number: z.string(), audioSocketPort: z.number(), sipPort: z.number() });
const lines: Readonly<Record<string, OpenLine>> = { 'asterisk-audiosocket': audioSocketLine, sip: sipLine, twilio: jsonLine };
/** How many calls start at a time: established calls are measured, not their start. */
const atATime = 4;
const settlingMs = 6_000;
const triesMax = 10;
const standsWithinMs = 15_000;

interface Talks {
  readonly talked: Talked;
  readonly talkers: Talker[];
}

async function main(): Promise<void> {
  const [carrier = '', calls = '1', seconds = '10', where = ''] = process.argv.slice(2);
  const open = lines[carrier];
  if (!open) throw new Error(`nobody calls over ${carrier}`);
  const place = Place.parse(JSON.parse(where));
  const talked: Talked = { latenciesMs: [], sinceMs: performance.now(), frames: 0, lateFrames: 0, lateAt: [], unanswered: 0 };
  const talkers: Talker[] = [];
  const opened: CallerLine[] = [];
  const look = watchLoop();
  const stop = keepTalking(talkers);
  for (let at = 0; at < Number(calls); at += atATime) {
    const some = Array.from({ length: Math.min(atATime, Number(calls) - at) }, () => stand(open, place, { talked, talkers }));
    opened.push(...(await Promise.all(some)));
  }
  await delay(settlingMs);
  Object.assign(talked, { sinceMs: performance.now(), frames: 0, lateFrames: 0, unanswered: 0 });
  talked.latenciesMs.length = 0;
  talked.lateAt.length = 0;
  look();
  process.stdout.write('talking\n');
  await delay(Number(seconds) * 1000);
  process.stdout.write(`${JSON.stringify({ ...talked, loop: look() })}\n`);
  stop();
  for (const line of opened) line.close();
}

/** Retries until a call is established: the agent has answered a question in it. */
async function stand(open: OpenLine, place: z.output<typeof Place>, { talked, talkers }: Talks): Promise<CallerLine> {
  for (let tries = 0; tries < triesMax; tries++) {
    const { promise: hasAnswered, resolve } = Promise.withResolvers<true>();
    const known: { talker?: Talker } = {};
    const heard: HearSound = (ms, isSilent, wasFilledIn) => {
      if (!isSilent && !wasFilledIn) resolve(true);
      known.talker?.heard(ms, isSilent, wasFilledIn);
    };
    const line = await open(place, heard).catch((error: unknown) => void process.stderr.write(`${String(error)}\n`));
    if (!line) {
      await delay(1_000);
      continue;
    }
    const startMs = performance.now() + ((talkers.length * 397) % 3000);
    const talker = new Talker((isLoud) => line.send(isLoud), { startMs, talked });
    known.talker = talker;
    talkers.push(talker);
    if (await Promise.race([hasAnswered, delay(standsWithinMs, false)])) return line;
    talkers.splice(talkers.indexOf(talker), 1);
    line.close();
  }
  throw new Error(`no call stood after ${triesMax} tries`);
}

void main();
