import { createHash } from 'node:crypto';
import { Controller } from '@nestjs/common';
import {
  type BodyOf,
  examplesOf,
  Fault,
  listAudit,
  listLegalHours,
  readFaqs,
  readInvitation,
  saveFaqs,
  saveInvite,
  saveLegalHours,
} from '@parley/contracts';
import { Handles } from '@parley/messaging';
import { recordOf } from '@parley/testing';
import { publicRoutes } from '../../api/routes/route-table';
import { changesSomething } from '../../endpoint/gateway-call';
import { GatewayOnBroker } from '../../testing/gateway-on-broker';
import type { TestOrganization } from '../../testing/harness';

/** What has no state before: it creates, tests or does something, or replaces more than a line could hold. */
const withoutState = [
  'addDoNotCall',
  'clearVectors',
  'createKey',
  'duplicateAgent',
  'endCall',
  // What was said would stay in the log for ever.
  'eraseConversation',
  'importBusiness',
  'importSpreadsheet',
  // Reads only, and is recorded because it shows the tokens of invitations.
  'listMailOutbox',
  'logSalesCall',
  'mapContacts',
  'placeCall',
  'sendDtmf',
  'setCreditPrice',
  'testCampaign',
  'testCampaignWebhook',
  'testCarrierAccount',
  'testProviderKey',
  'transferCall',
  'unmapContacts',
  'uploadContacts',
];

const changes = [...publicRoutes.rows, ...publicRoutes.handWritten].filter(
  (each) => each.keys !== 'public' && changesSomething(each),
);

describe('the state before', () => {
  it('is read for every change of something that is stored', () => {
    const unread = changes.filter((each) => !('before' in each && each.before)).map(({ operationId }) => operationId);
    expect(unread.toSorted()).toEqual(withoutState);
  });

  it.each(changes.flatMap((each) => ('before' in each && each.before ? [[each.operationId, each, each.before] as const] : [])))(
    'of %s is read by a message that the change itself answers to',
    (_name, { contract }, before) => {
      expect(before.onlyReads).toBe(true);
      const inputs = 'request' in contract ? examplesOf(contract.request) : [];
      expect(inputs.some((input) => before.request.safeParse(input).success)).toBe(true);
    },
  );
});

const invitation = recordOf(examplesOf(readInvitation.reply)[0]);
const stored = readFaqs.reply.parse(examplesOf(readFaqs.reply)[0]);

@Controller()
class Team {
  @Handles(readInvitation)
  read({ emails }: BodyOf<typeof readInvitation>) {
    if (emails[0] !== 'member@example.com') throw new Fault('NOT_FOUND');
    return readInvitation.reply.parse({ ...invitation, email: emails[0], roleTypeID: 3 });
  }

  @Handles(saveInvite)
  save({ emails }: BodyOf<typeof saveInvite>) {
    const ids = { TeamInviteKeyID: readInvitation.reply.parse(invitation).TeamInviteKeyID, TeamInviteID: 9 };
    return { results: emails.map((email) => ({ email, outcome: 'UPDATED' as const, message: 'Updated.', ...ids })) };
  }
}

@Controller()
class Knowledge {
  @Handles(readFaqs)
  read({ faqs }: BodyOf<typeof readFaqs>) {
    return { faqs: faqs.flatMap(({ KBFAQID }) => stored.faqs.filter((faq) => faq.KBFAQID === KBFAQID)) };
  }

  @Handles(saveFaqs)
  save({ KBID, faqs }: BodyOf<typeof saveFaqs>) {
    const keyOf = (id: number) =>
      createHash('md5')
        .update(`${id}`)
        .digest('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    const saved = faqs.map(({ KBFAQID }) => ({ KBFAQKeyID: keyOf(KBFAQID), KBFAQID, outcome: 'UPDATED' as const }));
    return { KBKeyID: keyOf(KBID), KBID, faqs: saved };
  }
}

@Controller()
class Bridge {
  private readonly hours = listLegalHours.reply.parse(examplesOf(listLegalHours.reply)[0]);

  @Handles(listLegalHours)
  list() {
    return [...this.hours.map((hours) => ({ ...hours, Country: 'DE' })), ...this.hours];
  }

  @Handles(saveLegalHours)
  save() {
    return saveLegalHours.reply.parse(examplesOf(saveLegalHours.reply)[0]);
  }
}

describe('a line of the audit log', () => {
  let by: GatewayOnBroker;
  let mine: TestOrganization;
  let key: string;

  beforeAll(async () => {
    by = await GatewayOnBroker.open();
    // Further replicas of services that the harness plays would be asked in turn.
    await by.play('knowledge-ingest', Knowledge);
    await by.play('telephony-bridge', Bridge);
    await by.harness.play('team-sales', Team);
  });
  beforeEach(async () => {
    mine = by.harness.organization();
    ({ key } = await by.harness.key(mine, 'wsk'));
  });
  afterAll(() => by.close());

  const send = async (path: string, body?: object, method = 'POST') => {
    const init = {
      method,
      ...(body && { body: JSON.stringify(body) }),
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    };
    const response = await fetch(`${by.url}/api/v1/external/${path}`, init);
    const { rows } = await by.harness.bus.ask(listAudit, {}, { principal: mine.owner });
    return { status: response.status, line: rows[0], body: recordOf(await response.json()) };
  };

  it('has the role and permissions that a member had', async () => {
    const body = { action: 'UPDATE', emails: ['member@example.com'], roleTypeID: 2 };
    expect(await send('team-management/add-update-Invitation', body)).toMatchObject({
      status: 200,
      line: {
        subject: `TeamInviteKeyID ${String(invitation.TeamInviteKeyID)}`,
        before: { email: 'member@example.com', roleTypeID: 3, permissions: invitation.permissions },
      },
    });
  });

  it('has nothing before an invitation', async () => {
    const body = { action: 'ADD', emails: ['new@example.com'], roleTypeID: 2, userType: 'Web', agentAccessScope: 'ALL' };
    expect((await send('team-management/add-update-Invitation', body)).line).toMatchObject({ before: null });
  });

  it('names the key that was replaced or revoked, and how it was', async () => {
    const { IntegrationKeyID } = await by.harness.key(mine, 'ext');
    const rotated = await send(`integrations/keys/${IntegrationKeyID}/rotate`, {});
    expect(rotated.line).toMatchObject({ before: { IntegrationKeyID, status: 'ACTIVE', name: 'A key for ext' } });
    const revoked = await send(`integrations/keys/${IntegrationKeyID.toUpperCase()}`, undefined, 'DELETE');
    expect(revoked).toMatchObject({ status: 200, line: { before: { IntegrationKeyID, status: 'ROTATED' } } });
  });

  it('has the balance before a top-up and the limits before new ones, of their kind only', async () => {
    const subject = 'kind STT_API';
    const top = await send('credits/top-up', { kind: 'STT_API', units: 5 });
    expect(top.line).toMatchObject({ subject, before: { kind: 'STT_API', balance: 360_000 } });
    await send('credits/alerts', { kind: 'STT_API', lowAt: [70] });
    const { line } = await send('credits/alerts', { kind: 'STT_API', lowAt: [50] });
    expect(line).toMatchObject({ subject, before: { kind: 'STT_API', balance: 360_005, lowAt: [70] } });
  });

  it('has the hours of the country only', async () => {
    const { line } = await send('campaign/set-legal-hours', { Country: 'IN', hours: null });
    expect(line).toMatchObject({ subject: 'Country IN', before: { Country: 'IN' } });
  });

  it('has the stored questions that were changed, and names the only one', async () => {
    const [faq] = stored.faqs;
    const one = { KBFAQID: faq?.KBFAQID, Answer: 'Tomorrow.' };
    const single = await send('kb-faq/add-update-faq', { KBID: 4, faqs: [one] });
    expect(single.line).toMatchObject({ before: { faqs: [{ Answer: faq?.Answer }] } });
    expect(single.line?.subject).toMatch(/^KBFAQKeyID /);
    const added = { KBFAQID: 0, Question: 'New?', Answer: 'Yes.' };
    const several = await send('kb-faq/add-update-faq', { KBID: 4, faqs: [added, one] });
    expect(several.line).toMatchObject({ before: { faqs: [{ KBFAQID: faq?.KBFAQID }] } });
    expect(several.line?.subject).toMatch(/^KBKeyID /);
  });
});
