import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Controller } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type BodyOf, exportCampaignContacts, Fault, uploadCampaignContacts } from '@parley/contracts';
import { BusServer, type Call, Handles, InProcessBroker, TransportBus } from '@parley/messaging';
import { loadConfiguration } from '@parley/service-kit';
import { GatewayConfig } from '../../config';
import { createGatewayApp } from '../../testing/create-gateway-app';
import { RecordedLog } from '../../testing/recorded-log';
import { keys, ownerPrincipal, testSecret, viewerPrincipal } from '../../testing/running-gateway';
import { SeededKeys } from '../../testing/seeded-keys';

type Upload = BodyOf<typeof uploadCampaignContacts>;

const CampaignKeyID = '607284a5-3051-4273-8e9f-1a3b5c7d9e1f';
const unknownKey = '00000000-0000-4000-8000-000000000000';
const seen: { body: Upload; orgId: number | undefined; content: string }[] = [];
let folder: string;

/** Plays the telephony bridge for these two messages. */
@Controller()
class Bridge {
  @Handles(uploadCampaignContacts)
  async upload(body: Upload, call: Call) {
    if (body.CampaignKeyID === unknownKey) throw new Fault('NOT_FOUND');
    seen.push({ body, orgId: call.principal?.orgId, content: await readFile(path.join(folder, body.file.fileKey), 'utf8') });
    return { addedCount: 1, repeatedCount: 0, errorCount: 0, errors: [], ignoredColumns: [], notice: null, contactCount: 1 };
  }

  @Handles(exportCampaignContacts)
  async *export(body: { CampaignKeyID: string; disposition: string }) {
    if (body.CampaignKeyID === unknownKey) throw new Fault('NOT_FOUND');
    for (const line of ['CustomerName,will_pay\r\n', `दीपिका,${body.disposition}\r\n`]) yield { csv: line };
  }
}

describe('a campaign’s contacts over HTTP', () => {
  const broker = new InProcessBroker();
  const stops: (() => Promise<unknown>)[] = [];
  let url: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'parley-gateway-'));
    class Application {}
    const service = await NestFactory.createMicroservice(
      { module: Application, controllers: [Bridge] },
      { strategy: new BusServer(broker.connect(), { service: 'telephony-bridge' }), logger: false },
    );
    await service.listen();
    const config = loadConfiguration(GatewayConfig, { PORT: '0', PARLEY_SECRET_KEY: testSecret, FILES_DIR: folder });
    const principals = new SeededKeys({ [keys.owner]: ownerPrincipal, [keys.viewer]: viewerPrincipal });
    const app = await createGatewayApp(config, {
      bus: new TransportBus(broker.connect()),
      logger: new RecordedLog(),
      principals,
    });
    await app.listen(config.PORT, config.HOST);
    url = `${await app.getUrl()}/api/v1/external/campaign`;
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

  const upload = async (body: FormData | string, key: string | undefined = keys.owner) => {
    const headers = key === undefined ? {} : { 'x-api-key': key };
    const response = await fetch(`${url}/upload-contacts`, { method: 'POST', body, headers });
    return { status: response.status, body: await response.json() };
  };
  const form = (fields: Record<string, string>, content = 'Mobile\n9820012345\n') => {
    const data = new FormData();
    if (content) data.append('file', new Blob([content], { type: 'text/csv' }), 'due.csv');
    for (const [field, value] of Object.entries(fields)) data.append(field, value);
    return data;
  };
  const download = (body: object, key: string | undefined = keys.owner) =>
    fetch(`${url}/export-contacts`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': key }) },
    });

  it('are passed to the bridge as the organization’s file, with the mapping as sent', async () => {
    const sent = await upload(form({ CampaignKeyID, mapping: '{"Mobile":"ContactNumber"}' }));
    expect(sent).toMatchObject({ status: 200, body: { statusCode: 200, data: { addedCount: 1, contactCount: 1 } } });
    expect(seen).toMatchObject([
      {
        orgId: 7,
        content: 'Mobile\n9820012345\n',
        body: { CampaignKeyID, mapping: { Mobile: 'ContactNumber' }, file: { fileName: 'due.csv' } },
      },
    ]);
  });

  it.each([
    ['without a file', () => form({ CampaignKeyID }, ''), keys.owner, 400],
    ['without a campaign', () => form({}), keys.owner, 400],
    ['with a mapping that is no JSON', () => form({ CampaignKeyID, mapping: 'Mobile' }), keys.owner, 400],
    ['for an unknown campaign', () => form({ CampaignKeyID: unknownKey }), keys.owner, 404],
    ['as JSON', () => '{}', keys.owner, 415],
    ['by a Viewer', () => form({ CampaignKeyID }), keys.viewer, 403],
    ['without a key', () => form({ CampaignKeyID }), undefined, 401],
  ])('are refused %s, and no file is left behind', async (_what, body, key, status) => {
    const files = async () => (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.csv'));
    const before = await files();
    const response = await fetch(`${url}/upload-contacts`, {
      method: 'POST',
      body: body(),
      headers: key === undefined ? {} : { 'x-api-key': key },
    });
    expect([response.status, await response.json()]).toMatchObject([status, { statusCode: status }]);
    expect([seen, await files()]).toEqual([[], before]);
  });

  it('are exported as CSV with their results, filtered as requested', async () => {
    const response = await download({ CampaignKeyID, disposition: 'REACHED' }, keys.viewer);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(response.headers.get('content-disposition')).toContain('campaign-contacts.csv');
    expect(await response.text()).toBe('CustomerName,will_pay\r\nदीपिका,REACHED\r\n');
  });

  it.each([
    [{ CampaignKeyID: unknownKey }, 404],
    [{ CampaignKeyID, disposition: 'MAYBE' }, 400],
    [{}, 400],
  ])('answer an export of %j with %d, never with half a file', async (body, status) => {
    const response = await download(body);
    expect([response.status, await response.json()]).toMatchObject([status, { statusCode: status }]);
  });

  it('are not exported without a key', async () => {
    const response = await fetch(`${url}/export-contacts`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(401);
  });
});
