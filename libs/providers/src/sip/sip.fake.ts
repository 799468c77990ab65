import type { CarrierEnd, ConnectCarrier } from '@parley/ports/suites';
import { type DatagramEnd, formatRtp, FrameClock, type G711, parseRtp, SoundSession } from '@parley/sip';
import { SipMedia } from './sip-media';

type Surroundings = Parameters<ConnectCarrier>[0];

const digitType = 101;
const keys = '0123456789*#ABCD';
const peer = { address: '192.0.2.1', family: 'IPv4', port: 4000, size: 0 } as const;

/** The far end of a SIP call at the level of RTP: checks order, timestamps and events of the packets it receives. */
export class FakeSipPeer implements CarrierEnd {
  readonly media: SipMedia;
  readonly violations: string[] = [];
  isToldOfEnd = false;
  private readonly line: SoundSession;
  private readonly payloads: Uint8Array[] = [];
  private readonly pressed: { timestamp: number; key: string }[] = [];
  private receive: (bytes: Buffer, from: typeof peer) => void = () => {};
  private readonly leave: () => void;
  private hasSpoken = false;
  private sequence = 7;
  private timestamp = 1000;
  private last: { sequence: number; timestamp: number } | undefined;

  constructor(
    { clock, hear }: Surroundings,
    private codec: G711 = 'PCMU',
    private readonly keysAs: 'events' | 'tones' = 'events',
  ) {
    const reports: DatagramEnd = { on: () => {}, send: (_bytes, _port, _address, sent) => sent?.() };
    const sound: DatagramEnd = {
      on: (_event, received) => {
        this.receive = received;
      },
      send: (bytes) => this.received(Buffer.from(bytes)),
    };
    this.line = new SoundSession({
      ports: { sound, reports, port: 5000, close: () => {} },
      clock: new FrameClock(clock),
      signalling: peer.address,
      starvedAfterMs: 30_000,
      listener: {
        sound: (heard) => this.media.sound(heard),
        digit: (key) => this.media.digit(key),
        marks: (names, wasCleared) => this.media.marks(names, wasCleared),
        starved: () => this.media.starved(),
      },
    });
    this.leave = new FrameClock(clock).join(() => this.keepSending());
    const hangUpCall = (): void => {
      this.isToldOfEnd = true;
      this.leave();
      this.line.close();
    };
    this.media = new SipMedia(this.line, { clock, hear, hangUpCall });
  }

  begin(): void {
    this.agreeOn(this.codec);
    this.media.start({ callId: 'call', streamId: undefined, from: undefined, to: undefined, parameters: {} });
  }

  /** Both sides continue with this codec, as after a re-INVITE. */
  agreeOn(codec: G711): void {
    const { address, port } = peer;
    this.codec = codec;
    const digits = this.keysAs === 'events' ? { digits: digitType } : {};
    this.line.agree({ address, port, codec, ...digits, sends: true, receives: true });
  }

  speak(bytes: Uint8Array): void {
    this.hasSpoken = true;
    this.say(this.payloadType, bytes);
    this.timestamp += bytes.length;
  }

  press(digit: string): void {
    for (const [end, duration] of [
      [0, 160],
      [0x80, 320],
      [0x80, 320],
    ] as const) {
      this.say(digitType, Uint8Array.from([keys.indexOf(digit), end | 10, duration >> 8, duration & 0xff]));
    }
    this.timestamp += 320;
  }

  hangUp(): void {
    this.leave();
    this.line.close();
    this.media.ended({ kind: 'hung-up-by-peer', words: 'the peer hung up' });
  }

  /** Stops listening and sending. */
  hold(): void {
    this.leave();
    this.line.agree({ address: peer.address, port: peer.port, codec: this.codec, sends: false, receives: true });
    this.media.held(true);
  }

  breakOff(): void {
    this.leave();
    this.line.close();
    this.media.ended({ kind: 'lost', words: 'the peer did not refresh the call' });
  }

  fallSilent(): void {
    this.line.agree({ address: peer.address, port: peer.port, codec: this.codec, sends: false, receives: true });
  }

  /** Stops sending without telling us. */
  goMute(): void {
    this.leave();
  }

  heard(): Uint8Array {
    return Buffer.concat(this.payloads);
  }

  keysHeard(): string {
    return this.pressed.map(({ key }) => key).join('');
  }

  private get payloadType(): number {
    return this.codec === 'PCMA' ? 8 : 0;
  }

  /** Sends a frame with every tick, even of silence, like a phone. */
  private keepSending(): void {
    if (!this.hasSpoken && this.media.format) this.speak(new Uint8Array(160).fill(this.codec === 'PCMA' ? 0xd5 : 0xff));
    this.hasSpoken = false;
  }

  private say(payloadType: number, payload: Uint8Array): void {
    const head = { payloadType, marker: false, sequence: this.sequence++, timestamp: this.timestamp, source: 99 };
    this.receive(formatRtp(head, payload), peer);
  }

  private received(bytes: Buffer): void {
    const packet = parseRtp(bytes);
    if (!packet) return void this.violations.push('no RTP');
    const { sequence, timestamp, payload, payloadType } = packet;
    if (this.last && ((this.last.sequence + 1) & 0xffff) !== sequence) this.violations.push('a number was left out');
    if (payloadType === digitType) this.event(payload, timestamp);
    else {
      if (payloadType !== this.payloadType) this.violations.push(`sound of payload type ${payloadType}`);
      if (payload.length !== 160) this.violations.push(`a packet of ${payload.length} bytes`);
      this.payloads.push(Uint8Array.from(payload));
    }
    this.last = { sequence, timestamp };
  }

  private event(payload: Buffer, timestamp: number): void {
    const key = keys[payload.readUInt8(0)] ?? '?';
    if (this.pressed.at(-1)?.timestamp !== timestamp) this.pressed.push({ timestamp, key });
  }
}
