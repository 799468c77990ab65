/** How far a carrier says a call has come. All but the first three are ends. */
export type CarrierCallState =
  | 'queued'
  | 'ringing'
  | 'answered'
  | 'completed'
  | 'busy'
  /** The called party declined. */
  | 'declined'
  | 'no-answer'
  | 'failed'
  | 'cancelled';

/** Whether a call in this state is over. */
export function isEndState(state: CarrierCallState): state is Exclude<CarrierCallState, 'queued' | 'ringing' | 'answered'> {
  return state !== 'queued' && state !== 'ringing' && state !== 'answered';
}

interface CarrierWords {
  readonly words?: string | null | undefined;
  readonly code?: string | null | undefined;
}

/**
 * What a carrier said of the end of a call, as the record has it. Every carrier has words of its own for what the state tells already,
 * so there the code alone is kept, or the words in its place. Of a failure they say more than we know.
 */
export function endSaid(state: CarrierCallState, { words, code }: CarrierWords): Pick<FoundCall, 'cause' | 'code'> {
  if (!isEndState(state)) return {};
  const kept = code || words;
  return {
    ...(state === 'failed' && words && { cause: `The carrier could not hold the call: ${words}.` }),
    ...(kept && { code: kept }),
  };
}

export interface PlaceRequest {
  /** Our id of this attempt. Passed to the carrier where supported, so that the attempt can be found after a crash. */
  readonly reference: string;
  readonly from: string;
  /** E.164, or a SIP address where the carrier dials those. */
  readonly to: string;
  /** The carrier requests instructions here once the call is answered. */
  readonly answerUrl: string;
  /** The carrier reports the call's progress here. */
  readonly statusUrl: string;
  /** Where the media connects; for carriers that need it when the call is placed. */
  readonly mediaUrl: string;
  readonly ringSeconds: number;
  /** The carrier hangs up after this long, whatever we do. */
  readonly secondsMax: number;
  /**
   * The carrier's own answering machine detection, where it has one. Its result arrives as a `machine` notice at the status URL.
   */
  readonly detectMachine: boolean;
  readonly signal?: AbortSignal;
}

export interface PlacedCall {
  readonly callId: string;
  readonly state: CarrierCallState;
}

/** Identifies a call. After a crash only what was written before placing it is known. */
export type CallSearch =
  | { readonly callId: string }
  | { readonly reference: string; readonly from: string; readonly to: string; readonly placedAfter: Date };

export interface FoundCall {
  readonly callId: string;
  readonly state: CarrierCallState;
  /** Why it ended, in our words, where the state does not say it all. */
  readonly cause?: string;
  /** The carrier's code, SIP status or hang-up number. */
  readonly code?: string;
  readonly durationSeconds?: number;
  /** False: matched by numbers and time only; another attempt to the same number may look the same. */
  readonly isExact: boolean;
}

export interface TransferRequest {
  readonly callId: string;
  readonly to: string;
  readonly from: string;
  readonly ringSeconds: number;
  /**
   * Where the carrier asks what to do now; carriers that take no document inline fetch it here, and then `Webhooks.answer` with a
   * `transfer` plan is to be served.
   */
  readonly documentUrl: string;
  /** Where the carrier requests instructions when the transfer target does not answer. */
  readonly afterUrl: string;
  readonly signal?: AbortSignal;
}

export interface ControlCapabilities {
  /** The carrier refuses or recognizes a second `place` with the same reference. */
  readonly placeIsIdempotent: boolean;
  readonly finds: 'by-reference' | 'by-numbers';
  /** By a command during the call; by its answer document after the media was hung up; or not at all. */
  readonly transfers: 'command' | 'after-media' | 'never';
  readonly sendsDigits: boolean;
  /** Whether `end` can end a call. If not, a call ends with its media only. */
  readonly ends: boolean;
  readonly detectsMachines: boolean;
  /** Telephone numbers and `sip:` addresses only; extensions and keys too; or anything its network knows. */
  readonly dials: 'numbers' | 'extensions' | 'anything';
}

/** Calls held by one process only, described so that another can end them after that one died. */
export interface CallDialogs {
  /** What to store of a call now, so that it can be ended; undefined once it is over. */
  of(call: { readonly callId: string } | { readonly reference: string }): string | undefined;
  /** Ends a call from its stored description. Fails with a ProviderFailure, which may be retryable. */
  end(dialog: string): void;
}

/** Commands to a carrier about a call. Each fails with a ProviderFailure, or with the signal's reason. */
export interface CallControl {
  readonly capabilities: ControlCapabilities;
  /** A failure that is retryable may still have placed the call: ask `find` before trying again. */
  place(request: PlaceRequest): Promise<PlacedCall>;
  /** Ending a call that is over already succeeds. */
  end(callId: string, signal?: AbortSignal): Promise<void>;
  /** Undefined: the carrier knows no such call. */
  find(search: CallSearch, signal?: AbortSignal): Promise<FoundCall | undefined>;
  /** Only where `transfers` is `command`. */
  transfer?(request: TransferRequest): Promise<void>;
  /** Only where `sendsDigits`. */
  sendDigits?(callId: string, digits: string, signal?: AbortSignal): Promise<void>;
  /** Absent if the carrier holds the calls and lets any process end them. */
  readonly dialogs?: CallDialogs;
}
