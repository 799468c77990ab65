import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Injectable } from '@nestjs/common';
import { Fault, joinLeg } from '@parley/contracts';
import { type AcceptedChannel, type Call as BusCall, type Channel, Handles, isTemporary, ServiceBus } from '@parley/messaging';
import type { CallMedia, MediaCapabilities, MediaEvent, MediaFormat } from '@parley/ports';
import type { z } from 'zod';
import type { MediaTicket } from '../calls/media-tokens';
import { inCallOf } from '../line/call-parts';
import { CallObservers } from './call-observers';

type JoinLegSignal = z.output<typeof joinLeg.signal>;
type JoinLegOpening = z.output<typeof joinLeg.opening>;
type JoinLegAccepted = z.input<typeof joinLeg.accepted>;
type LegChannel = Channel<JoinLegSignal>;

const findMs = 3_000;
const tryMs = 1_000;
const pauseMs = 10;

/** A transfer target's line, relayed to the replica that holds the call. */
interface FarLeg {
  attach(answer: (hear: (event: MediaEvent) => void) => CallMedia): void;
  /** Nobody connected after all. */
  leave(): void;
}

/** Relays the lines of transfer targets that connect here while another replica holds the call. */
@Injectable()
export class FarLegs {
  constructor(private readonly bus: ServiceBus) {}

  /** Asks one replica after the other; undefined if none waits for this person. */
  async find({ orgId, callId, leg }: MediaTicket): Promise<FarLeg | undefined> {
    if (leg === undefined) return undefined;
    const untilMs = Date.now() + findMs;
    for (;;) {
      try {
        const opening = { CallID: callId, leg };
        const identity = { orgId, keyId: leg };
        const { channel } = await inCallOf(identity, () => this.bus.open(joinLeg, opening, { timeoutMs: tryMs }));
        return { attach: (answer) => carry(channel, answer), leave: () => channel.close('nobody came') };
      } catch (error) {
        if (!(error instanceof Fault) || error.code === 'NOT_FOUND') return undefined;
        if (!isTemporary(error) || Date.now() > untilMs) throw error;
      }
      await delay(pauseMs);
    }
  }
}

function carry(channel: LegChannel, answer: (hear: (event: MediaEvent) => void) => CallMedia): void {
  const media = answer((event) => {
    if (event.kind === 'audio') channel.send(event.bytes);
    else if (event.kind === 'started') channel.signal({ type: 'started', ...event.start.format });
    else if (event.kind === 'digit') channel.signal({ type: 'pressed', digit: event.digit, isInSound: event.isInSound });
    else if (event.kind === 'ended') channel.signal({ type: 'ended' });
  });
  const play = async (): Promise<void> => {
    for await (const item of channel.incoming) {
      if ('frame' in item) media.send(item.frame);
      else if (item.signal.type === 'press') media.sendDigits(item.signal.digits);
      else if (item.signal.type === 'hang-up') media.hangUp();
    }
    // The call is over, or the replica that held it is gone.
    if (!media.isEnded) media.hangUp();
  };
  void play();
}

/** Accepts the lines of transfer targets that connected to another replica, for calls held here. */
@Controller()
export class AwaitedLegs {
  constructor(private readonly observers: CallObservers) {}

  @Handles(joinLeg)
  async open({ CallID, leg }: JoinLegOpening, call: BusCall): Promise<AcceptedChannel<JoinLegAccepted, JoinLegSignal>> {
    const attached = this.observers.find(CallID);
    if (!attached) throw new Fault('SERVICE_UNAVAILABLE');
    const { principal } = call;
    if (principal?.kind !== 'system' || principal.orgId !== attached.call.call.orgId || !attached.transfer.awaits(leg))
      throw new Fault('NOT_FOUND', { message: 'No call waits for this line.' });
    const { capabilities } = attached.call.line?.media ?? {};
    if (!capabilities) throw new Fault('NOT_FOUND', { message: 'This call has no line of its own.' });
    const serve = async (channel: LegChannel): Promise<void> => {
      const media = new FarMedia(channel, capabilities);
      const isTaken = attached.transfer.attach(leg, (hear) => {
        media.hear = hear;
        return media;
      });
      if (isTaken) await media.listen();
    };
    return { accepted: { isAwaited: true }, serve };
  }
}

function keyOf({ digit, isInSound = false }: Extract<JoinLegSignal, { type: 'pressed' }>): MediaEvent {
  return { kind: 'digit', digit, isInSound };
}

/** The media of a line at another replica. */
class FarMedia implements CallMedia {
  hear: (event: MediaEvent) => void = () => undefined;
  format: MediaFormat | undefined;
  isEnded = false;

  constructor(
    private readonly channel: LegChannel,
    /** Those of the call's own line, since both belong to one account. */
    readonly capabilities: MediaCapabilities,
  ) {}

  async listen(): Promise<void> {
    for await (const item of this.channel.incoming) {
      if ('frame' in item) this.hear({ kind: 'audio', bytes: item.frame });
      else if (item.signal.type === 'started') this.start(item.signal);
      else if (item.signal.type === 'pressed') this.hear(keyOf(item.signal));
      else if (item.signal.type === 'ended') this.end('the person’s line is over');
    }
    this.end('the replica with the person’s line is gone');
  }

  send(bytes: Uint8Array): void {
    if (!this.isEnded) this.channel.send(bytes);
  }

  hangUp(): void {
    if (!this.isEnded) this.channel.signal({ type: 'hang-up' });
  }

  close(): void {
    this.hangUp();
  }

  /** Not used for a transfer target's line. */
  mark(): void {}
  clear(): void {}

  sendDigits(digits: string): boolean {
    if (!this.isEnded) this.channel.signal({ type: 'press', digits });
    return !this.isEnded;
  }

  private start({ encoding, sampleRate }: Extract<JoinLegSignal, { type: 'started' }>): void {
    const format = { encoding, sampleRate };
    this.format = format;
    const unknown = { callId: undefined, streamId: undefined, from: undefined, to: undefined };
    this.hear({ kind: 'started', start: { format, ...unknown, parameters: {} } });
  }

  private end(message: string): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.hear({ kind: 'ended', reason: 'caller-hung-up', message });
    this.channel.close(message);
  }
}
