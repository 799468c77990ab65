import { createKey, Fault, listKeys, revokeKey, rotateKey } from '@parley/contracts';
import { eventually } from '@parley/testing';
import fc from 'fast-check';
import { Client } from 'pg';
import { Harness, type TestOrganization } from '../../testing/harness';
import { KeyModel, type KeyStep } from './key-model.suite';

const runs = 40;
const stepsMax = 40;
const pageSize = 7;

const step: fc.Arbitrary<KeyStep> = fc.record({
  what: fc.constantFrom('create', 'create', 'rotate', 'rotateAtOnce', 'expire', 'revoke'),
  which: fc.nat(1000),
});

describe('the life of keys', () => {
  let harness: Harness;
  let url: string;
  let admin: Client;
  beforeAll(async () => {
    harness = await Harness.open();
    ({ url } = await harness.startGateway());
    admin = new Client({ connectionString: harness.database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await harness.close();
  });

  it('follows the model, in any order of events', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: stepsMax }), async (steps) => {
        const model = new KeyModel();
        const ring = new KeyRing({ harness, url, admin }, harness.organization());
        for (const each of steps)
          expect({ ...each, answer: await ring.step(each) }).toEqual({ ...each, answer: model.step(each) });
        const listed = await ring.pages();
        expect(listed).toEqual(model.keys);
        await ring.opensAs(model.keys.map(KeyModel.opens));
      }),
      { numRuns: runs },
    );
  });
});

/** The real keys behind the same steps. */
class KeyRing {
  private readonly made: { readonly id: string; readonly secret: string }[] = [];

  constructor(
    private readonly place: { readonly harness: Harness; readonly url: string; readonly admin: Client },
    private readonly organization: TestOrganization,
  ) {}

  async step({ what, which }: KeyStep): Promise<string> {
    const { bus } = this.place.harness;
    const IntegrationKeyID = this.made[which % Math.max(1, this.made.length)]?.id;
    if (what === 'create') return this.keep(bus.ask(createKey, { name: 'one of many', kind: 'wsk' }, this.asOwner));
    if (!IntegrationKeyID) return 'nothing to do';
    if (what === 'rotate') return this.keep(bus.ask(rotateKey, { IntegrationKeyID, graceSeconds: 3600 }, this.asOwner));
    if (what === 'rotateAtOnce') return this.keep(bus.ask(rotateKey, { IntegrationKeyID, graceSeconds: 0 }, this.asOwner));
    if (what === 'revoke') return (await bus.ask(revokeKey, { IntegrationKeyID }, this.asOwner)).status;
    const { rows } = await this.place.admin.query<{ revoked: boolean }>(
      'UPDATE gateway.integration_keys SET expires_at = now() WHERE key_id = $1 RETURNING revoked_on IS NOT NULL AS revoked',
      [IntegrationKeyID],
    );
    return rows[0]?.revoked ? 'REVOKED' : 'EXPIRED';
  }

  /** The status of every key, page by page, checking the total. */
  async pages(): Promise<string[]> {
    const statuses = new Map<string, string>();
    for (let pageNo = 1; ; pageNo += 1) {
      const query = { pageNo, pageSize, sortColumn: 'CreatedOn', sortOrder: 'ASC' } as const;
      const { rows, totalCount } = await this.place.harness.bus.ask(listKeys, query, this.asOwner);
      for (const { IntegrationKeyID, status } of rows) statuses.set(IntegrationKeyID, status);
      if (rows.length < pageSize) {
        expect(statuses.size).toBe(totalCount);
        return this.made.map(({ id }) => statuses.get(id) ?? 'not listed');
      }
    }
  }

  /** Waits until exactly these keys work; the event of an ended key may take a moment. */
  async opensAs(expected: readonly boolean[]): Promise<void> {
    await Promise.all(
      this.made.map(({ secret }, index) =>
        eventually(`key ${index} opens: ${expected[index]}`, async () => (await this.opens(secret)) === expected[index]),
      ),
    );
  }

  private async opens(secret: string): Promise<boolean> {
    const response = await fetch(`${this.place.url}/api/v1/external/integrations/keys`, { headers: { 'x-api-key': secret } });
    await response.arrayBuffer();
    return response.status === 200;
  }

  private get asOwner() {
    return { principal: this.organization.owner };
  }

  private async keep(asked: Promise<{ readonly IntegrationKeyID: string; readonly key: string }>): Promise<string> {
    try {
      const { IntegrationKeyID: id, key: secret } = await asked;
      this.made.push({ id, secret });
      return 'MADE';
    } catch (error) {
      if (error instanceof Fault) return error.code;
      throw error;
    }
  }
}
