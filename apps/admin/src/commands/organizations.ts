import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  assignPlan,
  createKey,
  createOrganization,
  type CreditKind,
  deleteOrganization,
  Fault,
  findDeletedOrganization,
  keyKinds,
  listKeys,
  ownerOf,
  readOperatorTerms,
  removalInAgentConfig,
  removalInConversation,
  removalInDashboards,
  removalInGateway,
  removalInKnowledgeIngest,
  removalInTeamSales,
  removalInTelephonyBridge,
  savePlan,
  setOperatorPrices,
  topUpCredits,
} from '@parley/contracts';
import { z } from 'zod';
import {
  amount,
  amountToAdd,
  byKind,
  CommandRefused,
  defineCommand,
  kindsOf,
  type Operator,
  organizationOption,
  priceOrNone,
  requestOf,
} from '../command';

const firstKeyName = 'First key';

const name = z.string().trim().min(1).max(120);

/** Creates a tenant that is ready for use. Repeated with the same name and owner, it creates nothing again. */
export const createOrganizationCommand = defineCommand({
  words: 'organization create',
  summary: 'create an organization with its owner, its first key and its credits; repeated, it changes nothing',
  options: z.object({
    name: name.meta({ description: 'its name', example: 'Demo Bazaar' }),
    'owner-email': z.email().max(254).meta({ description: 'the e-mail address of the owner', example: 'owner@example.com' }),
    'owner-name': name.meta({ description: 'the name of the owner', example: 'Asha Kulkarni' }),
    timezone: z.string().default('UTC').meta({ description: 'its time zone', example: 'Asia/Kolkata' }),
    region: z.string().default('IN').meta({ description: 'the country of its telephone numbers', example: 'IN' }),
    id: z.guid().optional().meta({ description: 'its UUID; if left out, one derived from name and owner' }),
    ...byKind(amount, 'units to start with'),
  }),
  run: async (options, operator) => {
    const OrgKeyID = options.id ?? uuidOf('organization', options.name, options['owner-email'].toLowerCase());
    const owner = { email: options['owner-email'], name: options['owner-name'] };
    const wanted = requestOf(createOrganization, {
      OrgKeyID,
      OrganizationName: options.name,
      timezone: options.timezone,
      defaultRegion: options.region,
      owner,
    });
    return operator.doing({ action: 'organization.create', request: wanted }, async () => {
      const made = await operator.bus.ask(createOrganization, wanted, { principal: operator.principal() });
      const credits = kindsOf(options);
      const first = { credits, note: 'First credits', reference: (kind: CreditKind) => uuidOf('credits', OrgKeyID, kind) };
      const before = await grant(operator, made.OrgID, first).then(() => undefined, grantedBefore);
      const key = await firstKey(operator, made);
      // The number that other commands take comes first.
      const { OrgID, ...ids } = made;
      return { result: { OrgID, ...ids, ...key, ...before }, kept: { ...made, credits }, orgId: OrgID };
    });
  },
});

export const listOrganizationsCommand = defineCommand({
  words: 'organization list',
  summary: 'every organization',
  options: z.object({}),
  run: async (_, operator) => {
    const found = [];
    for await (const organization of operator.organizations()) found.push(organization);
    return found;
  },
});

/** Asks each service that keeps something what it has of an organization. */
const removals = [
  removalInGateway,
  removalInTeamSales,
  removalInAgentConfig,
  removalInKnowledgeIngest,
  removalInConversation,
  removalInTelephonyBridge,
  removalInDashboards,
];

const pollMs = 2_000;

/** Deletes a tenant everywhere, for good. Repeated, it goes on where it was interrupted. */
export const deleteOrganizationCommand = defineCommand({
  words: 'organization delete',
  summary: 'delete an organization and everything of it; without --confirm, only say what there is',
  options: z.object({
    organization: organizationOption,
    confirm: z.string().optional().meta({ description: 'its name, typed as it is', example: 'Demo Bazaar' }),
    wait: amountToAdd.default(600).meta({ description: 'for how many seconds to wait until all of it is gone', example: '600' }),
  }),
  run: async ({ organization: OrgID, confirm, wait }, operator) => {
    const OrganizationName = await nameOfDeletable(operator, OrgID);
    if (confirm === undefined) return whatThereIs(operator, OrgID);
    if (confirm !== OrganizationName)
      throw new CommandRefused(`--confirm: organization ${OrgID} is named “${OrganizationName}”, so nothing was deleted`);
    // In no log of the organization, which goes too: the gateway writes the line that stays.
    return operator.doing({ action: 'organization.delete', request: { OrgID, OrganizationName } }, async () => {
      const principal = operator.principal();
      const begun = await operator.bus.ask(
        deleteOrganization,
        { OrgID, OrganizationName, operator: operator.name },
        { principal },
      );
      const { closing = null } = await untilGone(operator, OrgID, wait * 1_000);
      return { result: { ...begun, closing }, kept: { OrgID, closing } };
    });
  },
});

/** A name is known until the organization is gone, and afterwards for a repetition. */
async function nameOfDeletable(operator: Operator, OrgID: number): Promise<string> {
  const { OrganizationName } = await operator.bus.ask(findDeletedOrganization, { OrgID }, { principal: operator.principal() });
  return OrganizationName ?? (await operator.organization(OrgID)).OrganizationName;
}

async function whatThereIs(operator: Operator, OrgID: number) {
  const principal = operator.principal();
  const found = await Promise.all(
    removals.map(async (removal) => {
      const { rows } = await operator.bus.ask(removal, { OrgID }, { principal });
      return Object.entries(rows).map(([table, count]) => ({ service: ownerOf(removal), table, rows: count }));
    }),
  );
  return found.flat();
}

/** Resolves with what the gateway keeps, once every service has said that nothing is left. */
async function untilGone(operator: Operator, OrgID: number, waitMs: number): Promise<Readonly<Record<string, unknown>>> {
  const until = Date.now() + waitMs;
  for (let told = ''; ; await delay(pollMs)) {
    const states = await Promise.all(removals.map((removal) => stateOf(operator, removal, OrgID)));
    const left = states.flatMap(({ left }) => left ?? []).join('; ');
    if (left === '') return states.reduce<Readonly<Record<string, unknown>>>((all, { kept }) => ({ ...all, ...kept }), {});
    if (Date.now() >= until)
      throw new Fault('SERVICE_UNAVAILABLE', {
        message: `Not everything is gone yet: ${left}. It goes on; repeat the command to see.`,
      });
    if (left !== told) process.stderr.write(`${left}\n`);
    told = left;
  }
}

const saidOf = {
  NOT_ASKED: 'has not heard of it yet',
  ENDING: 'ends what is under way',
  ERASING: 'erases',
  SILENT: 'did not answer',
};

/** What is left in one service, and what it keeps. */
async function stateOf(operator: Operator, removal: (typeof removals)[number], OrgID: number) {
  const asked = operator.bus.ask(removal, { OrgID }, { principal: operator.principal() });
  const { state, waitsFor, rows, kept } = await asked.catch((error: unknown) => {
    if (!(error instanceof Fault) || error.code === 'SCOPE_MISSING') throw error;
    return { state: 'SILENT', waitsFor: error.message, rows: {}, kept: {} } as const;
  });
  const service = ownerOf(removal);
  if (state === 'DONE') return { left: undefined, kept: removal === removalInGateway ? kept : {} };
  const count = Object.values(rows).reduce((sum, each) => sum + each, 0);
  const about = [`${service} ${saidOf[state]}`, ...(waitsFor ? [waitsFor] : []), ...(count > 0 ? [`${count} rows`] : [])];
  return { left: about.join(', '), kept: {} };
}

export const createKeyCommand = defineCommand({
  words: 'key create',
  summary: 'create an API key; its secret is shown only once',
  options: z.object({
    organization: organizationOption,
    kind: z
      .enum(keyKinds)
      .default('wsk')
      .meta({ description: 'wsk acts for a member, agt for an agent, ext is for speech and transcription' }),
    name: name.meta({ description: 'the name of the key', example: 'Nightly export' }),
    member: z.guid().optional().meta({ description: 'the memberAdminID that a wsk key acts for; if left out, the owner’s' }),
    agent: z.guid().optional().meta({ description: 'the AgentKeyID that an agt key acts for' }),
  }),
  run: async ({ organization: orgId, kind, name: keyName, member, agent }, operator) => {
    if ((kind === 'agt') !== (agent !== undefined))
      throw new CommandRefused('--agent is for a key of kind agt, and needed there: its AgentKeyID');
    if (member !== undefined && kind !== 'wsk') throw new CommandRefused('--member is for a key of kind wsk');
    const memberAdminID = member ?? (kind === 'wsk' ? (await operator.organization(orgId)).memberAdminID : null) ?? null;
    const wanted = requestOf(createKey, { name: keyName, kind, memberAdminID, AgentKeyID: agent ?? null });
    return operator.doing({ action: 'key.create', orgId, request: { ...wanted } }, async () => {
      const owner = kind === 'agt' ? `agent ${agent}` : `member ${memberAdminID}`;
      const { key, ...made } = await operator.bus
        .ask(createKey, wanted, { principal: operator.principal(orgId) })
        .catch((error: unknown) => throwNamed(error, `${owner} in organization ${orgId}`));
      return { result: { IntegrationKeyID: made.IntegrationKeyID, kind, name: keyName, key }, kept: made };
    });
  },
});

/** NOT_FOUND of a service does not say which of the given ids it means. */
function throwNamed(error: unknown, what: string): never {
  if (error instanceof Fault && error.code === 'NOT_FOUND') throw new Fault('NOT_FOUND', { message: `There is no ${what}.` });
  throw error;
}

export const grantCreditsCommand = defineCommand({
  words: 'credits grant',
  summary: 'add credits to an organization; a reference names one grant, which adds once',
  options: z.object({
    organization: organizationOption,
    note: z.string().max(200).default('').meta({ description: 'shown in the ledger', example: 'March invoice' }),
    reference: z.string().trim().min(1).max(120).optional().meta({
      description:
        'names this grant in the installation: repeated, it adds nothing; with other amounts or for others it is refused',
      example: 'INV-2026-031',
    }),
    ...byKind(amountToAdd, 'units to add'),
  }),
  run: ({ organization: orgId, note, reference, ...kinds }, operator) => {
    const credits = kindsOf(kinds);
    if (Object.keys(credits).length === 0) throw new CommandRefused('nothing to grant: --ttt, --tts or --stt');
    const named = reference && ((kind: CreditKind) => uuidOf('grant', reference, kind));
    return operator.doing({ action: 'credits.grant', orgId, request: { credits, note, reference } }, async () => {
      const balances = await grant(operator, orgId, { credits, note, ...(named && { reference: named }) });
      return { result: balances, kept: { balances } };
    });
  },
});

interface Grant {
  readonly credits: Partial<Record<CreditKind, number>>;
  readonly note: string;
  readonly reference?: (kind: CreditKind) => string;
}

async function grant(operator: Operator, orgId: number, { credits, note, reference }: Grant) {
  const principal = operator.principal(orgId);
  const balances = [];
  for (const kind of ['TTT_API', 'TTS_API', 'STT_API'] as const) {
    const units = credits[kind] ?? 0;
    if (units === 0) continue;
    const wanted = { kind, units, note, reference: reference?.(kind) };
    balances.push(await operator.bus.ask(topUpCredits, wanted, { principal }));
  }
  return balances.map(({ kind, available, held }) => ({ kind, available, held }));
}

/** An organization that is created again keeps its first credits, whatever is said of them now. */
function grantedBefore(error: unknown): { readonly credits: string } {
  if (!(error instanceof Fault) || error.code !== 'CONFLICT') throw error;
  return { credits: 'none were added, since others were when it was created: use `credits grant`' };
}

/** The owner's key, created once: a lost one is replaced with `key create`. */
async function firstKey(operator: Operator, { OrgID, memberAdminID }: { OrgID: number; memberAdminID: string }) {
  const principal = operator.principal(OrgID);
  const { rows } = await operator.bus.ask(listKeys, { kind: 'wsk', pageSize: 200, sortOrder: 'ASC' }, { principal });
  if (rows.some((row) => row.name === firstKeyName)) return { key: null, note: 'the first key was created and shown before' };
  const { key } = await operator.bus.ask(createKey, { name: firstKeyName, kind: 'wsk', memberAdminID }, { principal });
  return { key };
}

/** The same UUID for the same words. */
function uuidOf(...words: string[]): string {
  const hex = createHash('sha256').update(words.join('\n')).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}

const planName = z.string().trim().min(1).max(60).meta({ description: 'the name of the plan', example: 'scale' });

export const setPricesCommand = defineCommand({
  words: 'prices set',
  summary: 'what a thousand units cost, for everybody or for one organization; none removes a price',
  options: z.object({ organization: organizationOption.optional(), ...byKind(priceOrNone, 'units for a thousand') }),
  run: ({ organization, ...kinds }, operator) => {
    const prices = kindsOf(kinds);
    if (Object.keys(prices).length === 0) throw new CommandRefused('nothing to set: --ttt, --tts or --stt');
    const request = requestOf(setOperatorPrices, { OrgID: organization ?? null, prices });
    const place = organization === undefined ? {} : { orgId: organization };
    return operator.doing({ action: 'prices.set', request, ...place }, async () => {
      const set = await operator.bus.ask(setOperatorPrices, request, { principal: operator.principal() });
      return { result: { OrgID: set.OrgID, ...set.prices }, kept: set };
    });
  },
});

export const savePlanCommand = defineCommand({
  words: 'plan save',
  summary: 'define a plan of rate limits, in the form of RATE_LIMIT_PLANS; none removes it',
  options: z.object({
    name: planName,
    limits: z.string().max(10_000).meta({ description: 'JSON', example: '{"key":{"chat":{"limit":6000,"windowSeconds":60}}}' }),
  }),
  run: ({ name, limits: text }, operator) => {
    const plan = requestOf(savePlan, { name, limits: text === 'none' ? null : jsonOf(text) });
    return operator.doing({ action: 'plan.save', request: { ...plan } }, async () => {
      const result = await operator.bus.ask(savePlan, plan, { principal: operator.principal() });
      return { result, kept: result };
    });
  },
});

export const assignPlanCommand = defineCommand({
  words: 'plan assign',
  summary: 'give an organization a plan; without --name, back to the configured one',
  options: z.object({ organization: organizationOption, name: planName.optional() }),
  run: ({ organization: orgId, name = null }, operator) => {
    const wanted = requestOf(assignPlan, { OrgID: orgId, name });
    return operator.doing({ action: 'plan.assign', orgId, request: { name } }, async () => {
      const result = await operator.bus.ask(assignPlan, wanted, { principal: operator.principal() });
      return { result, kept: result };
    });
  },
});

export const showTermsCommand = defineCommand({
  words: 'terms show',
  summary: 'the prices and plans that were set by this command; others are in the configuration',
  options: z.object({}),
  run: async (_, operator) => operator.bus.ask(readOperatorTerms, {}, { principal: operator.principal() }),
});

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandRefused('--limits: must be JSON, or none');
  }
}
