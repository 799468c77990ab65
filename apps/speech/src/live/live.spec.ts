/** @waits sound takes as long as it lasts */
import { once } from 'node:events';
import { bytesFromSamples, muLaw, samplesFromBytes } from '@parley/audio';
import {
  endSession,
  Fault,
  recordHeardText,
  recordLatency,
  recordSound,
  recordUnanswered,
  streamTurn,
  telephoneCallOf,
} from '@parley/contracts';
import { ProviderFailure, ScriptedTextToSpeech } from '@parley/ports';
import { eventually, paced } from '@parley/testing';
import { type Dialled, Scene } from './live-scene.suite';

describe('a live session', () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await Scene.begin();
  });
  afterEach(() => scene.end());

  /** Speech of this length, then silence, in frames of 20 ms in real time. */
  const speak = async (line: Dialled, voiceMs: number, silenceMs: number) => {
    async function* frames() {
      for (let at = 0; at < voiceMs + silenceMs; at += 20) yield new Int16Array(320).fill(at < voiceMs ? 6000 : 0);
    }
    for await (const frame of paced(frames())) line.channel.send(bytesFromSamples(frame));
  };

  it('greets a new caller aloud, with the call’s variables in the greeting', async () => {
    await scene.speech();
    const line = await scene.dial({ variables: { name: 'Asha' } });
    await line.greeted();
    expect(line.first('agent.done')).toMatchObject({ text: 'Hi Asha.' });
    const loudest = Math.max(...line.all('sound').flatMap(({ bytes }) => [...samplesFromBytes(bytes)]));
    expect(loudest).toBeGreaterThan(7000);
  });

  it('does not greet a caller who returns to a conversation', async () => {
    await scene.speech();
    const line = await scene.dial({ sessionUUID: '0c8e6c0e-6f2b-4a86-9d5d-2f4dd5b9a1aa' });
    line.channel.signal({ type: 'text', text: 'Where were we?' });
    await eventually('the agent is done', () => line.all('agent.done').length === 1);
    expect(line.first('agent.done')).toMatchObject({ text: 'We open at nine.' });
    expect(scene.voice.requests.map(({ text }) => text)).toEqual(['We open at nine.']);
  });

  it('answers typed text in text and speech, records its latency, and reports its cost', async () => {
    await scene.speech();
    const line = await scene.dial();
    await line.greeted();
    line.channel.signal({ type: 'text', text: 'When do you open?' });
    await eventually('the agent is done', () => line.all('agent.done').length === 2);
    expect(
      line
        .all('agent.delta')
        .map(({ text }) => text)
        .join(''),
    ).toContain('We open at nine.');
    expect(scene.bodiesOf(streamTurn)).toMatchObject([
      { sessionUUID: line.sessionUUID, question: 'When do you open?', channel: 'VOICE' },
    ]);
    await eventually('the latency is told', () => scene.measured.length === 1);
    expect(scene.bodiesOf(recordHeardText)).toMatchObject([
      { soFar: { isAll: true }, measured: { latency: { endOfTurnMs: null } } },
    ]);
    expect(scene.bodiesOf(recordLatency)).toEqual([]);
    await eventually('it is told what TTT_API cost', () => line.spent('TTT_API') === 36);
    expect(line.spent('TTS_API')).toBe('Hi friend.We open at nine.'.length);
    const exposed = await scene.metrics.exposition();
    expect(exposed).toContain('parley_voice_sessions_begun_total{service="speech"} 1');
    expect(exposed).toContain('parley_lines_held{service="speech"} 1');
    expect(exposed).toContain('parley_voice_silence_seconds_count{service="speech",part="total"} 1');
  });

  it('reports to the turn which engine failed, at the latest when it ends', async () => {
    await scene.speech();
    const line = await scene.dial();
    await line.greeted();
    const down = () => new ProviderFailure('scripted', 'is down', { retryable: true });
    for (let tries = 0; tries < 2; tries += 1) scene.voice.failNext(down());
    line.channel.signal({ type: 'text', text: 'When do you open?' });
    await eventually('the turn was begun', () => scene.bodiesOf(streamTurn).length === 1);
    await eventually('the voice was asked', () => scene.voice.requests.length >= 3);
    line.channel.signal({ type: 'session.end' });
    const told = () => scene.bodiesOf(recordLatency).flatMap(({ providerErrors }) => providerErrors);
    await eventually('the failure is told', () => told().length > 0);
    expect(told()).toEqual([{ role: 'TEXT_TO_SPEECH', provider: 'scripted', kind: 'UNAVAILABLE' }]);
  });

  it('says each sentence in a voice that knows its script, and charges nothing for letters that no voice knows', async () => {
    scene.voice = new ScriptedTextToSpeech({ languages: ['english'], scripts: { english: ['Latin'] } });
    const hindi = new ScriptedTextToSpeech({ provider: 'second', languages: ['hindi'], scripts: { hindi: ['Devanagari'] } });
    scene.otherVoices.push(hindi);
    scene.answer = async function* () {
      yield 'We open at nine. दुकान रोज़ खुलती है। We like 花鳥. 花鳥風月!';
    };
    await scene.speech();
    const line = await scene.dial();
    await line.greeted();
    line.channel.signal({ type: 'text', text: 'When do you open?' });
    await eventually('the agent is done', () => line.all('agent.done').length === 2);
    expect(hindi.requests).toMatchObject([{ text: 'दुकान रोज़ खुलती है।', language: 'hindi' }]);
    expect(scene.voice.requests.map(({ text }) => text)).toEqual(['Hi friend.', 'We open at nine.', 'We like']);
    const characters = ['Hi friend.', 'We open at nine.', 'दुकान रोज़ खुलती है।', 'We like '].join('').length;
    await eventually('it is told what TTS_API cost', () => line.spent('TTS_API') >= characters);
    expect(line.spent('TTS_API')).toBe(characters);
    line.channel.signal({ type: 'session.end' });
    const told = () => scene.measured.flatMap(({ providerErrors }) => providerErrors);
    await eventually('what was unsaid is told', () => told().length > 0);
    const unsaid = { role: 'TEXT_TO_SPEECH', provider: 'none', kind: 'UNAVAILABLE' };
    expect(told()).toEqual([unsaid, unsaid]);
    expect(line.all('warning')).toMatchObject([
      { code: 'SPEECH_PROVIDER_UNAVAILABLE', message: expect.stringContaining('script') },
    ]);
  });

  it('answers speech, and counts each started second of sound', async () => {
    scene.understood = ['When do you open?'];
    await scene.speech();
    const line = await scene.dial();
    await line.greeted();
    await speak(line, 1000, 1500);
    await eventually('the agent is done', () => line.all('agent.done').length === 2);
    expect(line.first('transcript.final')).toMatchObject({ text: 'When do you open?' });
    await eventually('it is told what STT_API cost', () => line.spent('STT_API') === 3);
  });

  it('neither charges nor counts speech that no engine transcribed, and reports which engine failed', async () => {
    await scene.speech();
    const line = await scene.dial({ channel: 'PHONE' });
    await line.greeted();
    await speak(line, 200, 0);
    scene.deafen(new ProviderFailure('scripted-recognizer', 'is down', { retryable: true }));
    await speak(line, 2000, 800);
    const before = line.spent('STT_API');
    expect(before).toBeLessThanOrEqual(1);
    line.channel.signal({ type: 'session.end' });
    await line.over;
    expect(line.spent('STT_API')).toBe(before);
    expect(scene.bodiesOf(recordSound)).toEqual([
      {
        ...{ sessionUUID: line.sessionUUID, heardSeconds: before, spokenSeconds: expect.any(Number), isUnheard: true },
        providerErrors: [{ role: 'SPEECH_TO_TEXT', provider: 'scripted-recognizer', kind: 'UNAVAILABLE' }],
        connected: { beforeMs: 0, elapsedMs: expect.any(Number) },
      },
    ]);
  });

  it('charges again once words are transcribed, and names no engine if there is none', async () => {
    scene.understood = ['', 'When do you open?'];
    await scene.speech();
    const line = await scene.dial();
    await line.greeted();
    scene.deafen();
    await speak(line, 1000, 1500);
    expect(line.spent('STT_API')).toBe(0);
    await speak(line, 1000, 1500);
    await eventually('what was understood is charged', () => line.spent('STT_API') >= 2);
    line.channel.signal({ type: 'session.end' });
    await line.over;
    const [sound] = scene.bodiesOf(recordSound);
    expect(sound).toMatchObject({ isUnheard: false, providerErrors: [], heardSeconds: line.spent('STT_API') });
    expect(Number(sound?.['spokenSeconds'])).toBeGreaterThan(0);
  });

  it('reports speech for which no engine could be opened, also when its line is lost', async () => {
    await scene.speech();
    const line = await scene.dial();
    await line.greeted();
    scene.deafen();
    await speak(line, 1000, 200);
    line.channel.signal({ type: 'caller.left' });
    await line.over;
    expect(scene.bodiesOf(recordSound)).toMatchObject([
      { isUnheard: true, providerErrors: [{ role: 'SPEECH_TO_TEXT', provider: 'none', kind: 'UNAVAILABLE' }] },
    ]);
    expect(scene.bodiesOf(endSession)).toEqual([]);
  });

  it('records what was heard of an interrupted answer, and charges what was produced', async () => {
    scene.answer = async function* (_question, signal) {
      yield 'We open at nine, and we close at six in the evening on every day of the week. ';
      await once(signal, 'abort');
    };
    await scene.speech();
    const line = await scene.dial();
    await line.greeted();
    line.channel.signal({ type: 'text', text: 'When do you open?' });
    await eventually('the answer is heard', () => line.all('agent.audio.start').length === 2);
    line.channel.signal({ type: 'interrupt' });
    const corrected = () => scene.bodiesOf(recordHeardText).filter(({ soFar }) => soFar === undefined);
    await eventually('history is corrected', () => corrected().length === 1);
    const [heard] = corrected();
    const told = line.first('agent.interrupted');
    expect(heard).toMatchObject({ heardText: told?.heardText, playedMs: told?.playedMs });
    expect('We open at nine, and we close at six in the evening on every day of the week.').toContain(told?.heardText);
    await eventually('it is told what TTT_API cost', () => line.spent('TTT_API') === 36);
  });

  it('charges the words and the prompt of an answer whose service died before it could record them', async () => {
    scene.hasLostTurns = true;
    scene.answer = async function* () {
      yield 'We open at nine. ';
      throw new Fault('SERVICE_UNAVAILABLE');
    };
    await scene.speech();
    const line = await scene.dial();
    await line.greeted();
    line.channel.signal({ type: 'text', text: 'When do you open?' });
    await eventually('its first words are heard', () => line.all('agent.audio.start').length === 2);
    line.channel.signal({ type: 'session.end' });
    await line.channel.closed;
    expect(line.spent('TTT_API')).toBe(30 + Math.ceil('We open at nine. '.length / 4));
  });

  it('ends with the client, and tells the conversation', async () => {
    await scene.speech();
    const line = await scene.dial();
    line.channel.signal({ type: 'session.end' });
    await expect(line.over).resolves.toBe('ENDED_BY_USER');
    expect(line.first('session.ended')).toMatchObject({ reason: 'ENDED_BY_USER' });
    expect(scene.bodiesOf(endSession)).toMatchObject([{ sessionUUID: line.sessionUUID, reason: 'ENDED_BY_USER' }]);
  });

  it.each(['ENDED_BY_USER', 'CALL_ENDED', 'FAILED'] as const)('ends as %s if the telephone line says so', async (reason) => {
    await scene.speech();
    const line = await scene.dial();
    line.channel.signal({ type: 'session.end', reason });
    await expect(line.over).resolves.toBe(reason);
    expect(scene.bodiesOf(endSession)).toMatchObject([{ sessionUUID: line.sessionUUID, reason }]);
  });

  it.each([
    ['hangs up', { type: 'session.end', reason: 'CALL_ENDED' }],
    ['closes the page', { type: 'caller.left' }],
  ] as const)('keeps what a caller said who %s at the last word, before it ends', async (_does, farewell) => {
    scene.understood = ['Never call me again.'];
    await scene.speech();
    const line = await scene.dial({ channel: 'PHONE' });
    await line.greeted();
    await speak(line, 1000, 0);
    line.channel.signal(farewell);
    await line.over;
    expect(scene.bodiesOf(streamTurn)).toEqual([]);
    expect(scene.bodiesOf(recordUnanswered)).toMatchObject([
      { sessionUUID: line.sessionUUID, question: 'Never call me again.', turnUUID: expect.any(String) },
    ]);
    const subjects = scene.told.map(({ subject }) => subject);
    const ends = [recordSound.subject, endSession.subject].map((subject) => subjects.indexOf(subject)).filter((at) => at >= 0);
    expect(Math.min(...ends)).toBeGreaterThan(subjects.indexOf(recordUnanswered.subject));
    expect(line.spent('STT_API')).toBeGreaterThan(0);
  });

  it('ends for the caller even if the conversation service cannot be reached', async () => {
    scene.isForgetful = true;
    await scene.speech();
    const line = await scene.dial();
    line.channel.signal({ type: 'session.end' });
    await expect(line.over).resolves.toBe('ENDED_BY_USER');
    expect(line.first('session.ended')).toMatchObject({ reason: 'ENDED_BY_USER' });
  });

  it('ends once the agent’s goodbye was heard in full', async () => {
    scene.answer = async function* () {
      yield 'Goodbye!';
    };
    await scene.speech();
    const line = await scene.dial();
    await line.greeted();
    line.channel.signal({ type: 'text', text: 'Thank you.' });
    await expect(line.over).resolves.toBe('ENDED_BY_AGENT');
    expect(scene.bodiesOf(endSession)).toMatchObject([{ reason: 'ENDED_BY_AGENT' }]);
    expect(line.said.at(-1)).toMatchObject({ type: 'session.ended', reason: 'ENDED_BY_AGENT' });
    expect(line.spent('TTS_API')).toBe('Hi friend.Goodbye!'.length);
  });

  it('says goodbye and ends when the credits run out', async () => {
    await scene.speech();
    const line = await scene.dial();
    await line.greeted();
    line.channel.signal({ type: 'credits.exhausted' });
    await expect(line.over).resolves.toBe('CREDITS_EXHAUSTED');
    expect(scene.voice.requests.map(({ text }) => text).join(' ')).toContain('I have to end our call here');
  });

  it('leaves the conversation open when its line is lost, so that the caller may return', async () => {
    const service = await scene.speech();
    const line = await scene.dial();
    await line.greeted();
    line.channel.close('gone');
    await service.stop();
    expect(scene.bodiesOf(endSession)).toEqual([]);
  });

  it('reports its usage and closes when the caller has left, and leaves the conversation open', async () => {
    await scene.speech();
    const line = await scene.dial();
    await line.greeted();
    line.channel.signal({ type: 'caller.left' });
    await line.over;
    expect(line.spent('TTS_API')).toBe('Hi friend.'.length);
    expect(scene.bodiesOf(endSession)).toEqual([]);
  });

  it('hands its lines over when its replica stops, and ends no conversation', async () => {
    const service = await scene.speech();
    const line = await scene.dial();
    await line.greeted();
    const stopped = service.stop();
    await expect(line.over).resolves.toBe('moved');
    await stopped;
    expect(scene.bodiesOf(endSession)).toEqual([]);
    expect(line.all('session.ended')).toEqual([]);
  });

  it('sends mu-law to a mu-law line', async () => {
    await scene.speech();
    const line = await scene.dial({ encoding: 'mulaw', sampleRate: 8000 });
    await line.greeted();
    const [first] = line.all('sound');
    const samples = muLaw.decode(first?.bytes ?? new Uint8Array());
    expect(samples.length % 160).toBe(0);
    expect(Math.max(...line.all('sound').flatMap(({ bytes }) => [...muLaw.decode(bytes)]))).toBeGreaterThan(6000);
  });

  it('transfers the caller when asked to, and says so when nobody answers', async () => {
    await scene.speech();
    const line = await scene.dial({ canTransfer: true });
    await line.greeted();
    line.channel.signal({ type: 'transfer.ask', to: '+911234567890' });
    await eventually('the line is given away', () => line.transfers.length === 1);
    expect(line.transfers).toEqual(['+911234567890']);
    line.channel.signal({ type: 'transfer.failed' });
    await eventually('the agent goes on', () => line.all('agent.done').length === 2);
    expect(scene.voice.requests.map(({ text }) => text).join(' ')).toContain('nobody could take the call');
    line.channel.signal({ type: 'transfer.ask', to: '+911234567890' });
    await eventually('the line is given away again', () => line.transfers.length === 2);
    line.channel.signal({ type: 'transfer.done' });
    await expect(line.over).resolves.toBe('TRANSFERRED');
    expect(scene.bodiesOf(endSession)).toMatchObject([{ reason: 'TRANSFERRED' }]);
  });

  it('answers a ping', async () => {
    await scene.speech();
    const line = await scene.dial();
    line.channel.signal({ type: 'ping' });
    await eventually('a pong came', () => line.all('pong').length === 1);
  });

  it('accepts no more lines than its limit, even at once, and another when one has ended', async () => {
    await scene.speech({ linesMax: 20 });
    const dialled = await Promise.allSettled(Array.from({ length: 25 }, () => scene.dial()));
    const taken = dialled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const refused = dialled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(refused).toMatchObject(new Array(5).fill({ code: 'SERVICE_UNAVAILABLE' }));
    const [first] = taken;
    first?.channel.signal({ type: 'session.end' });
    await first?.over;
    await eventually('there is a place again', () =>
      scene.dial().then(
        () => true,
        () => false,
      ),
    );
  });

  it('refuses a caller whose language no engine supports, and ends the conversation made for the call', async () => {
    scene.refused.add('hindi');
    await scene.speech();
    await expect(scene.dial({ language: 'hindi' })).rejects.toMatchObject({ code: 'SPEECH_PROVIDER_UNAVAILABLE' });
    expect(scene.bodiesOf(endSession)).toMatchObject([{ reason: 'FAILED' }]);
  });

  it('accepts a telephone call whose agent was deleted while it rang, but no other session of that agent', async () => {
    await scene.speech();
    scene.isAgentDeleted = true;
    await expect(scene.dial()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(scene.dial({ channel: 'PHONE' }, { principal: telephoneCallOf(1) })).resolves.toBeDefined();
  });

  it('refuses an agent that does not exist', async () => {
    await scene.speech();
    const opening = scene.dial({ AgentKeyID: '6d3fe2cf-8f7b-43f5-9e75-0f4c2f1d9d11' });
    await expect(opening).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
