import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { Controller, Inject } from '@nestjs/common';
import {
  endSession,
  extendCharge,
  Fault,
  LatencyParts,
  examplesOf,
  openSession,
  readPaidTurns,
  readTurn,
  settleCharge,
  streamTurn,
  type TurnItem,
} from '@parley/contracts';
import { type Call, Handles, organizationOf, runInCall, ServiceBus } from '@parley/messaging';
import type { z } from 'zod';
import { patiently } from '../harness';
import { ScriptedServices } from '../scripted-services';
import type { Scenario } from './scenario';

type Asked = z.output<typeof streamTurn.request>;
type Record = z.input<typeof readTurn.reply>;

const promptTokens = 20;
export const heardSeconds = 2.3;
const turnsOfLoop = 50;
const latency = LatencyParts.parse(examplesOf(LatencyParts)[0]);

/** The scenario of each organization, and the turns that were answered. */
export class World {
  readonly scenarios = new Map<number, Scenario>();
  readonly turns = new Map<string, { record?: Record; over: PromiseWithResolvers<void> }>();
  /** Instead of answers to the next requests, whatever was planned. */
  readonly refusals: Fault[] = [];

  of(call: Call): Scenario {
    const refusal = this.refusals.shift();
    if (refusal) throw refusal;
    const scenario = this.scenarios.get(organizationOf(call));
    if (!scenario) throw new Error('nothing was planned for this organization');
    return scenario;
  }

  /** Stores a live turn, which says what is owed if nobody else does. */
  record(turnUUID: string, tokens: number): void {
    const over = Promise.withResolvers<void>();
    const tokenUsage = { promptTokens: tokens, completionTokens: 0, totalTokens: tokens };
    this.turns.set(turnUUID, { over, record: { turnUUID, status: 'INTERRUPTED', answer: '', tokenUsage, audioSeconds: 0 } });
  }
}

/** Nothing of the answer exists yet: a client planned to leave by now leaves, and the gateway has time to notice. */
export async function begin(scenario: Scenario): Promise<void> {
  const { plan, reached, left, onBegin } = scenario;
  await onBegin?.();
  if (plan.end !== 'gone') return;
  scenario.hasComeToEnd = true;
  reached.resolve();
  await left.promise;
  for (let turn = 0; turn < turnsOfLoop; turn += 1) await nextTurnOfLoop();
}

/** The ends that are not at a piece. */
const elsewhere: readonly Scenario['plan']['end'][] = ['complete', 'sending', 'gone', 'byte'];

/** Reaches a piece: continues, fails as planned, or waits there for its reader to leave. */
export async function comeTo(scenario: Scenario, piece: number, signal?: AbortSignal): Promise<void> {
  const { plan, reached, left } = scenario;
  if (piece !== plan.at || elsewhere.includes(plan.end)) return;
  scenario.hasComeToEnd = true;
  if (plan.end === 'failure') throw new Fault('MODEL_PROVIDER_UNAVAILABLE');
  if (plan.end === 'lost') throw new Fault('SERVICE_UNAVAILABLE');
  if (plan.end === 'fault' || plan.end === 'stored fault') throw new Error('what nobody foresaw');
  if (plan.end === 'limit') throw new Fault('MODEL_PROVIDER_UNAVAILABLE', { cause: new Error('it does not stop talking') });
  if (plan.end === 'deadline') throw new Fault('DEADLINE_EXCEEDED');
  reached.resolve();
  if (plan.end !== 'late' && (!signal || (plan.isKeyed && plan.end !== 'crash'))) return left.promise;
  await new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal?.aborted) reject(signal.reason);
  });
}

export const isLate = (reason: unknown): boolean => reason instanceof Fault && reason.code === 'DEADLINE_EXCEEDED';

/** Turns as the conversation service produces them: each is recorded at its end, and charged if its reader has left. */
@Controller()
export class PlannedConversation {
  constructor(
    @Inject(World) private readonly world: World,
    @Inject(ScriptedServices) private readonly scripted: ScriptedServices,
    private readonly bus: ServiceBus,
  ) {}

  @Handles(openSession)
  open({ sessionUUID = randomUUID() }: z.output<typeof openSession.request>, call: Call): z.input<typeof openSession.reply> {
    const orgId = organizationOf(call);
    const [found] = [...this.scripted.agents].filter(([, agent]) => agent.orgId === orgId);
    if (!found) throw new Fault('NOT_FOUND');
    return { sessionUUID, AgentID: found[1].agentId, AgentKeyID: found[0], isNew: true };
  }

  @Handles(endSession)
  end({ sessionUUID }: { sessionUUID: string }): z.input<typeof endSession.reply> {
    return { sessionUUID };
  }

  @Handles(streamTurn)
  async *stream(asked: Asked, call: Call): AsyncGenerator<TurnItem> {
    const scenario = this.world.of(call);
    const { payment } = asked;
    const turnUUID = payment?.isSettledByTurn || payment?.isOfAttempt ? payment.chargeId : randomUUID();
    const ids = { sessionUUID: asked.sessionUUID ?? randomUUID(), turnUUID };
    const turn = new PlannedTurn(scenario, ids.turnUUID, asked);
    const over = Promise.withResolvers<void>();
    this.world.turns.set(ids.turnUUID, { over });
    const stopWork = scenario.work();
    let answer = '';
    try {
      await begin(scenario);
      yield { type: 'session', ...ids };
      if (asked.audio) yield { type: 'transcription', text: turn.hear(), audioSeconds: turn.audioSeconds };
      for await (const text of turn.words(call)) {
        answer += text;
        if (!asked.isWhole) yield { type: 'delta', text, promptTokens };
      }
      turn.status = 'COMPLETED';
    } catch (error) {
      turn.status = call.signal.aborted ? 'INTERRUPTED' : 'FAILED';
      if (turn.isToBeLost) turn.lose(answer);
      throw error;
    } finally {
      this.world.turns.set(ids.turnUUID, { over, ...(turn.isStored && { record: turn.record(answer) }) });
      over.resolve();
      await this.settle(turn, asked, call).finally(stopWork);
    }
    const about = { detectedLanguage: 'english', isFromFaq: false, wantsToEnd: false, audioSeconds: turn.audioSeconds } as const;
    yield {
      type: 'done',
      ...ids,
      ...about,
      answer,
      tokenUsage: turn.tokenUsage,
      latency,
      ...(asked.audio && { transcription: 'x' }),
    };
  }

  @Handles(readTurn)
  async read({ turnUUID }: { turnUUID: string }): Promise<Record> {
    await this.world.turns.get(turnUUID)?.over.promise;
    const record = this.world.turns.get(turnUUID)?.record;
    if (!record) throw new Fault('NOT_FOUND');
    return record;
  }

  @Handles(readPaidTurns)
  paid({ charges }: z.output<typeof readPaidTurns.request>): z.input<typeof readPaidTurns.reply> {
    const turns = charges.flatMap(({ orgId, chargeId }) => {
      const record = this.world.turns.get(chargeId)?.record;
      if (!record) return [];
      return [{ orgId, chargeId, AgentID: 12, tokenUsage: record.tokenUsage, audioSeconds: record.audioSeconds }];
    });
    return { turns };
  }

  private async settle(turn: PlannedTurn, { payment }: Asked, { requestId, principal }: Call): Promise<void> {
    const { usage } = turn;
    if (turn.status === 'COMPLETED' || turn.isFree || !payment || usage.length === 0) return;
    const { chargeId, isOfAttempt } = payment;
    const settling = async (): Promise<unknown> =>
      isOfAttempt
        ? this.bus.ask(extendCharge, { chargeId, usage, used: usage, isCutOff: true })
        : this.bus.ask(settleCharge, { chargeId, usage, AgentID: 12 });
    await patiently(() =>
      runInCall({ requestId, deadlineAtMs: Date.now() + 20_000, signal: never, ...(principal && { principal }) }, settling),
    );
  }
}

export const never = new AbortController().signal;

/** One turn, and what it produced. */
class PlannedTurn {
  status: Record['status'] = 'INTERRUPTED';
  audioSeconds = 0;
  private tokens = 0;

  constructor(
    private readonly scenario: Scenario,
    private readonly turnUUID: string,
    private readonly asked: Pick<Asked, 'isWhole' | 'payment'>,
  ) {}

  private get isWhole(): boolean {
    return this.asked.isWhole;
  }

  /** Nothing of it is stored. */
  get isToBeLost(): boolean {
    const { end } = this.scenario.plan;
    return (end === 'lost' || end === 'fault') && this.endsHere;
  }

  get isStored(): boolean {
    return this.status !== 'LOST' || this.scenario.plan.end === 'lost';
  }

  /** We lost its whole answer, which nobody can ask for again. */
  get isFree(): boolean {
    const { end, at } = this.scenario.plan;
    const isOurs = ['lost', 'fault', 'stored fault'].includes(end) && (this.endsHere || at === 0);
    return isOurs && this.isWhole && this.asked.payment?.isSettledByTurn === true;
  }

  /** Whether the planned end is in the turn, and not in the speech after it. */
  private get endsHere(): boolean {
    const { way, isLate } = this.scenario.plan;
    return way !== 'chat tts' || !isLate;
  }

  /** Records nothing. What the client was sent until then counts as produced. */
  lose(answer: string): void {
    this.status = 'LOST';
    if (!this.isWhole && answer !== '') this.scenario.produce('TTT_API', promptTokens + Math.ceil(answer.length / 4));
    if (!this.isWhole && this.audioSeconds > 0) this.scenario.produce('STT_API', this.audioSeconds);
    this.tokens = 0;
    this.audioSeconds = 0;
  }

  get tokenUsage() {
    return { promptTokens: 0, completionTokens: this.tokens, totalTokens: this.tokens };
  }

  get usage() {
    const used = [
      { kind: 'TTT_API' as const, units: this.tokens },
      { kind: 'STT_API' as const, units: this.audioSeconds },
    ];
    return used.filter(({ units }) => units > 0);
  }

  /** A recognizer that fails has produced nothing. */
  hear(): string {
    if (this.scenario.plan.end === 'failure' && !this.scenario.plan.isLate) {
      this.scenario.hasComeToEnd = true;
      throw new Fault('SPEECH_PROVIDER_UNAVAILABLE');
    }
    this.audioSeconds = Math.ceil(heardSeconds);
    if (!this.isToBeLost && !this.isFree) this.scenario.produce('STT_API', this.audioSeconds);
    return 'x';
  }

  /** The prompt counts once the model has answered, or its reader has left; that it took too long is no fault of its reader. */
  async *words({ signal }: Call): AsyncGenerator<string> {
    const { plan } = this.scenario;
    try {
      for (let piece = 0; piece < plan.pieces; piece += 1) {
        if (this.endsHere) await comeTo(this.scenario, piece, signal);
        if (this.tokens === 0) this.spend(promptTokens);
        this.spend(1);
        yield 'word '.repeat(plan.end === 'limit' ? 500 : 1);
      }
    } finally {
      if (this.tokens === 0 && signal.aborted && !isLate(signal.reason)) this.spend(promptTokens);
    }
  }

  record(answer: string): Record {
    return { turnUUID: this.turnUUID, status: this.status, answer, tokenUsage: this.tokenUsage, audioSeconds: this.audioSeconds };
  }

  private spend(tokens: number): void {
    this.tokens += tokens;
    if (!this.isToBeLost && !this.isFree) this.scenario.produce('TTT_API', tokens);
  }
}
