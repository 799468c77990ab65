import { randomUUID } from 'node:crypto';
import { endSession, Fault, type ServerFrame, socketCloseCodes } from '@parley/contracts';
import { faultOf } from '../faults/fault-of';
import type { Newcomer } from './entrance';
import type { KnownSession, SessionOpener } from './session-opener';
import type { SpokenTalk } from './spoken-talk';
import type { ClientWord, SessionStart, Stage, Talk } from './talk';
import { TypedTalk } from './typed-talk';

const noDigits = 'Digits count only while sound is sent.';

/**
 * Chat and voice of one visitor in one conversation. Until the visitor's first sound, typed questions go straight to the
 * conversation service: most visitors never speak, so they should neither occupy a speech session nor need the credits or
 * the health of one, and an agent that nobody listens to should not talk. From the first sound on, everything goes through
 * the speech service, which answers aloud and can be interrupted, also by typing.
 */
export class WidgetTalk implements Talk {
  private known: { readonly session: KnownSession; readonly start: SessionStart; readonly typed: TypedTalk } | undefined;
  private spoken: SpokenTalk | undefined;
  private isLeft = false;

  constructor(
    private readonly opener: SessionOpener,
    private readonly newcomer: Newcomer,
    private readonly stage: Stage,
  ) {}

  async begin(start: SessionStart): Promise<ServerFrame> {
    const session = await this.opener.session(this.newcomer, start, 'WIDGET');
    const { sessionUUID, language, variables } = session;
    const { principal } = this.newcomer;
    const typed = new TypedTalk(this.opener, this.stage, { principal, sessionUUID, language, variables });
    this.known = { session, start, typed };
    return { type: 'session.ready', sessionUUID, sampleRate: start.sampleRate, encoding: start.encoding };
  }

  sound(bytes: Uint8Array): void {
    this.spoken ??= this.startSpeaking();
    this.spoken?.sound(bytes);
  }

  say(word: ClientWord): void {
    if (this.spoken) return this.spoken.say(word);
    if (word.type === 'text') this.known?.typed.ask(word.text);
    else if (word.type === 'interrupt') this.known?.typed.interrupt();
    else if (word.type === 'dtmf') this.stage.complain(new Fault('VALIDATION_FAILED', { message: noDigits }));
  }

  end(): void {
    if (this.spoken) this.spoken.end();
    else void this.endTyped();
  }

  async leave(reason: string): Promise<void> {
    this.isLeft = true;
    await Promise.all([this.spoken?.leave(reason), this.known?.typed.leave()]);
  }

  private startSpeaking(): SpokenTalk | undefined {
    const { known, newcomer, stage } = this;
    if (!known || this.isLeft) return undefined;
    const { session, start } = known;
    const spoken = this.opener.spoken(newcomer, stage, { session, start, channel: 'WIDGET' });
    // Answers are either written by one or spoken by the other, never both at a time.
    known.typed.interrupt();
    void spoken.begin().catch((error: unknown) => stage.fail(faultOf(error)));
    return spoken;
  }

  private async endTyped(): Promise<void> {
    const { known } = this;
    await known?.typed.leave();
    if (known) await this.tellEnd(known.session);
    this.stage.tell({ type: 'session.ended', reason: 'ENDED_BY_USER' });
    this.stage.close({ code: socketCloseCodes.ended, reason: 'ENDED_BY_USER' });
  }

  /** A conversation whose end is not heard of ends by itself a while later. */
  private async tellEnd({ sessionUUID }: KnownSession): Promise<void> {
    const { principal } = this.newcomer;
    const requestId = randomUUID();
    try {
      await this.opener.asking({ principal, requestId }, (bus) => bus.ask(endSession, { sessionUUID, reason: 'ENDED_BY_USER' }));
    } catch (error) {
      this.stage.complain(faultOf(error));
    }
  }
}
