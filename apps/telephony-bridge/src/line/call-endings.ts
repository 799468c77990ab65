import type { CallStep } from '../calls/call-steps';

/** How a call ends, and who has to be told to hang up. */
export interface CallEnding extends CallStep {
  readonly state: 'COMPLETED' | 'MISSED' | 'FAILED' | 'CANCELLED';
  readonly cause: string;
  /** The carrier knows already; otherwise it is told. */
  readonly isGone?: boolean;
  /** The record was ended already, by another replica or the carrier’s word: its cause stands. */
  readonly isKnown?: boolean;
  /** Everything said so far is heard out first. */
  readonly isPolite?: boolean;
}

const sessionEndings: Readonly<Record<string, string>> = {
  ENDED_BY_AGENT: 'The agent ended the call.',
  ENDED_BY_USER: 'The other side ended the conversation.',
  IDLE: 'Nobody said anything any more.',
  CREDITS_EXHAUSTED: 'The workspace ran out of credits.',
  MAX_DURATION: 'The call reached its longest duration.',
  CALL_ENDED: 'The conversation was ended.',
};

/** What the end of a conversation means for its call. */
export function endingOfSession(reason: string): CallEnding {
  if (reason === 'TRANSFERRED')
    return { state: 'COMPLETED', outcome: 'TRANSFERRED', cause: 'The caller was given to a person.', isPolite: true };
  const cause = sessionEndings[reason];
  if (cause) return { state: 'COMPLETED', cause, isPolite: true };
  return { state: 'FAILED', outcome: 'FAILED', cause: 'The conversation failed.', isPolite: true };
}

export const endings = {
  hungUp: { state: 'COMPLETED', cause: 'The other side hung up.', isGone: true },
  mediaLost: { state: 'FAILED', outcome: 'FAILED', cause: 'The connection with the carrier’s media was lost.' },
  badMedia: { state: 'FAILED', outcome: 'FAILED', cause: 'The carrier’s media was not understood.' },
  noMedia: { state: 'FAILED', outcome: 'FAILED', cause: 'No sound came from the carrier for too long.', remarks: ['NO_MEDIA'] },
  noCredits: { state: 'FAILED', outcome: 'REJECTED', cause: 'The workspace has no credits left.' },
  noMeter: { state: 'FAILED', outcome: 'FAILED', cause: 'The credits of the call could not be held.' },
  noSpeech: { state: 'FAILED', outcome: 'FAILED', cause: 'No speech service could take the call.' },
  restarting: { state: 'COMPLETED', cause: 'The telephony bridge was stopped.', isPolite: true },
  ordered: { state: 'COMPLETED', cause: 'The call was ended on request.' },
  machine: { state: 'COMPLETED', outcome: 'VOICEMAIL', cause: 'A machine answered.', remarks: ['MACHINE_ANSWERED'] },
  messageLeft: {
    state: 'COMPLETED',
    outcome: 'VOICEMAIL',
    cause: 'A message was left on a machine.',
    remarks: ['MACHINE_ANSWERED'],
    isPolite: true,
  },
  leftMeanwhile: { state: 'COMPLETED', cause: 'The other side hung up before a person took the call.', isGone: true },
  transferred: { state: 'COMPLETED', outcome: 'TRANSFERRED', cause: 'The caller was given to a person.', isGone: true },
} as const satisfies Record<string, CallEnding>;
