import {
  clearVectors,
  listKnowledgeBases,
  listOperatorActions,
  sealCarrierAccounts,
  sealGatewaySecrets,
  sealProviderKeys,
} from '@parley/contracts';
import { z } from 'zod';
import { defineCommand, type Operator, organizationOption } from '../command';

const count = z
  .string()
  .regex(/^\d{1,6}$/)
  .transform(Number)
  .pipe(z.int().min(1).max(100_000))
  .meta({ description: 'the maximum number', example: '50' });

export const reindexCommand = defineCommand({
  words: 'knowledge reindex',
  summary: 'rebuild the vectors of every knowledge base, or of those of one organization, from its sources',
  options: z.object({ organization: organizationOption.optional() }),
  run: ({ organization }, operator) => {
    const place = organization === undefined ? {} : { orgId: organization };
    return operator.doing(
      { action: 'knowledge.reindex', request: { organization: organization ?? 'all' }, ...place },
      async () => {
        const bases = [];
        for await (const { OrgID } of organization === undefined ? operator.organizations() : [{ OrgID: organization }])
          bases.push(...(await reindexAll(operator, OrgID)));
        return { result: bases, kept: { bases: bases.length } };
      },
    );
  },
});

async function reindexAll(operator: Operator, orgId: number) {
  const principal = operator.principal(orgId);
  const bases = [];
  for (let pageNo = 1; ; pageNo += 1) {
    const { rows } = await operator.bus.ask(listKnowledgeBases, { pageNo, pageSize: 100, sortOrder: 'ASC' }, { principal });
    for (const { KBID, KnowledgeBaseName } of rows) {
      const { removedCount } = await operator.bus.ask(clearVectors, { KBID, reindex: true }, { principal });
      bases.push({ OrgID: orgId, KBID, KnowledgeBaseName, removedVectors: removedCount });
    }
    if (rows.length < 100) return bases;
  }
}

const events = {
  schema: z.string().optional().meta({ description: 'the schema of one service', example: 'gateway' }),
  id: z.guid().optional().meta({ description: 'one event' }),
};

export const deadEventsCommand = defineCommand({
  words: 'events dead',
  summary: 'list events that could not be sent, with the reason',
  options: z.object({ ...events, count: count.default(50) }),
  run: ({ count: most, ...choice }, operator) => operator.deadEvents.list(choice, most),
});

export const retryEventsCommand = defineCommand({
  words: 'events retry',
  summary: 'send them again under their old ids; consumers that already had one ignore it',
  options: z.object({ ...events, count: count.default(10_000) }),
  run: ({ count: most, ...choice }, operator) =>
    operator.doing({ action: 'events.retry', request: { ...choice, count: most } }, async () => {
      const result = await operator.deadEvents.retry(choice, most);
      return { result, kept: { schemas: result } };
    }),
});

export const sealSecretsCommand = defineCommand({
  words: 'secrets rotate',
  summary: 'seal every stored secret with the current PARLEY_SECRET_KEY, so that old keys can be removed',
  options: z.object({}),
  run: (_, operator) =>
    operator.doing({ action: 'secrets.rotate', request: {} }, async () => {
      const principal = operator.principal();
      const result = [
        { secrets: 'key of the audit log', ...(await operator.bus.ask(sealGatewaySecrets, {}, { principal })) },
        { secrets: 'provider keys of organizations', ...(await operator.bus.ask(sealProviderKeys, {}, { principal })) },
        { secrets: 'carrier accounts', ...(await operator.bus.ask(sealCarrierAccounts, {}, { principal })) },
      ];
      return { result, kept: { sealed: result } };
    }),
});

export const listActionsCommand = defineCommand({
  words: 'actions list',
  summary: 'what operators did, newest first',
  options: z.object({ count: count.default(50) }),
  run: ({ count: most }, operator) =>
    operator.bus.ask(listOperatorActions, { count: Math.min(most, 200) }, { principal: operator.principal() }),
});
