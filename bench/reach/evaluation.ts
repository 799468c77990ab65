// `npm run eval -- reach`: does the model's prompt contain the fact that answers a question? `--tuning` asks the businesses on
// which words and rules may be tuned, instead of the held-out ones; `--only=Name,Name` selects some of them. With `--retrieval`
// no knowledge base is put into the prompt as a whole, so that all are searched. `--misses` lists the questions whose fact was
// missing; `--cost` times turns with an instant model.
import { countTokens } from '@parley/providers/token-count';
import { AskedPlatform } from '../businesses/asked-platform';
import type { Asked, Business } from '../businesses/business';
import { askedBusinesses, holdsAll, holdsAny, type Judged, showJudged } from '../businesses/every-business';
import { RecordingModel, type SentPrompt } from './recording-model';

const outcomes = ['reached', 'answered rightly without a model', 'answered wrongly without a model', 'missing'] as const;
type Outcome = (typeof outcomes)[number];

interface Reached extends Judged<Outcome> {
  readonly prompt: SentPrompt | undefined;
}

async function main(): Promise<void> {
  const model = new RecordingModel();
  const port = await model.listen();
  const isSearched = process.argv.includes('--retrieval');
  const platform = await AskedPlatform.start({
    LLM_BASE_URL: `http://127.0.0.1:${port}/v1`,
    LLM_MODEL: 'recording',
    ...(isSearched && { KNOWLEDGE_WHOLE_TOKENS: '0' }),
  });
  const judged: Reached[] = [];
  try {
    for (const business of askedBusinesses()) {
      const agent = await platform.open(business);
      for (const asked of business.asked) judged.push(await reachOf({ platform, model, agent, business, asked }));
      showPrompts(business, judged);
      if (process.argv.includes('--cost')) await showCost(platform, agent, business);
    }
  } finally {
    await platform.stop();
    await model.close();
  }
  showJudged(judged, { outcomes, good: ['reached', 'answered rightly without a model'] });
}

interface Asking {
  readonly platform: AskedPlatform;
  readonly model: RecordingModel;
  readonly agent: string;
  readonly business: Business;
  readonly asked: Asked;
}

async function reachOf({ platform, model, agent, business, asked }: Asking): Promise<Reached> {
  const { before = [], question, reach, says, never = [] } = asked;
  model.prompts.splice(0);
  const { answer } = await platform.answer(agent, asked);
  const prompt = model.prompts.findLast(({ messages }) => messages.at(-1)?.text.includes(question));
  if (!prompt) {
    const isRight = holdsAll(answer, says) && !holdsAny(answer, never);
    const outcome = isRight ? outcomes[1] : outcomes[2];
    return { business: business.name, asked, outcome, seen: answer, prompt: undefined };
  }
  const said = [prompt.system, ...prompt.messages.map(({ text }) => text)].join('\n');
  // A fact that occurs only in the question has not been found.
  const given = [question, ...before].reduce((rest, own) => rest.replaceAll(own, ' '), said);
  const outcome = holdsAll(given, reach) ? outcomes[0] : outcomes[3];
  return { business: business.name, asked, outcome, seen: reach.join(', '), prompt };
}

/** How long a business's prompts are, and how long a prefix they share over all conversations. */
function showPrompts({ name }: Business, judged: readonly Reached[]): void {
  const prompts = judged.flatMap(({ business, prompt }) => (business === name && prompt ? [prompt] : []));
  const tokens = prompts.map(({ system, messages }) => countTokens([system, ...messages.map(({ text }) => text)].join('\n')));
  const sorted = tokens.toSorted((one, other) => one - other);
  const shared = countTokens(prompts.map(({ system }) => system).reduce(sharedBeginning, prompts[0]?.system ?? ''));
  console.log(
    `${name}: ${prompts.length} prompts of ${sorted[0]} to ${sorted.at(-1)} tokens (median ${sorted[sorted.length >> 1]}); ` +
      `the first ${shared} tokens are the same in all of them; tools: ${prompts[0]?.tools.join(', ') || 'none'}`,
  );
}

const costRounds = 5;

/** The cost of turns with an instant model: every question of the business several times, one at a time. */
async function showCost(platform: AskedPlatform, agent: string, { name, asked }: Business): Promise<void> {
  const latencies: number[] = [];
  const cpuBefore = platform.cpuMs();
  for (let round = 0; round < costRounds; round += 1)
    for (const { question } of asked) {
      const startedMs = performance.now();
      await platform.answer(agent, { question });
      latencies.push(performance.now() - startedMs);
    }
  const sorted = latencies.sort((one, other) => one - other);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
  const cpu = ((platform.cpuMs() - cpuBefore) / sorted.length).toFixed(1);
  console.log(`${name}: a turn takes ${at(0.5)} ms (p99 ${at(0.99)}) and ${cpu} ms of CPU, Postgres included`);
}

function sharedBeginning(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return one.slice(0, length);
}

void main();
