import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { Controller } from '@nestjs/common';
import { Fault, followTranscription, measureRecording, recordingBytesMax, transcribeRecording } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import { eventually } from '@parley/testing';
import { Client } from 'pg';
import type { z } from 'zod';
import { GatewayOnBroker } from '../../testing/gateway-on-broker';
import { formOf, hostileForms } from '../../testing/hostile-forms';
import type { TestOrganization } from '../../testing/harness';

type Wish = z.output<typeof transcribeRecording.request>;
type Heard = z.input<typeof transcribeRecording.reply>;

const endpoint = '/api/v1/stt/external';
let hear: (wish: Wish, call: Call) => Promise<Heard>;
/** How much is transcribed before `hear` is asked for the rest. */
let heardBefore: (call: Call) => AsyncIterable<number>;
let asked = 0;
let recordedSeconds = 1;

@Controller()
class PlayedSpeech {
  @Handles(measureRecording)
  measure(): z.input<typeof measureRecording.reply> {
    return { audioSeconds: recordedSeconds };
  }

  @Handles(followTranscription)
  async *follow(wish: Wish, call: Call): AsyncGenerator<z.input<typeof followTranscription.item>> {
    asked += 1;
    for await (const audioSeconds of heardBefore(call)) yield { type: 'heard', audioSeconds };
    yield { type: 'done', ...(await hear(wish, call)) };
  }
}

describe('speech to text at the door', () => {
  let by: GatewayOnBroker;
  let admin: Client;
  let mine: TestOrganization;
  let key: string;

  beforeAll(async () => {
    by = await GatewayOnBroker.open({ PARLEY_INITIAL_CREDITS: 'STT_API=60' });
    await by.play('speech', PlayedSpeech);
    admin = new Client({ connectionString: by.harness.database.adminUrl });
    await admin.connect();
  });
  beforeEach(async () => {
    asked = 0;
    recordedSeconds = 2.3;
    heardBefore = async function* () {};
    mine = by.harness.organization();
    key = (await by.harness.key(mine, 'ext')).key;
    hear = async () => ({ transcription: 'good morning', detectedLanguage: 'english', audioSeconds: 2.3 });
  });
  afterEach(async () => {
    expect(await by.files()).toEqual([]);
    expect((await by.balance('STT_API', mine.owner))?.held).toBe(0);
  });
  afterAll(async () => {
    await admin.end();
    await by.close();
  });

  const send = async (body: RequestInit['body'], headers: Record<string, string> = {}) => {
    const reply = await fetch(by.url + endpoint, { method: 'POST', body, headers: { 'x-api-key': key, ...headers } });
    return { status: reply.status, headers: reply.headers, body: await reply.json() };
  };
  const form = (
    content: string | Uint8Array<ArrayBuffer> | undefined,
    fields: Record<string, string> = { language: 'english' },
  ) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.append(name, value);
    if (content !== undefined) data.append('audioFile', new Blob([content], { type: 'text/plain' }), 'called.txt');
    return data;
  };
  const charged = () => by.charged('STT_API', mine.owner);
  const noted = async () => {
    const statement = 'SELECT used::int, units::int AS held FROM gateway.credit_holds WHERE org_id = $1';
    const { rows } = await admin.query<{ used: number; held: number }>(statement, [mine.orgId]);
    return { used: rows[0]?.used, held: rows[0]?.held };
  };

  it('hands the file to the service by its key, deletes it afterwards, answers flat and charges real seconds, rounded up', async () => {
    const seen: unknown[] = [];
    hear = async ({ audioFile, language, wordTimings }, { principal }) => {
      seen.push({
        content: await readFile(path.join(by.folder, audioFile.fileKey), 'utf8'),
        ...audioFile,
        language,
        wordTimings,
        orgId: principal?.orgId,
      });
      return { transcription: 'good morning', detectedLanguage: 'english', audioSeconds: 2.3 };
    };
    const { status, body } = await send(form('sound', { language: 'english', durationSeconds: '50', wordTimings: 'true' }));
    expect([status, body]).toEqual([
      200,
      { statusCode: 200, transcription: 'good morning', detectedLanguage: 'english', audioSeconds: 2.3 },
    ]);
    const fileKey = expect.stringMatching(new RegExp(`^uploads/${mine.orgId}/[0-9a-f-]{36}$`));
    expect(seen).toEqual([
      {
        content: 'sound',
        fileKey,
        fileName: 'called.txt',
        size: 5,
        sha256: createHash('sha256').update('sound').digest('hex'),
        contentType: 'text/plain',
        language: 'english',
        wordTimings: 'true',
        orgId: mine.orgId,
      },
    ]);
    expect(await charged()).toEqual([-3]);
  });

  it('transcribes nothing of a recording longer than the credits allow, however small its file and whatever its header says', async () => {
    recordedSeconds = 60.001;
    for (const durationSeconds of ['61', '0.001'])
      expect(await send(form('q', { language: 'english', durationSeconds }))).toMatchObject({
        status: 403,
        body: { code: 'CREDITS_EXHAUSTED', message: expect.stringContaining('STT_API') },
      });
    expect([asked, await charged()]).toEqual([0, []]);
    recordedSeconds = 12;
    hear = async () => ({ transcription: 'good morning', detectedLanguage: 'english', audioSeconds: 12 });
    const all = await Promise.all(
      Array.from({ length: 12 }, () => send(form('q', { language: 'english', durationSeconds: '0.001' }))),
    );
    expect(all.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(await charged()).toEqual([-12, -12, -12, -12, -12]);
  });

  it('answers silence with an empty transcription', async () => {
    hear = async () => ({ transcription: '', audioSeconds: 1 });
    expect(await send(form('silence'))).toMatchObject({ status: 200, body: { statusCode: 200, transcription: '' } });
    expect(await charged()).toEqual([-1]);
  });

  it.each([
    ['without a file', undefined, { language: 'english' }, 400, 'audioFile is required'],
    ['without a language', 'x', {}, 400, 'language is required'],
    ['in an unknown language', 'x', { language: 'french' }, 400, 'language must be one of english, hindi, marathi'],
    [
      'with a duration that is no number',
      'x',
      { language: 'english', durationSeconds: 'long' },
      400,
      'durationSeconds must be a number above 0 and at most 3600',
    ],
    [
      'with one byte too many',
      new Uint8Array(recordingBytesMax + 1),
      { language: 'english' },
      413,
      `audioFile may have ${recordingBytesMax} bytes.`,
    ],
  ] as const)('refuses a recording %s', async (_what, content, fields, status, message) => {
    expect(await send(form(content, fields))).toMatchObject({ status, body: { statusCode: status, message } });
    expect([asked, await charged()]).toEqual([0, []]);
  });

  it.each(hostileForms('audioFile', { language: 'english' }))(
    'refuses a form %s',
    async (_what, { body, contentType }, status) => {
      const reply = await send(body, { 'content-type': contentType });
      expect(reply).toMatchObject({ status, body: { statusCode: status, requestId: expect.any(String) } });
      expect(asked).toBe(0);
    },
  );

  it('keeps nothing of an upload whose client disconnects', async () => {
    const { hostname, port } = new URL(by.url);
    const { body, contentType } = formOf('audioFile', { language: 'english' });
    const socket = connect(Number(port), hostname);
    socket.write(
      [
        `POST ${endpoint} HTTP/1.1`,
        'Host: x',
        `x-api-key: ${key}`,
        `Content-Type: ${contentType}`,
        'Content-Length: 9999',
        '',
        body.slice(0, -10),
      ].join('\r\n'),
    );
    await eventually('the file has begun to arrive', async () => (await by.files()).length > 0);
    socket.destroy();
    await once(socket, 'close');
    await eventually('the file is gone', async () => (await by.files()).length === 0);
    expect(asked).toBe(0);
  });

  it('transcribes no more pieces for a client that has left, charges those that are done, and deletes the file', async () => {
    recordedSeconds = 50;
    const begun = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    let isStopped = false;
    let isHeardOut = false;
    heardBefore = async function* ({ signal }) {
      yield 20.2;
      begun.resolve();
      await left.promise;
      signal.addEventListener('abort', () => (isStopped = true));
      // The piece that was begun is transcribed to its end; the gateway may not have noticed by then.
      for (; !signal.aborted; await new Promise(setImmediate)) yield 41.5;
      signal.throwIfAborted();
    };
    hear = async () => {
      isHeardOut = true;
      return { transcription: 'good morning', audioSeconds: 50 };
    };
    const leaving = new AbortController();
    const { signal } = leaving;
    const sending = fetch(by.url + endpoint, { method: 'POST', body: form('x'), headers: { 'x-api-key': key }, signal }).catch(
      () => undefined,
    );
    await begun.promise;
    // Until then only what is transcribed would be charged if this process died, and all of it stays held.
    await eventually('what is transcribed is noted', async () => (await noted()).used === 21);
    expect(await noted()).toEqual({ used: 21, held: 50 });
    leaving.abort();
    await sending;
    left.resolve();
    await eventually('the file is gone', async () => (await by.files()).length === 0);
    await eventually('it is charged', async () => (await charged()).length === 1);
    expect([await charged(), isHeardOut]).toEqual([[-42], false]);
    await eventually('the service has stopped', () => isStopped);
  });

  it('answers 503 and charges nothing if the gateway must stop before the recording is transcribed', async () => {
    recordedSeconds = 50;
    const begun = Promise.withResolvers<void>();
    heardBefore = async function* ({ signal }) {
      yield 20.2;
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      signal.throwIfAborted();
    };
    const { url, service } = await by.harness.startGateway({ FILES_DIR: by.folder, DRAIN_SECONDS: '1' });
    const sending = fetch(url + endpoint, { method: 'POST', body: form('x'), headers: { 'x-api-key': key } });
    await begun.promise;
    await eventually('what is transcribed is noted', async () => (await noted()).used === 21);
    const stopping = service.stop();
    const reply = await sending;
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await reply.json()).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await stopping;
    expect([await charged(), await noted()]).toEqual([[], { used: undefined, held: undefined }]);
  });

  it.each([
    ['SPEECH_PROVIDER_UNAVAILABLE', 503],
    ['UNSUPPORTED_MEDIA_TYPE', 415],
  ] as const)('passes %s on and charges nothing', async (code, status) => {
    hear = () => Promise.reject(new Fault(code, { retryAfterSeconds: 60 }));
    const reply = await send(form('x'));
    expect(reply).toMatchObject({ status, body: { code } });
    expect(reply.headers.get('retry-after')).toBe(status === 503 ? '60' : null);
    expect(await charged()).toEqual([]);
  });

  it('refuses other kinds of keys before it reads', async () => {
    const agent = (await by.harness.key(mine, 'agt')).key;
    expect(await send(form('x'), { 'x-api-key': agent })).toMatchObject({ status: 403, body: { code: 'SCOPE_MISSING' } });
  });
});
