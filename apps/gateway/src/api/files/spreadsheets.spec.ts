import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Controller } from '@nestjs/common';
import { examplesOf, Fault, importSpreadsheet, type Principal } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import type { z } from 'zod';
import { GatewayOnBroker } from '../../testing/gateway-on-broker';
import type { TestOrganization } from '../../testing/harness';

const seen: { KBID: string; fileName: string; text: string; orgId: number | undefined }[] = [];
const [report] = examplesOf(importSpreadsheet.reply);
let by: GatewayOnBroker;
let mine: TestOrganization;

@Controller()
class PlayedKnowledge {
  @Handles(importSpreadsheet)
  async import(
    { KBID, file: { fileKey, fileName } }: z.output<typeof importSpreadsheet.request>,
    { principal }: Call,
  ): Promise<z.input<typeof importSpreadsheet.reply>> {
    if (String(KBID) === '99') throw new Fault('NOT_FOUND');
    const text = await readFile(path.join(by.folder, fileKey), 'utf8');
    seen.push({ KBID: String(KBID), fileName, text, orgId: principal?.orgId });
    return importSpreadsheet.reply.parse(report);
  }
}

beforeAll(async () => {
  by = await GatewayOnBroker.open();
  await by.play('knowledge-ingest', PlayedKnowledge);
  mine = by.harness.organization();
});
beforeEach(() => seen.splice(0));
afterAll(() => by.close());

async function send(fields: Record<string, string>, { permissions }: Pick<Principal, 'permissions'> = {}) {
  const owner = permissions ? by.harness.member(mine.orgId, { roleTypeId: 4, permissions }) : mine.owner;
  const { key } = await by.harness.key({ ...mine, owner }, 'wsk');
  const data = new FormData();
  data.append('file', new Blob(['Question,Answer\nDo you deliver?,Yes']), 'faqs.csv');
  for (const [field, value] of Object.entries(fields)) data.append(field, value);
  const reply = await fetch(`${by.url}/api/v1/external/kb/import-spreadsheet`, {
    method: 'POST',
    body: data,
    headers: { 'x-api-key': key },
  });
  return { status: reply.status, body: await reply.json() };
}

const left = async () => (await by.files()).filter((file) => file.startsWith(`uploads/${mine.orgId}/`));

it('passes a file to the service under its own name, and reports the result of each row', async () => {
  expect(await send({ KBID: '4' })).toMatchObject({ status: 200, body: { data: report } });
  expect(seen).toEqual([{ KBID: '4', fileName: 'faqs.csv', text: 'Question,Answer\nDo you deliver?,Yes', orgId: mine.orgId }]);
});

it.each([
  [['CanView', 'CanDelete'], 403],
  [['CanUpdate'], 200],
  [['CanAdd'], 200],
] as const)('needs the right to add or to update, since its rows may do either: %j', async (knowledge, status) => {
  const importer: Pick<Principal, 'permissions'> = {
    permissions: { integrations: ['CanView', 'CanAdd'], knowledge: [...knowledge] },
  };
  expect(await send({ KBID: '4' }, importer)).toMatchObject({ status });
});

it('leaves no file behind when refused', async () => {
  const before = await left();
  expect(await send({})).toMatchObject({ status: 400, body: { message: 'KBID is required' } });
  expect(await send({ KBID: '99' })).toMatchObject({ status: 404 });
  const reader: Pick<Principal, 'permissions'> = {
    permissions: { integrations: ['CanView', 'CanAdd'], knowledge: ['CanView'] },
  };
  expect(await send({ KBID: '4' }, reader)).toMatchObject({ status: 403 });
  expect([seen, await left()]).toEqual([[], before]);
});
