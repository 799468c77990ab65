import { ClientFrame, endSession, voiceLineMoved } from '@parley/contracts';
import { runInCall } from '@parley/messaging';
import type { EndReason, VoiceCall } from '@parley/voice-session';
import { type LiveOpening, samplesOf, type VoiceChannel, type VoiceSignal } from './channel-line';
import type { ConversationAnswerGenerator, LineCall } from './conversation-answer-generator';
import type { SessionParts } from './session-parts';
import { SessionUsage } from './session-usage';

const usageEveryMs = 1000;

/** One live conversation: a channel on one side, the turn engine on the other. */
export class LiveSession {
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
    this.usage = new SessionUsage(about.opening.sampleRate);
    this.generator = parts.generator(about, calls, this.usage);
    this.talk = parts.talk(about, { generator: this.generator, usage: this.usage, line });
  }

  /** Holds the line until the conversation or the line is over, and reports its usage. */
  async run(): Promise<void> {
    this.parts.figures.begun();
    const telling = setInterval(() => this.tellUsage(), usageEveryMs);
    const listening = this.listen();
    try {
      const { reason } = await this.talk.finished;
      this.usage.caller.conclude();
      await this.attempt(() => this.generator.payTheRest());
      await this.attempt(() => this.generator.recordSound(this.usage.sound));
      this.parts.figures.ended(reason, this.talk.figures);
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
    for await (const item of this.line.incoming) {
      if ('frame' in item) this.hear(item.frame);
      else this.heed(item.signal);
    }
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

  private heed(signal: VoiceSignal): void {
    if (signal.type === 'credits.exhausted') this.talk.creditsExhausted();
    else if (signal.type === 'transfer.ask') this.talk.transfer(signal.to);
    else if (signal.type === 'transfer.failed') this.talk.transferFailed();
    else if (signal.type === 'transfer.done') this.talk.end('TRANSFERRED');
    else if (signal.type === 'session.end') this.talk.end(('reason' in signal && signal.reason) || 'ENDED_BY_USER');
    else if (signal.type === 'line.hold') this.talk.hold();
    else if (signal.type === 'line.resume') this.talk.resume();
    else if (signal.type === 'caller.left') this.lose();
    else if (signal.type === 'ping') this.line.signal({ type: 'pong' });
    else if (isFromClient(signal)) this.talk.signal(signal);
  }

  private async conclude(reason: Exclude<EndReason, 'DRAINED'>): Promise<void> {
    const ended = { sessionUUID: this.about.sessionUUID, reason: reason === 'VOICEMAIL' ? 'CALL_ENDED' : reason } as const;
    // The caller may come back to a conversation whose line was lost.
    if (!this.isLost) await this.attempt(() => runInCall(this.calls.chore(), () => this.parts.bus.ask(endSession, ended)));
    this.line.signal({ type: 'session.ended', reason });
    this.line.close(reason);
  }

  /** A conversation service that is away must not keep an ended call alive: the door would open the line again. */
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

  private tellUsage(): void {
    const { elapsedMs, usualPauseMs, asked } = this.talk.progress;
    this.line.signal({ type: 'line.progress', elapsedMs, asked, ...(usualPauseMs !== undefined && { usualPauseMs }) });
    const usage = this.usage.take();
    if (usage.length > 0) this.line.signal({ type: 'usage', usage });
  }
}

const clientFrames: ReadonlySet<string> = new Set(ClientFrame.options.map(({ shape }) => shape.type.value));

function isFromClient(signal: VoiceSignal): signal is ClientFrame {
  return clientFrames.has(signal.type);
}
