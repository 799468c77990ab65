import type { CarrierCallState } from './call-control';

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
export type Verdict =
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
  /** The call goes on: after its media ended, or after a transfer that nobody took. It waits for a document. */
  | { readonly kind: 'continuing'; readonly callId: string; readonly transfer: 'answered' | 'unanswered' | 'none' }
  | {
      readonly kind: 'state';
      readonly callId: string;
      readonly state: CarrierCallState;
      /** Our id of the attempt, where the carrier gives it back. */
      readonly reference?: string;
      readonly cause?: string;
      readonly code?: string;
      /** The carrier does not let this account call from the number that it was asked to call from: nobody was rung. */
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
  verify(request: CarrierRequest, now: Date): Verdict;
  /** The same for the upgrade to a media WebSocket. A carrier that signs none is known by the token in the path alone. */
  verifyUpgrade(request: CarrierRequest, now: Date): Verdict;
  /**
   * What a genuine request tells; nothing where it tells nothing that we know. Never throws. Some carriers ask what to do and tell
   * how a call goes in the same words: `asked` says which of our addresses they came to. Of those, some do not say who called
   * whom either; `incoming` is then any call that waits for a document.
   */
  read(request: CarrierRequest, asked?: 'answer' | 'status'): readonly CallNotice[];
  /** The answer to an `incoming`, `answering` or `continuing` notice. A carrier that is commanded is given its commands here. */
  answer(callId: string, plan: AnswerPlan, signal?: AbortSignal): Promise<WebhookReply>;
  /** The answer to every other notice. */
  readonly acknowledged: WebhookReply;
}
