import { Controller, Injectable } from '@nestjs/common';
import {
  ClientFrame,
  endSession,
  Fault,
  isTelephoneCall,
  openSession,
  openVoiceSession,
  readAgentRuntime,
  voiceLineMoved,
} from '@parley/contracts';
import { type AcceptedChannel, type Call, Handles, organizationOf, runInCall, ServiceBus } from '@parley/messaging';
import { Lifetime, Logger } from '@parley/service-kit';
import type { EndReason, VoiceCall } from '@parley/voice-session';
import type { z } from 'zod';
import { OrganizationEngines } from '../engines/organization-engines';
import { type LiveOpening, samplesOf, type VoiceChannel, type VoiceSignal } from './line';
import { type ConversationAnswerGenerator, LineCall } from './conversation-answer-generator';
import { LiveMetrics } from '../metrics';
import { SessionParts } from './session-parts';
import { SessionUsage } from './session-usage';

const usageEveryMs = 1000;

/** One live conversation: a channel on one side, the turn engine on the other. */
class LiveSession {
  private readonly usage: SessionUsage;
  private readonly generator: ConversationAnswerGenerator;
  private readonly talk: VoiceCall;
  private isLost = false;

  constructor(
    private readonly about: LiveOpening,
    private readonly parts: SessionParts,
    private readonly calls: LineCall,
    private readonly line: VoiceChannel,
  ) {
    this.usage = new SessionUsage(about.opening.sampleRate, () => this.tellUsed());
    this.generator = parts.generator(about, calls, this.usage);
    this.talk = parts.talk(about, { generator: this.generator, usage: this.usage, line });
  }

  /** Serves the line until the conversation or the line ends, and reports its usage. */
  async run(): Promise<void> {
    this.parts.metrics.begun();
    const telling = setInterval(() => this.tellUsage(), usageEveryMs);
    const listening = this.listen();
    try {
      const { reason } = await this.talk.finished;
      this.usage.caller.conclude();
      await this.attempt(() => this.generator.payAbandoned());
      await this.attempt(() => this.generator.recordSound(this.usage.sound, this.connected));
      this.parts.metrics.ended(reason, this.talk.figures);
      this.tellUsage();
      if (reason === 'DRAINED') this.line.close(voiceLineMoved);
      else await this.conclude(reason);
    } finally {
      clearInterval(telling);
    }
    await listening;
  }

  /** The conversation moves to another replica, from the next turn on. */
  drain(): void {
    this.talk.drain();
  }

  private async listen(): Promise<void> {
    await this.line.read({ frame: (frame) => this.hear(frame), signal: (signal) => this.handle(signal) });
    this.lose();
  }

  private lose(): void {
    if (this.talk.state.kind === 'ended') return;
    this.isLost = true;
    this.talk.end('CALL_ENDED');
  }

  private hear(frame: Uint8Array): void {
    const samples = samplesOf(frame, this.about.opening.encoding);
    this.usage.caller.push(samples.length);
    this.talk.hear(samples);
  }

  private handle(signal: VoiceSignal): void {
    if (signal.type === 'credits.exhausted') this.talk.creditsExhausted();
    else if (signal.type === 'transfer.ask') this.talk.transfer(signal.to);
    else if (signal.type === 'transfer.failed') this.talk.transferFailed();
    else if (signal.type === 'transfer.done') this.talk.end('TRANSFERRED');
    else if (signal.type === 'session.end') this.talk.end(('reason' in signal && signal.reason) || 'ENDED_BY_USER');
    else if (signal.type === 'line.hold') this.talk.hold();
    else if (signal.type === 'line.resume') this.talk.resume();
    else if (signal.type === 'caller.left') this.lose();
    else if (signal.type === 'ping') this.line.signal({ type: 'pong' });
    else if (isFromClient(signal)) this.pass(signal);
  }

  /** A text that waits is known at once to whoever would reopen the line if this process died. */
  private pass(frame: ClientFrame): void {
    this.talk.signal(frame);
    if (frame.type === 'text' && this.talk.progress.waiting) this.tellProgress();
  }

  private async conclude(reason: Exclude<EndReason, 'DRAINED'>): Promise<void> {
    const ended = { sessionUUID: this.about.sessionUUID, reason: reason === 'VOICEMAIL' ? 'CALL_ENDED' : reason } as const;
    // If the line was lost, the caller may resume the conversation.
    if (!this.isLost) await this.attempt(() => runInCall(this.calls.uncancelled(), () => this.parts.bus.ask(endSession, ended)));
    this.line.signal({ type: 'session.ended', reason });
    this.line.close(reason);
  }

  /** A call must end even if the conversation service is unavailable, or the gateway would reopen the line. */
  private async attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.parts.log.error('The end of a live session could not be recorded', {
        err: error,
        sessionUUID: this.about.sessionUUID,
      });
    }
  }

  private get connected() {
    const { elapsedMs, usualPauseMs } = this.talk.progress;
    return { beforeMs: this.about.progress?.elapsedMs ?? 0, elapsedMs: Math.round(elapsedMs), usualPauseMs };
  }

  private tellProgress(): void {
    const { elapsedMs, usualPauseMs, asked, waiting } = this.talk.progress;
    const known = { ...(usualPauseMs !== undefined && { usualPauseMs }), ...(waiting && { waiting }) };
    this.line.signal({ type: 'line.progress', elapsedMs, asked, ...known });
  }

  private tellUsage(): void {
    this.tellProgress();
    for (const turn of this.usage.takeTurns()) this.line.signal({ type: 'turn.used', ...turn });
    this.tellUsed();
  }

  private tellUsed(): void {
    const usage = this.usage.take();
    if (usage.length > 0) this.line.signal({ type: 'usage', usage });
    if (!this.about.opening.takesUndecided) return;
    const seconds = this.usage.takeUndecided();
    if (seconds !== undefined) this.line.signal({ type: 'line.undecided', seconds });
  }
}

const clientFrames: ReadonlySet<string> = new Set(ClientFrame.options.map(({ shape }) => shape.type.value));

function isFromClient(signal: VoiceSignal): signal is ClientFrame {
  return clientFrames.has(signal.type);
}

type VoiceSessionOpening = z.output<typeof openVoiceSession.opening>;
type VoiceSessionAccepted = z.output<typeof openVoiceSession.accepted>;

const retryAfterSeconds = 2;

/** The live conversations of this process. */
@Injectable()
export class LiveSessions {
  private readonly sessions = new Set<LiveSession>();
  /** Lines open or being opened. */
  private places = 0;

  constructor(
    private readonly bus: ServiceBus,
    private readonly engines: OrganizationEngines,
    private readonly parts: SessionParts,
    private readonly lifetime: Lifetime,
    private readonly log: Logger,
    metrics: LiveMetrics,
  ) {
    metrics.holds(() => this.places);
    lifetime.draining.addEventListener('abort', () => this.sessions.forEach((session) => session.drain()), { once: true });
  }

  get count(): number {
    return this.sessions.size;
  }

  async open(opening: VoiceSessionOpening, call: Call): Promise<AcceptedChannel<VoiceSessionAccepted, VoiceSignal>> {
    const leave = this.takePlace();
    try {
      const about = await this.prepare(opening, call);
      const { sessionUUID } = about;
      const { sampleRate, encoding } = opening;
      const serve = (line: VoiceChannel): Promise<void> => {
        call.signal.removeEventListener('abort', leave);
        return this.hold(line, (held) => new LiveSession(about, this.parts, new LineCall(call), held)).finally(leave);
      };
      // If the caller gives up before the line is accepted, its place is released.
      call.signal.addEventListener('abort', leave, { once: true });
      if (call.signal.aborted) leave();
      return { accepted: { sessionUUID, sampleRate, encoding }, serve };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Counts the line before any request is made, so that a burst of openings cannot exceed the limit. */
  private takePlace(): () => void {
    if (this.places >= this.parts.limit.linesMax || this.lifetime.draining.aborted)
      throw new Fault('SERVICE_UNAVAILABLE', { message: 'This replica accepts no more lines.', retryAfterSeconds });
    this.places += 1;
    let isTaken = true;
    return () => {
      if (isTaken) this.places -= 1;
      isTaken = false;
    };
  }

  private async prepare(opening: VoiceSessionOpening, call: Call): Promise<LiveOpening> {
    const { AgentKeyID, sessionUUID, channel, language, variables } = opening;
    const opened = await this.bus.ask(openSession, { AgentKeyID, sessionUUID, channel, language, variables, opensLine: true });
    try {
      const mayBeDeleted = isTelephoneCall(call.principal);
      const agent = await this.bus.ask(readAgentRuntime, { AgentKeyID: opened.AgentKeyID, mayBeDeleted });
      const engines = await this.engines.of(organizationOf(call));
      const { isNew, progress } = opened;
      const about = { opening, agent, engines, isNew, progress, sessionUUID: opened.sessionUUID };
      this.parts.check(about);
      return about;
    } catch (refusal) {
      if (opened.isNew) await this.endRefused(opened.sessionUUID);
      throw refusal;
    }
  }

  /** Ends a conversation that was created for a line that was then refused. */
  private async endRefused(sessionUUID: string): Promise<void> {
    await this.bus.ask(endSession, { sessionUUID, reason: 'FAILED' }).catch((err: unknown) => {
      this.log.warn('The session of a refused line stays open until it is swept', { err, sessionUUID });
    });
  }

  private async hold(line: VoiceChannel, begin: (line: VoiceChannel) => LiveSession): Promise<void> {
    const session = begin(line);
    this.sessions.add(session);
    try {
      await session.run();
    } catch (error) {
      this.log.error('A live session failed', { err: error });
      throw error;
    } finally {
      this.sessions.delete(session);
    }
  }
}

/** Live conversations over the bus. */
@Controller()
export class LiveController {
  constructor(private readonly sessions: LiveSessions) {}

  @Handles(openVoiceSession)
  open(opening: z.output<typeof openVoiceSession.opening>, call: Call): ReturnType<LiveSessions['open']> {
    return this.sessions.open(opening, call);
  }
}
