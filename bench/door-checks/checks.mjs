// CPU time of the checks that the gateway makes on every request, in one process and without HTTP. node
// bench/door-checks/checks.mjs [rounds]
import { requireTypeScript } from '../../libs/testing/jest/typescript-modules.mjs';

const rounds = Number(process.argv[2] ?? 200_000);
const load = (file) => requireTypeScript(`apps/gateway/src/${file}.ts`);
const { newKeyText, StoredKeys } = load('door/access/stored-keys');
const { Quotas } = load('door/limits/quotas');
const { QuotaStorage } = load('door/limits/quotas');
const { RateLimits } = load('door/limits/rate-limits');
const { ThrottlerGuard } = await import('@nestjs/throttler');
const { Reflector } = await import('@nestjs/core');

const row = { id: 1, keyId: 'k', orgId: 7, memberId: null, agentId: 12, expiresAt: null, allowedIps: [] };
const principal = { kind: 'agt', keyId: 'k', orgId: 7, agentId: 12 };
const reader = { read: async () => ({ row, principal }) };
const keys = new StoredKeys(reader, { note: () => undefined }, { lookUp: (_address, work) => work(), note: () => undefined });
const texts = Array.from({ length: 1_000 }, () => newKeyText('agt'));
const request = { ip: '127.0.0.1' };
for (const text of texts) await keys.principalOf(text, request);

const limits = new RateLimits(new Quotas(), { plans: new Map(), assignments: new Map() });
const handler = () => undefined;
const reply = { header: () => reply };
const context = {
  getHandler: () => handler,
  getClass: () => Quotas,
  switchToHttp: () => ({ getRequest: () => request, getResponse: () => reply }),
};
const throttlers = ['key', 'organization'].map((name) => ({ name, ttl: 60_000, limit: 1_000_000_000 }));
const packaged = new ThrottlerGuard(throttlers, new QuotaStorage(new Quotas()), new Reflector());
await packaged.onModuleInit();

const measured = {
  'key check, cached, 1,000 keys': (n) => keys.principalOf(texts[n % 1_000], request),
  'two limits, 1,000 keys': (n) => limits.take({ ...principal, keyId: texts[n % 1_000] }, 'chat'),
  "the package's own guard, two limits, the same store": () => packaged.canActivate(context),
};
const table = [];
for (const [what, check] of Object.entries(measured)) {
  for (let n = 0; n < 20_000; n += 1) await check(n);
  const before = process.cpuUsage();
  for (let n = 0; n < rounds; n += 1) {
    const answer = check(n);
    if (answer instanceof Promise) await answer;
  }
  const { user, system } = process.cpuUsage(before);
  table.push({ what, 'CPU-µs each': Number(((user + system) / rounds).toFixed(2)) });
}
console.table(table);
