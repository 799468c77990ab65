import type { endSession } from '@parley/contracts';
import type { z } from 'zod';
import type { TurnVerdict } from '../hearing/heard';

/** Why a session ended. A drained one goes on elsewhere; a transferred one belongs to whoever took it. */
export type EndReason = z.output<(typeof endSession)['request']>['reason'] | 'DRAINED' | 'VOICEMAIL';

/** Who has the floor. */
export type SessionState =
  /** Nobody speaks and nothing is due but the idle prompts. */
  | { readonly kind: 'listening'; readonly sinceMs: number }
  | { readonly kind: 'user-speaking'; readonly sinceMs: number }
  /** The caller fell silent and may go on. */
  | {
      readonly kind: 'pausing';
      readonly voiceEndMs: number;
      readonly verdict: TurnVerdict;
      /** How much it sounded like the end of the turn, once that is known. */
      readonly soundsDone: number | undefined;
      readonly isSuspected: boolean;
      /** When the silence was found long enough; what was said may still have to be written down. */
      readonly decidedAtMs: number | undefined;
    }
  /** The turn is over and nothing of the answer has been heard. */
  | { readonly kind: 'thinking'; readonly sinceMs: number }
  | { readonly kind: 'speaking' }
  /** A voice stopped the agent, and it is not yet known whether it means to. */
  | { readonly kind: 'interrupted'; readonly from: 'thinking' | 'speaking' }
  | { readonly kind: 'held'; readonly from: 'listening' | 'thinking' | 'speaking' }
  | { readonly kind: 'ended'; readonly reason: EndReason };
