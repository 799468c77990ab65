import {
  conversationEnded,
  endSession,
  findRecording,
  getHistory,
  listConversationLogs,
  openSession,
  recordSound,
} from '@parley/contracts';
import { ProviderFailure, ScriptedLanguageModel } from '@parley/ports';
import { BuiltinModel } from '@parley/providers/builtin-model';
import { eventually } from '@parley/testing';
import { Client } from 'pg';
import { Installation } from '../installation.suite';

describe('a session', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.start();
  });
  afterAll(() => installation.stop());

  const administer = async (statement: string, values: unknown[]) => {
    const admin = new Client({ connectionString: installation.database.adminUrl });
    await admin.connect();
    await admin.query(statement, values);
    await admin.end();
  };

  it('can be created before its first turn, is new until then, and is found by its own agent only', async () => {
    const { caller, agent } = installation.shop();
    const { sessionUUID, AgentKeyID, isNew } = await installation.bus.ask(
      openSession,
      { channel: 'PHONE', language: 'hindi' },
      { principal: caller },
    );
    expect({ AgentKeyID, isNew }).toEqual({ AgentKeyID: agent.AgentKeyID, isNew: true });
    const again = installation.bus.ask(openSession, { sessionUUID }, { principal: caller });
    await expect(again).resolves.toMatchObject({ sessionUUID, isNew: true });
    const stranger = installation.shop().caller;
    await expect(installation.bus.ask(openSession, { sessionUUID }, { principal: stranger })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(installation.ask(caller, '1499', { sessionUUID })).resolves.toMatchObject({ detectedLanguage: 'hindi' });
    const begun = installation.bus.ask(openSession, { sessionUUID }, { principal: caller });
    await expect(begun).resolves.toMatchObject({ isNew: false });
  });

  it('is continued only in the channel that is asked for', async () => {
    const { caller } = installation.shop();
    const continued = async (channel: 'PHONE' | 'WIDGET') => {
      const { sessionUUID } = await installation.bus.ask(openSession, { channel }, { principal: caller });
      return installation.bus.ask(openSession, { sessionUUID, ofChannel: 'WIDGET' }, { principal: caller });
    };
    await expect(continued('PHONE')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(continued('WIDGET')).resolves.toMatchObject({ isNew: true });
  });

  it('knows how long it was connected by voice, on all its lines together, and how long its caller pauses', async () => {
    const { caller } = installation.shop();
    const { bus } = installation;
    const asCaller = { principal: caller };
    const { sessionUUID } = await installation.ask(caller, 'hello');
    const open = async () => (await bus.ask(openSession, { sessionUUID, opensLine: true }, asCaller)).progress;
    const since = (seconds: number, activeSeconds = seconds) =>
      administer(
        `UPDATE conversation.sessions SET connected_since = now() - $2 * interval '1 second', active_on = now() - $3 * interval '1 second'
         WHERE session_uuid = $1`,
        [sessionUUID, seconds, activeSeconds],
      );
    const ends = (beforeMs: number, elapsedMs: number) =>
      bus.ask(recordSound, { sessionUUID, connected: { beforeMs, elapsedMs, usualPauseMs: 750 } }, asCaller);
    const answered = expect.stringMatching(/\w/);
    // What was written is no time on a line.
    expect(await open()).toEqual({ elapsedMs: 0, asked: answered });
    await ends(0, 20_000);
    expect(await open()).toEqual({ elapsedMs: 20_000, usualPauseMs: 750, asked: answered });
    // A second socket takes over while the first is open, whose end is reported later.
    await since(22);
    const taken = (await open())?.elapsedMs ?? 0;
    expect(taken).toBeGreaterThanOrEqual(42_000);
    expect(taken).toBeLessThan(52_000);
    await ends(20_000, 45_000);
    await ends(taken, 60_000);
    expect(await open()).toMatchObject({ elapsedMs: 60_000 });
    // Of a line whose process died hours ago, only the time in use is counted, and a minute.
    await since(9000, 8900);
    const { elapsedMs = 0 } = (await open()) ?? {};
    expect(elapsedMs).toBeGreaterThanOrEqual(220_000);
    expect(elapsedMs).toBeLessThan(230_000);
    // A mere look at the session opens no line.
    await ends(elapsedMs, 300_000);
    expect(await bus.ask(openSession, { sessionUUID }, asCaller)).not.toHaveProperty('progress');
    await since(0);
    await administer('UPDATE conversation.sessions SET connected_since = NULL WHERE session_uuid = $1', [sessionUUID]);
    expect(await open()).toMatchObject({ elapsedMs: 300_000 });
  });

  it('counts the time of the line with which it begins, and learns from a question how long its caller pauses', async () => {
    const { caller } = installation.shop();
    const asCaller = { principal: caller };
    const { sessionUUID, progress } = await installation.bus.ask(openSession, { opensLine: true }, asCaller);
    expect(progress).toBeUndefined();
    await installation.ask(caller, 'hello', { sessionUUID, usualPauseMs: 1200, channel: 'VOICE' });
    await installation.ask(caller, 'hello again', { sessionUUID, channel: 'VOICE' });
    await administer(`UPDATE conversation.sessions SET connected_since = now() - interval '39 seconds' WHERE session_uuid = $1`, [
      sessionUUID,
    ]);
    const opened = await installation.bus.ask(openSession, { sessionUUID, opensLine: true }, asCaller);
    expect(opened.progress).toMatchObject({ usualPauseMs: 1200 });
    expect(opened.progress?.elapsedMs).toBeGreaterThanOrEqual(39_000);
  });

  it('ends once, with its call, and accepts a recording later', async () => {
    const { caller, owner, agent } = installation.shop();
    const { sessionUUID } = await installation.bus.ask(openSession, { channel: 'PHONE' }, { principal: caller });
    const ended = installation.nextEvent(conversationEnded);
    await installation.bus.ask(endSession, { sessionUUID, reason: 'CALL_ENDED' }, { principal: caller });
    await expect(ended).resolves.toMatchObject({
      sessionUUID,
      AgentID: agent.AgentID,
      channel: 'PHONE',
      reason: 'CALL_ENDED',
      outcome: 'ABANDONED',
      turnCount: 0,
      totalTokens: 0,
    });
    await installation.bus.ask(endSession, { sessionUUID, reason: 'FAILED', recordingKey: 'calls/1.wav' }, { principal: caller });
    const { rows } = await installation.bus.ask(listConversationLogs, {}, { principal: owner });
    expect(rows).toMatchObject([{ status: 'ENDED', outcome: 'ABANDONED' }]);
    const choice = { ConversationalLogKeyID: rows[0]?.ConversationalLogKeyID ?? '' };
    const found = installation.bus.ask(findRecording, choice, { principal: owner });
    await expect(found).resolves.toEqual({ fileKey: 'calls/1.wav' });
    expect(installation.eventsOf(conversationEnded).filter((event) => event.sessionUUID === sessionUUID)).toHaveLength(1);
  });

  it('ended when it is reported to have ended, never later than now', async () => {
    const { caller } = installation.shop();
    const lasted = async (fromNowMs: number) => {
      const { sessionUUID } = await installation.bus.ask(openSession, { channel: 'PHONE' }, { principal: caller });
      const ended = installation.nextEvent(conversationEnded);
      const endedOn = new Date(Date.now() + fromNowMs).toISOString();
      await installation.bus.ask(endSession, { sessionUUID, reason: 'FAILED', endedOn }, { principal: caller });
      return (await ended).durationSeconds;
    };
    expect(await lasted(-3_600_000)).toBe(0);
    expect(await lasted(3_600_000)).toBeLessThan(60);
  });

  it('is TRANSFERRED if a person took over, whatever else happened', async () => {
    const { caller, owner } = installation.shop();
    const { sessionUUID } = await installation.ask(caller, 'hello');
    const ended = installation.nextEvent(conversationEnded);
    await installation.bus.ask(endSession, { sessionUUID, reason: 'TRANSFERRED' }, { principal: caller });
    await expect(ended).resolves.toMatchObject({ sessionUUID, reason: 'TRANSFERRED', outcome: 'TRANSFERRED' });
    const { rows } = await installation.bus.ask(listConversationLogs, { outcome: 'TRANSFERRED' }, { principal: owner });
    expect(rows).toMatchObject([{ sessionUUID, status: 'ENDED' }]);
  });

  it('is FAILED if something was asked and the agent could not answer', async () => {
    installation.model = new ScriptedLanguageModel(async function* () {
      throw new ProviderFailure('stub', 'it is down', { retryable: true });
    });
    const { caller } = installation.shop();
    const { sessionUUID } = await installation.bus.ask(openSession, { channel: 'API' }, { principal: caller });
    await expect(installation.ask(caller, 'When?', { sessionUUID })).rejects.toMatchObject({
      code: 'MODEL_PROVIDER_UNAVAILABLE',
    });
    const ended = installation.nextEvent(conversationEnded);
    await installation.bus.ask(endSession, { sessionUUID, reason: 'ENDED_BY_USER' }, { principal: caller });
    await expect(ended).resolves.toMatchObject({ sessionUUID, outcome: 'FAILED', turnCount: 0 });
    installation.model = new BuiltinModel();
  });

  it('is FAILED if the caller spoke and no engine transcribed it, and names the engines', async () => {
    const { caller } = installation.shop();
    const { sessionUUID } = await installation.bus.ask(openSession, { channel: 'PHONE' }, { principal: caller });
    const deaf = { role: 'SPEECH_TO_TEXT', provider: 'deepgram', kind: 'UNAVAILABLE' } as const;
    const line = { sessionUUID, heardSeconds: 2, spokenSeconds: 5 };
    await installation.bus.ask(recordSound, { ...line, providerErrors: [deaf] }, { principal: caller });
    await installation.bus.ask(recordSound, { ...line, isUnheard: true, providerErrors: [deaf] }, { principal: caller });
    const ended = installation.nextEvent(conversationEnded);
    await installation.bus.ask(endSession, { sessionUUID, reason: 'ENDED_BY_USER' }, { principal: caller });
    await expect(ended).resolves.toMatchObject({
      ...{ sessionUUID, outcome: 'FAILED', isUnheard: true, heardSeconds: 4, spokenSeconds: 10 },
      providerErrors: [deaf, deaf],
    });
  });

  it('is ended again, with the new outcome, if its line reports after the end', async () => {
    const { caller } = installation.shop();
    const { sessionUUID } = await installation.bus.ask(openSession, { channel: 'PHONE' }, { principal: caller });
    await installation.bus.ask(endSession, { sessionUUID, reason: 'CALL_ENDED' }, { principal: caller });
    const ends = () => installation.eventsOf(conversationEnded).filter((event) => event.sessionUUID === sessionUUID);
    await eventually('it has ended', () => ends().length === 1);
    await installation.bus.ask(recordSound, { sessionUUID, isUnheard: true }, { principal: caller });
    await eventually('it is told again', () => ends().length === 2);
    expect(ends()).toMatchObject([{ outcome: 'ABANDONED' }, { outcome: 'FAILED', reason: 'CALL_ENDED', isUnheard: true }]);
  });

  it('ends by itself after a long silence, on one replica only', async () => {
    // Long enough to ask twice on a busy machine.
    const hasty = await Installation.start({ CONVERSATION_IDLE: '1s' });
    await hasty.startReplica({ CONVERSATION_IDLE: '1s' });
    const { caller, owner } = hasty.shop();
    const ended = hasty.nextEvent(conversationEnded);
    const { sessionUUID } = await hasty.ask(caller, 'hello');
    await hasty.ask(caller, 'hello again', { sessionUUID });
    const answeredMs = Date.now();
    await expect(ended).resolves.toMatchObject({ sessionUUID, reason: 'IDLE', turnCount: 2 });
    const { rows } = await hasty.bus.ask(listConversationLogs, {}, { principal: owner });
    const [row] = rows;
    const { status, durationSeconds, CreatedOn, endedOn } = {
      durationSeconds: 0,
      CreatedOn: '',
      endedOn: '',
      status: undefined,
      ...row,
    };
    expect(status).toBe('ENDED');
    // It ended when somebody last spoke, not when that was noticed.
    expect(Date.parse(endedOn ?? '')).toBeLessThanOrEqual(answeredMs);
    expect(durationSeconds).toBe(Math.ceil((Date.parse(endedOn ?? '') - Date.parse(CreatedOn)) / 1_000));
    await expect(hasty.bus.ask(getHistory, { sessionUUID }, { principal: caller })).resolves.toMatchObject({ sessionUUID });
    expect(hasty.eventsOf(conversationEnded)).toHaveLength(1);
    await hasty.stop();
  });

  it('ends by itself even if nobody ever came, such as an offer of live voice', async () => {
    const hasty = await Installation.start({ CONVERSATION_IDLE: '200ms' });
    const { caller, owner } = hasty.shop();
    const ended = hasty.nextEvent(conversationEnded);
    const { sessionUUID } = await hasty.bus.ask(openSession, { channel: 'VOICE' }, { principal: caller });
    await expect(ended).resolves.toMatchObject({ sessionUUID, reason: 'IDLE', outcome: 'ABANDONED', turnCount: 0 });
    const { rows } = await hasty.bus.ask(listConversationLogs, {}, { principal: owner });
    expect(rows).toMatchObject([{ sessionUUID, status: 'ENDED', durationSeconds: 0 }]);
    await hasty.stop();
  });
});
