import type { z } from 'zod';
import type { CallControl, ControlCapabilities } from './call-control';
import type { CallMedia, MediaClock, MediaEvent, MediaProtocol } from './call-media';
import type { MediaCapabilities } from './media-format';
import type { CallNotice, Webhooks } from './webhooks';

/** A call, or the media of one, that came without our web server: over SIP, or as an AudioSocket. */
export interface ArrivedCall {
  readonly callId: string;
  /** Absent where the connection does not tell; the token then does. */
  readonly direction?: 'inbound' | 'outbound';
  /** Of an outbound call: what it was placed with. */
  readonly reference?: string;
  /** What the other end named as its ticket: the UUID of an AudioSocket. */
  readonly token?: string;
  readonly from?: string;
  readonly to?: string;
  /** Only one of these two, and once. Unanswered for ten seconds, the call is refused. */
  answer(hear: (event: MediaEvent) => void): CallMedia;
  refuse(reason: 'busy' | 'rejected' | 'not-found'): void;
}

/** Who is told of what arrives. Must not throw. */
export interface CallHandler {
  arrived(call: ArrivedCall): void;
  noticed(notice: CallNotice): void;
}

/** Where to listen. */
export interface ListenAddress {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Calls are placed from here, and nobody is told that any may come: another replica takes those. */
  readonly placesOnly?: boolean;
}

/** A place where calls arrive. */
export interface Listening {
  readonly host: string;
  readonly port: number;
  /** Takes no more calls; those that are held go on until `until`, then they are closed. */
  close(until?: Date): Promise<void>;
}

/** One account at a carrier, ready for calls. */
export interface Carrier {
  readonly id: string;
  /** Over a WebSocket or TCP connection; absent where `listen` brings ready media. */
  readonly media?: MediaProtocol;
  readonly control?: CallControl;
  readonly webhooks?: Webhooks;
  /** Only of carriers that connect by something else than HTTP and WebSocket. */
  listen?(address: ListenAddress, handler: CallHandler): Promise<Listening>;
  /** The port that the account wants calls to arrive at, where it is the account that says so. */
  readonly listensOn?: number;
  /** Asks the carrier for something harmless, so that wrong credentials are known before the first call. */
  test?(signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** What a carrier is opened in. */
export interface CarrierSurroundings {
  /** The configured public address, without a slash at its end: signatures are checked against it. */
  readonly publicUrl: string;
  readonly clock: MediaClock;
  /** Asks the carrier's API; a guarded one where the address is a customer's. */
  readonly fetch?: typeof fetch;
  /** Whether this account may send to an address past `fetch`; without it, to any. */
  readonly reaches?: (address: string) => boolean;
}

/** One carrier of the catalogue. A secret field of its credentials says so by `.meta({ secret: true })`. */
export interface CarrierDescriptor<Credentials extends z.ZodObject = z.ZodObject> {
  readonly id: string;
  readonly name: string;
  readonly credentials: Credentials;
  readonly capabilities: {
    readonly media: MediaCapabilities;
    /** Undefined: this carrier's calls are placed and ended elsewhere. */
    readonly control: ControlCapabilities | undefined;
    readonly connects: 'websocket' | 'tcp' | 'sip';
    /** Sends to hosts that its account or its calls name, past the guarded `fetch`: for installations that trust their customers. */
    readonly reachesAnyHost?: true;
    /** What a media token must look like; absent, any text that fits into a path. */
    readonly tokens?: 'uuid';
    /** Whether webhooks and the media upgrade bear a signature. */
    readonly signs: { readonly webhooks: boolean; readonly upgrade: boolean };
  };
  /** Costs nothing and asks nobody. */
  open(credentials: z.output<Credentials>, surroundings: CarrierSurroundings): Carrier;
}

/** The fields of a descriptor's credentials that must be sealed at rest and never told. */
export function secretFieldsOf({ credentials }: Pick<CarrierDescriptor, 'credentials'>): string[] {
  return Object.entries(credentials.shape)
    .filter(([, field]) => 'meta' in field && field.meta()?.['secret'] === true)
    .map(([name]) => name);
}
