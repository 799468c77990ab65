import { z } from 'zod';
import { Variables } from '../conversation/turn-parts';
import { removalIn } from '../gateway/operator-terms';
import { defineChannel, defineEvent, defineRequest } from '../messages';
import { described, LargeRecordId, PhoneNumberInput, RecordId, SpeechLanguage, text, Uuid } from '../vocabulary';
import { CallChoice, CallRecord } from './calls';

const call = '5f617394-2f40-4162-9d8e-0f2a4b6c8d0e';
const reference = 'bc6d8e0f-2031-4c4d-8e5f-607182930415';

const transferWish = {
  to: PhoneNumberInput,
  mode: z.enum(['BLIND', 'ANNOUNCED']).default('BLIND'),
  summary: text(1000).default(''),
  ringSeconds: z.int().min(5).max(120).default(25),
};
const Digits = z.string().regex(/^[0-9*#A-Dw]{1,32}$/, 'must be up to 32 of 0-9, *, #, A-D and w');

/** How long a placed call may ring. */
export const RingSeconds = z.int().min(5).max(120);

/** What to do if a machine answers. */
const voicemail = { action: z.enum(['TALK', 'HANG_UP', 'LEAVE_MESSAGE']), message: text(1000) };
export const VoicemailPolicy = z
  .object({ action: voicemail.action.default('TALK'), message: voicemail.message.default('') })
  .refine(({ action, message }) => action !== 'LEAVE_MESSAGE' || message.trim() !== '', {
    path: ['message'],
    error: 'is required to leave one',
  });
export type VoicemailPolicy = z.output<typeof VoicemailPolicy>;
/** The fields that a save may send: omitted ones stay. */
export const SentVoicemailPolicy = z.object(voicemail).partial();

/**
 * Queues a call and returns at once; it is placed as soon as the organization has a free slot. A repeated `reference` returns the
 * same call, or is CONFLICT if it was for another agent, number, contact or person to call. If the queue is full, RATE_LIMITED.
 */
export const placeCall = defineRequest({
  subject: 'telephony-bridge.call.place',
  request: described(
    'PlaceCallRequest',
    'Who calls whom: an agent, from one of the organization’s numbers (without one, from the agent’s own).',
    z.object({
      AgentID: RecordId,
      to: PhoneNumberInput,
      NumberKeyID: Uuid.nullish(),
      ContactID: LargeRecordId.nullish(),
      ContactKeyID: Uuid.nullish(),
      language: SpeechLanguage.optional(),
      variables: Variables.optional(),
      voicemail: VoicemailPolicy.prefault({}),
      ringSeconds: RingSeconds.default(45),
      reference: Uuid.optional(),
    }),
    { AgentID: 12, to: '+919820012345', variables: { name: 'Asha' }, voicemail: { action: 'HANG_UP' }, reference },
  ),
  reply: CallRecord,
});

/** A call that has already ended is CONFLICT. */
export const endCall = defineRequest({
  subject: 'telephony-bridge.call.end',
  timeoutMs: 15_000,
  request: CallChoice,
  reply: CallRecord,
});

/**
 * Transfers a call to a person. BLIND: the carrier connects the two and the agent leaves. ANNOUNCED: the person is called, hears
 * the summary and then talks to the caller; if nobody answers, the agent continues. The agent finishes its sentence first. The
 * reply says that the transfer was requested; its progress is in the record's `transfer`, with an event at each step.
 */
export const transferCall = defineRequest({
  subject: 'telephony-bridge.call.transfer',
  timeoutMs: 15_000,
  request: described(
    'TransferCallRequest',
    'A call, and the person to transfer it to.',
    z.object({ CallKeyID: Uuid, ...transferWish }),
    {
      CallKeyID: call,
      to: '+919820054321',
      mode: 'ANNOUNCED',
      summary: 'Asha asks about her refund of order 1004.',
    },
  ),
  reply: CallRecord,
});

export const sendDtmf = defineRequest({
  subject: 'telephony-bridge.call.dtmf',
  request: described(
    'SendDtmfRequest',
    'Keys to press on a call; w waits half a second.',
    z.object({ CallKeyID: Uuid, digits: Digits }),
    { CallKeyID: call, digits: '1w2' },
  ),
  reply: CallRecord,
});

/** A command for the replica that holds a call, requested by a person or reported by the carrier at another replica. */
export const callOrdered = defineEvent({
  subject: 'telephony-bridge.call.ordered',
  payload: described(
    'CallOrdered',
    'A command for a call.',
    z.discriminatedUnion('order', [
      z.object({ order: z.literal('TRANSFER'), CallID: z.int(), ...transferWish }),
      z.object({ order: z.literal('DTMF'), CallID: z.int(), digits: Digits }),
      z.object({
        order: z.literal('LEG_ENDED'),
        CallID: z.int(),
        leg: Uuid,
        why: z.enum(['REFUSED', 'NO_ANSWER', 'FAILED']).optional(),
      }),
      z.object({ order: z.literal('MACHINE'), CallID: z.int(), isAfterBeep: z.boolean() }),
    ]),
    { order: 'DTMF', CallID: 90, digits: '1w2' },
  ),
});
export type CallOrder = z.output<typeof callOrdered.payload>;

/**
 * Connects the line of the person to whom a call is transferred with the replica that holds the call: sound in both directions,
 * in the line's own format. A replica that does not hold the call answers SERVICE_UNAVAILABLE, and the next one is asked.
 */
export const joinLeg = defineChannel({
  subject: 'telephony-bridge.leg.join',
  opening: described('LegOpening', 'The call that the line belongs to.', z.object({ CallID: LargeRecordId, leg: Uuid }), {
    CallID: 90,
    leg: reference,
  }),
  accepted: described('LegAccepted', 'The call waits for this person.', z.object({ isAwaited: z.literal(true) }), {
    isAwaited: true,
  }),
  signal: described(
    'LegSignal',
    'To the call: the format of the sound, keys that the person pressed, and the end of the line. From the call: keys to press, and an order to hang up.',
    z.discriminatedUnion('type', [
      z.object({
        type: z.literal('started'),
        encoding: z.enum(['pcm16', 'mulaw', 'alaw']),
        sampleRate: z.int().min(8_000).max(48_000),
      }),
      z.object({ type: z.literal('pressed'), digit: z.string().length(1), isInSound: z.boolean().optional() }),
      z.object({ type: z.literal('press'), digits: z.string().max(64) }),
      z.object({ type: z.literal('ended') }),
      z.object({ type: z.literal('hang-up') }),
    ]),
    { type: 'started', encoding: 'mulaw', sampleRate: 8_000 },
  ),
});

/**
 * Hands over an account's port while the calls of a stopping replica continue there: that replica keeps the sockets, and forwards
 * what belongs to none of its calls. Frames are the carrier's own, in both directions. A replica that has not leased the port
 * answers SERVICE_UNAVAILABLE, and the next one is asked; one that has the port itself, on another machine, answers CONFLICT.
 */
export const handOnPort = defineChannel({
  subject: 'telephony-bridge.port.hand-on',
  opening: described('PortOpening', 'The port.', z.object({ port: z.int().min(1).max(65_535) }), { port: 5060 }),
  accepted: described('PortAccepted', 'The port is leased to this replica.', z.object({ isTaken: z.literal(true) }), {
    isTaken: true,
  }),
  signal: described(
    'PortSignal',
    'From the replica that takes new calls: it stops as well, so another one must be asked.',
    z.object({ type: z.literal('leaving') }),
    { type: 'leaving' },
  ),
});

/** For the operator's command only: calls and campaigns of an organization that is deleted. */
export const removalInTelephonyBridge = removalIn('telephony-bridge');
