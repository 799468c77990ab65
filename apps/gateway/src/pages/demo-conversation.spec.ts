import { endSession, faultCodes, LatencyParts, ServerFrame, socketCloseMeanings } from '@parley/contracts';
import { after, heardAndUnheard, initialState, statusOf } from '../../public/demo/conversation.js';
import { latencyNames, latencyParts, readable } from '../../public/demo/latency.js';
import { closingWords, endingWords, faultWords, microphoneWords } from '../../public/demo/plain-words.js';

const [sessionUUID, turnUUID, nextTurn] = [
  '0b8c3d52-0000-4000-8000-000000000001',
  '0b8c3d52-0000-4000-8000-000000000002',
  '0b8c3d52-0000-4000-8000-000000000003',
];
const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
const latency = {
  endOfTurnMs: 300,
  transcriptionMs: 100,
  retrievalMs: null,
  firstTokenMs: 400,
  firstAudioMs: 150,
  pacingMs: 50,
  totalMs: 1000,
};

const ready = { type: 'session.ready', sessionUUID, sampleRate: 16_000, encoding: 'pcm16' };
const question = [
  { type: 'speech.started', atMs: 100 },
  { type: 'transcript.partial', text: 'when are', atMs: 400 },
  { type: 'speech.ended', atMs: 900 },
  { type: 'transcript.final', text: 'When are you open?', atMs: 1000 },
];
const answer = [
  { type: 'agent.delta', text: 'From nine ' },
  { type: 'agent.audio.start', turnUUID, sampleRate: 16_000 },
  { type: 'agent.delta', text: 'to seven.' },
];
const done = { type: 'agent.done', turnUUID, text: 'From nine to seven.', usage, latency };

/** What the page shows after these events; the server's are checked against the contract. */
function shown(...events: { type: string }[]) {
  for (const event of events) if (!event.type.startsWith('page.')) ServerFrame.parse(event);
  return events.reduce(after, after(initialState, { type: 'page.opened' }));
}

const statusesOf = (...events: { type: string }[]) => events.map((_, index) => statusOf(shown(...events.slice(0, index + 1))));

describe('the conversation on the page', () => {
  it('shows what the caller says, then what the agent says, and keeps both', () => {
    expect(shown(ready, ...question.slice(0, 2)).entries).toMatchObject([{ who: 'caller', text: 'when are', isOpen: true }]);
    const { entries } = shown(ready, ...question, ...answer, done);
    expect(entries).toMatchObject([
      { who: 'caller', text: 'When are you open?', isOpen: false },
      { who: 'agent', text: 'From nine to seven.', isOpen: false, turnUUID, latency },
    ]);
  });

  it('names its state in one word', () => {
    const played = { type: 'page.played' };
    expect(statusesOf(ready, ...question, ...answer, done, played)).toEqual([
      'listening',
      'hearing',
      'hearing',
      'listening',
      'thinking',
      'speaking',
      'speaking',
      'speaking',
      'speaking',
      'listening',
    ]);
    expect(statusesOf({ type: 'page.typed', text: 'Hello' } as { type: string })).toEqual(['connecting']);
    expect(statusesOf(ready, { type: 'page.retrying' })).toEqual(['listening', 'retrying']);
  });

  it('removes a noise in which no words were found', () => {
    const { entries } = shown(ready, ...question.slice(0, 3), { type: 'transcript.final', text: '', atMs: 1000 } as {
      type: string;
    });
    expect(entries).toEqual([]);
  });

  it.each([
    ['while it was being made', [...answer]],
    ['when all of it had been made', [...answer, done]],
  ])('separates heard from unheard words when the agent is interrupted %s', (_when, said) => {
    const interruption = { type: 'agent.interrupted', heardText: 'From nine', playedMs: 640 };
    const state = shown(ready, ...question, ...said, interruption);
    expect(statusOf(state)).toBe('listening');
    expect(heardAndUnheard(state.entries[1])).toEqual(['From nine', ' to seven.']);
  });

  it('takes figures from a late done after an interruption, but no words', () => {
    const interruption = { type: 'agent.interrupted', heardText: 'From', playedMs: 200 };
    const { entries } = shown(ready, ...question, ...answer, interruption, done);
    expect(entries).toHaveLength(2);
    expect(entries[1]).toMatchObject({ heard: 'From', latency });
  });

  it('starts a new entry for each answer', () => {
    const more = { ...done, turnUUID: nextTurn, text: 'Gladly.' };
    const { entries } = shown(
      ready,
      ...question,
      ...answer,
      done,
      { type: 'agent.delta', text: 'Glad' } as { type: string },
      more,
    );
    expect(entries.map(({ text }: { text: string }) => text)).toEqual(['When are you open?', 'From nine to seven.', 'Gladly.']);
    expect(new Set(entries.map(({ id }: { id: number }) => id)).size).toBe(3);
  });

  it('survives a lost connection and the explanation of its end', () => {
    const state = shown(ready, ...question, ...answer, { type: 'page.retrying' }, ready);
    expect([statusOf(state), state.entries.length, state.entries.some(({ isOpen }: { isOpen: boolean }) => isOpen)]).toEqual([
      'listening',
      2,
      false,
    ]);
    const fault = {
      type: 'error',
      statusCode: 403,
      error: 'Forbidden',
      code: 'CREDITS_EXHAUSTED',
      message: 'x',
      details: [],
      requestId: 'r',
    };
    const closed = shown(ready, fault, { type: 'page.closed', text: closingWords(4403), isBad: true } as { type: string });
    expect(closed).toMatchObject({ line: 'resting', notice: { text: faultWords(fault), isBad: true } });
  });

  it('adds up the usage', () => {
    const used = {
      type: 'usage',
      usage: [
        { kind: 'STT_API', units: 2 },
        { kind: 'TTS_API', units: 40 },
      ],
    };
    expect(shown(ready, used, used).used).toEqual({ STT_API: 4, TTS_API: 80 });
  });

  it('keeps at most four hundred entries', () => {
    const typed = Array.from({ length: 500 }, (_, index) => ({ type: 'page.typed', text: `${index}` }));
    const { entries } = shown(ready, ...typed);
    expect([entries.length, entries[0].text]).toEqual([400, '100']);
  });
});

describe('messages in plain words', () => {
  const unknown = closingWords(1006);

  it('explain every close code of the platform', () => {
    const words = Object.keys(socketCloseMeanings).map((code) => closingWords(Number(code)));
    expect(words).not.toContain(unknown);
    expect(new Set(words).size).toBe(words.length);
  });

  it('distinguish the reasons for an end', () => {
    const reasons = endSession.request.shape.reason.options.filter((reason) => reason !== 'CALL_ENDED');
    expect(new Set(reasons.map(endingWords)).size).toBe(reasons.length);
  });

  it('exist for every fault of the catalogue, with its own message as fallback', () => {
    expect(faultWords({ code: 'SPEECH_PROVIDER_UNAVAILABLE', message: 'raw' })).toContain('engine');
    for (const code of [
      'CREDITS_EXHAUSTED',
      'SPEECH_PROVIDER_UNAVAILABLE',
      'MODEL_PROVIDER_UNAVAILABLE',
      'SESSION_BUSY',
      'RATE_LIMITED',
    ]) {
      expect(faultCodes).toContain(code);
      expect(faultWords({ code, message: 'raw' })).not.toBe('raw');
    }
    expect(faultWords({ code: 'INTERNAL', message: 'Something failed on our side.' })).toBe('Something failed on our side.');
  });

  it('say what to do without a microphone', () => {
    const names = ['NotAllowedError', 'NotFoundError', 'NotReadableError', 'SecurityError', 'Else'];
    const words = names.map((name) => microphoneWords({ name }));
    expect(new Set(words).size).toBe(names.length);
    for (const text of words) expect(text).toContain('type');
  });
});

describe('the latency of a turn', () => {
  it('shows each part that happened, with its share', () => {
    const parts = latencyParts(latency);
    expect(parts.map(({ name, ms }: { name: string; ms: number }) => [name, ms])).toEqual([
      ['endOfTurnMs', 300],
      ['transcriptionMs', 100],
      ['firstTokenMs', 400],
      ['firstAudioMs', 150],
      ['pacingMs', 50],
    ]);
    expect(parts.reduce((sum: number, { share }: { share: number }) => sum + share, 0)).toBeCloseTo(1);
  });

  it('names every part of the contract', () => {
    const parts = Object.keys(LatencyParts.shape).filter((name) => name !== 'totalMs');
    expect(Object.keys(latencyNames)).toEqual(parts);
  });

  it('is formatted for people', () => {
    expect([84.4, 999, 1340].map(readable)).toEqual(['84 ms', '999 ms', '1.3 s']);
    expect(latencyParts(null)).toEqual([]);
  });
});
