import { loudnessOf } from '@parley/audio';
import { eventually, recordOf } from '@parley/testing';
import { SimulatedPhone } from '../../src/call/simulated-phone';
import { get, post } from '../platform/client';
import { demo } from '../platform/platform';

describe('a telephone', () => {
  it('calls the demo agent, hears its greeting and hangs up; the call is recorded and charged', async () => {
    const phone = new SimulatedPhone(demo(), () => undefined);
    const listen = { kind: 'listen', silenceMs: 1500, withinMs: 20_000 } as const;
    const { record, heard } = await phone.call({ script: [listen, { kind: 'hang-up' }] });
    expect(record).toMatchObject({ state: 'COMPLETED', cause: 'The other side hung up.' });
    expect(record.credits.TTS_API).toBeGreaterThan(0);
    expect(record.durationSeconds).toBeGreaterThan(0);
    expect(loudnessOf(heard)).toBeGreaterThan(0.005);
    const { body } = await get(`/api/v1/external/call/get-call?CallKeyID=${record.CallKeyID}`, demo().workspaceKey);
    expect(body.data).toMatchObject({ direction: 'INBOUND', outcome: 'ANSWERED', carrier: 'loopback' });
    const live = await get('/api/v1/external/dashboard-count/active-calls', demo().workspaceKey);
    expect(live.body.data).toMatchObject({ activeCalls: 0, byAgent: [] });
  });

  it('that is busy gives a missed call; an unknown call is 404', async () => {
    const { workspaceKey, AgentID } = demo();
    const placed = await post('/api/v1/external/call/place', { AgentID, to: '+15550102' }, workspaceKey);
    expect(placed.status).toBe(200);
    const CallKeyID = (placed.body.data as object as { CallKeyID: string }).CallKeyID;
    const read = async () =>
      recordOf((await get(`/api/v1/external/call/get-call?CallKeyID=${CallKeyID}`, workspaceKey)).body.data);
    await eventually('the call is over', async () => (await read()).endedAt !== null);
    expect(await read()).toMatchObject({ state: 'MISSED', outcome: 'BUSY', direction: 'OUTBOUND' });
    const unknown = await post('/api/v1/external/call/end', { CallKeyID: '0c8e6c0e-6f2b-4a86-9d5d-2f4dd5b9a1aa' }, workspaceKey);
    expect(unknown.status).toBe(404);
  });
});
