import { endSession, Fault, type ServerFrame, socketCloseCodes } from '@parley/contracts';
import { faultOf } from '../faults/fault-of';
import type { Newcomer } from './entrance';
import type { KnownSession, SessionOpener } from './session-opener';
import type { SpokenTalk } from './spoken-talk';
import type { ClientWord, SessionStart, Stage, Talk } from './talk';
import { TypedTalk } from './typed-talk';

interface Begun {
  readonly start: SessionStart;
  readonly typed: TypedTalk;
  session(): Promise<KnownSession>;
}

const noDigits = 'Digits count only while sound is sent.';

/**
 * Chat and voice of one visitor in one conversation. Until the visitor's first sound, typed questions go straight to the
 * conversation service: most visitors never speak, so they should neither occupy a speech session nor need the credits or
 * the health of one, and an agent that nobody listens to should not talk. From the first sound on, everything goes through
 * the speech service, which answers aloud and can be interrupted, also by typing.
 */
export class WidgetTalk implements Talk {
  private begun: Begun | undefined;
  private spoken: SpokenTalk | undefined;
  private isLeft = false;

  constructor(
    private readonly opener: SessionOpener,
    private readonly newcomer: Newcomer,
    private readonly stage: Stage,
  ) {}

  async begin(start: SessionStart): Promise<ServerFrame> {
    const known = this.opener.session(this.newcomer, start, 'WIDGET');
    const session = () => known;
    const typed = new TypedTalk(this.opener, this.stage, async () => ({ ...(await known), principal: this.newcomer.principal }));
    this.begun = { session, start, typed };
    const { sessionUUID } = await known;
    return { type: 'session.ready', sessionUUID, sampleRate: start.sampleRate, encoding: start.encoding };
  }

  sound(bytes: Uint8Array): void {
    this.spoken ??= this.startSpeaking();
    this.spoken?.sound(bytes);
  }

  say(word: ClientWord): void {
    if (this.spoken) return this.spoken.say(word);
    if (word.type === 'text') this.begun?.typed.ask(word.text);
    else if (word.type === 'interrupt') this.begun?.typed.interrupt();
    else if (word.type === 'dtmf') this.stage.complain(new Fault('VALIDATION_FAILED', { message: noDigits }));
  }

  end(): void {
    if (this.spoken) this.spoken.end();
    else void this.endTyped();
  }

  async leave(reason: string): Promise<void> {
    this.isLeft = true;
    await Promise.all([this.spoken?.leave(reason), this.begun?.typed.leave()]);
  }

  private startSpeaking(): SpokenTalk | undefined {
    const { begun, newcomer, stage } = this;
    if (!begun || this.isLeft) return undefined;
    const { session, start, typed } = begun;
    const spoken = this.opener.spoken(newcomer, stage, { session, start, channel: 'WIDGET' });
    // Answers are either written by one or spoken by the other, never both at a time.
    typed.interrupt();
    void spoken.begin().catch((error: unknown) => stage.fail(faultOf(error)));
    return spoken;
  }

  private async endTyped(): Promise<void> {
    const { begun } = this;
    await begun?.typed.leave();
    if (begun) await this.tellEnd(begun);
    this.stage.tell({ type: 'session.ended', reason: 'ENDED_BY_USER' });
    this.stage.close({ code: socketCloseCodes.ended, reason: 'ENDED_BY_USER' });
  }

  /** A conversation whose end is not heard of ends by itself a while later. */
  private async tellEnd({ session }: Begun): Promise<void> {
    try {
      const { sessionUUID } = await session();
      await this.opener.asking(this.newcomer, (bus) => bus.ask(endSession, { sessionUUID, reason: 'ENDED_BY_USER' }));
    } catch (error) {
      this.stage.complain(faultOf(error));
    }
  }
}
