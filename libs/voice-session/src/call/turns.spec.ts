import type { PauseInTurn } from '../hearing/heard';
import { ruleJudge } from '../hearing/rule-judge';
import { ScriptedCall } from '../scripted/scripted-call';
import { replay } from '../session/event-log';

describe('a turn', () => {
  it('is answered speculatively, and the answer is kept if the turn had ended', async () => {
    const scene = new ScriptedCall({ generator: { firstTokenMs: 250 } });
    await scene.says('when do you deliver');
    await scene.isSilent(580);
    expect(scene.generator.asked).toMatchObject([{ isSpeculative: true, question: 'when do you deliver' }]);
    expect(scene.line.told('agent.delta')).toEqual([]);
    await scene.isSilent(40);
    expect(scene.line.told('agent.audio.start')).toHaveLength(1);
    expect(scene.generator.discarded).toEqual([]);
  });

  it('discards the speculative answer when the caller goes on, and learns how long this caller pauses', async () => {
    const scene = new ScriptedCall({ generator: { firstTokenMs: 250 } });
    await scene.says('when do you deliver');
    await scene.isSilent(460);
    await scene.says('to the north');
    expect(scene.generator.discarded).toHaveLength(1);
    expect(scene.line.told('agent.delta')).toEqual([]);
    await scene.isSilent(3000);
    expect(scene.generator.asked.at(-1)?.question).toBe('when do you deliver to the north');
    expect(scene.call.continuation.usualPauseMs).toBeCloseTo(460, -1);
  });

  describe('that could not be transcribed', () => {
    const deafScene = async (untranscribedTurnsMax?: number) => {
      const scene = new ScriptedCall({ settings: untranscribedTurnsMax === undefined ? {} : { untranscribedTurnsMax } });
      await scene.isSilent(100);
      scene.recognition.tell({ kind: 'recognition-failed', code: 'SPEECH_PROVIDER_UNAVAILABLE' });
      return scene;
    };
    const speaks = async (scene: ScriptedCall, text = '') => {
      await scene.says(text, 900);
      await scene.isSilent(7000);
    };
    const asked = (scene: ScriptedCall) => scene.synthesizer.asked.filter((line) => line.includes('say that again')).length;

    it('is asked for again, until the agent says that it cannot hear and ends the telephone call', async () => {
      const scene = await deafScene(3);
      await speaks(scene);
      await speaks(scene);
      expect(asked(scene)).toBe(2);
      expect(scene.call.state.kind).not.toBe('ended');
      await scene.says('', 900);
      await scene.isSilent(12_000);
      await expect(scene.call.finished).resolves.toEqual({ reason: 'FAILED' });
      expect(scene.synthesizer.asked.join(' ')).toContain('Please try again later');
    });

    it('is asked for again once it is clear that no words will come, and not by an idle prompt before', async () => {
      const idle = { afterMs: 5000, prompts: ['Are you still there?'], goodbye: '' };
      const scene = new ScriptedCall({ settings: { idle }, recognition: { guesses: false, answerAfter: () => undefined } });
      await scene.says('when do you open', 900);
      await scene.isSilent(16_000);
      expect(new Set(scene.synthesizer.asked)).toEqual(new Set(['One moment, please.']));
      scene.recognition.tell({ kind: 'recognition-failed', code: 'SPEECH_PROVIDER_UNAVAILABLE' });
      await scene.isSilent(1000);
      expect(scene.synthesizer.asked.join(' ')).toContain('Could you say that again?');
    });

    it('and of which nothing is known for half a minute, is followed by idle prompts', async () => {
      const idle = { afterMs: 5000, prompts: ['Are you still there?'], goodbye: '' };
      const scene = new ScriptedCall({ settings: { idle }, recognition: { guesses: false, answerAfter: () => undefined } });
      await scene.says('when do you open', 900);
      await scene.isSilent(37_000);
      expect(scene.synthesizer.asked).not.toContain('Are you still there?');
      await scene.isSilent(12_000);
      expect(scene.synthesizer.asked).toContain('Are you still there?');
    });

    it('is not asked for again while what was typed meanwhile is answered', async () => {
      const scene = new ScriptedCall({ recognition: { guesses: false, answerAfter: () => undefined } });
      await scene.says('when do you open', 900);
      await scene.isSilent(9000);
      scene.call.signal({ type: 'text', text: 'when do you open' });
      await scene.isSilent(300);
      scene.recognition.tell({ kind: 'recognition-failed', code: 'SPEECH_PROVIDER_UNAVAILABLE' });
      await scene.isSilent(3000);
      expect(scene.generator.asked).toHaveLength(1);
      expect(scene.synthesizer.asked.join(' ')).not.toContain('say that again');
    });

    it('but whose words come after all while the agent asks for patience, is answered', async () => {
      const idle = { afterMs: 4000, prompts: ['Are you still there?'], goodbye: '' };
      const scene = new ScriptedCall({ settings: { idle }, recognition: { guesses: false, answerAfter: () => undefined } });
      await scene.says('when do you open', 900);
      while (scene.synthesizer.asked.length === 0) await scene.isSilent(100);
      await scene.isSilent(300);
      scene.recognition.tell({ kind: 'final', text: 'when do you open' });
      await scene.isSilent(5000);
      expect(scene.generator.asked).toMatchObject([{ question: 'when do you open' }]);
    });

    it('by a live recognizer that says nothing of a long voice has to be finished by it', async () => {
      const scene = new ScriptedCall();
      const finish = jest.spyOn(scene.recognition, 'finishTurn');
      await scene.says('', 4000);
      await scene.isSilent(500);
      expect(finish).toHaveBeenCalledTimes(1);
    });

    it('does not end the call if something was understood in between, or if the client sees the warning', async () => {
      const scene = await deafScene(3);
      await speaks(scene);
      await speaks(scene);
      await speaks(scene, 'when do you open');
      scene.recognition.tell({ kind: 'recognition-failed', code: 'SPEECH_PROVIDER_UNAVAILABLE' });
      await speaks(scene);
      expect(scene.call.state.kind).not.toBe('ended');
      const page = await deafScene();
      for (let turns = 0; turns < 5; turns += 1) await speaks(page);
      expect([asked(page), page.call.state.kind]).toEqual([5, 'listening']);
    });
  });

  describe('with prosody', () => {
    const waits = (soundsDone: number | undefined) => (soundsDone === undefined ? 600 : soundsDone > 0.5 ? 300 : 1500);
    const judge = {
      judge: ({ soundsDone }: PauseInTurn) => ({ waitMs: waits(soundsDone), suspectMs: waits(soundsDone), asksSound: true }),
    };

    it.each([
      [0.9, 300],
      [undefined, 600],
      [0.1, 1500],
    ])('judged %s ends after %i ms', async (soundsDone, afterMs) => {
      const scene = new ScriptedCall({ rules: { judge } });
      await scene.says('when do you deliver');
      await scene.isSilent(200);
      expect(scene.recognition.endsAsked).toBe(1);
      if (soundsDone !== undefined) scene.recognition.tell({ kind: 'end-judged', soundsDone });
      await scene.isSilent(afterMs - 240);
      expect(scene.generator.asked).toEqual([]);
      await scene.isSilent(80);
      expect(scene.generator.asked).toHaveLength(1);
      expect(replay(scene.log, scene.rules).flat()).toContainEqual(expect.objectContaining({ kind: 'judge-end' }));
    });

    it('is over soon after a whole sentence was written at the pause, however unfinished it sounded', async () => {
      const scene = new ScriptedCall({ recognition: { guesses: false }, rules: { judge: ruleJudge } });
      await scene.says('when do you deliver?');
      await scene.isSilent(200);
      scene.recognition.tell({ kind: 'end-judged', soundsDone: 0 });
      await scene.isSilent(350);
      expect(scene.line.told('agent.audio.start')).toEqual([]);
      await scene.isSilent(200);
      expect(scene.line.told('agent.audio.start')).toHaveLength(1);
    });

    it('drops the judgement when the caller goes on, and asks again', async () => {
      const scene = new ScriptedCall({ rules: { judge } });
      await scene.says('when do you');
      await scene.isSilent(200);
      scene.recognition.tell({ kind: 'end-judged', soundsDone: 0.1 });
      await scene.says('deliver');
      await scene.isSilent(680);
      expect(scene.recognition.endsAsked).toBe(2);
      expect(scene.generator.asked).toMatchObject([{ question: 'when do you deliver' }]);
    });
  });

  it('has both halves transcribed by an engine without partials when the caller goes on after a suspected end', async () => {
    const scene = new ScriptedCall({ recognition: { guesses: false } });
    await scene.says('i need a table');
    await scene.isSilent(460);
    await scene.says('for tomorrow');
    await scene.isSilent(1200);
    expect(scene.generator.asked.at(-1)?.question).toBe('i need a table for tomorrow');
    expect(scene.line.told('agent.audio.start')).toHaveLength(1);
  });

  it('is answered again when the final words differ from the guess', async () => {
    const scene = new ScriptedCall({ recognition: { stopMs: 400 } });
    scene.recognition.script.push('when do you');
    await scene.says('', 900);
    await scene.isSilent(3000);
    expect(scene.line.told('agent.done')).toHaveLength(1);
    expect(scene.generator.asked.length - scene.generator.discarded.length).toBe(1);
  });

  it('of noise alone is ignored', async () => {
    const scene = new ScriptedCall({ recognition: { guesses: false } });
    await scene.says('', 700);
    await scene.isSilent(3000);
    expect(scene.generator.asked).toEqual([]);
    expect(scene.call.state.kind).toBe('listening');
  });

  it('with words from a voice too quiet to be detected still counts', async () => {
    const scene = new ScriptedCall();
    await scene.isSilent(100);
    scene.recognition.finishTurn();
    scene.recognition['listener']({ kind: 'final', text: 'can you hear me' });
    await scene.isSilent(1000);
    expect(scene.generator.asked).toMatchObject([{ question: 'can you hear me' }]);
  });

  it('whose transcript fails late is asked for again, and its caller is not asked whether they are there', async () => {
    const idle = { afterMs: 4000, prompts: ['Are you still there?'], goodbye: 'Goodbye.' };
    const scene = new ScriptedCall({ recognition: { guesses: false, answerAfter: () => undefined }, settings: { idle } });
    await scene.says('when do you deliver');
    await scene.isSilent(13_000);
    expect(scene.synthesizer.asked).toEqual(['One moment, please.', 'One moment, please.']);
    scene.recognition.tell({ kind: 'recognition-failed', code: 'SPEECH_PROVIDER_UNAVAILABLE' });
    scene.recognition.tell({ kind: 'final', text: '' });
    await scene.isSilent(3000);
    expect(scene.line.told('warning')).toMatchObject([{ code: 'SPEECH_NOT_WRITTEN' }]);
    expect(scene.synthesizer.asked.slice(2).join(' ')).toBe('I am sorry, I could not hear you. Could you say that again?');
  });

  it('keeps of an answer whose generator fails midway what was heard', async () => {
    const scene = new ScriptedCall();
    const { generator } = scene;
    const turnUUID = '00000000-0000-4000-8000-000000000001';
    generator.answer = async function* () {
      yield { kind: 'begun', turnUUID };
      yield { kind: 'delta', text: 'We deliver within three working days. And' };
      throw new Error('told to fail');
    };
    scene.call.signal({ type: 'text', text: 'hello' });
    await scene.isSilent(9000);
    expect(scene.synthesizer.asked.join(' ')).toMatch(/sorry/);
    expect(generator.heard).toMatchObject([{ turnUUID, heardText: 'We deliver within three working days.' }]);
  });

  it('ends with a spoken apology when the generator fails, and the call goes on', async () => {
    const scene = new ScriptedCall();
    scene.generator.failNext(new Error('told to fail'));
    scene.call.signal({ type: 'text', text: 'hello' });
    await scene.isSilent(6000);
    expect(scene.line.told('error')).toMatchObject([{ code: 'INTERNAL', statusCode: 500 }]);
    expect(scene.synthesizer.asked.join(' ')).toMatch(/sorry/);
    scene.call.signal({ type: 'text', text: 'hello again' });
    await scene.isSilent(3000);
    expect(scene.line.told('agent.done').at(-1)).toMatchObject({ text: 'All right.' });
  });

  it('ends with an apology when the generator never answers', async () => {
    const scene = new ScriptedCall({ generator: { firstTokenMs: 3_600_000 } });
    scene.call.signal({ type: 'text', text: 'hello' });
    await scene.clock.pass(31_000);
    expect(scene.line.told('error')).toMatchObject([{ code: 'DEADLINE_EXCEEDED' }]);
    expect(scene.generator.asked[0]?.signal.aborted).toBe(true);
    expect(scene.synthesizer.asked.join(' ')).toMatch(/sorry/);
  });

  it('keeps only the sentences of the answer that could be synthesized', async () => {
    const scene = new ScriptedCall({ answer: () => 'One is here. Two is there. Three is everywhere.' });
    scene.synthesizer.failNext(new Error('told to fail'));
    scene.call.signal({ type: 'text', text: 'hello' });
    await scene.isSilent(8000);
    expect(scene.line.told('warning')).toMatchObject([{ code: 'SPEECH_PROVIDER_UNAVAILABLE' }]);
    expect(scene.generator.heard).toMatchObject([{ heardText: 'Two is there. Three is everywhere.' }]);
    expect(scene.call.state.kind).toBe('listening');
  });

  it('whose answer could not be synthesized ends with an apology, and history records that nothing was heard', async () => {
    const scene = new ScriptedCall();
    scene.synthesizer.failNext(new Error('told to fail'));
    scene.call.signal({ type: 'text', text: 'hello' });
    await scene.isSilent(8000);
    expect(scene.line.told('error')).toMatchObject([{ code: 'SPEECH_PROVIDER_UNAVAILABLE', statusCode: 503 }]);
    expect(scene.generator.heard).toMatchObject([{ heardText: '', playedMs: 0 }]);
    expect(scene.synthesizer.asked.join(' ')).toMatch(/All right. I am sorry/);
    expect(scene.call.state.kind).toBe('listening');
  });

  it('plays a filler only if one is configured and the answer is late', async () => {
    const late = new ScriptedCall({ settings: { fillers: ['One moment.'] }, generator: { firstTokenMs: 1500 } });
    late.call.signal({ type: 'text', text: 'hello' });
    await late.isSilent(5000);
    expect(late.synthesizer.asked).toEqual(['One moment.', 'All right.']);
    expect(late.line.told('agent.done')).toMatchObject([{ text: 'All right.' }]);
    const prompt = new ScriptedCall({ settings: { fillers: ['One moment.'] } });
    prompt.call.signal({ type: 'text', text: 'hello' });
    await prompt.isSilent(5000);
    expect(prompt.synthesizer.asked).toEqual(['All right.']);
  });

  it('synthesizes the next sentence while the current one plays', async () => {
    const sentences = ['This is the first sentence.', 'This is the second one.', 'And this is the third.'];
    const scene = new ScriptedCall({ answer: () => sentences.join(' ') });
    scene.call.signal({ type: 'text', text: 'hello' });
    await scene.isSilent(400);
    expect(scene.synthesizer.asked).toEqual(sentences.slice(0, 2));
    await scene.isSilent(6000);
    expect(scene.synthesizer.asked).toEqual(sentences);
  });
});
