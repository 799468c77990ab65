import { Fault } from '@parley/contracts';
import { CallEntity } from './call.entity';
import { type CallStep, creditShortage, endingOfFailure, isBeingGiven, take } from './call-steps';

const person = '+919820054321';
const asked = { transfer: { state: 'ASKED', to: person, mode: 'BLIND' } } as const satisfies CallStep;

/** An answered call after some steps, and the changes reported for each of them. */
function after(...steps: readonly CallStep[]) {
  const call = Object.assign(new CallEntity(), {
    ...{
      state: 'QUEUED',
      direction: 'INBOUND',
      outcome: null,
      cause: null,
      causeCode: null,
      carrierCallId: null,
      carrierOrder: null,
    },
    ...{
      sessionUuid: null,
      transferredTo: null,
      transferPlan: null,
      transfer: null,
      recordingKey: null,
      turnCount: 0,
      latency: null,
    },
    ...{ quality: null, remarks: [], used: {}, ringingAt: null, answeredAt: null, endedAt: null, durationSeconds: 0 },
  });
  const told = [{ state: 'IN_PROGRESS' } as const, ...steps].map((step) => take(call, step, new Date()));
  return { call, told: told.slice(1) };
}

describe('a transfer', () => {
  it.each([
    ['TAKEN', [{ transfer: { state: 'RINGING' } }, { transfer: { state: 'TAKEN' } }]],
    ['REFUSED', [{ transfer: { state: 'RINGING' } }, { transfer: { state: 'REFUSED' } }, { transfer: { state: 'NO_ANSWER' } }]],
    ['NO_ANSWER', [{ transfer: { state: 'NO_ANSWER' } }, { transfer: { state: 'RINGING' } }]],
    ['CALLER_LEFT', [{ transfer: { state: 'RINGING' } }, { state: 'COMPLETED', cause: 'The other side hung up.' }]],
    ['FAILED', [{ state: 'FAILED', outcome: 'FAILED', cause: 'The process that held the call was lost.' }]],
    ['TAKEN', [{ state: 'COMPLETED', outcome: 'TRANSFERRED', transferredTo: person }]],
    ['TAKEN', [{ state: 'COMPLETED' }, { state: 'COMPLETED', outcome: 'TRANSFERRED', transferredTo: person, isHolder: true }]],
  ] satisfies [string, CallStep[]][])('is %s after %j', (state, steps) => {
    const { call } = after(asked, ...steps);
    expect(call.transfer).toMatchObject({ state, to: person, endedAt: expect.any(String) });
    expect(isBeingGiven(call)).toBe(false);
  });

  it('reports each step, and ignores late ones', () => {
    const { told } = after(
      asked,
      { transfer: { state: 'RINGING' } },
      { transfer: { state: 'REFUSED' } },
      { transfer: { state: 'RINGING' } },
    );
    expect(told).toEqual([true, true, true, false]);
  });

  it('can be asked for again once the call came back', () => {
    const { call } = after(asked, { transfer: { state: 'RINGING' } }, { transfer: { state: 'NO_ANSWER' } }, asked);
    expect(call.transfer).toMatchObject({ state: 'ASKED', ringingAt: null, endedAt: null });
    expect(isBeingGiven(call)).toBe(true);
  });

  it('may be replaced by another once it has been silent for longer than a transfer can take', () => {
    const { call } = after(asked);
    expect(isBeingGiven(call, Date.now() + 179_000)).toBe(true);
    expect(isBeingGiven(call, Date.now() + 181_000)).toBe(false);
  });
});

describe('an ended call', () => {
  const lost = {
    state: 'FAILED',
    outcome: 'FAILED',
    cause: 'The connection with the carrier’s media was lost.',
    isHolder: true,
  } as const;

  it('keeps its outcome when its media is lost after the carrier reported the end', () => {
    const { call } = after({ state: 'COMPLETED', cause: 'The carrier says that the call is over.' }, lost);
    expect(call).toMatchObject({ state: 'COMPLETED', outcome: 'ANSWERED', cause: 'The carrier says that the call is over.' });
  });

  it('takes the outcome of the process that held it, even if the carrier reported the end first', () => {
    const machine = { state: 'COMPLETED', outcome: 'VOICEMAIL', cause: 'A machine answered.', isHolder: true } as const;
    const { call } = after({ state: 'COMPLETED', cause: 'The carrier says that the call is over.' }, machine);
    expect(call).toMatchObject({ state: 'COMPLETED', outcome: 'VOICEMAIL', cause: 'A machine answered.' });
  });

  it('lasted as many seconds as were begun, which is how its conversation is counted', () => {
    const { call } = after();
    const answeredAt = new Date('2026-03-02T09:30:00Z');
    Object.assign(call, { answeredAt });
    take(call, { state: 'COMPLETED' }, new Date(answeredAt.getTime() + 21_100));
    expect(call.durationSeconds).toBe(22);
  });

  it('keeps the largest usage reported, in any order', () => {
    const { call } = after(
      { used: { STT_API: 5, TTS_API: 54 } },
      lost,
      { used: { STT_API: 7 } },
      { used: { STT_API: 0, TTS_API: 0 } },
    );
    expect(call.used).toEqual({ STT_API: 7, TTS_API: 54 });
  });
});

describe('a call that credits do not cover', () => {
  const outOf = new Fault('CREDITS_EXHAUSTED');
  const setAside = new Fault('CREDITS_EXHAUSTED', { retryAfterSeconds: 8 });

  it('is told apart from one for which others have set them aside', () => {
    expect(creditShortage(outOf)).toMatchObject({ outcome: 'REJECTED', cause: 'The organization has no credits left.' });
    expect(creditShortage(setAside)).toMatchObject({ outcome: 'REJECTED', cause: expect.stringContaining('set aside') });
    expect(endingOfFailure(setAside)).toEqual(creditShortage(setAside));
  });

  it('is no other failure', () => {
    expect(creditShortage(new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 }))).toBeUndefined();
    expect(creditShortage(new Error('lost'))).toBeUndefined();
  });
});
