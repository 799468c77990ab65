import { ScriptedCall } from '../scripted/scripted-call';

const said = (scene: ScriptedCall): string[] => scene.synthesizer.asked;

describe('a call', () => {
  it('announces the recording before the greeting, and cannot be interrupted in it', async () => {
    const scene = new ScriptedCall({ settings: { consentLine: 'This call is recorded.', greeting: 'Hello! How can I help?' } });
    await scene.isSilent(400);
    await scene.says('stop it please');
    expect(scene.call.state.kind).toBe('speaking');
    await scene.isSilent(8000);
    expect(said(scene)).toEqual(['This call is recorded.', 'Hello!', 'How can I help?', 'All right.']);
    expect(scene.line.told('agent.audio.start')).toHaveLength(3);
  });

  it('masks more than one keyed digit in the question that history and prompts hold', async () => {
    const scene = new ScriptedCall({ keypad: true });
    for (const digit of '4711#') scene.call.signal({ type: 'dtmf', digit });
    await scene.isSilent(2500);
    scene.call.signal({ type: 'dtmf', digit: '2' });
    await scene.isSilent(4000);
    expect(scene.generator.asked.map(({ question }) => question)).toEqual(['(Keyed: ••••)', '2']);
  });

  it('stores what was asked and heard while an answer is in progress, in case the process dies', async () => {
    const answer = () => 'We deliver within three working days to every town. Is there anything else that you want to know now?';
    const scene = new ScriptedCall({ answer, generator: { wordMs: 300 } });
    await scene.says('when do you deliver');
    await scene.isSilent(6000);
    const soFar = { question: 'when do you deliver', isDone: false, isAll: false };
    expect(scene.generator.soFar.slice(0, 2)).toMatchObject([
      { soFar, heardText: '' },
      { soFar, heardText: expect.stringMatching(/^We deliver/) },
    ]);
    for (const { heardText } of scene.generator.soFar) expect(answer()).toContain(heardText);
  });

  it('stores what was heard of an answer whose text was done at once, and at the end that all of it was', async () => {
    const sentence = 'We deliver within three working days to every town. ';
    const answer = () => `${sentence.repeat(4)}Is there anything else that you want to know now?`;
    const scene = new ScriptedCall({ answer });
    await scene.says('when do you deliver');
    await scene.isSilent(6000);
    const [part] = scene.generator.soFar;
    expect(part).toMatchObject({ soFar: { isDone: true, isAll: false }, heardText: expect.stringMatching(/^We deliver/) });
    expect(part?.heardText.length).toBeLessThan(answer().length / 2);
    await scene.isSilent(15_000);
    const [last, ...before] = scene.generator.soFar.toReversed();
    expect(last).toMatchObject({ soFar: { isAll: true }, heardText: answer() });
    expect(before.every(({ soFar }) => !soFar.isAll)).toBe(true);
    expect(scene.generator.heard).toEqual([]);
  });

  it('stores the question of an answer that was begun before the turn was over once it is, before anything is heard', async () => {
    const scene = new ScriptedCall({ generator: { firstTokenMs: 4000 } });
    await scene.says('when do you deliver');
    await scene.isSilent(2000);
    expect(scene.generator.asked).toMatchObject([{ isSpeculative: true }]);
    const soFar = { question: 'when do you deliver', isDone: false, isAll: false };
    expect(scene.generator.soFar).toEqual([{ turnUUID: expect.any(String), heardText: '', playedMs: 0, soFar }]);
  });

  it('stores it as late as the answer is known to have begun', async () => {
    const scene = new ScriptedCall({ generator: { begunMs: 2000, firstTokenMs: 4000 } });
    await scene.says('when do you deliver');
    await scene.isSilent(1500);
    expect(scene.generator.soFar).toEqual([]);
    await scene.isSilent(1500);
    expect(scene.generator.soFar).toMatchObject([{ heardText: '', soFar: { question: 'when do you deliver' } }]);
  });

  it('stores once that all of a short answer was heard, and of one that was cut off only what was heard', async () => {
    const short = new ScriptedCall({ answer: () => 'All right.' });
    await short.says('when do you deliver');
    await short.isSilent(300);
    expect(short.generator.soFar).toEqual([]);
    await short.isSilent(8000);
    expect(short.generator.soFar).toMatchObject([{ heardText: 'All right.', soFar: { isDone: true, isAll: true } }]);
    const cut = new ScriptedCall({ answer: () => 'We deliver within three working days to every town. '.repeat(3) });
    await cut.says('when do you deliver');
    await cut.isSilent(6000);
    cut.call.signal({ type: 'interrupt' });
    await cut.isSilent(4000);
    expect(cut.generator.heard).toHaveLength(1);
    expect(cut.generator.soFar.every(({ soFar }) => !soFar.isAll)).toBe(true);
  });

  it('ends after its maximum duration, however often it moved', async () => {
    const scene = new ScriptedCall({ settings: { maxCallMs: 30_000, elapsedMs: 25_000 } });
    await scene.isSilent(12_000);
    await expect(scene.call.finished).resolves.toEqual({ reason: 'MAX_DURATION' });
    expect(scene.call.progress.elapsedMs).toBeGreaterThan(30_000);
  });

  it('prompts twice, says goodbye and ends when nobody speaks', async () => {
    const idle = { afterMs: 4000, prompts: ['Are you there?', 'Hello?'], goodbye: 'Goodbye then.' };
    const scene = new ScriptedCall({ settings: { idle } });
    await scene.isSilent(25_000);
    expect(said(scene)).toEqual(['Are you there?', 'Hello?', 'Goodbye then.']);
    expect(scene.line.endedBecause).toBe('IDLE');
  });

  it('starts the prompts over once the caller has spoken', async () => {
    const idle = { afterMs: 4000, prompts: ['Are you there?', 'Hello?'], goodbye: 'Goodbye then.' };
    const scene = new ScriptedCall({ settings: { idle } });
    await scene.isSilent(6000);
    await scene.says('yes I am here');
    await scene.isSilent(8000);
    expect(said(scene)).toEqual(['Are you there?', 'All right.', 'Are you there?']);
  });

  it('says goodbye when its time is up', async () => {
    const scene = new ScriptedCall({ settings: { maxCallMs: 30_000 } });
    await scene.isSilent(40_000);
    expect(said(scene).join(' ')).toMatch(/time is up/);
    await expect(scene.call.finished).resolves.toEqual({ reason: 'MAX_DURATION' });
  });

  it('finishes the sentence, says why, and ends when credits run out', async () => {
    const scene = new ScriptedCall({ answer: () => 'This is the first sentence. This one is never spoken. Nor is this.' });
    scene.call.signal({ type: 'text', text: 'hello' });
    await scene.isSilent(700);
    scene.call.creditsExhausted();
    await scene.isSilent(10_000);
    const words = new Set(scene.line.heard());
    expect(scene.generator.heard).toMatchObject([{ heardText: 'This is the first sentence.' }]);
    expect(said(scene).slice(-2).join(' ')).toMatch(/have to end our call/);
    expect(words.size).toBeGreaterThan(5);
    expect(scene.line.endedBecause).toBe('CREDITS_EXHAUSTED');
  });

  it('moves at the next turn boundary, and continues elsewhere without a greeting', async () => {
    const scene = new ScriptedCall({ settings: { greeting: 'Hello.' } });
    await scene.isSilent(2000);
    await scene.says('when do you deliver');
    scene.call.drain();
    expect(scene.line.endedBecause).toBeUndefined();
    await scene.isSilent(4000);
    expect(scene.line.told('agent.done').at(-1)).toMatchObject({ text: 'All right.' });
    expect(scene.line.endedBecause).toBe('DRAINED');
    const next = new ScriptedCall({ settings: scene.call.continuation });
    await next.says('and on Sundays');
    await next.isSilent(4000);
    expect(said(next)).toEqual(['All right.']);
  });

  it('hangs up or transfers only after the last word was heard', async () => {
    const ending = new ScriptedCall({ answer: () => 'Goodbye, have a nice day.', generator: { wantsToEnd: true } });
    ending.call.signal({ type: 'text', text: 'bye' });
    await ending.isSilent(5000);
    const words = ending.synthesizer.words.reduce((sum, { samples }) => sum + samples, 0);
    expect(ending.line.heard().filter((sample) => sample !== 0)).toHaveLength(words);
    expect(ending.line.endedBecause).toBe('ENDED_BY_AGENT');
    const moving = new ScriptedCall({ generator: { transferTo: '+911234567890' }, answer: () => 'I put you through.' });
    moving.call.signal({ type: 'text', text: 'a person please' });
    await moving.isSilent(500);
    expect(moving.line.transfers).toEqual([]);
    await moving.isSilent(2000);
    expect(moving.line.transfers).toEqual(['+911234567890']);
    expect(moving.call.state.kind).toBe('held');
    await moving.clock.pass(3_600_000);
    expect(moving.line.endedBecause).toBeUndefined();
  });

  it('hands the call over after the current sentence, and continues when nobody takes it', async () => {
    const answer = () => 'We deliver within three working days. You may also come by. We are open on Sundays.';
    const scene = new ScriptedCall({ answer });
    scene.call.signal({ type: 'text', text: 'hello' });
    await scene.isSilent(500);
    scene.call.transfer('+911234567890');
    expect(scene.line.transfers).toEqual([]);
    await scene.isSilent(4000);
    expect(scene.line.transfers).toEqual(['+911234567890']);
    expect(scene.generator.heard.at(-1)?.heardText).toBe('We deliver within three working days.');
    scene.call.transferFailed();
    await scene.isSilent(4000);
    expect(said(scene).join(' ')).toMatch(/nobody could take the call/);
    await scene.says('then when do you open');
    await scene.isSilent(6000);
    expect(scene.generator.asked.at(-1)?.question).toBe('then when do you open');
  });

  it('hands a silent line over at once', async () => {
    const scene = new ScriptedCall();
    await scene.isSilent(200);
    scene.call.transfer('+911234567890');
    expect(scene.line.transfers).toEqual(['+911234567890']);
    expect(scene.call.state.kind).toBe('held');
  });

  it('hangs up only once the carrier reports the last word as played', async () => {
    const script = { settings: { hasMarks: true }, markMs: 700, generator: { wantsToEnd: true }, answer: () => 'Goodbye.' };
    const scene = new ScriptedCall(script);
    scene.call.signal({ type: 'text', text: 'bye' });
    await scene.clock.pass(800);
    expect(scene.line.endedBecause).toBeUndefined();
    await scene.clock.pass(800);
    expect(scene.line.endedBecause).toBe('ENDED_BY_AGENT');
  });

  it('pauses its sound on hold and continues where it stopped', async () => {
    const scene = new ScriptedCall({ answer: () => 'We deliver within three working days.' });
    scene.call.signal({ type: 'text', text: 'hello' });
    await scene.isSilent(500);
    scene.call.hold();
    const before = scene.line.heard().filter((sample) => sample !== 0).length;
    await scene.says('is anybody there');
    expect(scene.line.heard().filter((sample) => sample !== 0)).toHaveLength(before);
    scene.call.resume();
    await scene.isSilent(3000);
    expect(scene.line.told('agent.done')).toHaveLength(1);
    expect(scene.generator.asked).toHaveLength(1);
  });

  it('leaves its message on a machine if detection is on', async () => {
    const scene = new ScriptedCall({
      settings: { greeting: 'Hello!', voicemail: { listenMs: 20_000, message: 'Please call us back.' } },
      rules: { isVoicemail: ({ text }) => /leave a message/.test(text) },
    });
    await scene.says('please leave a message after the tone');
    await scene.isSilent(5000);
    expect(said(scene).at(-1)).toBe('Please call us back.');
    expect(scene.line.endedBecause).toBe('VOICEMAIL');
    expect(scene.generator.asked).toEqual([]);
  });
});
