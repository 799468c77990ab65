import { randomInt } from 'node:crypto';
import type { G711 } from '../rtp/rtp-packet';
import type { SoundSession } from '../rtp/sound-session';
import { answering, type Direction, formatSdp, mayReceive, maySend, parseSdp, sharedCodec, type SoundDescription } from './sdp';

const ownDigits = 101;

/** The offer and answer of one call: what we last said, what the peer last said, and what its sound is told of it. */
export class Negotiation {
  private readonly session = { id: randomInt(2 ** 47), version: 1 };
  private theirs: SoundDescription | undefined;
  private wanted: Direction = 'sendrecv';
  private lastSaid = '';

  constructor(
    private readonly sound: SoundSession,
    private readonly options: { readonly address: string; readonly codecs: readonly G711[] },
  ) {}

  /** Whether the peer has put us on hold: it does not listen. */
  get isHeld(): boolean {
    return this.theirs !== undefined && !mayReceive(this.theirs.direction);
  }

  /** What we want from now on; it takes effect with the next offer. */
  want(direction: Direction): void {
    this.wanted = direction;
  }

  /** Our offer: the first one, or what now holds. */
  offer(): Buffer {
    const { theirs } = this;
    const codecs = theirs && this.sound.codec ? [this.sound.codec] : this.options.codecs;
    return this.say({ codecs, digits: theirs ? theirs.digits : ownDigits, direction: this.wanted }, theirs);
  }

  /** Our answer to an offer, and its effect; nothing when we have no codec in common, and then all stays as it was. */
  answer(body: Buffer): Buffer | undefined {
    const offered = parseSdp(body);
    const codec = offered && this.codecFor(offered);
    if (!offered || !codec) return undefined;
    const direction = answering(offered.direction, this.wanted);
    this.take(offered, codec, direction);
    return this.say({ codecs: [codec], digits: offered.digits, direction }, offered);
  }

  /** The effect of the peer's answer to our offer; false when it cannot be used. */
  answered(body: Buffer): boolean {
    const answer = parseSdp(body);
    const codec = answer && this.codecFor(answer);
    if (!answer || !codec) return false;
    this.take(answer, codec, answering(answer.direction, this.wanted));
    return true;
  }

  /** A codec once chosen stays while it is offered, so that the line's format holds for the whole call. */
  private codecFor(theirs: SoundDescription): G711 | undefined {
    const current = this.sound.codec;
    if (current) return theirs.codecs.includes(current) ? current : undefined;
    return sharedCodec(theirs, this.options.codecs);
  }

  private take(theirs: SoundDescription, codec: G711, direction: Direction): void {
    this.theirs = theirs;
    const { address, port, reportsPort, digits } = theirs;
    this.sound.agree({
      address,
      port,
      codec,
      ...(reportsPort !== undefined && { reportsPort }),
      ...(digits !== undefined && { digits }),
      sends: maySend(direction) && address !== '0.0.0.0',
      receives: mayReceive(direction),
    });
  }

  private say(
    said: { codecs: readonly G711[]; digits: number | undefined; direction: Direction },
    offer?: SoundDescription,
  ): Buffer {
    const { digits, ...rest } = said;
    const { address } = this.options;
    const make = (): Buffer =>
      formatSdp(
        { ...rest, ...(digits !== undefined && { digits }), address, port: this.sound.port, session: { ...this.session } },
        offer,
      );
    // The version tells whether anything changed: a refresh repeats it.
    if (this.lastSaid !== '' && make().toString() !== this.lastSaid) this.session.version += 1;
    const text = make();
    this.lastSaid = text.toString();
    return text;
  }
}
