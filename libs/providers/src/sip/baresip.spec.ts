import { Baresip, eventually, hasSipPeers } from '@parley/testing';
import { FakePbx, loopback, shareOf, toneFile } from './phone.fake';

const real = hasSipPeers() ? describe : describe.skip;
const [theirHz, ourHz] = [440, 1000];

real('a soft phone (needs Debian’s baresip)', () => {
  let microphone: Awaited<ReturnType<typeof toneFile>>;
  const running: { close(): Promise<unknown> }[] = [];
  beforeAll(async () => {
    microphone = await toneFile(theirHz);
  });
  afterAll(() => microphone.remove());
  afterEach(async () => {
    await Promise.all(running.splice(0).map((one) => one.close()));
  });
  const phone = async (account = ''): Promise<Baresip> => {
    const started = await Baresip.start({ microphone: microphone.file, account });
    running.push({ close: () => started.stop() });
    return started;
  };
  const pbx = async (account: Record<string, unknown> = {}): ReturnType<typeof FakePbx.open> => {
    const opened = await FakePbx.open(account);
    running.push(opened.listening);
    return opened;
  };

  it('calls the agent: both are heard, keys arrive, and the agent hangs up', async () => {
    const ours = await pbx();
    const caller = await phone();
    caller.command('dial', `sip:agent@${loopback}:${ours.listening.port}`);
    const agent = await ours.first();
    expect(agent.call).toMatchObject({ direction: 'inbound', to: 'agent', from: 'phone' });
    agent.say(ourHz, 1000);
    agent.line.mark('greeting');
    await agent.until(() => agent.events.some((event) => event.kind === 'mark' && event.name === 'greeting'));
    caller.press('12#');
    await agent.until(() => agent.digits === '12#');
    agent.line.hangUp();
    expect(await agent.ended()).toMatchObject({ reason: 'hung-up' });
    await caller.saw('CALL_CLOSED');
    expect(shareOf(loudest(Int16Array.from(agent.heard)), theirHz)).toBeGreaterThan(0.9);
    await eventually('the phone has written what it heard', async () => shareOf(loudest(await caller.heard()), ourHz) > 0.9);
    expect(ours.states).toEqual(['answered', 'completed']);
  });

  it('is called, hears the agent, and hangs up', async () => {
    const ours = await pbx({ callsAddresses: true });
    const callee = await phone('answermode=auto');
    const order = ours.order(`sip:phone@${loopback}:${callee.port}`);
    const placed = await ours.carrier.control.place(order);
    expect(await ours.carrier.control.place(order)).toMatchObject({ callId: placed.callId });
    const agent = await ours.first();
    expect(agent.call).toMatchObject({ direction: 'outbound', reference: 'attempt-1', callId: placed.callId });
    agent.say(ourHz, 600);
    agent.line.mark('said');
    await agent.until(() => agent.events.some(({ kind }) => kind === 'mark') && agent.heard.length > 8000);
    callee.command('hangup');
    expect(await agent.ended()).toMatchObject({ reason: 'caller-hung-up' });
    expect(shareOf(loudest(Int16Array.from(agent.heard)), theirHz)).toBeGreaterThan(0.9);
    await eventually('the phone has written what it heard', async () => shareOf(loudest(await callee.heard()), ourHz) > 0.9);
    expect(await ours.carrier.control.find({ callId: placed.callId })).toMatchObject({ state: 'completed', isExact: true });
    expect(ours.states.at(-1)).toBe('completed');
  });

  it('puts the agent on hold, and resumes without losing speech', async () => {
    const ours = await pbx();
    const caller = await phone();
    caller.command('dial', `sip:agent@${loopback}:${ours.listening.port}`);
    const agent = await ours.first();
    const warned = (words: string) => agent.events.some((event) => event.kind === 'warning' && event.message.includes(words));
    caller.command('hold');
    await agent.until(() => warned('put the call on hold'));
    agent.say(ourHz, 200);
    agent.line.mark('after the hold');
    caller.command('resume');
    await agent.until(() => warned('off hold'));
    await agent.until(() => agent.events.some(({ kind }) => kind === 'mark'));
    expect(agent.events.filter(({ kind }) => kind === 'mark')).toEqual([
      { kind: 'mark', name: 'after the hold', wasCleared: false },
    ]);
  });

  it('authenticates with a password if its address is not trusted', async () => {
    const ours = await pbx({ trusted: [], callerUsername: 'phone', callerPassword: 'correct horse', callerDigest: 'md5' });
    const caller = await phone('auth_user=phone;auth_pass="correct horse"');
    caller.command('dial', `sip:agent@${loopback}:${ours.listening.port}`);
    expect((await ours.first()).call.from).toBe('phone');
  });

  it('is told that the agent is busy', async () => {
    const ours = await FakePbx.open({}, { answers: false });
    running.push(ours.listening);
    const caller = await phone();
    caller.command('dial', `sip:agent@${loopback}:${ours.listening.port}`);
    const { call } = await ours.first();
    call.refuse('busy');
    expect((await caller.saw('CALL_CLOSED')).param).toContain('486');
  });
});

/** The loudest 400 ms, since a recording has silence around speech. */
function loudest(samples: Int16Array): Int16Array {
  let best = samples.subarray(0, 3200);
  let bestEnergy = 0;
  for (let at = 0; at + 3200 <= samples.length; at += 800) {
    const part = samples.subarray(at, at + 3200);
    const energy = part.reduce((sum, sample) => sum + Math.abs(sample), 0);
    if (energy > bestEnergy) [best, bestEnergy] = [part, energy];
  }
  return best;
}
