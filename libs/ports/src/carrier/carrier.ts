import { z } from 'zod';
import type { CallControl, CarrierCallState, ControlCapabilities } from './call-control';
import type { CallMedia, MediaCapabilities, MediaClock, MediaEvent, MediaProtocol } from './call-media';

/** A call, or the media of one, that came without our web server: over SIP, or as an AudioSocket. */
export interface ArrivedCall {
  readonly callId: string;
  /** Absent where the connection does not tell; the token then does. */
  readonly direction?: 'inbound' | 'outbound';
  /** For an outbound call: the reference it was placed with. */
  readonly reference?: string;
  /** What the other end named as its ticket: the UUID of an AudioSocket. */
  readonly token?: string;
  readonly from?: string;
  readonly to?: string;
  /** Only one of these two, and once. Unanswered for ten seconds, the call is refused. */
  answer(hear: (event: MediaEvent) => void): CallMedia;
  refuse(reason: 'busy' | 'rejected' | 'not-found'): void;
}

/** Receives incoming calls and notices. Must not throw. */
export interface CallHandler {
  arrived(call: ArrivedCall): void;
  noticed(notice: CallNotice): void;
  /** A call was refused before it was one: nobody knows of it but the caller. */
  refused?(refusal: { readonly status: number; readonly address: string; readonly why: string }): void;
  /** The credentials that the account has now: passwords of callers may have changed since it was opened. */
  credentials?(): Promise<unknown>;
}

/** Where to listen. */
export interface ListenAddress {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** For placing calls only: incoming ones go to another replica. */
  readonly placesOnly?: boolean;
  /** Another replica of this machine still has the address, for calls of its own: everything else comes and goes through it. */
  readonly relay?: AddressRelay;
}

/** Connects two replicas at one address: the one that has it, and the one that takes its new calls. Frames may be lost. */
export interface AddressRelay {
  send(frame: Uint8Array): void;
  /** Sets the listener, once. */
  hear(listener: (frame: Uint8Array) => void): void;
  readonly closed: Promise<void>;
}

/** A place where calls arrive. */
export interface Listening {
  readonly host: string;
  readonly port: number;
  /** Takes no more calls; existing ones continue until `until`, then they are closed. */
  close(until?: Date): Promise<void>;
  /**
   * While calls continue here, what belongs to none of them goes to another replica. It waits until that is known; undefined:
   * nobody takes it, and it is refused here.
   */
  handOn?(to: Promise<AddressRelay | undefined>): void;
  /** After the relay has closed: goes on through another one, or has the address itself. Rejects while it cannot. */
  takeOver?(relay?: AddressRelay): Promise<void>;
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
  /** The port the account wants incoming calls on, if the account decides it. */
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

/** One carrier of the catalogue. Secret fields of its credentials are marked with `.meta({ secret: true })`. */
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
    /** Whether webhooks and the media upgrade are signed. */
    readonly signs: { readonly webhooks: boolean; readonly upgrade: boolean };
  };
  /** Free of charge, and makes no request. */
  open(credentials: z.output<Credentials>, surroundings: CarrierSurroundings): Carrier;
}

/** The fields that a carrier reads again for each call: a change of them alone needs no other carrier. */
export function readAgainIn({ credentials }: Pick<CarrierDescriptor, 'credentials'>): string[] {
  return fieldsWith(credentials, 'isReadAgain');
}

/** The fields of a descriptor's credentials that must be sealed at rest and never told. */
export function secretFieldsOf({ credentials }: Pick<CarrierDescriptor, 'credentials'>): string[] {
  return fieldsWith(credentials, 'secret');
}

function fieldsWith({ shape }: z.ZodObject, mark: 'secret' | 'isReadAgain'): string[] {
  return Object.entries<unknown>(shape)
    .filter(([, field]) => field instanceof z.ZodType && field.meta()?.[mark] === true)
    .map(([name]) => name);
}

/** A request from outside that says to come from the carrier: a webhook, or the upgrade to a media WebSocket. */
export interface CarrierRequest {
  readonly method: string;
  /** Path and query as they were requested, to be put behind the configured public address. The Host header is never looked at. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Byte for byte as received; empty for an upgrade. */
  readonly body: Uint8Array;
}

/**
 * The token that an upgrade to a media WebSocket brings: the last part of the path, or, where a carrier can only put it there, the
 * query's `token`. Both are secrets for as long as they are good.
 */
export function mediaTokenOf({ path }: Pick<CarrierRequest, 'path'>): string {
  const [before = '', query = ''] = path.split('?', 2);
  return new URLSearchParams(query).get('token') ?? before.split('/').at(-1) ?? '';
}

/** Whether a request is the carrier's. */
export type WebhookVerdict =
  | {
      readonly isGenuine: true;
      /** To be accepted once only: the same key again is a replay. Absent where the carrier signs nothing that differs. */
      readonly onceKey?: string;
    }
  | { readonly isGenuine: false; readonly reason: string };

/** What a webhook tells. */
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
      /** Our id of the attempt, where the carrier gives it back. */
      readonly reference?: string;
      readonly cause?: string;
      readonly code?: string;
      /** The carrier does not let this account use the requested caller number: no one was called. */
      readonly refusesCaller?: boolean;
      readonly durationSeconds?: number;
      /** Grows with each notice of a call, where the carrier counts: a lower one than seen before is late. */
      readonly order?: number;
    }
  | {
      readonly kind: 'machine';
      readonly callId: string;
      readonly answeredBy: 'human' | 'machine' | 'fax' | 'unknown';
      /** The greeting is over: a message may be left now. */
      readonly isAfterBeep: boolean;
    }
  | {
      readonly kind: 'recording';
      readonly callId: string;
      readonly url: string;
      readonly durationSeconds?: number;
    };

/** What the carrier shall do with a call. */
export type AnswerPlan =
  | {
      readonly kind: 'connect';
      /** wss address with the token in its path. */
      readonly mediaUrl: string;
      readonly statusUrl: string;
      /** Come back in `started`. Names of letters and digits; carriers allow few and short ones. */
      readonly parameters?: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'transfer';
      readonly to: string;
      readonly from: string;
      readonly ringSeconds: number;
      readonly afterUrl: string;
    }
  | { readonly kind: 'refuse'; readonly reason: 'busy' | 'rejected' }
  | { readonly kind: 'hang-up' };

/** What the carrier's request is answered with. */
export interface WebhookReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** A carrier's requests to us. */
export interface Webhooks {
  /** Checked against the public address that was configured, and, where the carrier signs a time, against `now`. Never throws. */
  verify(request: CarrierRequest, now: Date): WebhookVerdict;
  /**
   * The same for the upgrade to a media WebSocket. A carrier that does not sign it is identified by the token in the path only.
   */
  verifyUpgrade(request: CarrierRequest, now: Date): WebhookVerdict;
  /**
   * The notice in a genuine request; undefined if it holds none that we know. Never throws. Some carriers send instruction
   * requests and status in the same form: `asked` tells which of our addresses received it. Some of those also omit the
   * direction; `incoming` then applies to any call that waits for a document.
   */
  read(request: CarrierRequest, asked?: 'answer' | 'status'): readonly CallNotice[];
  /** The answer to an `incoming`, `answering` or `continuing` notice. A carrier that is commanded is given its commands here. */
  answer(callId: string, plan: AnswerPlan, signal?: AbortSignal): Promise<WebhookReply>;
  /** The answer to every other notice. */
  readonly acknowledged: WebhookReply;
}
