import { Caller } from '../platform/caller';
import { get } from '../platform/client';
import { demo } from '../platform/platform';
import { member, until } from '../platform/roster';

const replicas = ['speech.1', 'speech.2'] as const;

/** The number of live conversations that a replica has begun since it started. */
async function begunAt(replica: string): Promise<number> {
  const figures = await (await fetch(`http://127.0.0.1:${member(replica).adminPort}/metrics`)).text();
  return Number(/^parley_voice_sessions_begun_total\{.*\} (\d+)$/mu.exec(figures)?.[1] ?? 0);
}

/** A caller who has just been greeted, and the replica that holds the conversation. */
async function dialled(): Promise<{ caller: Caller; holder: string }> {
  const before = await Promise.all(replicas.map(begunAt));
  const caller = await Caller.dial();
  await caller.hears('agent.done');
  const after = await Promise.all(replicas.map(begunAt));
  const holder = replicas.find((_, index) => after[index] !== before[index]);
  if (!holder) throw new Error('no replica says that it holds the conversation');
  return { caller, holder };
}

/** Replicas that the test has paused and others need. */
const stopped: number[] = [];
const wake = (): void => stopped.splice(0).forEach((pid) => process.kill(pid, 'SIGCONT'));
afterEach(wake);

describe.each(['SIGKILL', 'SIGSTOP'] as const)('a live conversation whose speech replica gets %s', (signal) => {
  it('continues at the other one with its history and without a second greeting', async () => {
    const { caller, holder } = await dialled();
    const [ready] = caller.all('session.ready');
    caller.say({ type: 'text', text: 'When are you open?' });
    await caller.hears('agent.done', 2);
    const { pid } = member(holder);
    if (signal === 'SIGSTOP') stopped.push(pid);
    const stoppedAtMs = performance.now();
    process.kill(pid, signal);
    const [moved] = await caller.hears('warning');
    expect(moved?.code).toBe('SESSION_MOVED');
    process.stdout.write(`the session moved ${(performance.now() - stoppedAtMs).toFixed(0)} ms after ${signal}\n`);
    caller.say({ type: 'text', text: 'Do you deliver?' });
    await caller.hears('agent.done', 3);
    caller.say({ type: 'session.end' });
    await expect(caller.closed).resolves.toBe(1000);
    const { body } = await get(`/api/v1/external/history?sessionUUID=${ready?.sessionUUID}`, demo().agentKey);
    expect(body.chatHistory.map(({ sender }) => sender)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(body.chatHistory.map(({ text }) => text)).toEqual(expect.arrayContaining(['When are you open?', 'Do you deliver?']));
    wake();
    await until(
      () => begunAt(holder).catch(() => undefined),
      (count) => count !== undefined,
      20_000,
    );
  });
});
