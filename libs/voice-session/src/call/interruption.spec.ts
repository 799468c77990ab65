import { ScriptedCall } from '../scripted/scripted-call';

const text = 'We deliver within three working days. Is there anything else that you want to know?';
const answer = (): string => text;

/** When the listener last heard the agent, counted in milliseconds from the given moment on. */
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
  it('is heard as silence within 250 ms by default, even on a line that cannot take sound back', async () => {
    const scene = await speaking();
    jest.spyOn(scene.line, 'clear').mockImplementation(() => undefined);
    const voiceMs = scene.clock.now();
    await scene.says('no wait a moment');
    expect(soundAfter(scene, voiceMs)).toBeLessThanOrEqual(250);
    expect(soundAfter(scene, voiceMs)).toBeGreaterThan(100);
  });

  it('is heard as silence within 120 ms by the most eager settings', async () => {
    const scene = await speaking({ settings: { interruption: { minSpeechMs: 0, minWords: 0 } } });
    const voiceMs = scene.clock.now();
    await scene.says('no wait a moment');
    expect(soundAfter(scene, voiceMs)).toBeLessThanOrEqual(120);
    expect(scene.line.told('agent.interrupted')).toHaveLength(1);
  });

  it.each([
    ['okay', 300],
    ['', 400],
  ])('by %j is a false alarm: every word of the agent is heard, and once', async (said, ms) => {
    const scene = await speaking();
    await scene.says(said, ms);
    expect(scene.call.state.kind).toBe('interrupted');
    await scene.isSilent(9000);
    expect(scene.line.told('agent.interrupted')).toEqual([]);
    expect(scene.line.told('agent.done')).toMatchObject([{ text }]);
    const loud = scene.line.heard().filter((sample) => sample !== 0).length;
    expect(loud).toBe(scene.synthesizer.words.reduce((sum, { samples }) => sum + samples, 0));
  });

  it('is prepared for by silence as soon as a voice is suspected, and nothing is lost when it was none', async () => {
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

  it('follows a suspicion without a sound in between', async () => {
    const scene = await speaking();
    scene.recognition.tell({ kind: 'voice-suspected' });
    const suspectedMs = scene.clock.now();
    await scene.says('no wait a moment');
    expect(soundAfter(scene, suspectedMs)).toBeLessThanOrEqual(0);
    expect(scene.generator.heard).toHaveLength(1);
  });

  it('is not suspected for ever by recognition that forget to say what came of it', async () => {
    const scene = await speaking();
    scene.recognition.tell({ kind: 'voice-suspected' });
    await scene.isSilent(9000);
    expect(scene.line.told('agent.done')).toMatchObject([{ text }]);
  });

  it('is suspected no more in an answer in which it was suspected wrongly three times', async () => {
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
    ['takes more speech than by default', { interruption: { minSpeechMs: 400, minWords: 1 } }],
    ['is not allowed', { isInterruptible: false }],
  ])('is not suspected where it %s', async (_, settings) => {
    const scene = await speaking({ settings });
    scene.recognition.tell({ kind: 'voice-suspected' });
    expect(scene.call.state.kind).toBe('speaking');
  });

  it('that is over before half of what interrupts was suspected wrongly, unless words for it come', async () => {
    const scene = await speaking();
    scene.recognition.tell({ kind: 'voice-suspected' });
    scene.recognition.tell({ kind: 'speech-started', atMs: scene.clock.now() });
    scene.recognition.tell({ kind: 'speech-stopped', atMs: scene.clock.now() + 100 });
    expect(scene.call.state.kind).toBe('speaking');
    scene.recognition.tell({ kind: 'final', text: 'no' });
    expect(scene.generator.heard).toHaveLength(1);
  });

  it('waits for the words where the recognizer does not guess, and loses nothing meanwhile', async () => {
    const scene = await speaking({ recognition: { guesses: false } });
    await scene.says('no wait a moment', 1000);
    expect(scene.generator.heard).toEqual([]);
    await scene.isSilent(400);
    expect(scene.generator.heard).toHaveLength(1);
    await scene.isSilent(1000);
    expect(scene.generator.asked.at(-1)?.question).toBe('no wait a moment');
  });

  it('never happens where the agent may not be interrupted, by noise neither', async () => {
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

  it('by text where nobody may interrupt waits until the agent is done', async () => {
    const settings = { isInterruptible: false, fillers: ['One moment.'] };
    const scene = new ScriptedCall({ answer: () => 'All right.', settings, generator: { firstTokenMs: 1500 } });
    scene.call.signal({ type: 'text', text: 'one' });
    await scene.isSilent(1000);
    scene.call.signal({ type: 'text', text: 'two' });
    await scene.isSilent(9000);
    expect(scene.generator.asked.map(({ question }) => question)).toEqual(['one', 'two']);
    expect(scene.line.told('agent.done')).toHaveLength(2);
  });

  it('by more noise than an answer stands does not chop it: a voice without words stops silencing it', async () => {
    const scene = await speaking();
    for (let i = 0; i < 5; i++) {
      await scene.says('', 300);
      await scene.isSilent(900);
    }
    await scene.isSilent(6000);
    expect(scene.line.told('agent.done')).toMatchObject([{ text }]);
  });

  it('that comes before each answer is heard does not keep the caller without an answer for ever', async () => {
    const scene = new ScriptedCall({ answer, generator: { firstTokenMs: 1200 } });
    for (let i = 0; i < 6; i++) {
      await scene.says('and another thing');
      await scene.isSilent(900);
    }
    await scene.isSilent(9000);
    expect(scene.line.told('agent.done')).not.toEqual([]);
  });

  it('before anything was heard takes the question back and asks it together with what follows', async () => {
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

  it('by typed text or a key is at once', async () => {
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
