import { readFileSync } from 'node:fs';
import path from 'node:path';
import { contractByName, examplesOf, Fault, type RequestContract, serviceNames, topUpCredits } from '@parley/contracts';
import { newCallKey, type ServiceBus } from '@parley/messaging';
import { DeadEvents, Operator } from './command';
import { commands, runAdmin } from './run-admin';

type Ask = (contract: RequestContract, body: unknown) => Promise<unknown>;

/** Services that answer with the example of each contract. */
const answering: Ask = async (contract, body) => {
  contract.request.parse(body);
  return contract.reply.parse(examplesOf(contract.reply)[0]);
};
const failing =
  (fault: Fault): Ask =>
  () =>
    Promise.reject(fault);

const nowhere = 'postgres://parley_admin:word@127.0.0.1:9/parley';

/** Runs a command line against these services; resolves with its exit code and what it printed. */
async function typed(line: readonly string[], ask: Ask) {
  const out = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const bus = { ask } as unknown as ServiceBus;
  const code = await runAdmin(line, ({ command, texts, operator }) =>
    command.run(texts, new Operator(bus, new DeadEvents(nowhere), operator)),
  );
  const printed = { code, answer: out.mock.calls.join(''), complaint: err.mock.calls.join('') };
  out.mockRestore();
  err.mockRestore();
  return printed;
}

const organization = ['--organization', '1'];
/** A command line of each command that is right. */
const right: Readonly<Record<string, readonly string[]>> = {
  'organization create': ['--name', 'Corner Shop', '--owner-email', 'owner@example.com', '--owner-name', 'Asha', '--ttt', '0'],
  'organization list': [],
  'organization delete': [...organization, '--confirm', 'Corner Shop'],
  'key create': [...organization, '--name', 'Nightly export'],
  'credits grant': [...organization, '--ttt', '5', '--reference', 'INV-2026-031'],
  'prices set': ['--tts', 'none'],
  'plan save': ['--name', 'scale', '--limits', 'none'],
  'plan assign': organization,
  'terms show': [],
  'knowledge reindex': [],
  'events dead': [],
  'events retry': [],
  'secrets rotate': [],
  'actions list': [],
};

const root = path.join(__dirname, '../../..');
/** What is typed after the program's name, by line, in the documents for operators. */
const documented = ['operations.md', 'deployment.md', 'runbooks.md'].flatMap((name) => {
  const lines = readFileSync(path.join(root, 'docs', name), 'utf8').matchAll(
    /(?:run --rm admin|admin\/src\/main\.js) ((?!--help)[-a-z].*)/g,
  );
  return Array.from(
    lines,
    ([, line = '']) => [line, [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')] as const,
  );
});

it.each(documented)('takes what the documents type: %s', async (_, words) => {
  expect(await typed(words, answering)).toMatchObject({ code: 0, complaint: '' });
});

it('takes the options of every command before it as well', async () => {
  for (const ahead of [['--json'], ['--operator', 'asha'], ['--operator=asha', '--json']]) {
    expect(await typed([...ahead, 'organization', 'list'], answering)).toMatchObject({ code: 0, complaint: '' });
  }
  expect(await typed(['--json'], answering)).toMatchObject({ code: 0 });
});

it('asks every service that keeps something of organizations for its part of a deletion', async () => {
  const asked = new Set<string>();
  const line = ['organization', 'delete', ...(right['organization delete'] ?? [])];
  await typed(line, (contract, body) => {
    asked.add(contract.subject);
    return answering(contract, body);
  });
  const removals = [...contractByName.values()].flatMap(({ subject }) =>
    subject.endsWith('.organization.removal') ? [subject] : [],
  );
  expect([...asked].filter((subject) => subject.endsWith('.removal')).toSorted()).toEqual(removals.toSorted());
  // The only one without a schema.
  expect(removals).toHaveLength(serviceNames.filter((name) => name !== 'speech').length);
});

const all = commands.map(({ words }) => ({ words, line: [...words.split(' '), ...(right[words] ?? [])] }));

describe('the exit code of the operator’s command', () => {
  it('is tried for every command', () => {
    expect(Object.keys(right)).toEqual(commands.map(({ words }) => words));
  });

  it.each(all)('is 0 where $words is done', async ({ line }) => {
    jest.spyOn(DeadEvents.prototype, 'list').mockResolvedValue([]);
    jest.spyOn(DeadEvents.prototype, 'retry').mockResolvedValue([{ schema: 'gateway', putBack: 1 }]);
    const { code, answer, complaint } = await typed(line, answering);
    jest.restoreAllMocks();
    expect({ code, complaint }).toEqual({ code: 0, complaint: '' });
    expect(answer).not.toBe('');
  });

  it.each(all)('is 1 where $words cannot be done because Postgres is away, which it says', async ({ line }) => {
    const { code, answer, complaint } = await typed(line, failing(new Fault('SERVICE_UNAVAILABLE', { dependency: 'postgres' })));
    expect({ code, answer }).toEqual({ code: 1, answer: '' });
    expect(complaint).toMatch(
      /^parley admin: (SERVICE_UNAVAILABLE: Postgres does not answer|Postgres at 127\.0\.0\.1:9\/parley)/,
    );
  });

  it.each(all)('is 64 where $words is typed with an unknown option', async ({ line }) => {
    const { code, complaint } = await typed([...line, '--nosuch', '1'], answering);
    expect({ code, complaint }).toEqual({ code: 64, complaint: expect.stringMatching(/^parley admin: .*--nosuch/) });
  });

  it.each([
    ['credits', 'grant', ...organization],
    ['credits', 'grant', ...organization, '--ttt', '0'],
    ['credits', 'grant', '--ttt', '5'],
    ['prices', 'set', ...organization],
    ['plan', 'save', '--name', 'scale', '--limits', 'nothing'],
    ['plan', 'save', '--name', 'scale'],
    ['key', 'create', ...organization, '--name', 'x', '--kind', 'agt'],
    ['key', 'create', ...organization, '--name', 'x', '--agent', '3f0c1b6a-1d2e-4f30-8a41-5b6c7d8e9f01'],
    ['key', 'create', ...organization, '--name', 'x', '--kind', 'ext', '--member', '3f0c1b6a-1d2e-4f30-8a41-5b6c7d8e9f01'],
    ['events', 'dead', '--count', '0'],
    ['nosuch', 'command'],
  ])('is 64 where a wrong command line asks for nothing: %s %s %s %s %s %s %s %s', async (...line) => {
    const asked = jest.fn(answering);
    const { code, complaint } = await typed(line, asked);
    expect({ code, asked: asked.mock.calls }).toEqual({ code: 64, asked: [] });
    expect(complaint.trim().split('\n')).toHaveLength(1);
  });

  const creation = (...changed: string[]) => ['organization', 'create', ...(right['organization create'] ?? []), ...changed];
  const planOf = (limit: number) => JSON.stringify({ key: { chat: { limit, windowSeconds: 60 } } });
  it.each([
    [['prices', 'set', '--tts', '1500000'], '--tts: must be a whole number of at most 1000000, or none'],
    [['prices', 'set', '--tts', 'cheap'], '--tts: must be a whole number of at most 1000000, or none'],
    [['credits', 'grant', ...organization, '--ttt', '1000000001'], '--ttt: must be a whole number of at most 1000000000'],
    [creation('--timezone', 'Mars/Olympus'), /^--timezone: must be an? .*time zone/],
    [creation('--region', 'india'), '--region: must be an ISO 3166 country code such as IN'],
    [
      ['plan', 'save', '--name', 'scale', '--limits', planOf(0)],
      '--limits: key.chat.limit must be an integer from 1 to 10000000',
    ],
    [['plan', 'save', '--name', 'scale', '--limits', 'many'], '--limits: must be JSON, or none'],
    [['plan', 'save', '--name', ' ', '--limits', 'none'], /^--name: must be/],
  ])('is 64 where a value is refused, in one voice, and nothing is asked: %j', async (line, said) => {
    const asked = jest.fn(answering);
    const { code, complaint } = await typed(line, asked);
    expect({ code, asked: asked.mock.calls }).toEqual({ code: 64, asked: [] });
    const [, words = ''] = /^parley admin: (.*)\n$/.exec(complaint) ?? [];
    if (typeof said === 'string') expect(words).toBe(said);
    else expect(words).toMatch(said);
  });

  it('is 1 where a service refuses a value after all, which it says once', async () => {
    const details = [{ field: 'timezone', message: 'The time zone is not known here.' }];
    const refused = await typed(['terms', 'show'], failing(new Fault('VALIDATION_FAILED', { details })));
    expect(refused).toMatchObject({
      code: 1,
      complaint: 'parley admin: VALIDATION_FAILED: timezone The time zone is not known here.\n',
    });
  });

  it('is 1 where an organization, a member or an agent does not exist, which it names', async () => {
    const id = '3f0c1b6a-1d2e-4f30-8a41-5b6c7d8e9f01';
    const unknown: Ask = (contract, body) =>
      contract.subject === 'gateway.key.create' ? Promise.reject(new Fault('NOT_FOUND')) : answering(contract, body);
    const key = ['key', 'create', ...organization, '--name', 'x'];
    const lines = [
      await typed(['credits', 'grant', '--organization', '77', '--ttt', '5'], answering),
      await typed([...key, '--member', id], unknown),
      await typed([...key, '--kind', 'agt', '--agent', id], unknown),
    ];
    expect(lines.map(({ code, complaint }) => [code, complaint])).toEqual([
      [1, 'parley admin: NOT_FOUND: There is no organization 77: see organization list.\n'],
      [1, `parley admin: NOT_FOUND: There is no member ${id} in organization 1.\n`],
      [1, `parley admin: NOT_FOUND: There is no agent ${id} in organization 1.\n`],
    ]);
  });

  it('is 1 where a service is away, which it names', async () => {
    const { code, complaint } = await typed(
      ['organization', 'list'],
      failing(new Fault('SERVICE_UNAVAILABLE', { dependency: 'team-sales' })),
    );
    expect({ code, complaint }).toEqual({ code: 1, complaint: expect.stringContaining('team-sales does not answer') });
  });

  it('is 1 where NATS cannot be reached, with the reason and what to check; 78 where its variables are missing', async () => {
    const told = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const env = { NATS_URL: 'nats://127.0.0.1:9', PARLEY_CALLERS: newCallKey('admin').publicKey };
    const present = jest.replaceProperty(process, 'env', { NATS_URL: '', PARLEY_CALLERS: '', SECRETS_DIR: '' });
    expect(await runAdmin(['organization', 'list'])).toBe(78);
    present.replaceValue(env);
    jest.useFakeTimers();
    const waiting = runAdmin(['organization', 'list']);
    await jest.advanceTimersByTimeAsync(15_000);
    jest.useRealTimers();
    expect(await waiting).toBe(1);
    present.restore();
    const complaints = told.mock.calls.map(([line]) => line);
    told.mockRestore();
    expect(complaints).toEqual([
      expect.stringMatching(/^parley admin: .*NATS_URL is missing/),
      expect.stringMatching(
        /^parley admin: NATS at 127\.0\.0\.1:9 cannot be reached: .*refused.*: see whether it runs, and check NATS_URL\n$/i,
      ),
    ]);
  });

  it('and every command are in docs/operations.md', () => {
    const page = readFileSync(path.resolve(__dirname, '../../../docs/operations.md'), 'utf8');
    for (const { words } of commands) expect(page).toMatch(new RegExp(`^\\|.*\`${words}\\b`, 'm'));
    const table = page.split('| Exit code | Meaning |')[1]?.split('\n\n')[0] ?? '';
    const codes = [...table.matchAll(/^\| (\d+) \| /gm)].map(([, code]) => code);
    expect(codes).toEqual(['0', '1', '64', '78']);
  });
});

it('organization create, repeated with other credits, adds none and says how to', async () => {
  const again: Ask = (contract, body) =>
    contract.subject === topUpCredits.subject
      ? Promise.reject(new Fault('CONFLICT', { message: 'This reference was used for another top-up.' }))
      : answering(contract, body);
  const line = ['organization', 'create', ...(right['organization create'] ?? []).slice(0, -1), '5000'];
  const { code, answer } = await typed(line, again);
  expect(code).toBe(0);
  expect(answer).toMatch(/credits +none were added, .*credits grant/);
});

it('organization create shows first the number that other commands take', async () => {
  const { answer } = await typed(['organization', 'create', ...(right['organization create'] ?? [])], answering);
  expect(answer).toMatch(/^OrgID\s+\d+\n/);
});
