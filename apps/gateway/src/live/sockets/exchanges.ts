import { Injectable } from '@nestjs/common';
import { Fault, endSession, type ServerFrame, socketCloseCodes } from '@parley/contracts';
import { faultOf } from '../../door/faults';
import type { ClientSide, ClientWord, Exchange, SessionStart } from './exchange';
import { type KnownSession, SessionOpener } from './session-opener';
import type { Admitted } from './socket-admission';
import type { SocketEndpoint } from '../../api/socket-endpoints';
import { TextExchange } from './text-exchange';
import type { VoiceExchange } from './voice-exchange';

interface Begun {
  readonly start: SessionStart;
  readonly typed: TextExchange;
  session(): Promise<KnownSession>;
}

const noDigits = 'Digits count only while sound is sent.';

/** Makes the exchange that belongs to an endpoint. */
@Injectable()
export class Exchanges {
  constructor(private readonly opener: SessionOpener) {}

  at({ exchange }: SocketEndpoint, admitted: Admitted, client: ClientSide): Exchange {
    const { opener } = this;
    if (exchange === 'widget') return new WidgetExchange(opener, admitted, client);
    if (exchange === 'transcription') return opener.transcription(admitted, client);
    return opener.spoken(admitted, client, 'VOICE', (start) => opener.session(admitted, start, 'VOICE'));
  }
}

/**
 * Chat and voice of one visitor in one conversation. Until the visitor's first sound, typed questions go straight to the
 * conversation service: most visitors never speak, so they should neither occupy a speech session nor need the credits or
 * the health of one, and an agent that nobody listens to should not speak. From the first sound on, everything goes through
 * the speech service, which answers aloud and can be interrupted, also by typing.
 */
class WidgetExchange implements Exchange {
  private begun: Begun | undefined;
  private spoken: VoiceExchange | undefined;
  private isLeft = false;

  constructor(
    private readonly opener: SessionOpener,
    private readonly admitted: Admitted,
    private readonly client: ClientSide,
  ) {}

  async begin(start: SessionStart): Promise<ServerFrame> {
    const known = this.opener.session(this.admitted, start, 'WIDGET');
    const session = () => known;
    this.begun = { session, start, typed: new TextExchange(this.opener, this.client, this.admitted, session) };
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
    else if (word.type === 'dtmf') this.client.complain(new Fault('VALIDATION_FAILED', { message: noDigits }));
  }

  end(): void {
    if (this.spoken) this.spoken.end();
    else void this.endTyped();
  }

  async leave(reason: string): Promise<void> {
    this.isLeft = true;
    await Promise.all([this.spoken?.leave(reason), this.begun?.typed.leave()]);
  }

  private startSpeaking(): VoiceExchange | undefined {
    const { begun, admitted, client } = this;
    if (!begun || this.isLeft) return undefined;
    const { session, start, typed } = begun;
    const spoken = this.opener.spoken(admitted, client, 'WIDGET', session);
    // Answers are either written by one or spoken by the other, never both at a time.
    typed.interrupt();
    void spoken.begin(start).catch((error: unknown) => client.fail(faultOf(error)));
    return spoken;
  }

  private async endTyped(): Promise<void> {
    const { begun } = this;
    await begun?.typed.leave();
    if (begun) await this.tellEnd(begun);
    this.client.tell({ type: 'session.ended', reason: 'ENDED_BY_USER' });
    this.client.close({ code: socketCloseCodes.ended, reason: 'ENDED_BY_USER' });
  }

  /** A conversation whose end is not heard of ends by itself a while later. */
  private async tellEnd({ session }: Begun): Promise<void> {
    try {
      const { sessionUUID } = await session();
      await this.opener.asking(this.admitted, (bus) => bus.ask(endSession, { sessionUUID, reason: 'ENDED_BY_USER' }));
    } catch (error) {
      this.client.complain(faultOf(error));
    }
  }
}
