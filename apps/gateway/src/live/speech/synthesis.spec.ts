import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { Controller } from '@nestjs/common';
import { type AudioItem, Fault, synthesizeSpeech } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import { atRest, eventually, LongWaits } from '@parley/testing';
import { GatewayOnBroker } from '../../testing/gateway-on-broker';
import type { TestOrganization } from '../../testing/harness';

const path = '/api/v1/tts/external';
const text = 'One sentence. And 👋.';
const characters = 20;
const format = { type: 'format', contentType: 'audio/wav', sampleRate: 16_000, characters, totalBytes: null } as const;
const part = (bytes: number): AudioItem => ({ type: 'audio', base64: Buffer.alloc(bytes, 7).toString('base64') });

type Speech = (signal: AbortSignal) => AsyncGenerator<AudioItem>;
let speech: Speech;
let wishes: unknown[] = [];

@Controller()
class PlayedSpeech {
  @Handles(synthesizeSpeech)
  synthesize(wish: unknown, { signal }: Call): AsyncIterable<AudioItem> {
    wishes.push(wish);
    return speech(signal);
  }
}

describe('text to speech at the door', () => {
  let by: GatewayOnBroker;
  let mine: TestOrganization;
  let key: string;

  beforeAll(async () => {
    by = await GatewayOnBroker.open({ PARLEY_INITIAL_CREDITS: 'TTS_API=1000' });
    await by.play('speech', PlayedSpeech);
  });
  beforeEach(async () => {
    wishes = [];
    mine = by.harness.organization();
    key = (await by.harness.key(mine, 'ext')).key;
  });
  afterAll(() => by.close());

  const send = (body: unknown = { text, language: 'english' }, init: RequestInit = {}) =>
    fetch(by.url + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...init,
    });
  const charged = () => by.charged('TTS_API', mine.owner);
  const untouched = async () => {
    expect(await charged()).toEqual([]);
    expect(await by.balance('TTS_API', mine.owner)).toMatchObject({ available: 1000, held: 0 });
  };

  it('lets the first bytes leave before the last sentence is synthesized, and holds the characters meanwhile', async () => {
    const lastSentence = Promise.withResolvers<void>();
    speech = async function* () {
      yield format;
      yield part(44);
      await lastSentence.promise;
      yield part(1000);
    };
    const reply = await send();
    expect([reply.status, reply.headers.get('content-type'), reply.headers.get('content-length')]).toEqual([
      200,
      'audio/wav',
      null,
    ]);
    const reader = reply.body?.getReader();
    expect((await reader?.read())?.value).toHaveLength(44);
    expect(await by.balance('TTS_API', mine.owner)).toMatchObject({ available: 980, held: 20 });
    lastSentence.resolve();
    expect((await reader?.read())?.value).toHaveLength(1000);
    expect((await reader?.read())?.done).toBe(true);
    expect(await charged()).toEqual([-characters]);
  });

  it.each(['**', '---\n# ', '👍 !?', '<br>'])('refuses %j, which has no words, and charges nothing', async (unsayable) => {
    const reply = await send({ text: unsayable, language: 'english' });
    expect([reply.status, await reply.json()]).toMatchObject([400, { code: 'VALIDATION_FAILED', details: [{ field: 'text' }] }]);
    expect(wishes).toEqual([]);
    await untouched();
  });

  it('states the size of short speech, and has charged it when the last byte arrives', async () => {
    speech = async function* () {
      yield { ...format, totalBytes: 1044 };
      yield part(1044);
    };
    const reply = await send();
    expect(reply.headers.get('content-length')).toBe('1044');
    expect(await reply.arrayBuffer()).toHaveProperty('byteLength', 1044);
    expect(await charged()).toEqual([-characters]);
    expect(wishes).toEqual([{ text, language: 'english', pace: 1, format: 'wav', responseMode: 'stream', isFollowed: true }]);
  });

  it('charges nothing for characters that no voice says, and says how many they are, also when it is asked again', async () => {
    speech = async function* () {
      yield { type: 'next' };
      yield { type: 'given', characters: characters - 3 };
      yield { ...format, characters: characters - 3, unsaid: 3 };
      yield part(1044);
    };
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    for (const _ of [1, 2]) {
      const reply = await send({ text, language: 'english' }, { headers });
      expect([reply.status, reply.headers.get('x-unsaid-characters')]).toEqual([200, '3']);
      await reply.arrayBuffer();
    }
    expect(await charged()).toEqual([3 - characters]);
    expect(await by.balance('TTS_API', mine.owner)).toMatchObject({ available: 1003 - characters, held: 0 });
  });

  const isCharged = (units: number) =>
    eventually('what the engine was given is charged', async () => {
      const [line, ...others] = await charged();
      return line === -units && others.length === 0 && (await by.balance('TTS_API', mine.owner))?.held === 0;
    });

  it('begins no other piece when the client goes away, and charges those that the engine was given', async () => {
    const heard = Promise.withResolvers<void>();
    let begun = 0;
    speech = async function* () {
      for (const until of [13, characters]) {
        yield { type: 'next' };
        begun = until;
        yield { type: 'given', characters: until };
        if (until === 13) yield format;
        yield part(44);
        await heard.promise;
      }
    };
    const leaving = new AbortController();
    const reply = await send(undefined, { signal: leaving.signal });
    await reply.body?.getReader().read();
    leaving.abort();
    await isCharged(13);
    heard.resolve();
    expect([await atRest('what is begun', () => begun), await charged()]).toEqual([13, [-13]]);
  });

  it('charges the piece that the engine has when the client goes away before the first sound', async () => {
    const [begun, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    speech = async function* (signal) {
      yield { type: 'next' };
      begun.resolve();
      yield { type: 'given', characters: 13 };
      signal.addEventListener('abort', () => stopped.resolve());
      await stopped.promise;
      yield format;
    };
    const leaving = new AbortController();
    const sending = send(undefined, { signal: leaving.signal }).catch(() => undefined);
    await begun.promise;
    leaving.abort();
    await Promise.all([stopped.promise, sending]);
    await isCharged(13);
  });

  it('charges nothing when the client goes away before the engine has any of the text', async () => {
    const [asked, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isBegun = false;
    speech = async function* (signal) {
      asked.resolve();
      signal.addEventListener('abort', () => stopped.resolve());
      await stopped.promise;
      yield { type: 'next' };
      isBegun = true;
    };
    const leaving = new AbortController();
    const sending = send(undefined, { signal: leaving.signal }).catch(() => undefined);
    await asked.promise;
    leaving.abort();
    await Promise.all([stopped.promise, sending]);
    await eventually('nothing is held', async () => (await by.balance('TTS_API', mine.owner))?.held === 0);
    expect([await charged(), isBegun]).toEqual([[], false]);
  });

  it('speaks all of a text under an Idempotency-Key although its client left, and charges it once', async () => {
    const read = Promise.withResolvers<void>();
    speech = async function* () {
      for (const until of [13, characters]) {
        yield { type: 'next' };
        yield { type: 'given', characters: until };
        if (until === 13) yield format;
        yield part(44);
        await read.promise;
      }
    };
    const leaving = new AbortController();
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    const reply = await send(undefined, { signal: leaving.signal, headers });
    await reply.body?.getReader().read();
    leaving.abort();
    read.resolve();
    await isCharged(characters);
    await eventually('its answer is stored', async () => (await send(undefined, { headers })).status === 200);
    const replayed = await send(undefined, { headers });
    expect([replayed.headers.get('idempotent-replayed'), (await replayed.arrayBuffer()).byteLength]).toEqual(['true', 88]);
    expect(await charged()).toEqual([-characters]);
  });

  it('takes a client that goes away at any moment for one that did, and for no failure of ours', async () => {
    speech = async function* () {
      yield format;
      yield part(44);
    };
    const before = by.harness.log.lines.length;
    const clients = Array.from({ length: 24 }, async (_, each) => {
      const leaving = new AbortController();
      const sending = send(undefined, { signal: leaving.signal }).catch(() => undefined);
      for (let turn = 0; turn < each; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      leaving.abort();
      await sending;
    });
    await Promise.all(clients);
    await eventually('no credits are held', async () => (await by.balance('TTS_API', mine.owner))?.held === 0);
    const failures = by.harness.log.lines.slice(before).filter(({ message }) => message === 'A request failed');
    expect(failures.length).toBeGreaterThan(0);
    expect(
      failures.filter(({ level, fields }) => level !== 'debug' || !('code' in fields && fields.code === 'CANCELLED')),
    ).toEqual([]);
  });

  it('cuts the answer off when the sound breaks off on our side, and charges nothing', async () => {
    speech = async function* () {
      yield format;
      yield part(44);
      throw new Fault('SPEECH_PROVIDER_UNAVAILABLE');
    };
    await expect(send().then((reply) => reply.arrayBuffer())).rejects.toThrow();
    await untouched();
  });

  it('asks for no more sound than a slow listener takes', async () => {
    const partsMax = 2000;
    let made = 0;
    speech = async function* () {
      yield format;
      for (; made < partsMax; made += 1) yield part(48 * 1024);
    };
    const reply = await send();
    const reader = reply.body?.getReader();
    await reader?.read();
    expect(await atRest('what is made', () => made)).toBeLessThan(partsMax / 2);
    await reader?.cancel();
  });

  it('cuts a listener off that takes no more when its time is over, and charges the text that the engine was given', async () => {
    const partsMax = 2000;
    let [made, isStopped] = [0, false];
    speech = async function* () {
      try {
        yield format;
        for (; made < partsMax; made += 1) yield part(48 * 1024);
      } finally {
        isStopped = true;
      }
    };
    const nineMinutes = 540_000;
    using waits = new LongWaits(nineMinutes - 10_000, nineMinutes + 20_000);
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const asked = request(by.url + path, { method: 'POST', headers, agent: false }).end(
      JSON.stringify({ text, language: 'english' }),
    );
    const [listener] = await once(asked, 'response');
    listener.on('error', () => undefined).pause();
    // More is made than sockets buffer, and then no more.
    const madeFirst = await atRest('what is made', () => made);
    expect([madeFirst > 4, madeFirst < partsMax / 2, isStopped]).toEqual([true, true, false]);
    expect(await by.balance('TTS_API', mine.owner)).toMatchObject({ available: 980, held: 20 });
    waits.end();
    await eventually('the text is charged', async () => (await charged()).length > 0);
    expect(await charged()).toEqual([-characters]);
    expect(await by.balance('TTS_API', mine.owner)).toMatchObject({ available: 980, held: 0 });
    await eventually('the engine is stopped', () => isStopped);
    expect(made).toBeLessThan(partsMax / 2);
    const cut = new Promise((resolve) => listener.once('close', resolve));
    listener.resume();
    await cut;
    expect(listener.complete).toBe(false);
  });

  it.each([
    ['a provider that is down', 'SPEECH_PROVIDER_UNAVAILABLE', 503],
    ['a voice whose provider is not configured', 'PROVIDER_NOT_CONFIGURED', 409],
  ] as const)('answers %s before any byte, in the one shape, and charges nothing', async (_what, code, status) => {
    speech = async function* () {
      yield await Promise.reject<AudioItem>(new Fault(code, { retryAfterSeconds: 7 }));
    };
    const reply = await send();
    expect([reply.status, await reply.json()]).toMatchObject([
      status,
      { statusCode: status, code, details: [], requestId: expect.any(String) },
    ]);
    expect(reply.headers.get('retry-after')).toBe(status === 503 ? '7' : null);
    await untouched();
  });

  it.each([
    ['5,001 characters', { text: 'x'.repeat(5001) }, 'text must have at most 5,000 characters'],
    ['no text', { text: undefined }, 'text is required'],
    ['a blank text', { text: '  ' }, 'text must be a string of 1 to 5000 characters'],
    ['a number for a text', { text: 5 }, 'text must be a string of 1 to 5000 characters'],
    ['no language', { language: undefined }, 'language is required'],
    ['an unknown language', { language: 'french' }, 'language must be one of english, hindi, marathi'],
    ['a pace out of bounds', { pace: 1.3 }, 'pace must be a number from 0.7 to 1.2'],
    ['a rate below that of a telephone', { sampleRate: 7999 }, 'sampleRate must be an integer from 8000 to 48000'],
    ['a rate above what anybody hears', { sampleRate: 48_001 }, 'sampleRate must be an integer from 8000 to 48000'],
    ['half a sample', { sampleRate: 8000.5 }, expect.stringContaining('sampleRate')],
    ['an unknown format', { format: 'ogg' }, 'format must be one of wav, mp3, pcm, mulaw'],
  ])('refuses %s', async (_what, change, message) => {
    const reply = await send({ text, language: 'english', ...change });
    expect([reply.status, await reply.json()]).toMatchObject([400, { code: 'VALIDATION_FAILED', message }]);
    expect(wishes).toEqual([]);
  });

  it('refuses a form', async () => {
    const form = new FormData();
    form.append('text', text);
    const reply = await send(undefined, { body: form, headers: { 'x-api-key': key } });
    expect(reply.status).toBe(415);
  });

  it('refuses other kinds of keys', async () => {
    const reply = await send(undefined, {
      headers: { 'content-type': 'application/json', 'x-api-key': (await by.harness.key(mine, 'wsk')).key },
    });
    expect([reply.status, await reply.json()]).toMatchObject([403, { code: 'SCOPE_MISSING' }]);
  });

  it('refuses a text that costs more than is left, and speaks nothing of it', async () => {
    const reply = await send({ text: 'x'.repeat(1001), language: 'english' });
    expect([reply.status, await reply.json()]).toMatchObject([403, { code: 'CREDITS_EXHAUSTED' }]);
    expect(wishes).toEqual([]);
  });
});
