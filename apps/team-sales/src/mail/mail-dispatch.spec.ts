import { randomUUID } from 'node:crypto';
import { listMailOutbox, saveInvite } from '@parley/contracts';
import { MailServer } from '@parley/testing';
import { Installation, type TestOrganization } from '../installation.suite';

const asMember = { action: 'ADD', roleTypeID: 3, userType: 'Mobile App', agentAccessScope: 'ALL' } as const;

describe('invitation mails', () => {
  let server: MailServer;
  let installation: Installation;
  let organization: TestOrganization;
  const address = (name = 'seller') => `${name}-${randomUUID()}@example.com`;
  const invite = (emails: string[]) =>
    installation.bus.ask(saveInvite, { ...asMember, emails }, { principal: organization.owner });
  const outbox = async (searchName: string) => {
    const { rows } = await installation.bus.ask(listMailOutbox, { searchName }, { principal: organization.owner });
    return rows;
  };
  const settled = async (searchName: string) => {
    for (;;) {
      const rows = await outbox(searchName);
      if (rows.every(({ status }) => status === 'SENT' || status === 'FAILED')) return rows;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  beforeAll(async () => {
    server = new MailServer();
    const environment = {
      SMTP_URL: await server.listen(),
      MAIL_FROM: 'Team <team@example.com>',
      INVITE_URL: 'https://voice.example.com/join?a=b',
    };
    installation = await Installation.start(environment);
    await installation.startReplica(environment);
    organization = await installation.organization();
  });
  afterAll(async () => {
    await installation.stop();
    await server.close();
  });

  it('reach the mail server once each, with two replicas', async () => {
    const emails = Array.from({ length: 30 }, () => address());
    await invite(emails);
    await server.has(30);
    for (const email of emails) await settled(email);
    const recipients = server.taken.map((message) => /^To: (.*)$/m.exec(message)?.[1]);
    expect(recipients.sort()).toEqual([...emails].sort());
  });

  it('hide their token here, since it proves the address', async () => {
    const email = address();
    await invite([email]);
    for (const rows of [await outbox(email), await settled(email)]) {
      expect(rows).toHaveLength(1);
      expect(rows[0]?.text).not.toMatch(/inv_\w/);
    }
  });

  it('say in three languages who invites, with a link and the token', async () => {
    const email = address();
    await invite([email]);
    await settled(email);
    const message = server.taken.find((each) => each.includes(email)) ?? '';
    expect(message).toContain('multipart/alternative');
    const parts = message.split('Content-Transfer-Encoding: ').slice(1).map(decoded);
    expect(parts[0]).toMatch(/https:\/\/voice\.example\.com\/join\?a=b&token=inv_[\w-]{43}/);
    expect(parts[0]).toContain('निमंत्रण स्वीकार करें');
    expect(parts[0]).toContain('आमंत्रण स्वीकारा');
    expect(parts[1]).toContain('<div lang="mr">');
  });

  it('lose their token here once the server has them', async () => {
    const email = address();
    await invite([email]);
    const [mail] = await settled(email);
    expect(mail).toMatchObject({ status: 'SENT', attempts: 1, lastError: null });
    expect(mail?.text).not.toMatch(/inv_\w/);
  });

  it('are given up with the reason when the server refuses the address', async () => {
    const email = address('nobody');
    await invite([email]);
    const [mail] = await settled(email);
    expect(mail).toMatchObject({ status: 'FAILED', attempts: 1, lastError: expect.stringContaining('no such mailbox') });
  });
});

function decoded(part: string): string {
  const body = part.slice(part.indexOf('\r\n\r\n') + 4).split('\r\n--')[0] ?? '';
  if (part.startsWith('base64')) return Buffer.from(body, 'base64').toString();
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
