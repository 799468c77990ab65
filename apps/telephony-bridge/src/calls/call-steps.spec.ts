import { Call } from './call.entity';
import { type CallStep, isBeingGiven, take } from './call-steps';

const person = '+919820054321';
const asked = { transfer: { state: 'ASKED', to: person, mode: 'BLIND' } } as const satisfies CallStep;

/** A call that was answered, after some steps. What was told of it stands beside it. */
function after(...steps: readonly CallStep[]) {
  const call = Object.assign(new Call(), {
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

  it('is told of at each step, and of a word that comes late no more', () => {
    const { told } = after(
      asked,
      { transfer: { state: 'RINGING' } },
      { transfer: { state: 'REFUSED' } },
      { transfer: { state: 'RINGING' } },
    );
    expect(told).toEqual([true, true, true, false]);
  });

  it('may be asked for again when the call came back, and begins anew then', () => {
    const { call } = after(asked, { transfer: { state: 'RINGING' } }, { transfer: { state: 'NO_ANSWER' } }, asked);
    expect(call.transfer).toMatchObject({ state: 'ASKED', ringingAt: null, endedAt: null });
    expect(isBeingGiven(call)).toBe(true);
  });

  it('keeps nobody from asking for another when nothing was heard of it for longer than it can take', () => {
    const { call } = after(asked);
    expect(isBeingGiven(call, Date.now() + 179_000)).toBe(true);
    expect(isBeingGiven(call, Date.now() + 181_000)).toBe(false);
  });
});

describe('a call that is over', () => {
  const lost = {
    state: 'FAILED',
    outcome: 'FAILED',
    cause: 'The connection with the carrier’s media was lost.',
    isHolder: true,
  } as const;

  it('keeps what it came to when its media are lost behind the word of the carrier', () => {
    const { call } = after({ state: 'COMPLETED', cause: 'The carrier says that the call is over.' }, lost);
    expect(call).toMatchObject({ state: 'COMPLETED', outcome: 'ANSWERED', cause: 'The carrier says that the call is over.' });
  });

  it('ended as whoever held it says, where the carrier was faster with the same', () => {
    const machine = { state: 'COMPLETED', outcome: 'VOICEMAIL', cause: 'A machine answered.', isHolder: true } as const;
    const { call } = after({ state: 'COMPLETED', cause: 'The carrier says that the call is over.' }, machine);
    expect(call).toMatchObject({ state: 'COMPLETED', outcome: 'VOICEMAIL', cause: 'A machine answered.' });
  });

  it('keeps the largest figure of what it used, whoever tells it and in whatever order', () => {
    const { call } = after(
      { used: { STT_API: 5, TTS_API: 54 } },
      lost,
      { used: { STT_API: 7 } },
      { used: { STT_API: 0, TTS_API: 0 } },
    );
    expect(call.used).toEqual({ STT_API: 7, TTS_API: 54 });
  });
});
