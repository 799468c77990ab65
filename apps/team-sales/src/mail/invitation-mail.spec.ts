import { writeInvitation } from './invitation-mail';

const mail = {
  inviter: 'owner@example.com',
  organization: { name: 'Demo <b>Bazaar</b>\r\nBcc: everyone@example.com', defaultRegion: 'IN', timezone: 'Asia/Kolkata' },
  userType: 'Web' as const,
  token: 'inv_token',
  inviteUrl: undefined,
  expiresAt: new Date('2026-03-09T20:00:00Z'),
};

describe('an invitation mail', () => {
  it('escapes what people typed, and lets no name start a header', () => {
    const { subject, html } = writeInvitation(mail);
    expect(subject).not.toMatch(/[\r\n]/);
    expect(html).toContain('Demo &lt;b&gt;Bazaar&lt;/b&gt;');
    expect(html).not.toContain('<b>');
  });

  it('names the last day in the organization’s time zone', () => {
    expect(writeInvitation(mail).text).toContain('March 10, 2026');
  });

  it('is in English only outside India', () => {
    const { text } = writeInvitation({ ...mail, organization: { ...mail.organization, defaultRegion: 'DE' } });
    expect(text).not.toMatch(/\p{Script=Devanagari}/u);
  });

  it('says what to do and what one gets, with and without the link', () => {
    const { text, html } = writeInvitation({ ...mail, inviteUrl: 'https://voice.example.com/accept-invite' });
    expect(text).toContain('Accept the invitation: https://voice.example.com/accept-invite?token=inv_token');
    expect(html).toContain('href="https://voice.example.com/accept-invite?token=inv_token"');
    for (const words of ['you get your API key', 'POST /api/v1/external/team-management/invite/accept', '{"token":"inv_token"}'])
      expect(text).toContain(words);
  });

  it('has no link if no address is configured', () => {
    expect(writeInvitation(mail).html).not.toContain('href');
  });
});
