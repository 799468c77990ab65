import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { countTokens } from '@parley/providers/token-count';
import fc from 'fast-check';
import { z } from 'zod';
import { completionEvent, ModelServer } from './model-server';

/**
 * How a spoken turn ends. `complete`: the caller waits for its sound, and says goodbye; `heard`: hangs up during its sound; `generated`:
 * while its model is writing; `interrupted`: has it stopped there, and stays; `cut`: the connection breaks there; `failed`: the model
 * does; `long`: it writes as much as it may; `late`: it never begins.
 */
export const spokenEnds = ['complete', 'heard', 'generated', 'interrupted', 'cut', 'failed', 'long'] as const;

/** How a caller reaches the agent. */
export const spokenWays = ['socket', 'telephone'] as const;

/** One spoken turn, as generated. */
export interface SpokenPlan {
  readonly way: (typeof spokenWays)[number];
  readonly end: (typeof spokenEnds)[number] | 'late';
  readonly words: number;
  /** The word before which an end comes that is within the answer. */
  readonly at: number;
}

/** Any spoken turn with any end. */
export function spokenPlans(): fc.Arbitrary<SpokenPlan> {
  return fc
    .record({
      way: fc.constantFrom(...spokenWays),
      end: fc.constantFrom(...spokenEnds),
      words: fc.integer({ min: 4, max: 60 }),
      at: fc.nat(60),
    })
    .map((plan) => ({ ...plan, at: Math.min(plan.at, plan.words) }));
}

/** A turn whose model follows its plan. */
export class PlannedTurn {
  /** The tokens that its model produced, as far as anybody has to pay for them. */
  produced = 0;
  /** How many of these may not have arrived when their reader left or their connection broke. */
  mayBeLost = 0;
  asked = 0;
  /** Resolves when the model has come to the planned end, or has written everything. */
  readonly reached = Promise.withResolvers<void>();
  /** Resolves when nobody reads its answer any more; if it is interrupted by another question, when that is answered. */
  readonly left = Promise.withResolvers<void>();

  constructor(readonly plan: SpokenPlan) {}
}

const Posted = z.object({
  messages: z.array(z.object({ content: z.string().nullish() })),
  tools: z
    .array(z.object({ function: z.object({ name: z.string(), description: z.string(), parameters: z.unknown() }) }))
    .default([]),
  max_tokens: z.int().optional(),
  max_completion_tokens: z.int().optional(),
});

/** A sentence is spoken as soon as it is complete. */
const words = ['so ', 'it ', 'is, ', 'or ', 'was. '];
/** With its punctuation. */
const tokensPerWordMax = 2;
/** More than any model is asked for. */
const longWords = 6_000;

/** Each prompt names its turn. */
export class PlannedModel extends ModelServer {
  readonly turns = new Map<string, PlannedTurn>();

  protected async answer(posted: unknown, response: ServerResponse): Promise<void> {
    const turn = this.turns.get(/turn-(\d+)/.exec(JSON.stringify(posted))?.[1] ?? '');
    if (!turn) return void response.writeHead(400).end();
    await answer(response, Posted.parse(posted), turn);
  }
}

/** A model reads its tools as well. */
function readOf({ messages, tools }: z.output<typeof Posted>): string {
  const ofTools = tools.map(({ function: tool }) => `${tool.name} ${tool.description} ${JSON.stringify(tool.parameters)}`);
  return [...messages.map(({ content }) => content ?? ''), ...ofTools].join('\n');
}

/** Writes an answer as planned. A prompt counts once there is an answer to it, or its reader has left. */
async function answer(response: ServerResponse, asked: z.output<typeof Posted>, turn: PlannedTurn): Promise<void> {
  const { end, at } = turn.plan;
  const promptTokens = countTokens(readOf(asked));
  const tokensMax = asked.max_tokens ?? asked.max_completion_tokens ?? longWords;
  const wordsMax = Math.floor(Math.min(tokensMax, longWords) / tokensPerWordMax);
  turn.asked += 1;
  // Only the first question is answered as planned.
  const isWithin = turn.asked === 1 && (end === 'generated' || end === 'interrupted' || end === 'cut' || end === 'failed');
  const isLate = turn.asked === 1 && end === 'late';
  if (turn.asked === 1 && end === 'failed' && at === 0) return refuse(response, turn);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const planned = end === 'long' ? longWords : turn.plan.words;
  const text = textOf(isLate ? 0 : Math.min(isWithin ? at : planned, wordsMax));
  for (const word of text.match(/\S+ /g) ?? [])
    response.write(completionEvent({ delta: { content: word }, finish_reason: null }));
  response.flushHeaders();
  const completionTokens = countTokens(text);
  const isInterrupted = end === 'interrupted' && turn.plan.way === 'telephone' && turn.asked === 1;
  const gone = new Promise<void>((resolve) => response.once('close', resolve));
  if (!isInterrupted) void gone.then(() => turn.left.resolve());
  if (!isLate) turn.produced += promptTokens + completionTokens;
  if (isWithin || isLate) {
    turn.mayBeLost += completionTokens;
    for (let turnOfLoop = 0; turnOfLoop < turnsOfLoop; turnOfLoop += 1) await nextTurnOfLoop();
    turn.reached.resolve();
    // What was written arrives before the end of the connection.
    if (end === 'failed') response.socket?.end();
    return void (await gone);
  }
  // Who has not left yet may do so while it is read.
  if (end !== 'complete') turn.mayBeLost += completionTokens;
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
  response.end(`${completionEvent({ delta: {}, finish_reason: 'stop' }, { usage })}data: [DONE]\n\n`);
  turn.reached.resolve();
}

function refuse(response: ServerResponse, { reached, left }: PlannedTurn): void {
  response.writeHead(500).end();
  reached.resolve();
  left.resolve();
}

const turnsOfLoop = 50;

function textOf(count: number): string {
  return Array.from({ length: count }, (_, at) => words[at % words.length]).join('');
}
