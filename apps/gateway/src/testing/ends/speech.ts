import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurnOfLoop } from 'node:timers/promises';
import { Controller, Inject } from '@nestjs/common';
import {
  type AudioItem,
  charactersOf,
  type CreditKind,
  extendCharge,
  Fault,
  followTranscription,
  measureRecording,
  openTranscription,
  openVoiceSession,
  type SocketEndReason,
  synthesizeSpeech,
} from '@parley/contracts';
import { type AcceptedChannel, type Call, type Channel, Handles, runInCall, ServiceBus } from '@parley/messaging';
import type { z } from 'zod';
import { patiently } from '../harness';
import { partBytes, type Scenario } from './scenario';
import { begin, comeTo, heardSeconds, isLate, never, World } from './services';

type Signal = z.output<typeof openVoiceSession.signal>;
type Opening = z.output<typeof openVoiceSession.opening> | z.output<typeof openTranscription.opening>;

/** Sound, transcriptions and channels as the speech service produces them. */
@Controller()
export class PlannedSpeech {
  constructor(
    @Inject(World) private readonly world: World,
    private readonly bus: ServiceBus,
  ) {}

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

  private line(opening: Opening, call: Call, sessionUUID: string) {
    const { sampleRate, encoding } = opening;
    const scenario = this.world.of(call);
    // The gateway opens a broken channel again, but the engine still fails.
    if (scenario.isBroken) throw new Fault('SPEECH_PROVIDER_UNAVAILABLE');
    const turnsPaidBy = 'turnsPaidBy' in opening ? opening.turnsPaidBy : undefined;
    const holdTokens = (chargeId: string): Promise<unknown> => {
      const { requestId, principal } = call;
      const holding = { requestId, deadlineAtMs: Date.now() + 20_000, signal: never, ...(principal && { principal }) };
      const wish = { chargeId, usage: [{ kind: 'TTT_API' as const, units: heldTokens }], opens: turnsPaidBy };
      return patiently(() => runInCall(holding, () => this.bus.ask(extendCharge, wish)));
    };
    const turns = turnsPaidBy && { holdTokens, record: (id: string) => this.world.record(id, turnTokens) };
    const serve = (channel: Channel<Signal>) => new PlannedLine(scenario, channel, turns).serve();
    return { accepted: { sessionUUID, sampleRate, encoding }, serve };
  }
}

const isBroken = ({ end }: Scenario['plan']): boolean => end === 'failure' || end === 'lost';

const turnTokens = 90;
const heldTokens = 400;

interface LiveTurns {
  holdTokens(chargeId: string): Promise<unknown>;
  record(chargeId: string): void;
}

/** One channel: reports usage piece by piece, each with a turn, and the rest when its caller has left. */
class PlannedLine {
  constructor(
    private readonly scenario: Scenario,
    private readonly channel: Channel<Signal>,
    private readonly turns: LiveTurns | undefined,
  ) {}

  async serve(): Promise<void> {
    const stopWork = this.scenario.work();
    const producing = this.produce();
    for await (const item of this.channel.incoming) {
      if ('frame' in item) continue;
      // What is being produced when the caller leaves is reported before the rest.
      if (item.signal.type === 'session.end' || item.signal.type === 'caller.left') await producing;
      if (item.signal.type === 'session.end') this.finish('ENDED_BY_USER');
      if (item.signal.type !== 'caller.left') continue;
      await this.use();
      this.channel.close('the caller left');
    }
    await producing;
    stopWork();
  }

  private async produce(): Promise<void> {
    const { plan, reached } = this.scenario;
    for (let piece = 0; piece < plan.pieces; piece += 1) {
      const isBroken = plan.end === 'failure' && piece >= plan.at;
      if (piece === plan.at && plan.end !== 'complete' && plan.end !== 'byte' && !isBroken) break;
      await this.use(isBroken ? plan.engine : undefined);
    }
    if (plan.end === 'lost') await this.use();
    if (plan.end === 'lost') await this.turn('unreported');
    this.scenario.isBroken = isBroken(plan);
    if (isBroken(plan)) this.channel.close('the engine broke');
    if (plan.end === 'deadline' || plan.end === 'limit') this.finish('MAX_DURATION');
    this.scenario.hasComeToEnd = true;
    reached.resolve();
  }

  private finish(reason: SocketEndReason): void {
    this.channel.signal({ type: 'session.ended', reason });
    this.channel.close(reason);
  }

  private async use(broken?: CreditKind): Promise<void> {
    const ofVoice = this.turns ? [{ kind: 'TTS_API' as const, units: 40 }] : [];
    const usage = [{ kind: 'STT_API' as const, units: 1 }, ...ofVoice].filter(({ kind }) => kind !== broken);
    if (usage.length > 0) this.channel.signal({ type: 'usage', usage });
    for (const { kind, units } of usage) this.scenario.produce(kind, units);
    if (broken === 'TTT_API') return this.turn('unused');
    await this.turn('unused');
    await this.turn('reported');
  }

  /** A turn holds its tokens itself. It is reported, or was unused since no model was asked, or its line is lost with the report. */
  private async turn(outcome: 'reported' | 'unused' | 'unreported'): Promise<void> {
    const { turns, scenario } = this;
    if (!turns) return;
    const chargeId = randomUUID();
    await turns.holdTokens(chargeId);
    if (outcome === 'unused') return this.channel.signal({ type: 'turn.used', chargeId, tokens: 0 });
    turns.record(chargeId);
    scenario.produce('TTT_API', turnTokens);
    if (outcome === 'reported') this.channel.signal({ type: 'turn.used', chargeId, tokens: turnTokens });
    else scenario.leavesHold = true;
  }
}
