import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { Controller, Inject } from '@nestjs/common';
import {
  charactersOf,
  type CreditKind,
  endSession,
  extendCharge,
  Fault,
  followTranscription,
  LatencyParts,
  measureRecording,
  examplesOf,
  openSession,
  openTranscription,
  openVoiceSession,
  readPaidTurns,
  readTurn,
  settleCharge,
  type SocketEndReason,
  streamTurn,
  synthesizeSpeech,
  type AudioItem,
  type TurnItem,
} from '@parley/contracts';
import { type AcceptedChannel, type Call, type Channel, Handles, organizationOf, runInCall, ServiceBus } from '@parley/messaging';
import type { z } from 'zod';
import { patiently } from '../harness';
import { ScriptedServices } from '../scripted-services';
import { partBytes, type Scenario } from './scenario';

type Asked = z.output<typeof streamTurn.request>;
type Signal = z.output<typeof openVoiceSession.signal>;
type Record = z.input<typeof readTurn.reply>;
type Opening = z.output<typeof openVoiceSession.opening> | z.output<typeof openTranscription.opening>;

const promptTokens = 20;
const heardSeconds = 2.3;
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
}

/** Nothing of the answer exists yet: a client planned to leave by now leaves, and the gateway has time to notice. */
async function begin(scenario: Scenario): Promise<void> {
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
async function comeTo(scenario: Scenario, piece: number, signal?: AbortSignal): Promise<void> {
  const { plan, reached, left } = scenario;
  if (piece !== plan.at || elsewhere.includes(plan.end)) return;
  scenario.hasComeToEnd = true;
  if (plan.end === 'failure') throw new Fault('MODEL_PROVIDER_UNAVAILABLE');
  if (plan.end === 'lost') throw new Fault('SERVICE_UNAVAILABLE');
  if (plan.end === 'limit') throw new Fault('MODEL_PROVIDER_UNAVAILABLE', { cause: new Error('it does not stop talking') });
  if (plan.end === 'deadline') throw new Fault('DEADLINE_EXCEEDED');
  reached.resolve();
  if (plan.end !== 'late' && (!signal || (plan.isKeyed && plan.end !== 'crash'))) return left.promise;
  await new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal?.aborted) reject(signal.reason);
  });
}

const isLate = (reason: unknown): boolean => reason instanceof Fault && reason.code === 'DEADLINE_EXCEEDED';

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
    const turn = new PlannedTurn(scenario, ids.turnUUID, asked.isWhole);
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
      this.world.turns.set(ids.turnUUID, { over, record: turn.record(answer) });
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
    if (turn.status === 'COMPLETED' || !payment || usage.length === 0) return;
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

const never = new AbortController().signal;

/** One turn, and what it produced. */
class PlannedTurn {
  status: Record['status'] = 'INTERRUPTED';
  audioSeconds = 0;
  private tokens = 0;

  constructor(
    private readonly scenario: Scenario,
    private readonly turnUUID: string,
    private readonly isWhole: boolean,
  ) {}

  get isToBeLost(): boolean {
    const { end, way, isLate } = this.scenario.plan;
    return end === 'lost' && !(way === 'chat tts' && isLate);
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
    if (!this.isToBeLost) this.scenario.produce('STT_API', this.audioSeconds);
    return 'x';
  }

  /** The prompt counts once the model has answered, or its reader has left; that it took too long is no fault of its reader. */
  async *words({ signal }: Call): AsyncGenerator<string> {
    const { plan } = this.scenario;
    const endsHere = plan.way !== 'chat tts' || !plan.isLate;
    try {
      for (let piece = 0; piece < plan.pieces; piece += 1) {
        if (endsHere) await comeTo(this.scenario, piece, signal);
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
    if (!this.isToBeLost) this.scenario.produce('TTT_API', tokens);
  }
}

/** Sound, transcriptions and channels as the speech service produces them. */
@Controller()
export class PlannedSpeech {
  constructor(@Inject(World) private readonly world: World) {}

  @Handles(synthesizeSpeech)
  async *speak({ text }: z.output<typeof synthesizeSpeech.request>, call: Call): AsyncGenerator<AudioItem> {
    const scenario = this.world.of(call);
    const { pieces } = scenario.plan;
    const characters = charactersOf(text);
    const stopWork = scenario.work();
    // If a client leaves, the engine has been given this much; if we fail, this much was spoken.
    let [given, spoken] = [0, 0];
    let isBroken = false;
    try {
      await begin(scenario);
      for (let piece = 0; piece < pieces; piece += 1) {
        const until = Math.ceil((characters * (piece + 1)) / pieces);
        yield { type: 'next' };
        given = until;
        yield { type: 'given', characters: given };
        await comeTo(scenario, piece, call.signal);
        if (piece === 0) yield { type: 'format', contentType: 'audio/wav', sampleRate: 16_000, characters, totalBytes: null };
        spoken = until;
        yield { type: 'audio', base64: Buffer.alloc(partBytes).toString('base64'), characters: spoken };
      }
    } catch (error) {
      isBroken = isLate(error) ? spoken === 0 : !call.signal.aborted;
      throw error;
    } finally {
      scenario.produce('TTS_API', isBroken ? spoken : given);
      stopWork();
    }
  }

  @Handles(measureRecording)
  measure(): z.input<typeof measureRecording.reply> {
    return { audioSeconds: heardSeconds };
  }

  @Handles(followTranscription)
  async *follow(_wish: object, call: Call): AsyncGenerator<z.input<typeof followTranscription.item>> {
    const scenario = this.world.of(call);
    const { pieces, end, at, isKeyed } = scenario.plan;
    const stopWork = scenario.work();
    // Whoever gets no transcription through our fault pays for none of its pieces.
    const isKept = !['failure', 'lost', 'limit', 'deadline', 'late'].includes(end);
    let produced = 0;
    try {
      await begin(scenario);
      for (let piece = 1; piece <= pieces; piece += 1) {
        await comeTo(scenario, piece - 1, end === 'crash' || end === 'late' ? call.signal : undefined);
        const audioSeconds = (heardSeconds * piece) / pieces;
        if (isKept) scenario.produce('STT_API', Math.ceil(audioSeconds) - produced);
        produced = Math.ceil(audioSeconds);
        const isLeft = !isKeyed && (end === 'gone' || ((end === 'leave' || end === 'stall') && piece > at));
        do {
          yield { type: 'heard', audioSeconds };
          // The next piece would take long enough for the gateway to notice.
          await nextTurnOfLoop();
        } while (isLeft && !call.signal.aborted);
        call.signal.throwIfAborted();
      }
      yield { type: 'done', transcription: 'good morning', audioSeconds: heardSeconds };
    } finally {
      stopWork();
    }
  }

  @Handles(openVoiceSession)
  async voice(
    opening: z.output<typeof openVoiceSession.opening>,
    call: Call,
  ): Promise<AcceptedChannel<z.input<typeof openVoiceSession.accepted>, Signal>> {
    return this.line(opening, call, opening.sessionUUID ?? randomUUID());
  }

  @Handles(openTranscription)
  async transcription(opening: z.output<typeof openTranscription.opening>, call: Call) {
    return this.line(opening, call, randomUUID());
  }

  private line({ sampleRate, encoding }: Opening, call: Call, sessionUUID: string) {
    const scenario = this.world.of(call);
    // The gateway opens a broken channel again, but the engine still fails.
    if (scenario.isBroken) throw new Fault('SPEECH_PROVIDER_UNAVAILABLE');
    const serve = (channel: Channel<Signal>) => new PlannedLine(scenario, channel).serve();
    return { accepted: { sessionUUID, sampleRate, encoding }, serve };
  }
}

const isBroken = ({ end }: Scenario['plan']): boolean => end === 'failure' || end === 'lost';

/** One channel: reports usage piece by piece, and the rest when its caller has left. */
class PlannedLine {
  constructor(
    private readonly scenario: Scenario,
    private readonly channel: Channel<Signal>,
  ) {}

  async serve(): Promise<void> {
    const { plan, reached } = this.scenario;
    const stopWork = this.scenario.work();
    const listening = this.listen();
    for (let piece = 0; piece < plan.pieces; piece += 1) {
      const isBroken = plan.end === 'failure' && piece >= plan.at;
      if (piece === plan.at && plan.end !== 'complete' && plan.end !== 'byte' && !isBroken) break;
      this.use(isBroken ? plan.engine : undefined);
    }
    if (plan.end === 'lost') this.use();
    this.scenario.isBroken = isBroken(plan);
    if (isBroken(plan)) this.channel.close('the engine broke');
    if (plan.end === 'deadline' || plan.end === 'limit') this.finish('MAX_DURATION');
    this.scenario.hasComeToEnd = true;
    reached.resolve();
    await listening;
    stopWork();
  }

  private async listen(): Promise<void> {
    for await (const item of this.channel.incoming) {
      if ('frame' in item) continue;
      if (item.signal.type === 'session.end') this.finish('ENDED_BY_USER');
      if (item.signal.type !== 'caller.left') continue;
      this.use();
      this.channel.close('the caller left');
    }
  }

  private finish(reason: SocketEndReason): void {
    this.channel.signal({ type: 'session.ended', reason });
    this.channel.close(reason);
  }

  private use(broken?: CreditKind): void {
    const isVoice = this.scenario.plan.way !== '/ws/transcribe';
    const usage = [
      { kind: 'STT_API' as const, units: 1 },
      ...(isVoice
        ? [
            { kind: 'TTS_API' as const, units: 40 },
            { kind: 'TTT_API' as const, units: 90 },
          ]
        : []),
    ].filter(({ kind }) => kind !== broken);
    if (usage.length > 0) this.channel.signal({ type: 'usage', usage });
    for (const { kind, units } of usage) this.scenario.produce(kind, units);
  }
}
