import { randomUUID } from 'node:crypto';
import {
  createOrganization,
  examplesOf,
  getTodayCounts,
  listAgents,
  listCalls,
  listConversationLogs,
  listInvites,
  listKeys,
  listKnowledgeBases,
  ownerOf,
  type Principal,
  type RequestContract,
  transcribeRecording,
} from '@parley/contracts';
import { startWholePlatform, type WholePlatform } from './testing/whole-platform';

/** What one organization asks at once, before another asks once. */
const burst = 200;
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
  '%s answers an organization soon that asks behind two hundred questions of another',
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
    expect(await ask(quiet)).toBeLessThan(burst / 5);
    await Promise.all(theirs);
  },
);
