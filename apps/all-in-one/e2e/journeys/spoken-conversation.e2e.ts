import { joinSamples, samplesFromBytes } from '@parley/audio';
import { Caller } from '../platform/caller';
import { get, post } from '../platform/client';
import { demo } from '../platform/platform';
import { machineHas, speak } from '../platform/sound';

// Without an optional program the test is skipped, and its title names what is missing.
const withRecognizer = machineHas.recognizer ? it : it.skip;

/** A question in the voice that the local engine understands best, then silence. */
async function spoken(text: string): Promise<Int16Array> {
  const { bytes } = await speak({ text, language: 'english', voiceID: 2, format: 'pcm', sampleRate: 16_000 });
  return joinSamples([samplesFromBytes(bytes), new Int16Array(2 * 16_000)]);
}

describe('a spoken conversation', () => {
  it('greets aloud, answers a typed question aloud, and ends with the caller', async () => {
    const caller = await Caller.dial();
    await caller.hears('agent.done');
    expect(caller.loudestSample).toBeGreaterThan(2000);
    caller.say({ type: 'text', text: 'When are you open?' });
    const [, answered] = await caller.hears('agent.done', 2);
    expect(answered?.text).toMatch(/\d/);
    expect(answered?.latency.totalMs).toBeGreaterThan(0);
    caller.say({ type: 'session.end' });
    await expect(caller.closed).resolves.toBe(1000);
    expect(caller.all('session.ended')).toMatchObject([{ reason: 'ENDED_BY_USER' }]);
  });

  withRecognizer(
    'transcribes a question spoken by flite, answers it aloud from the knowledge base, and remembers both',
    async () => {
      const caller = await Caller.dial();
      const [ready] = await caller.hears('session.ready');
      await caller.hears('agent.done');
      await caller.speak(await spoken('When are you open?'));
      await caller.hears('speech.ended');
      const [question] = await caller.hears('transcript.final');
      expect(question?.text.toLowerCase()).toContain('open');
      const [, answered] = await caller.hears('agent.done', 2);
      expect(answered?.text).toMatch(/\d/);
      const { endOfTurnMs, transcriptionMs, firstAudioMs, totalMs } = answered?.latency ?? { totalMs: 0 };
      expect([endOfTurnMs, transcriptionMs, firstAudioMs].every((part) => typeof part === 'number')).toBe(true);
      expect(totalMs).toBeGreaterThan(0);
      caller.say({ type: 'session.end' });
      await expect(caller.closed).resolves.toBe(1000);
      const history = await get(`/api/v1/external/history?sessionUUID=${ready?.sessionUUID}`, demo().agentKey);
      expect(history.body.chatHistory.map(({ sender, text }) => ({ sender, text }))).toEqual([
        { sender: 'user', text: question?.text },
        { sender: 'assistant', text: answered?.text },
      ]);
    },
  );

  it('stops at once when interrupted, and remembers only what was heard', async () => {
    const caller = await Caller.dial();
    await caller.hears('agent.done');
    caller.say({ type: 'text', text: 'Tell me everything about delivery and returns.' });
    await caller.hears('agent.audio.start', 2);
    caller.say({ type: 'interrupt' });
    const [interrupted] = await caller.hears('agent.interrupted');
    const told = caller
      .all('agent.delta')
      .map(({ text }) => text)
      .join('');
    expect(told.length).toBeGreaterThan(interrupted?.heardText.length ?? 0);
    caller.say({ type: 'session.end' });
    await expect(caller.closed).resolves.toBe(1000);
  });

  it('continues a chat that asked for voice, once', async () => {
    const { status, body } = await post('/api/v1/external/chat', { connectionType: 'sts' }, demo().agentKey);
    expect(status).toBe(200);
    const caller = await Caller.dial({ token: body.token });
    expect(caller.all('session.ready')).toMatchObject([{ sessionUUID: body.sessionUUID }]);
    const again = new WebSocket(`${demo().baseUrl.replace('http', 'ws')}/ws/sts?token=${body.token}`);
    const refused = new Promise((resolve) => {
      again.addEventListener('close', ({ code }) => resolve(code), { once: true });
    });
    await expect(refused).resolves.toBe(4409);
    caller.say({ type: 'session.end' });
    await expect(caller.closed).resolves.toBe(1000);
  });

  withRecognizer('is written down at the socket that only listens, as it is spoken', async () => {
    const caller = await Caller.dial({ door: 'transcribe', language: 'english' });
    await caller.speak(await spoken('Please open the door and come into the house.'));
    const [written] = await caller.hears('transcript.final');
    expect(written?.text.toLowerCase()).toContain('open the door');
    caller.say({ type: 'session.end' });
    await expect(caller.closed).resolves.toBe(1000);
    const seconds = caller
      .all('usage')
      .flatMap(({ usage }) => usage)
      .reduce((sum, { units }) => sum + units, 0);
    expect(seconds).toBeGreaterThanOrEqual(4);
    expect(caller.all('agent.done')).toEqual([]);
  });
});
