import { countTokens } from '@parley/providers/token-count';
import { AskedPlatform } from '../businesses/asked-platform';
import { laundry } from '../businesses/laundry';
import { medianOf } from '../chassis/rounds';
import { type Figures, report } from '../measure/report';
import { RecordingModel } from '../reach/recording-model';

const rounds = 5;
const warmUpRounds = 4;
/** The kernel counts CPU time in steps of 10 ms, so each round asks everything several times. */
const timesAsked = 4;

/** These go to the model; hours and plain prices are answered without one. */
const questions = laundry.asked
  .filter(({ kind, before }) => (kind === 'plain' || kind === 'paraphrase' || kind === 'comparison') && before === undefined)
  .map(({ question }) => question);

/**
 * What knowledge adds to a turn with an instant model: no knowledge, a base that fits into the prompt, and the same base
 * searched. One question at a time, alternating between the three, with CPU time by process.
 */
export async function measureKnowledgeTurns(): Promise<void> {
  const model = new RecordingModel();
  const port = await model.listen();
  const environment = { LLM_BASE_URL: `http://127.0.0.1:${port}/v1`, LLM_MODEL: 'recording' };
  const [whole, searched] = await Promise.all([
    AskedPlatform.start(environment, 'cluster'),
    AskedPlatform.start({ ...environment, KNOWLEDGE_WHOLE_TOKENS: '0' }, 'cluster'),
  ]);
  try {
    const contestants = [
      { name: 'no knowledge', platform: whole, agent: await whole.agentWithoutKnowledge() },
      { name: 'a whole base in the prompt', platform: whole, agent: await whole.open(laundry) },
      { name: 'the same base searched', platform: searched, agent: await searched.open(laundry) },
    ];
    const turns = new Map<string, Turns[]>(contestants.map(({ name }) => [name, []]));
    for (let round = -warmUpRounds; round < rounds; round += 1)
      for (const { name, platform, agent } of contestants) {
        const played = await play(platform, model, agent);
        if (round >= 0) turns.get(name)?.push(played);
      }
    report('chat-knowledge', [...turns].map(figuresOf));
  } finally {
    await Promise.all([whole.stop(), searched.stop()]);
    await model.close();
  }
}

interface Turns {
  readonly latenciesMs: readonly number[];
  readonly cpuMs: ReadonlyMap<string, number>;
  readonly tokens: readonly number[];
}

async function play(platform: AskedPlatform, model: RecordingModel, agent: string): Promise<Turns> {
  model.prompts.splice(0);
  const before = platform.cpuMsByProcess();
  const latenciesMs: number[] = [];
  const asked = Array.from({ length: timesAsked }, () => questions).flat();
  for (const question of asked) {
    const startedMs = performance.now();
    await platform.answer(agent, { question });
    latenciesMs.push(performance.now() - startedMs);
  }
  const cpuMs = new Map(
    [...platform.cpuMsByProcess()].map(([name, used]) => [name, (used - (before.get(name) ?? 0)) / asked.length]),
  );
  const tokens = model.prompts.map(({ system, messages }) =>
    countTokens([system, ...messages.map(({ text }) => text)].join('\n')),
  );
  return { latenciesMs, cpuMs, tokens };
}

function figuresOf([name, played]: [string, readonly Turns[]]): Figures {
  const latencies = played.flatMap(({ latenciesMs }) => latenciesMs).sort((one, other) => one - other);
  const at = (share: number) => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1);
  const processes = [...(played[0]?.cpuMs.keys() ?? [])];
  const cpu = new Map(processes.map((process) => [process, medianOf(played.map(({ cpuMs }) => cpuMs.get(process) ?? 0))]));
  const dearest = [...cpu].toSorted(([, one], [, other]) => other - one).filter(([, ms]) => ms >= cpuShownMin);
  return {
    turn: name,
    'prompt tokens': medianOf(played.flatMap(({ tokens }) => tokens)),
    'asked of the model': `${played[0]?.tokens.length ?? 0} of ${questions.length * timesAsked}`,
    'p50 ms': at(0.5),
    'p99 ms': at(0.99),
    'CPU-ms a turn': [...cpu.values()].reduce((sum, ms) => sum + ms, 0).toFixed(1),
    'by process': dearest.map(([process, ms]) => `${process} ${ms.toFixed(1)}`).join(', '),
  };
}

const cpuShownMin = 0.1;
