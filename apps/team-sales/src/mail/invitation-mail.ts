import { invitationLanguages, type InvitationWords } from './invitation-texts';

/** Everything that an invitation mentions. */
export interface InvitationMail {
  readonly inviter: string;
  readonly organization: { readonly name: string; readonly defaultRegion: string; readonly timezone: string };
  readonly userType: 'Web' | 'Mobile App';
  readonly token: string;
  readonly inviteUrl: string | undefined;
  readonly expiresAt: Date;
}

/** Writes an invitation as plain text and as HTML. Whatever people typed arrives as text in both. */
export function writeInvitation(mail: InvitationMail): { subject: string; text: string; html: string } {
  const letters = invitationLanguages(mail.organization.defaultRegion).map((words) => paragraphs(words, mail));
  return {
    subject: `${oneLine(mail.organization.name)}: invitation to Parley`,
    text: letters.map(({ lines }) => lines.map(asText).join('\n\n')).join('\n\n— — —\n\n'),
    html: `<!doctype html><html><body>${letters.map(asHtml).join('<hr>')}</body></html>`,
  };
}

type Line = string | { readonly label: string; readonly url: string };

function paragraphs(words: InvitationWords, mail: InvitationMail): { lang: string; lines: Line[] } {
  const day = new Intl.DateTimeFormat(words.lang, { dateStyle: 'long', timeZone: mail.organization.timezone }).format(
    mail.expiresAt,
  );
  const link = linkTo(mail);
  const lines: Line[] = [
    words.greeting,
    words.invited(oneLine(mail.inviter), oneLine(mail.organization.name)),
    mail.userType === 'Web' ? words.web : words.mobile,
    ...(link ? [{ label: words.open, url: link }] : []),
    `${words.token} ${mail.token}`,
    words.until(day),
    words.unexpected,
  ];
  return { lang: words.lang, lines };
}

function linkTo({ inviteUrl, token }: InvitationMail): string | undefined {
  if (!inviteUrl) return undefined;
  const link = new URL(inviteUrl);
  link.searchParams.set('token', token);
  return link.href;
}

function asText(line: Line): string {
  return typeof line === 'string' ? line : `${line.label}: ${line.url}`;
}

function asHtml({ lang, lines }: { lang: string; lines: Line[] }): string {
  const body = lines.map((line) =>
    typeof line === 'string' ? `<p>${escaped(line)}</p>` : `<p><a href="${escaped(line.url)}">${escaped(line.label)}</a></p>`,
  );
  return `<div lang="${lang}">${body.join('')}</div>`;
}

/** A line break in a name would start a header of its own choosing. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ');
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
