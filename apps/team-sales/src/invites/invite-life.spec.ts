import {
  acceptInvite,
  Fault,
  listInvites,
  listMailOutbox,
  type Principal,
  removeMember,
  revokeInvite,
  saveInvite,
} from '@parley/contracts';
import fc from 'fast-check';
import { Client } from 'pg';
import { Installation, type TestOrganization } from '../installation.suite';
import { InviteModel, type Step } from './invite-model.suite';

const runs = 40;
const stepsMax = 40;
const addresses = 4;
const asWeb = { userType: 'Web', agentAccessScope: 'ALL' } as const;

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom('invite', 'accept', 'acceptOld', 'expire', 'revoke', 'remove', 'update'),
  who: fc.nat(addresses - 1),
  roleTypeID: fc.integer({ min: 1, max: 4 }),
});

describe('invitations', () => {
  let installation: Installation;
  let admin: Client;
  beforeAll(async () => {
    installation = await Installation.start();
    admin = new Client({ connectionString: installation.database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await installation.stop();
  });

  it('follow the model, in any order of events', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: stepsMax }), async (steps) => {
        const model = new InviteModel();
        const team = new Team(installation, admin, await installation.organization());
        for (const each of steps)
          expect({ ...each, answer: await team.step(each) }).toEqual({ ...each, answer: model.step(each) });
        expect(await team.list()).toEqual(expect.arrayContaining(model.list()));
        expect(await team.list()).toHaveLength(model.list().length);
      }),
      { numRuns: runs },
    );
  });
});

/** The real team behind the same steps. Somebody can always act, since the last Owner cannot leave. */
class Team {
  constructor(
    private readonly installation: Installation,
    private readonly admin: Client,
    private readonly organization: TestOrganization,
  ) {}

  async step({ what, who, roleTypeID }: Step): Promise<string> {
    const { bus } = this.installation;
    const principal = await this.anOwner();
    const email = this.address(who);
    const entry = (await this.entries(principal)).find((each) => each.email === email);
    switch (what) {
      case 'invite': {
        const asked = bus.ask(saveInvite, { action: 'ADD', emails: [email], roleTypeID, ...asWeb }, { principal });
        return (await asked).results[0]?.outcome ?? 'none';
      }
      case 'accept':
        return this.accept(principal, email, (tokens) => tokens.at(0));
      case 'acceptOld':
        // Tokens of earlier invitations were revoked, and stay known.
        return this.accept(principal, email, (tokens) => (entry ? tokens.at(1) : undefined));
      case 'expire':
        await this.admin.query(
          `UPDATE team.memberships SET expires_at = now() WHERE org_id = $1 AND email = $2 AND status = 'PENDING'`,
          [this.organization.OrgID, email],
        );
        return 'nothing to do';
      case 'revoke':
        if (!entry) return 'nothing to do';
        return outcomeOf(bus.ask(revokeInvite, { teamInviteKeyID: entry.TeamInviteKeyID }, { principal }), 'REVOKED');
      case 'remove':
        if (entry?.status !== 'ACCEPTED') return 'nothing to do';
        return outcomeOf(bus.ask(removeMember, { memberAdminID: entry.memberAdminID ?? '' }, { principal }), 'REMOVED');
      case 'update':
        return outcomeOf(
          bus.ask(saveInvite, { action: 'UPDATE', emails: [email], roleTypeID, ...asWeb }, { principal }),
          'UPDATED',
        );
    }
  }

  async list() {
    const entries = await this.entries(await this.anOwner());
    return entries.map(({ email, status, roleTypeID }) => ({ who: this.numberOf(email), status, roleTypeID }));
  }

  private async accept(principal: Principal, email: string, choose: (tokens: string[]) => string | undefined): Promise<string> {
    const { rows } = await this.installation.bus.ask(listMailOutbox, { searchName: email, pageSize: 200 }, { principal });
    const newest = await this.tokensOfNewest(email);
    const tokens = rows.flatMap(({ text }) => /inv_[\w-]+/.exec(text)?.[0] ?? []).slice(0, newest);
    const token = choose(tokens);
    if (!token) return 'nothing to do';
    return outcomeOf(this.installation.bus.ask(acceptInvite, { token }, { principal }), 'ACCEPTED');
  }

  /** How many mails belong to an address's newest invitation: those no older than it. */
  private async tokensOfNewest(email: string): Promise<number> {
    const { rows } = await this.admin.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM team.mails WHERE org_id = $1 AND recipient = $2 AND created_on >=
         (SELECT max(created_on) FROM team.memberships WHERE org_id = $1 AND email = $2)`,
      [this.organization.OrgID, email],
    );
    return rows[0]?.count ?? 0;
  }

  private async entries(principal: Principal) {
    const { rows } = await this.installation.bus.ask(listInvites, { pageSize: 200 }, { principal });
    return rows;
  }

  private async anOwner(): Promise<Principal> {
    const { rows } = await this.admin.query<{ id: string }>(
      `SELECT member_key_id AS id FROM team.memberships
       WHERE org_id = $1 AND status = 'ACCEPTED' AND role_type_id = 1 ORDER BY id LIMIT 1`,
      [this.organization.OrgID],
    );
    return this.installation.principalOf(this.organization.OrgID, rows[0]?.id ?? '');
  }

  private address(who: number): string {
    return who === 0 ? this.organization.ownerEmail : `${who}@example.com`;
  }

  private numberOf(email: string): number {
    return email === this.organization.ownerEmail ? 0 : Number(email.split('@')[0]);
  }
}

async function outcomeOf(asked: Promise<unknown>, outcome: string): Promise<string> {
  try {
    await asked;
    return outcome;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}
