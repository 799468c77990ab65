import { z } from 'zod';

/** The progress of a call, as reported by its carrier. All but the first three are final. */
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

/** Whether a call in this state has ended. */
export function isEndState(state: CarrierCallState): state is Exclude<CarrierCallState, 'queued' | 'ringing' | 'answered'> {
  return state !== 'queued' && state !== 'ringing' && state !== 'answered';
}

interface CarrierWords {
  readonly words?: string | null | undefined;
  readonly code?: string | null | undefined;
}

/**
 * The carrier's reason for the end of a call, as recorded. Carriers have their own words for what the state already says, so
 * there only the code is kept, or the words if there is no code. For a failure they say more than we know.
 */
export function endSaid(state: CarrierCallState, { words, code }: CarrierWords): Pick<FoundCall, 'cause' | 'code'> {
  if (!isEndState(state)) return {};
  const kept = code || words;
  return {
    ...(state === 'failed' && words && { cause: `The carrier could not hold the call: ${words}.` }),
    ...(kept && { code: kept }),
  };
}

declare const checked: unique symbol;

/** An address that was checked exactly as it is here: E.164 if it is a telephone number, a SIP address, an extension or a name. */
export type DialledAddress = string & { readonly [checked]: true };

export interface PlaceRequest {
  /** Our id for this attempt. Passed to the carrier if supported, so that the attempt can be found after a crash. */
  readonly reference: string;
  readonly from: string;
  readonly to: DialledAddress;
  /** The carrier requests instructions from this address once the call is answered. */
  readonly answerUrl: string;
  /** The carrier reports the call's progress to this address. */
  readonly statusUrl: string;
  /** The address for the media; for carriers that need it when the call is placed. */
  readonly mediaUrl: string;
  readonly ringSeconds: number;
  /** The carrier hangs up after this long, whatever we do. */
  readonly secondsMax: number;
  /** The carrier's own answering machine detection, if it has one. Its result arrives as a `machine` notice at the status URL. */
  readonly detectMachine: boolean;
  readonly signal?: AbortSignal;
}

export interface PlacedCall {
  readonly callId: string;
  readonly state: CarrierCallState;
}

/** How to identify a call. After a crash only what was written before placing it is known. */
export type CallSearch =
  | { readonly callId: string }
  | { readonly reference: string; readonly from: string; readonly to: string; readonly placedAfter: Date };

export interface FoundCall {
  readonly callId: string;
  readonly state: CarrierCallState;
  /** Why it ended, in our words, if the state does not say everything. */
  readonly cause?: string;
  /** The carrier's code, SIP status or hang-up number. */
  readonly code?: string;
  readonly durationSeconds?: number;
  /** False if it was matched only by numbers and time: another attempt to the same number may look the same. */
  readonly isExact: boolean;
}

export interface TransferRequest {
  readonly callId: string;
  readonly to: DialledAddress;
  readonly from: string;
  readonly ringSeconds: number;
  /**
   * The address of the new instructions. Carriers that take no inline document fetch it here, and must be served
   * `Webhooks.answer` with a `transfer` plan.
   */
  readonly documentUrl: string;
  /** The carrier requests instructions from this address if the transfer target does not answer. */
  readonly afterUrl: string;
  readonly signal?: AbortSignal;
}

export interface ControlCapabilities {
  /** The carrier refuses or recognizes a second `place` with the same reference. */
  readonly placeIsIdempotent: boolean;
  readonly finds: 'by-reference' | 'by-numbers';
  /** By a command during the call; by an answer document after the media was hung up; or not at all. */
  readonly transfers: 'command' | 'after-media' | 'never';
  readonly sendsDigits: boolean;
  /** Whether `end` can end a call. If not, a call only ends with its media. */
  readonly ends: boolean;
  readonly detectsMachines: boolean;
  /** Only telephone numbers; also extensions and keys; or anything its network knows. */
  readonly dials: 'numbers' | 'extensions' | 'anything';
  /** Whether it also dials `sip:` addresses. */
  readonly dialsAddresses: boolean;
  /** The extensions of an account that says which it has; otherwise any short number may be one. */
  readonly extensions?: readonly z.output<typeof ExtensionRange>[] | undefined;
}

/** Extensions of one length, the last included. */
const ExtensionRange = z
  .string()
  .regex(
    /^(?:[\d*#]{1,7}|\d{1,7}-\d{1,7}|(?=.{1,7}$)\d+x+)$/i,
    'must be an extension, a range such as 200-299, or a group such as 7xxx',
  )
  .transform((text) => {
    const [from = '', to = from] = text.toLowerCase().split('-');
    return { from: from.replaceAll('x', '0'), to: to.replaceAll('x', '9') };
  })
  .refine(({ from, to }) => from.length === to.length && from <= to, 'must be a range between two extensions of one length');

/** The extensions of a PBX as they are entered: numbers, ranges and groups, separated by commas. */
export const ExtensionList = z
  .preprocess(
    (text) => (typeof text === 'string' ? text.split(/[\s,]+/).filter(Boolean) : text),
    z.array(ExtensionRange).min(1).max(200),
  )
  .optional()
  .meta({
    description: 'The extensions that may be called, if not any short number: numbers, ranges and groups, separated by commas.',
    example: '205, 300-349, 7xxx',
  });

/** Calls held by a single process, described so that another process can end them after that one has died. */
export interface CallDialogs {
  /** What to store about a call so that it can be ended later; undefined once it has ended. */
  of(call: { readonly callId: string } | { readonly reference: string }): string | undefined;
  /** Ends a call from its stored description. Fails with a ProviderFailure, which may be retryable. */
  end(dialog: string): void;
}

/** Commands to a carrier about a call. Each fails with a ProviderFailure, or with the signal's reason. */
export interface CallControl {
  readonly capabilities: ControlCapabilities;
  /** A retryable failure may still have placed the call: ask `find` before trying again. */
  place(request: PlaceRequest): Promise<PlacedCall>;
  /** Ending a call that has already ended succeeds. */
  end(callId: string, signal?: AbortSignal): Promise<void>;
  /** Undefined if the carrier knows no such call. */
  find(search: CallSearch, signal?: AbortSignal): Promise<FoundCall | undefined>;
  /** Only if `transfers` is `command`. */
  transfer?(request: TransferRequest): Promise<void>;
  /** Only if `sendsDigits`. */
  sendDigits?(callId: string, digits: string, signal?: AbortSignal): Promise<void>;
  /** Absent if the carrier holds the calls and lets any process end them. */
  readonly dialogs?: CallDialogs;
}
