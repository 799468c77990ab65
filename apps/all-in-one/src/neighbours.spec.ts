import { randomUUID } from 'node:crypto';
import {
  createKey,
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
  transcribeRecording,
} from '@parley/contracts';
import { measureNeighbour, type Tenant } from './testing/neighbour-load';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

/** `npm run chaos -- neighbours` measures as well, and prints what it saw. */
const samples = Number(process.env.NEIGHBOURS_SAMPLES ?? 0);
const seconds = Number(process.env.NEIGHBOURS_SECONDS ?? 3);
const movedMax = 0.2;
/** With fewer cores free than this, it is the cores that are shared, whatever the platform does. */
const spareMin = 0.1;

/** What one organization asks at once, before another asks once. */
const burst = 500;
/** One question that every service answers. */
const questions: readonly RequestContract[] = [
  listKeys,
  listInvites,
  listAgents,
  listKnowledgeBases,
  listConversationLogs,
  // What it is to hear is not there: the refusal takes the same way. For sound itself `Turnstile` has the turns.
  transcribeRecording,
  listCalls,
  getTodayCounts,
];

let platform: WholePlatform;
let noisy: Principal;
let quiet: Principal;

beforeAll(async () => {
  platform = await startWholePlatform();
  [noisy, quiet] = [await ownerOfNew('Noisy Traders'), await ownerOfNew('Quiet Stores')];
}, 90_000);
afterAll(() => platform.stop());

async function ownerOfNew(name: string): Promise<Principal> {
  const owner = { email: `${randomUUID()}@tenant.example`, name: `${name} Owner` };
  const organization = { OrgKeyID: randomUUID(), OrganizationName: name, timezone: 'Asia/Kolkata', defaultRegion: 'IN', owner };
  const { OrgID: orgId, memberAdminID: memberId, userID: userId } = await platform.bus.ask(createOrganization, organization);
  return { kind: 'wsk', keyId: 'test', orgId, memberId, userId, roleTypeId: 1 };
}

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
    // Their answers continue while this one is on its way; behind all of them it would come last.
    expect(await ask(quiet)).toBeLessThan(burst / 2);
    await Promise.all(theirs);
  },
);

/** Keys enough that its organization's limits are reached before their own. */
async function keysOf(principal: Principal): Promise<Tenant> {
  const agent = saveAgent.request.parse(examplesOf(saveAgent.request)[0]);
  const { AgentKeyID } = await platform.bus.ask(saveAgent, agent, { principal });
  const made = async (kind: KeyKind): Promise<string[]> => {
    const asked = { name: 'load', kind, ...(kind === 'agt' && { AgentKeyID }) };
    const keys = Array.from({ length: 6 }, () => platform.bus.ask(createKey, asked, { principal }));
    return (await Promise.all(keys)).map(({ key }) => key);
  };
  return { wsk: await made('wsk'), agt: await made('agt'), ext: await made('ext') };
}

if (samples > 0)
  it('moves the p99 of another by a fifth at most, at its limits', async () => {
    const [theirs, mine] = [await keysOf(noisy), await keysOf(quiet)];
    const tell = (row: object): void => void process.stdout.write(`${JSON.stringify(row)}\n`);
    const rows = await measureNeighbour(platform.url, { theirs, mine }, { samples, seconds, tell });
    const counting = rows.filter(({ spare }) => spare >= spareMin);
    const others = rows.filter(({ spare }) => spare < spareMin).map(({ service }) => service);
    process.stdout.write(`${counting.length} of ${rows.length} count; without a free core: ${others.join(', ') || 'none'}\n`);
    expect(counting.length).toBeGreaterThan(0);
    expect(counting.filter(({ p99 }) => p99.moved > movedMax)).toEqual([]);
  });
