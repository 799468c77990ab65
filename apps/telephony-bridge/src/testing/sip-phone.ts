import { FrameClock, type OutboundCall, SipEndpoint } from '@parley/sip';

interface PhoneCredentials {
  readonly username: string;
  readonly password: string;
}

const host = '127.0.0.1';
const mediaPorts = { host, from: 46_000 + (process.pid % 40) * 40, to: 48_999 };

/** A phone that calls over SIP with real packets: records sound and keys, and whether it was hung up. */
export class SipPhone {
  readonly violations: string[] = [];
  isToldOfEnd = false;
  private readonly sounds: Uint8Array[] = [];
  private keys = '';
  private made: OutboundCall | undefined;

  private constructor(private readonly endpoint: SipEndpoint) {}

  /** Calls a number at the port of an account. Resolves once it is answered. */
  static async call(number: string, port: number, credentials?: PhoneCredentials): Promise<SipPhone> {
    const endpoint = await SipEndpoint.open({
      host,
      port: 0,
      media: mediaPorts,
      admission: { trusted: [host] },
      clock: new FrameClock(),
      incoming: (call) => call.refuse(480),
    });
    const phone = new SipPhone(endpoint);
    await phone.dial(number, port, credentials).catch(async (error: unknown) => {
      await endpoint.close();
      throw error;
    });
    return phone;
  }

  get callId(): string {
    return this.made?.callId ?? '';
  }

  /** A SIP call starts with the answer. */
  begin(): void {}

  speak(bytes: Uint8Array): void {
    this.made?.sound.send(bytes);
  }

  press(digit: string): void {
    this.made?.sound.press(digit);
  }

  hangUp(): void {
    this.made?.hangUp();
    void this.endpoint.close();
  }

  heard(): Uint8Array {
    return Buffer.concat(this.sounds);
  }

  keysHeard(): string {
    return this.keys;
  }

  private async dial(user: string, port: number, credentials?: PhoneCredentials): Promise<void> {
    const { promise: isUp, resolve: up, reject: refused } = Promise.withResolvers<void>();
    const made = await this.endpoint.place({
      to: { user, host, port, parameters: new Map() },
      from: { user: '+919820012345' },
      ringMs: 30_000,
      ...(credentials && { credentials }),
      listener: {
        answered: up,
        sound: ({ payload, isConcealed }) => {
          // The concealment of a lost packet is as long as the gap.
          if (isConcealed) return;
          if (payload.length !== 160) this.violations.push(`a packet of ${payload.length} bytes`);
          this.sounds.push(Uint8Array.from(payload));
        },
        digit: (key) => (this.keys += key),
        ended: ({ words, status }) => {
          this.isToldOfEnd = true;
          refused(new Error(`the call ended: ${status === undefined ? '' : `${status} `}${words}`));
        },
      },
    });
    if (typeof made === 'string') throw new Error(`the call could not be placed: ${made}`);
    this.made = made;
    await isUp;
  }
}
