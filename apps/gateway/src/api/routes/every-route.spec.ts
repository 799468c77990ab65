import {
  examplesOf,
  faultCatalogue,
  getConversationLog,
  getUnansweredQuestions,
  listConversationLogs,
  listUnanswered,
} from '@parley/contracts';
import { everyRoute } from './route-table';
import { handWritten } from '../hand-written';
import { GatewayOnBroker } from '../../testing/gateway-on-broker';
import { neededPermissions } from '../../door/access/permits';
import type { SaveNeed } from '../../endpoint/endpoint';
import { changesSomething } from '../../endpoint/gateway-call';
import { faultsOf } from '../openapi/operation-object';

const endpoints = [...everyRoute, ...handWritten];
const titled = endpoints.map((endpoint) => ({ ...endpoint, title: `${endpoint.method} ${endpoint.path}` }));

describe('the public endpoints', () => {
  it('have each method and path once', () => {
    const titles = titled.map(({ title }) => title.replaceAll(/:\w+/g, ':'));
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });

  it('answer 405 to the methods that only a variable path beside them has, and claim none of those', async () => {
    const gateway = await GatewayOnBroker.open();
    try {
      const paths = [...new Set(endpoints.map(({ path }) => path).filter((path) => !path.includes(':')))];
      expect(paths.length).toBeGreaterThan(100);
      for (const path of paths) {
        const own = endpoints.filter((each) => each.path === path).map(({ method }) => (method === 'WS' ? 'GET' : method));
        const options = await fetch(gateway.url + path, { method: 'OPTIONS' });
        const allowed = options.headers.get('allow')?.split(', ') ?? [];
        expect([path, allowed.filter((method) => !['HEAD', 'OPTIONS'].includes(method))]).toEqual([path, own.toSorted()]);
        const others = ['DELETE', 'PUT', 'PATCH'].filter((method) => !own.some((each) => each === method));
        for (const method of others) {
          const { status, headers } = await fetch(gateway.url + path, { method });
          expect([path, method, status, headers.get('allow')]).toEqual([path, method, 405, options.headers.get('allow')]);
        }
      }
    } finally {
      await gateway.close();
    }
  });

  it('have unique operation ids', () => {
    const ids = endpoints.map(({ operationId }) => operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it.each(titled)('have every path parameter as a field: $title', ({ path, contract }) => {
    const [example] = 'request' in contract ? examplesOf(contract.request) : [{}];
    for (const [, parameter] of path.matchAll(/:(\w+)/g)) expect(example).toHaveProperty(parameter ?? '');
  });

  it.each(titled)('have a one-line summary: $title', ({ summary, tag }) => {
    expect(summary).toMatch(/^[A-Z][^.]+$/);
    expect(tag).toMatch(/^[A-Z]/);
  });

  it.each(titled)('require a permission or at least membership of workspace keys: $title', ({ keys, needs }) => {
    const takesMembers = keys !== 'public' && keys.some((kind) => kind === 'wsk');
    expect(takesMembers).toBe(needs !== 'key-kind' && needs !== 'nothing');
  });

  it.each(titled)('list their errors: $title', (endpoint) => {
    const codes = faultsOf(endpoint);
    expect(codes).toEqual(expect.arrayContaining(['VALIDATION_FAILED', 'API_KEY_MISSING', 'SCOPE_MISSING', 'RATE_LIMITED']));
    expect(codes.filter((code) => !(code in faultCatalogue))).toEqual([]);
    expect(codes.includes('CREDITS_EXHAUSTED')).toBe(Boolean(endpoint.charges) || endpoint.tag === 'Tokens');
  });

  it('repeat at a second replica only what reads, and all of that', () => {
    const named = (routes: typeof everyRoute) => routes.map(({ operationId }) => operationId);
    // Its list contains invitation tokens, so it needs the permission to invite.
    const changing = everyRoute.filter((route) => changesSomething(route) && route.operationId !== 'listMailOutbox');
    const looking = everyRoute.filter((route) => !changesSomething(route));
    expect(named(changing.filter(({ contract }) => contract.onlyReads))).toEqual([]);
    // These three write: tokens, seals of the audit chain, and the vectors of questions.
    const writing = ['createSessionToken', 'createWidgetToken', 'verifyAudit', 'getUnansweredQuestions', 'getFaqHits'];
    expect(named(looking.filter(({ contract }) => !contract.onlyReads))).toEqual(writing);
  });

  it.each(everyRoute.filter(({ method }) => method !== 'POST'))('take no body: $method $path', ({ input }) => {
    expect(input).toBe('query');
  });

  it('wrap rows as a list, and nothing else', () => {
    const lists = everyRoute.filter(({ contract }) =>
      examplesOf(contract.reply).some((example) => (example as { rows?: unknown }).rows),
    );
    expect(everyRoute.filter(({ envelope }) => envelope === 'list')).toEqual(lists);
    expect(lists.length).toBeGreaterThan(15);
  });
});

it('what callers said is shown to those who may view the logs', () => {
  const ofWords: readonly unknown[] = [getConversationLog, getUnansweredQuestions, listConversationLogs, listUnanswered];
  const needs = endpoints.flatMap((route) => (ofWords.includes(route.contract) ? [route.needs] : []));
  expect(needs.length).toBeGreaterThanOrEqual(ofWords.length);
  expect(new Set(needs)).toEqual(new Set(['logs.CanView']));
});

describe('the permission of a save', () => {
  const saves = endpoints.flatMap((route) =>
    typeof route.needs === 'object' && route.needs.by !== 'rows' ? [{ ...route, needs: route.needs }] : [],
  );

  it.each(saves)('is that of creating for the first example of $path', ({ needs, keys, contract }) => {
    const [example] = 'request' in contract ? examplesOf(contract.request) : [];
    expect(neededPermissions({ keys, needs }, example)).toEqual([needs.create]);
  });

  const agent: SaveNeed = { create: 'agents.CanAdd', update: 'agents.CanUpdate', by: ['AgentKeyID'] };
  const faqs: SaveNeed = { create: 'knowledge.CanAdd', update: 'knowledge.CanUpdate', by: ['faqs[].KBFAQID'] };

  it.each([
    ['a body without the key', agent, {}, ['agents.CanAdd']],
    ['a key that is null', agent, { AgentKeyID: null }, ['agents.CanAdd']],
    ['a key', agent, { AgentKeyID: 'x' }, ['agents.CanUpdate']],
    ['new elements', faqs, { faqs: [{ KBFAQID: 0 }] }, ['knowledge.CanAdd']],
    ['known elements', faqs, { faqs: [{ KBFAQID: 4 }] }, ['knowledge.CanUpdate']],
    ['both', faqs, { faqs: [{ KBFAQID: 0 }, { KBFAQID: 4 }] }, ['knowledge.CanAdd', 'knowledge.CanUpdate']],
    ['no elements', faqs, { faqs: [] }, ['knowledge.CanAdd']],
    ['something that is no object', faqs, 'hello', ['knowledge.CanAdd']],
  ])('follows from %s', (_what, needs, body, expected) => {
    expect(neededPermissions({ keys: ['wsk'], needs }, body)).toEqual(expected);
  });

  it('is not needed if membership or the kind of key is enough', () => {
    expect(neededPermissions({ keys: ['wsk'], needs: 'membership' }, {})).toEqual([]);
    expect(neededPermissions({ keys: ['ext'], needs: 'key-kind' }, {})).toEqual([]);
    expect(neededPermissions({ keys: ['wsk'], needs: 'logs.CanView' }, {})).toEqual(['logs.CanView']);
  });
});
