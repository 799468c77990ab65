import { z } from 'zod';
import type { CallControl, CarrierCallState, ControlCapabilities, DialledAddress } from './call-control';
import type { CallMedia, MediaCapabilities, MediaClock, MediaEvent, MediaProtocol } from './call-media';

/** A call, or the media of one, that did not arrive through our web server: over SIP, or as an AudioSocket. */
export interface ArrivedCall {
  readonly callId: string;
  /** Absent if the connection does not tell; then the token does. */
  readonly direction?: 'inbound' | 'outbound';
  /** For an outbound call: the reference it was placed with. */
  readonly reference?: string;
  /** The token that the other end presented: the UUID of an AudioSocket. */
  readonly token?: string;
  readonly from?: string;
  readonly to?: string;
  /** Call one of these two, once. A call left unanswered for ten seconds is refused. */
  answer(hear: (event: MediaEvent) => void): CallMedia;
  refuse(reason: 'busy' | 'rejected' | 'not-found'): void;
}

/** Receives incoming calls and notices. Must not throw. */
export interface CallHandler {
  arrived(call: ArrivedCall): void;
  noticed(notice: CallNotice): void;
  /** A call was refused before it was established, so only the caller knows of it. */
  refused?(refusal: { readonly status: number; readonly address: string; readonly why: string }): void;
  /** The account's current credentials: callers' passwords may have changed since the account was opened. */
  credentials?(): Promise<unknown>;
}

/** Where to listen. */
export interface ListenAddress {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** For placing calls only: incoming ones go to another replica. */
  readonly placesOnly?: boolean;
  /**
   * Another replica on this machine still has the address, for calls of its own: everything else is sent and received through it.
   */
  readonly handover?: AddressHandover;
}

/** Connects two replicas at one address: the one that has it, and the one that takes its new calls. Frames may be lost. */
export interface AddressHandover {
  send(frame: Uint8Array): void;
  /** Sets the listener; called once. */
  hear(listener: (frame: Uint8Array) => void): void;
  readonly closed: Promise<void>;
}

/** An open listening address. */
export interface Listening {
  readonly host: string;
  readonly port: number;
  /** Accepts no more calls; existing ones may continue until `until`, and are then closed. */
  close(until?: Date): Promise<void>;
  /**
   * While calls continue here, everything that belongs to none of them goes to another replica. It is held until the handover is
   * known; if that is undefined, it is refused here.
   */
  handOn?(to: Promise<AddressHandover | undefined>): void;
  /**
   * Called after the handover has closed: continues through another one, or takes over the address itself. Rejects while it cannot.
   */
  takeOver?(handover?: AddressHandover): Promise<void>;
}

/** One account at a carrier, ready for calls. */
export interface Carrier {
  readonly id: string;
  /** Over a WebSocket or TCP connection; absent if `listen` provides the media. */
  readonly media?: MediaProtocol;
  readonly control?: CallControl;
  readonly webhooks?: Webhooks;
  /** Only for carriers that connect other than by HTTP and WebSocket. */
  listen?(address: ListenAddress, handler: CallHandler): Promise<Listening>;
  /** The port on which the account wants incoming calls, if the account determines it. */
  readonly listensOn?: number;
  /** Sends the carrier a harmless request, so that wrong credentials are noticed before the first call. */
  test?(signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** What a carrier needs from its surroundings. */
export interface CarrierSurroundings {
  /** The configured public address, without a trailing slash: signatures are checked against it. */
  readonly publicUrl: string;
  readonly clock: MediaClock;
  /** For requests to the carrier's API; a guarded one if a customer gave the address. */
  readonly fetch?: typeof fetch;
  /** Whether this account may send to an address without `fetch`; if absent, to any address. */
  readonly reaches?: (address: string) => boolean;
}

/** One carrier in the catalogue. Secret fields of its credentials are marked with `.meta({ secret: true })`. */
export interface CarrierDescriptor<Credentials extends z.ZodObject = z.ZodObject> {
  readonly id: string;
  readonly name: string;
  readonly credentials: Credentials;
  readonly capabilities: {
    readonly media: MediaCapabilities;
    /** Undefined if this carrier's calls are placed and ended elsewhere. */
    readonly control: ControlCapabilities | undefined;
    readonly connects: 'websocket' | 'tcp' | 'sip';
    /**
     * Sends to hosts named by its account or its calls, bypassing the guarded `fetch`: for installations that trust their
     * customers.
     */
    readonly reachesAnyHost?: true;
    /** The required form of a media token; if absent, any text that fits into a path. */
    readonly tokens?: 'uuid';
    /** Whether webhooks and the media upgrade are signed. */
    readonly signs: { readonly webhooks: boolean; readonly upgrade: boolean };
  };
  /** Costs nothing, and makes no request. */
  open(credentials: z.output<Credentials>, surroundings: CarrierSurroundings): Carrier;
}

/** The fields that a carrier reads again for each call: if only these change, it need not be reopened. */
export function readAgainIn({ credentials }: Pick<CarrierDescriptor, 'credentials'>): string[] {
  return fieldsWith(credentials, 'isReadAgain');
}

/** The fields of a descriptor's credentials that must be stored sealed and never shown. */
export function secretFieldsOf({ credentials }: Pick<CarrierDescriptor, 'credentials'>): string[] {
  return fieldsWith(credentials, 'secret');
}

function fieldsWith({ shape }: z.ZodObject, mark: 'secret' | 'isReadAgain'): string[] {
  return Object.entries<unknown>(shape)
    .filter(([, field]) => field instanceof z.ZodType && field.meta()?.[mark] === true)
    .map(([name]) => name);
}

/** A request from outside that claims to come from the carrier: a webhook, or the upgrade to a media WebSocket. */
export interface CarrierRequest {
  readonly method: string;
  /** Path and query as requested, to be appended to the configured public address. The Host header is ignored. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Byte for byte as received; empty for an upgrade. */
  readonly body: Uint8Array;
}

/**
 * The token in an upgrade to a media WebSocket: the last part of the path, or `token` in the query for carriers that can only put
 * it there. Both are secrets while they are valid.
 */
export function mediaTokenOf({ path }: Pick<CarrierRequest, 'path'>): string {
  const [before = '', query = ''] = path.split('?', 2);
  return new URLSearchParams(query).get('token') ?? before.split('/').at(-1) ?? '';
}

/** Whether a request is authentic. */
export type WebhookVerdict =
  | {
      readonly isGenuine: true;
      /** To be accepted only once: a request with the same key is a replay. Absent if the carrier signs nothing unique. */
      readonly onceKey?: string;
    }
  | { readonly isGenuine: false; readonly reason: string };

/** What a webhook reports. */
export type CallNotice =
  /** An inbound call waits for a document that says what to do with it. */
  | { readonly kind: 'incoming'; readonly callId: string; readonly from: string; readonly to: string }
  /** An outbound call was answered and waits for a document. */
  | { readonly kind: 'answering'; readonly callId: string; readonly from: string; readonly to: string }
  /** The call continues after its media ended or a transfer was not answered, and waits for a document. */
  | { readonly kind: 'continuing'; readonly callId: string; readonly transfer: 'answered' | 'unanswered' | 'refused' | 'none' }
  | {
      readonly kind: 'state';
      readonly callId: string;
      readonly state: CarrierCallState;
      /** Our id for the attempt, if the carrier returns it. */
      readonly reference?: string;
      readonly cause?: string;
      readonly code?: string;
      /** The carrier does not let this account use the requested caller number, so nobody was called. */
      readonly refusesCaller?: boolean;
      readonly durationSeconds?: number;
      /** Increases with each notice of a call, if the carrier numbers them: a lower one than before is late. */
      readonly order?: number;
    }
  | {
      readonly kind: 'machine';
      readonly callId: string;
      readonly answeredBy: 'human' | 'machine' | 'fax' | 'unknown';
      /** The greeting has ended: a message may be left now. */
      readonly isAfterBeep: boolean;
    }
  | {
      readonly kind: 'recording';
      readonly callId: string;
      readonly url: string;
      readonly durationSeconds?: number;
    };

/** What the carrier should do with a call. */
export type AnswerPlan =
  | {
      readonly kind: 'connect';
      /** A wss address with the token in its path. */
      readonly mediaUrl: string;
      readonly statusUrl: string;
      /** Returned in `started`. Names consist of letters and digits; carriers allow only a few short ones. */
      readonly parameters?: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'transfer';
      readonly to: DialledAddress;
      readonly from: string;
      readonly ringSeconds: number;
      readonly afterUrl: string;
    }
  | { readonly kind: 'refuse'; readonly reason: 'busy' | 'rejected' }
  | { readonly kind: 'hang-up' };

/** The answer to the carrier's request. */
export interface WebhookReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** A carrier's requests to us. */
export interface Webhooks {
  /** Checked against the configured public address and, if the carrier signs a time, against `now`. Never throws. */
  verify(request: CarrierRequest, now: Date): WebhookVerdict;
  /**
   * The same for the upgrade to a media WebSocket. A carrier that does not sign it is identified only by the token in the path.
   */
  verifyUpgrade(request: CarrierRequest, now: Date): WebhookVerdict;
  /**
   * The notices in an authentic request; empty if there are none that we know. Never throws. Some carriers send instruction
   * requests and status in the same form: `asked` says which of our addresses received it. Some of those also omit the direction;
   * then any call waiting for a document counts as `incoming`.
   */
  read(request: CarrierRequest, asked?: 'answer' | 'status'): readonly CallNotice[];
  /**
   * The answer to an `incoming`, `answering` or `continuing` notice. Carriers controlled by commands are sent their commands
   * here.
   */
  answer(callId: string, plan: AnswerPlan, signal?: AbortSignal): Promise<WebhookReply>;
  /** The answer to every other notice. */
  readonly acknowledged: WebhookReply;
}
