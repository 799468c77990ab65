import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Controller } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { exportContacts, Fault, uploadContacts } from '@parley/contracts';
import { BusServer, type Call, Handles, InProcessBroker, TransportBus } from '@parley/messaging';
import { loadConfiguration } from '@parley/service-kit';
import { GatewayConfig } from '../../config';
import { createGatewayApp } from '../../testing/create-gateway-app';
import { RecordedLog } from '../../testing/recorded-log';
import { keys, ownerPrincipal, testSecret, viewerPrincipal } from '../../testing/running-gateway';
import { SeededKeys } from '../../testing/seeded-keys';

const seen: { body: unknown; orgId: number | undefined; content: string }[] = [];
let folder: string;

/** Plays team-sales for these two messages. */
@Controller()
class TeamSales {
  @Handles(uploadContacts)
  async upload(body: { SalesUserID?: number | undefined; file: { fileKey: string } }, call: Call) {
    if (body.SalesUserID === 404) throw new Fault('NOT_FOUND');
    const content = await readFile(path.join(folder, body.file.fileKey), 'utf8');
    seen.push({ body, orgId: call.principal?.orgId, content });
    const counts = { rowCount: 1, createdCount: 1, updatedCount: 0, unchangedCount: 0, assignedCount: 1, errorCount: 0 };
    const UploadKeyID = 'c8e0a2b4-6d8f-4a1c-9e3b-5d7f9b1d3f5a';
    return {
      UploadKeyID,
      UploadID: 6,
      SalesUserKeyID: '1e3c5a78-9b0d-4f2e-8c4a-6b8d0f1e3c5a',
      SalesUserID: body.SalesUserID ?? 0,
      status: 'DONE' as const,
      ...counts,
      errors: [],
      reason: null,
    };
  }

  @Handles(exportContacts)
  async *export({ searchName }: { searchName: string }) {
    if (searchName === 'nobody') throw new Fault('NOT_FOUND');
    for (const line of ['CustomerName\r\n', 'Ravi\r\n', 'दीपिका\r\n']) yield { csv: line };
  }
}

describe('contacts over HTTP', () => {
  const broker = new InProcessBroker();
  const stops: (() => Promise<unknown>)[] = [];
  let url: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'parley-gateway-'));
    const strategy = new BusServer(broker.connect(), { service: 'team-sales' });
    class Application {}
    const service = await NestFactory.createMicroservice(
      { module: Application, controllers: [TeamSales] },
      { strategy, logger: false },
    );
    await service.listen();
    const config = loadConfiguration(GatewayConfig, { PORT: '0', PARLEY_SECRET_KEY: testSecret, FILES_DIR: folder });
    const principals = new SeededKeys({ [keys.owner]: ownerPrincipal, [keys.viewer]: viewerPrincipal });
    const bus = new TransportBus(broker.connect());
    const app = await createGatewayApp(config, { bus, logger: new RecordedLog(), principals });
    await app.listen(config.PORT, config.HOST);
    url = await app.getUrl();
    stops.push(
      () => app.close(),
      () => service.close(),
      () => rm(folder, { recursive: true }),
    );
  });
  beforeEach(() => void seen.splice(0));
  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  const send = async (form: FormData | string, key = keys.owner) => {
    const response = await fetch(`${url}/api/v1/external/SalesUser/upload`, {
      method: 'POST',
      body: form,
      headers: { 'x-api-key': key },
    });
    return { status: response.status, body: await response.json() };
  };
  const form = (
    content: string | Uint8Array<ArrayBuffer>,
    fields: Record<string, string> = { SalesUserID: '5' },
    name = 'file',
  ) => {
    const data = new FormData();
    data.append(name, new Blob([content], { type: 'text/csv' }), 'leads.csv');
    for (const [field, value] of Object.entries(fields)) data.append(field, value);
    return data;
  };
  const filesLeft = async () => (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.csv'));

  it('are passed to the service as the organization’s file, with the form’s fields', async () => {
    const { status, body } = await send(form('ContactNumber\n9820012345\n'));
    expect({ status, body }).toMatchObject({ status: 200, body: { statusCode: 200, data: { SalesUserID: 5, status: 'DONE' } } });
    expect(seen).toMatchObject([{ orgId: 7, content: 'ContactNumber\n9820012345\n', body: { SalesUserID: 5 } }]);
    expect(seen[0]?.body).toMatchObject({
      file: { fileKey: expect.stringMatching(/^contacts\/7\//), fileName: 'leads.csv', size: 25, contentType: 'text/csv' },
    });
  });

  it.each([
    ['without a file', () => new FormData(), 400],
    ['with a file of another name', () => form('x', { SalesUserID: '5' }, 'csv'), 400],
    ['without the representative', () => form('x', {}), 400],
    ['for an unknown representative', () => form('x', { SalesUserID: '404' }), 404],
    ['with more than 10 MB', () => form(new Uint8Array(10 * 1024 * 1024 + 1)), 413],
    ['as JSON', () => '{}', 415],
  ])('are refused %s, and no file is left behind', async (_, body, status) => {
    const before = await filesLeft();
    await expect(send(body())).resolves.toMatchObject({ status });
    expect(seen).toEqual([]);
    expect(await filesLeft()).toEqual(before);
  });

  it('are refused to a Viewer', async () => {
    await expect(send(form('x'), keys.viewer)).resolves.toMatchObject({ status: 403, body: { code: 'SCOPE_MISSING' } });
  });

  it('are not passed on when the client disconnects halfway', async () => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const head = [
      'POST /api/v1/external/SalesUser/upload HTTP/1.1',
      'Host: x',
      `x-api-key: ${keys.owner}`,
      'Content-Type: multipart/form-data; boundary=b',
      'Content-Length: 9999',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="x.csv"\r\n\r\nhalf`);
    await send(form('y'));
    socket.destroy();
    await send(form('z'));
    expect(seen.map(({ content }) => content)).toEqual(['y', 'z']);
  });

  it('are streamed as CSV', async () => {
    const request = { method: 'POST', body: '{}', headers: { 'x-api-key': keys.viewer, 'content-type': 'application/json' } };
    const response = await fetch(`${url}/api/v1/external/SalesUser/export-contacts`, request);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(response.headers.get('content-disposition')).toContain('contacts.csv');
    expect(await response.text()).toBe('CustomerName\r\nRavi\r\nदीपिका\r\n');
  });

  it.each([
    ['{"searchName":"nobody"}', 404],
    ['{"fromDate":"yesterday"}', 400],
  ])('answer an export of %s with %d, never with half a file', async (body, status) => {
    const request = { method: 'POST', body, headers: { 'x-api-key': keys.owner, 'content-type': 'application/json' } };
    const response = await fetch(`${url}/api/v1/external/SalesUser/export-contacts`, request);
    expect([response.status, await response.json()]).toMatchObject([status, { statusCode: status }]);
  });
});
