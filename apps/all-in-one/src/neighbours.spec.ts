import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  createOrganization,
  examplesOf,
  getTodayCounts,
  type KeyKind,
  listAgents,
  listCalls,
  listConversationLogs,
  listInvites,
  listKeys,
  listKnowledgeBases,
  ownerOf,
  type Principal,
  type RequestContract,
  saveAgent,
  saveKnowledgeBase,
  transcribeRecording,
} from '@parley/contracts';
import { recordOf } from '@parley/testing';
import { z } from 'zod';
import { OwnPlatform } from '../e2e/platform/own-platform';
import { Demo } from './demo/demo-file';
import { plentyOfCredits } from './on-this-machine';
import { isBearable, measureNeighbour, type Tenant } from './testing/neighbour-load';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

/** `npm run chaos -- neighbours` also measures, and prints the figures. */
const samples = Number(process.env.NEIGHBOURS_SAMPLES ?? 0);
const seconds = Number(process.env.NEIGHBOURS_SECONDS ?? 3);
const services = (process.env.NEIGHBOURS_SERVICES ?? '').split(',').filter(Boolean);
/** With fewer free cores than this, the cores are the bottleneck, whatever the platform does. */
const spareMin = 0.1;

/** The concurrent requests of one organization before another's single one. */
const burst = 500;
/** One question that every service answers. */
const questions: readonly RequestContract[] = [
  listKeys,
  listInvites,
  listAgents,
  listKnowledgeBases,
  listConversationLogs,
  // The recording does not exist: the refusal takes the same path. For sound itself, `FairGate` decides the order.
  transcribeRecording,
  listCalls,
  getTodayCounts,
];

let platform: WholePlatform;
let noisy: Principal;
let quiet: Principal;

async function ownerOfNew(name: string): Promise<Principal> {
  const owner = { email: `${randomUUID()}@tenant.example`, name: `${name} Owner` };
  const organization = { OrgKeyID: randomUUID(), OrganizationName: name, timezone: 'Asia/Kolkata', defaultRegion: 'IN', owner };
  const { OrgID: orgId, memberAdminID: memberId, userID: userId } = await platform.bus.ask(createOrganization, organization);
  return { kind: 'wsk', keyId: 'test', orgId, memberId, userId, roleTypeId: 1 };
}

/** Enough keys that the organization's limits are reached before those of a key. */
async function tenantOf(url: string, workspaceKey: string): Promise<Tenant> {
  const post = async (route: string, body: object): Promise<unknown> => {
    const headers = { 'x-api-key': workspaceKey, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/v1/external/${route}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return z.object({ data: z.unknown() }).parse(await answer.json()).data;
  };
  const ids = await recordsOf(post, url);
  const { AgentKeyID } = ids;
  const made = async (kind: KeyKind): Promise<string[]> => {
    const asked = { name: 'load', kind, ...(kind === 'agt' && { AgentKeyID }) };
    const keys = Array.from({ length: 6 }, () => post('integrations/keys', asked));
    return (await Promise.all(keys)).map((data) => z.object({ key: z.string() }).parse(data).key);
  };
  return { url, ids, keys: { wsk: await made('wsk'), agt: await made('agt'), ext: await made('ext') } };
}

type Post = (route: string, body: object) => Promise<unknown>;

/** An agent with a knowledge base, a telephone number in the simulated network, and a representative. */
async function recordsOf(post: Post, url: string): Promise<{ AgentKeyID: string } & Tenant['ids']> {
  const read = async <Fields extends z.ZodRawShape>(fields: Fields, route: string, body: object) =>
    z.object(fields).parse(await post(route, body));
  const base = recordOf(examplesOf(saveKnowledgeBase.request)[0] ?? {});
  const { KBID } = await read({ KBID: z.number() }, 'kb/add-update-kb', base);
  const faqs = Array.from({ length: 50 }, (_, n) => ({
    KBFAQID: 0,
    Question: `What does the kettle of size ${n} cost, and can I bring it back?`,
    Answer: `Size ${n} costs ${n + 900} rupees, and can be returned within ${n + 10} days.`,
  }));
  await post('kb-faq/add-update-faq', { KBID, faqs });
  const agent = { ...recordOf(examplesOf(saveAgent.request)[0] ?? {}), KBID };
  const ids = { AgentKeyID: z.string(), AgentID: z.number() };
  const { AgentKeyID, AgentID } = await read(ids, 'agent/add-update-agent', agent);
  const account = { CarrierAccountKeyID: null, carrier: 'loopback', AccountName: 'Main', credentials: {} };
  const { CarrierAccountKeyID } = await read({ CarrierAccountKeyID: z.string() }, 'number/add-update-carrier-account', account);
  const number = `+9120${String(randomInt(10_000_000, 99_999_999))}`;
  await post('number/add-update-number', { NumberKeyID: null, CarrierAccountKeyID, number, AgentID });
  const email = `${randomUUID()}@tenant.example`;
  const invited = { action: 'ADD', emails: [email], roleTypeID: 3, userType: 'Mobile App', agentAccessScope: 'ALL' };
  await post('team-management/add-update-Invitation', invited);
  const mails = z.array(z.object({ text: z.string() }));
  const [mail] = mails.parse(await post('team-management/mail-outbox-list', { searchName: email }));
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ token: /inv_[\w-]+/.exec(mail?.text ?? '')?.[0] });
  await fetch(`${url}/api/v1/external/team-management/invite/accept`, { method: 'POST', headers, body });
  const members = z.array(z.object({ SalesUserKeyID: z.string() }));
  const [member] = members.parse(await post('SalesTeam/get-teamList', {}));
  return { KBID, AgentKeyID, AgentID, SalesUserKeyID: member?.SalesUserKeyID ?? '' };
}

/** The platform as started from a shell, with two organizations; nothing of the test runs in its process. */
async function startedNeighbourhood(place: OwnPlatform): Promise<{ first: Tenant; second: Tenant }> {
  await place.start({ PARLEY_INITIAL_CREDITS: plentyOfCredits }, ['--organization', 'Second Stores'], ['--no-memory-reducer']);
  const read = (file: string): unknown => JSON.parse(readFileSync(path.join(place.home, file), 'utf8'));
  const { baseUrl, workspaceKey } = Demo.parse(read('demo.json'));
  const [named] = z.array(z.object({ workspaceKey: z.string() })).parse(read('organizations.json'));
  return { first: await tenantOf(baseUrl, workspaceKey), second: await tenantOf(baseUrl, named?.workspaceKey ?? '') };
}

if (samples > 0)
  it('at its limits delays another’s p99, or of few requests the median, by a fifth at most, or by no more than from another platform', async () => {
    const [here, there] = [OwnPlatform.make(), OwnPlatform.make()];
    try {
      const [{ first: beside, second: mine }, { first: elsewhere }] = [
        await startedNeighbourhood(here),
        await startedNeighbourhood(there),
      ];
      const tell = (row: object): void => void process.stdout.write(`${JSON.stringify(row)}\n`);
      const rows = await measureNeighbour({ mine, beside, elsewhere }, { samples, seconds, services, tell });
      const counting = rows.filter(({ spare }) => spare.beside >= spareMin);
      const others = rows.filter(({ spare }) => spare.beside < spareMin).map(({ service, about }) => about ?? service);
      process.stdout.write(`${counting.length} of ${rows.length} count; without a free core: ${others.join(', ') || 'none'}\n`);
      expect(counting.length).toBeGreaterThan(0);
      expect(counting.filter((row) => !isBearable(row[row.judgedBy]))).toEqual([]);
    } finally {
      await here.remove();
      await there.remove();
    }
  });
else
  describe('in the queue of every service', () => {
    it.each([
      [0.19, 0, 0.19, true],
      [0.21, 0, 0.21, false],
      [0.21, 0.19, 0.02, false],
      [0.53, 0.96, -0.22, true],
      [1.5, 0.96, 0.28, false],
    ])('judges %d beside one that moves it by %d from elsewhere', (moved, movedElsewhere, added, expected) => {
      expect(isBearable({ aloneMs: 0, elsewhereMs: 0, besideMs: 0, moved, movedElsewhere, added })).toBe(expected);
    });
    beforeAll(async () => {
      platform = await startWholePlatform();
      [noisy, quiet] = [await ownerOfNew('Noisy Traders'), await ownerOfNew('Quiet Stores')];
    });
    afterAll(() => platform.stop());
    it('asks every service that answers', () => {
      expect(new Set(questions.map(ownerOf)).size).toBe(8);
    });

    it.each(questions.map((contract) => [ownerOf(contract), contract] as const))(
      '%s answers an organization soon that asks behind five hundred questions of another',
      async (_service, contract) => {
        const body = contract === transcribeRecording ? examplesOf(contract.request)[0] : {};
        let answered = 0;
        const ask = async (principal: Principal): Promise<number> => {
          await platform.bus.ask(contract, body, { principal }).catch(() => undefined);
          return answered++;
        };
        await ask(quiet);
        answered = 0;
        const theirs = Array.from({ length: burst }, () => ask(noisy));
        // The others' answers continue while this one is in progress; in a plain queue it would come last.
        expect(await ask(quiet)).toBeLessThan(burst / 2);
        await Promise.all(theirs);
      },
    );
  });
