/** @quiet A refused body has to be read out within its time for its connection to be kept. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import http, { Agent } from 'node:http';
import path from 'node:path';
import { Controller } from '@nestjs/common';
import { documentBytesMax, Fault, type FaultCode, type Principal, saveDocument } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { z } from 'zod';
import { GatewayOnBroker } from '../../testing/gateway-on-broker';
import { hostileForms } from '../../testing/hostile-forms';
import type { TestOrganization } from '../../testing/harness';

type Saved = z.input<typeof saveDocument.reply>;
type Wish = z.output<typeof saveDocument.request>;

let seen: { wish: Wish; orgId: number | undefined }[] = [];
let refusal: FaultCode | undefined;

@Controller()
class PlayedKnowledge {
  @Handles(saveDocument)
  async save(wish: Wish, { principal }: Call): Promise<Saved> {
    seen.push({ wish, orgId: principal?.orgId });
    if (refusal) throw new Fault(refusal);
    const progress = { stage: 'WAITING', done: 0, total: 0 } as const;
    return {
      KBDocumentKeyID: wish.KBDocumentKeyID || randomUUID(),
      KBDocumentID: 8,
      KBKeyID: randomUUID(),
      KBID: wish.KBID,
      status: 'QUEUED',
      reason: null,
      progress,
    };
  }
}

describe('documents over HTTP', () => {
  let by: GatewayOnBroker;
  let mine: TestOrganization;
  let key: string;

  beforeAll(async () => {
    by = await GatewayOnBroker.open();
    await by.play('knowledge-ingest', PlayedKnowledge);
  });
  beforeEach(async () => {
    seen = [];
    refusal = undefined;
    mine = by.harness.organization();
    key = (await by.harness.key(mine, 'wsk')).key;
  });
  afterAll(() => by.close());

  const send = async (body: RequestInit['body'], { as = key, query = '', headers = {} } = {}) => {
    const reply = await fetch(`${by.url}/api/v1/external/kb-doc/add-update${query}`, {
      method: 'POST',
      body,
      headers: { 'x-api-key': as, ...headers },
    });
    return { status: reply.status, body: await reply.json() };
  };
  const form = (
    content: string | Uint8Array<ArrayBuffer> | undefined,
    fields: Record<string, string> = { KBID: '4', KBDocumentKeyID: '' },
    name = 'fees.txt',
  ) => {
    const data = new FormData();
    if (content !== undefined) data.append('document', new Blob([content]), name);
    for (const [field, value] of Object.entries(fields)) data.append(field, value);
    return data;
  };
  const update = { KBID: '4', KBDocumentKeyID: randomUUID() };
  const keyOf = async (permissions: Principal['permissions']) => {
    const owner = by.harness.member(mine.orgId, {
      roleTypeId: 4,
      permissions: { integrations: ['CanView', 'CanAdd'], ...permissions },
    });
    return (await by.harness.key({ ...mine, owner }, 'wsk')).key;
  };
  const mineLeft = async () => (await by.files()).filter((file) => file.startsWith(`uploads/${mine.orgId}/`));

  it('are passed to the service as the organization’s file, which is kept', async () => {
    const { status, body } = await send(form('The fee is 40 rupees.', undefined, '../../f\tees.txt'));
    expect([status, body]).toMatchObject([200, { statusCode: 200, message: 'OK', data: { KBID: 4, status: 'QUEUED' } }]);
    const fileKey = expect.stringMatching(new RegExp(`^uploads/${mine.orgId}/`));
    expect(seen).toMatchObject([
      { orgId: mine.orgId, wish: { KBID: 4, KBDocumentKeyID: '', document: { fileKey, fileName: 'fees.txt', size: 21 } } },
    ]);
    expect(await readFile(path.join(by.folder, seen[0]?.wish.document.fileKey ?? ''), 'utf8')).toBe('The fee is 40 rupees.');
    expect(await by.files()).toContain(seen[0]?.wish.document.fileKey);
  });

  it.each([
    ['without a file', () => form(undefined), 400, 'document is required'],
    ['without a knowledge base', () => form('x', { KBDocumentKeyID: '' }), 400, 'KBID is required'],
    [
      'with a key that is no UUID',
      () => form('x', { KBID: '4', KBDocumentKeyID: 'x' }),
      400,
      'KBDocumentKeyID must be an empty text or a UUID',
    ],
    [
      'with more than 10 MB',
      () => form(new Uint8Array(documentBytesMax + 1)),
      413,
      `document may have ${documentBytesMax} bytes.`,
    ],
  ])('are refused %s, and no file is left behind', async (_what, body, status, message) => {
    expect(await send(body())).toMatchObject({ status, body: { statusCode: status, message } });
    expect([seen, await mineLeft()]).toEqual([[], []]);
  });

  it('name the field of the file if it comes in another one', async () => {
    const data = form(undefined);
    data.append('file', new Blob(['a']), 'a.txt');
    const message = 'file must be text, not a file: this form takes its file in the field document';
    expect(await send(data)).toMatchObject({ status: 400, body: { message } });
    expect([seen, await mineLeft()]).toEqual([[], []]);
  });

  it('do not block the connection for the next request when refused', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    const post = async (content: Uint8Array<ArrayBuffer>) => {
      const { headers, body } = new Request(by.url, { method: 'POST', body: form(content) });
      const sent = Object.fromEntries([...headers, ['x-api-key', key]]);
      const request = http.request(`${by.url}/api/v1/external/kb-doc/add-update`, { method: 'POST', agent, headers: sent });
      const answered = once(request, 'response');
      request.end(Buffer.from(await new Response(body).arrayBuffer()));
      const [reply] = (await answered) as [http.IncomingMessage];
      // Not by `reusedSocket`: it is not set on a request that waits for a free connection.
      ports.add(reply.socket.localPort);
      await once(reply.resume(), 'end');
      return reply.statusCode;
    };
    const tooLarge = new Uint8Array(documentBytesMax + 4_000_000);
    expect([await post(tooLarge), await post(tooLarge), await post(new Uint8Array([97]))]).toEqual([413, 413, 200]);
    expect(ports.size).toBe(1);
    agent.destroy();
  });

  it('take a text that names a file as text, and store the document only', async () => {
    const data = form('Fees: 1,200', { KBDocumentKeyID: '' });
    data.append('KBID', new File(['4'], 'id.txt', { type: 'text/plain' }));
    expect(await send(data)).toMatchObject({ status: 200 });
    expect(seen).toMatchObject([{ wish: { KBID: 4, document: { size: 11, fileName: 'fees.txt' } } }]);
    expect(await mineLeft()).toHaveLength(1);
  });

  it.each(hostileForms('document', { KBID: '4' }).filter(([what]) => !what.includes('object for a field')))(
    'are refused in a form %s',
    async (_what, { body, contentType }, status) => {
      expect(await send(body, { headers: { 'content-type': contentType } })).toMatchObject({
        status,
        body: { statusCode: status },
      });
      expect([seen, await mineLeft()]).toEqual([[], []]);
    },
  );

  it.each([
    ['UNSUPPORTED_MEDIA_TYPE', 415, 0],
    ['NOT_FOUND', 404, 0],
    ['INTERNAL', 500, 1],
  ] as const)('that end in %s leave their file only if the service may have kept it', async (code, status, left) => {
    refusal = code;
    expect(await send(form('x'))).toMatchObject({ status, body: { code } });
    expect(await mineLeft()).toHaveLength(left);
  });

  it('are answered 503 where they cannot be stored, which is logged', async () => {
    const incoming = path.join(by.folder, '.incoming');
    await rm(incoming, { recursive: true, force: true });
    await writeFile(incoming, '');
    const answer = await send(form('x'));
    await rm(incoming);
    expect(answer).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
    const fields = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', dependency: 'disk' });
    expect(by.harness.log.lines).toContainEqual(expect.objectContaining({ level: 'warn', fields }));
    expect(seen).toEqual([]);
    expect(await send(form('x'))).toMatchObject({ status: 200 });
  });

  it('need the permission to add for a new one, and to update for a replacement', async () => {
    const adder = await keyOf({ knowledge: ['CanAdd'] });
    const updater = await keyOf({ knowledge: ['CanUpdate'] });
    const statuses = [];
    for (const as of [adder, updater])
      for (const fields of [undefined, update]) statuses.push((await send(form('x', fields), { as })).status);
    expect(statuses).toEqual([200, 403, 403, 200]);
    expect(await mineLeft()).toHaveLength(2);
  });

  it('are additions or replacements by their form, not by the query', async () => {
    const updater = await keyOf({ knowledge: ['CanUpdate'] });
    const query = `?KBDocumentKeyID=${randomUUID()}`;
    expect(await send(form('x'), { as: updater, query })).toMatchObject({
      status: 403,
      body: { code: 'SCOPE_MISSING', message: expect.stringContaining('knowledge.CanAdd') },
    });
  });

  it('are refused to a Viewer and to other kinds of keys', async () => {
    const viewer = await keyOf({});
    const agent = (await by.harness.key(mine, 'agt')).key;
    for (const as of [viewer, agent])
      expect(await send(form('x'), { as })).toMatchObject({ status: 403, body: { code: 'SCOPE_MISSING' } });
    expect(seen).toEqual([]);
  });
});
