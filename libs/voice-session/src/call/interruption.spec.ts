import { ScriptedCall } from '../scripted/scripted-call';

const text = 'We deliver within three working days. Is there anything else that you want to know?';
const answer = (): string => text;

/** How long after this moment the agent was last heard, in milliseconds. */
function soundAfter({ line, clock }: ScriptedCall, fromMs: number): number {
  const heard = line.heard();
  for (let at = heard.length - 1; at >= fromMs * 8; at--) if (heard[at]) return at / 8 - fromMs;
  expect(clock.now()).toBeGreaterThan(fromMs);
  return 0;
}

async function speaking(script: ConstructorParameters<typeof ScriptedCall>[0] = {}): Promise<ScriptedCall> {
  const scene = new ScriptedCall({ answer, ...script });
  await scene.says('when do you deliver');
  await scene.isSilent(1600);
  expect(scene.call.state.kind).toBe('speaking');
  return scene;
}

describe('an interruption', () => {
  it('silences the agent within 250 ms by default, even on a line that cannot be cleared', async () => {
    const scene = await speaking();
    jest.spyOn(scene.line, 'clear').mockImplementation(() => undefined);
    const voiceMs = scene.clock.now();
    await scene.says('no wait a moment');
    expect(soundAfter(scene, voiceMs)).toBeLessThanOrEqual(250);
    expect(soundAfter(scene, voiceMs)).toBeGreaterThan(100);
  });

  it('silences the agent within 120 ms by the most eager settings', async () => {
    const scene = await speaking({ settings: { interruption: { minSpeechMs: 0, minWords: 0 } } });
    const voiceMs = scene.clock.now();
    await scene.says('no wait a moment');
    expect(soundAfter(scene, voiceMs)).toBeLessThanOrEqual(120);
    expect(scene.line.told('agent.interrupted')).toHaveLength(1);
  });

  it.each([
    ['okay', 300],
    ['', 400],
  ])('by %j is a false alarm: every word of the agent is heard exactly once', async (said, ms) => {
    const scene = await speaking();
    await scene.says(said, ms);
    expect(scene.call.state.kind).toBe('interrupted');
    await scene.isSilent(9000);
    expect(scene.line.told('agent.interrupted')).toEqual([]);
    expect(scene.line.told('agent.done')).toMatchObject([{ text }]);
    const loud = scene.line.heard().filter((sample) => sample !== 0).length;
    expect(loud).toBe(scene.synthesizer.words.reduce((sum, { samples }) => sum + samples, 0));
  });

  it('silences the agent as soon as it is suspected, and a false suspicion loses no sound', async () => {
    const scene = await speaking();
    scene.recognition.tell({ kind: 'voice-suspected' });
    const suspectedMs = scene.clock.now();
    await scene.isSilent(300);
    expect(soundAfter(scene, suspectedMs)).toBeLessThanOrEqual(0);
    scene.recognition.tell({ kind: 'voice-dismissed' });
    await scene.isSilent(9000);
    const loud = scene.line.heard().filter((sample) => sample !== 0).length;
    expect(loud).toBe(scene.synthesizer.words.reduce((sum, { samples }) => sum + samples, 0));
    expect(scene.line.told('agent.done')).toMatchObject([{ text }]);
    expect(scene.line.told('agent.interrupted')).toEqual([]);
  });

  it('may follow a suspicion, with no sound in between', async () => {
    const scene = await speaking();
    scene.recognition.tell({ kind: 'voice-suspected' });
    const suspectedMs = scene.clock.now();
    await scene.says('no wait a moment');
    expect(soundAfter(scene, suspectedMs)).toBeLessThanOrEqual(0);
    expect(scene.generator.heard).toHaveLength(1);
  });

  it('is not suspected forever if the outcome is never reported', async () => {
    const scene = await speaking();
    scene.recognition.tell({ kind: 'voice-suspected' });
    await scene.isSilent(9000);
    expect(scene.line.told('agent.done')).toMatchObject([{ text }]);
  });

  it('is no longer suspected after three false suspicions in one answer', async () => {
    const scene = await speaking();
    const kinds: string[] = [];
    for (let i = 0; i < 4; i++) {
      scene.recognition.tell({ kind: 'voice-suspected' });
      kinds.push(scene.call.state.kind);
      scene.recognition.tell({ kind: 'voice-dismissed' });
      await scene.isSilent(100);
    }
    expect(kinds).toEqual(['interrupted', 'interrupted', 'interrupted', 'speaking']);
  });

  it.each([
    ['needs more speech than by default', { interruption: { minSpeechMs: 400, minWords: 1 } }],
    ['is not allowed', { isInterruptible: false }],
  ])('is not suspected if it %s', async (_, settings) => {
    const scene = await speaking({ settings });
    scene.recognition.tell({ kind: 'voice-suspected' });
    expect(scene.call.state.kind).toBe('speaking');
  });

  it('shorter than half of `minSpeechMs` was a false suspicion, unless words arrive', async () => {
    const scene = await speaking();
    scene.recognition.tell({ kind: 'voice-suspected' });
    scene.recognition.tell({ kind: 'speech-started', atMs: scene.clock.now() });
    scene.recognition.tell({ kind: 'speech-stopped', atMs: scene.clock.now() + 100 });
    expect(scene.call.state.kind).toBe('speaking');
    scene.recognition.tell({ kind: 'final', text: 'no' });
    expect(scene.generator.heard).toHaveLength(1);
  });

  it('waits for the words of a recognizer without partials, and loses no sound', async () => {
    const scene = await speaking({ recognition: { guesses: false } });
    await scene.says('no wait a moment', 1000);
    expect(scene.generator.heard).toEqual([]);
    await scene.isSilent(400);
    expect(scene.generator.heard).toHaveLength(1);
    await scene.isSilent(1000);
    expect(scene.generator.asked.at(-1)?.question).toBe('no wait a moment');
  });

  it('never happens if the agent may not be interrupted, not even by noise', async () => {
    const scene = await speaking({ settings: { isInterruptible: false } });
    const figures = scene.call.figures.frames;
    await scene.says('no wait a moment');
    await scene.says('', 500);
    scene.call.signal({ type: 'interrupt' });
    expect(scene.call.state.kind).toBe('speaking');
    expect(scene.call.figures.frames).toBeGreaterThan(figures + 60);
    expect(scene.line.told('warning')).toMatchObject([{ code: 'INTERRUPTION_NOT_ALLOWED' }]);
    await scene.isSilent(6000);
    expect(scene.line.told('agent.done')[0]).toMatchObject({ text });
    expect(scene.line.told('agent.interrupted')).toEqual([]);
    expect(scene.generator.asked.map(({ question }) => question)).toEqual(['when do you deliver', 'no wait a moment']);
  });

  it('by text waits for the end of an answer that may not be interrupted', async () => {
    const settings = { isInterruptible: false, fillers: ['One moment.'] };
    const scene = new ScriptedCall({ answer: () => 'All right.', settings, generator: { firstTokenMs: 1500 } });
    scene.call.signal({ type: 'text', text: 'one' });
    await scene.isSilent(1000);
    scene.call.signal({ type: 'text', text: 'two' });
    await scene.isSilent(9000);
    expect(scene.generator.asked.map(({ question }) => question)).toEqual(['one', 'two']);
    expect(scene.line.told('agent.done')).toHaveLength(2);
  });

  it('by repeated noise stops silencing the answer: a voice without words is then ignored', async () => {
    const scene = await speaking();
    for (let i = 0; i < 5; i++) {
      await scene.says('', 300);
      await scene.isSilent(900);
    }
    await scene.isSilent(6000);
    expect(scene.line.told('agent.done')).toMatchObject([{ text }]);
  });

  it('before every answer does not leave the caller without one forever', async () => {
    const scene = new ScriptedCall({ answer, generator: { firstTokenMs: 1200 } });
    for (let i = 0; i < 6; i++) {
      await scene.says('and another thing');
      await scene.isSilent(900);
    }
    await scene.isSilent(9000);
    expect(scene.line.told('agent.done')).not.toEqual([]);
  });

  it('before anything was heard joins the question with what follows', async () => {
    const scene = new ScriptedCall({ answer, generator: { firstTokenMs: 1500 } });
    await scene.says('when do you deliver');
    await scene.isSilent(800);
    expect(scene.call.state.kind).toBe('thinking');
    await scene.says('to the north of town');
    await scene.isSilent(3000);
    expect(scene.generator.asked.at(-1)?.question).toBe('when do you deliver to the north of town');
    expect(scene.generator.discarded).toHaveLength(scene.generator.asked.length - 1);
    expect(scene.generator.heard).toEqual([]);
  });

  it('by text after text becomes one question, behind which four more wait; the rest is ignored, as it is told', async () => {
    const scene = new ScriptedCall({ answer, generator: { firstTokenMs: 1500 } });
    const typed = Array.from({ length: 20 }, (_, n) => `question ${n}`);
    for (const each of typed) scene.call.signal({ type: 'text', text: each });
    const ignored = scene.line.told('warning');
    expect(ignored).toHaveLength(12);
    expect(ignored[0]).toMatchObject({
      code: 'TEXT_IGNORED',
      message: '4 texts wait already, behind the question that is being answered.',
    });
    await scene.isSilent(90_000);
    const asked = scene.generator.asked.map(({ question }) => question);
    expect(asked.slice(-5)).toEqual([typed.slice(0, 4).join(' '), ...typed.slice(4, 8)]);
  });

  it('by typed text or a key is immediate', async () => {
    const typed = await speaking();
    typed.call.signal({ type: 'text', text: 'never mind, where are you?' });
    expect(typed.generator.heard).toHaveLength(1);
    await typed.clock.pass(10);
    expect(typed.generator.asked.at(-1)?.question).toBe('never mind, where are you?');
    const keyed = await speaking();
    keyed.call.signal({ type: 'dtmf', digit: '2' });
    await keyed.clock.pass(10);
    expect(keyed.generator.heard).toHaveLength(1);
    expect(keyed.generator.asked.at(-1)?.question).toBe('2');
  });
});
