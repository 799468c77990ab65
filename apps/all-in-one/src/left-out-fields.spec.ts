import { examplesOf, nameOf } from '@parley/contracts';
import { recordOf } from '@parley/testing';
import { z } from 'zod';
import { askedEndpoints, createRecords, createTenant, filled, keyOf, schemaOf, send, type Tenant } from './testing/tenants';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

type Endpoint = (typeof askedEndpoints)[number];
type Fields = Record<string, unknown>;

/** An endpoint that creates a record or changes an existing one, depending on whether its key is sent. */
interface Save {
  readonly name: string;
  readonly endpoint: Endpoint;
  /** Answers the record as it is stored, if the answer of the save itself does not. */
  readonly read: Endpoint | undefined;
  readonly key: string;
  readonly example: Fields;
  readonly fields: readonly string[];
}

/** What changes with every save. */
const ofEverySave = new Set(['UpdatedOn', 'Version', 'PromptAsSent']);
/** A field that is stored under another name. */
const storedAs: Readonly<Record<string, string>> = { SalesUserID: 'SalesUsers' };

const named = (name: string): Endpoint | undefined => askedEndpoints.find(({ contract }) => nameOf(contract) === name);

const saves: readonly Save[] = askedEndpoints.flatMap((endpoint) => {
  const name = nameOf(endpoint.contract);
  const example = recordOf(examplesOf(schemaOf(endpoint))[0] ?? {});
  const key =
    name === 'saveRuntimeConfig'
      ? 'AgentID'
      : Object.keys(example).find((field) => /KeyID$/.test(field) && example[field] === null);
  if (!name.startsWith('save') || key === undefined) return [];
  const { $ref = '', $defs = {} } = z.toJSONSchema(schemaOf(endpoint), { io: 'input', unrepresentable: 'any' });
  const fields = Object.keys($defs[$ref.split('/').at(-1) ?? '']?.properties ?? {}).filter(
    (field) => field !== key && !ofEverySave.has(field),
  );
  return [{ name, endpoint, read: named(name.replace('save', 'get')), key, example, fields }];
});

let platform: WholePlatform;
let owner: Tenant;
beforeAll(async () => {
  platform = await startWholePlatform();
  owner = await createTenant(platform, 'Quokka Traders');
  await createRecords(platform, owner);
});
afterAll(() => platform.stop());

async function answered(endpoint: Endpoint, body: unknown): Promise<{ status: number; text: string; data: Fields }> {
  const { status, text } = await send(platform.url, keyOf(owner, 'wsk'), { endpoint, body });
  return { status, text, data: recordOf(recordOf(JSON.parse(text)).data ?? {}) };
}

const withoutChanging = (record: Fields): Fields =>
  recordOf(JSON.parse(JSON.stringify(record, (name, value: unknown) => (ofEverySave.has(name) ? undefined : value))));

/** Sends fields of an existing record, and returns the record as it is stored afterwards. */
async function saved({ endpoint, read, key }: Save, fields: Fields): Promise<Fields> {
  const id = { [key]: owner.ids.get(key) };
  const { status, text, data } = await answered(endpoint, { ...fields, ...id });
  if (status !== 200) throw new Error(text);
  return withoutChanging(read ? (await answered(read, { ...Object.fromEntries(owner.ids), ...id })).data : data);
}

it('finds every save of a record that has a key', () => {
  expect(saves.map(({ name }) => name).sort()).toEqual([
    'saveAgent',
    'saveCampaign',
    'saveCampaignWebhook',
    'saveCarrierAccount',
    'saveContact',
    'saveKnowledgeBase',
    'saveNumber',
    'saveRuntimeConfig',
    'saveWidget',
  ]);
});

describe.each(saves.map((save) => [save.name, save] as const))('%s', (_name, save) => {
  let stored: Fields;
  beforeEach(async () => {
    const example = recordOf(filled(save.example, owner.ids));
    stored = await saved(save, {
      ...example,
      ...(stored && Object.fromEntries(save.fields.map((field) => [field, stored[field] ?? example[field]]))),
    });
  });

  it('leaves unchanged what is left out', async () => {
    expect(Object.keys(stored).length).toBeGreaterThan(save.fields.length / 2);
    expect(await saved(save, {})).toEqual(stored);
  });

  it.each(save.fields)('changes nothing but %s if that is null', async (field) => {
    const changed = storedAs[field] ?? field;
    const cleared = await saved(save, { [field]: null });
    expect({ ...cleared, [changed]: undefined }).toEqual({ ...stored, [changed]: undefined });
  });
});
