/** The texts of an invitation in one language. */
interface InvitationWords {
  readonly lang: 'en' | 'hi' | 'mr';
  readonly greeting: string;
  invited(inviter: string, organization: string): string;
  readonly web: string;
  readonly mobile: string;
  readonly open: string;
  readonly token: string;
  /** What accepting grants, and how to accept without the link. */
  readonly then: string;
  byHand(token: string): string;
  until(day: string): string;
  readonly unexpected: string;
}

const acceptPath = '/api/v1/external/team-management/invite/accept';

const english: InvitationWords = {
  lang: 'en',
  greeting: 'Hello,',
  invited: (inviter, organization) => `${inviter} invites you to join ${organization} on Parley.`,
  web: 'You will work in the web dashboard.',
  mobile: 'You will call customers with the mobile app.',
  open: 'Accept the invitation',
  token: 'Your invitation code:',
  then: 'When you accept, you get your API key. It is shown once: keep it safe.',
  byHand: (token) =>
    `Without the link: send POST ${acceptPath} with {"token":"${token}"} to your Parley server. No key is needed; the answer holds yours.`,
  until: (day) => `The invitation is valid until ${day} and works once.`,
  unexpected: 'If you did not expect this, do nothing.',
};

const hindi: InvitationWords = {
  lang: 'hi',
  greeting: 'नमस्ते,',
  invited: (inviter, organization) => `${inviter} ने आपको Parley पर ${organization} से जुड़ने का निमंत्रण भेजा है।`,
  web: 'आप वेब डैशबोर्ड में काम करेंगे।',
  mobile: 'आप मोबाइल ऐप से ग्राहकों को कॉल करेंगे।',
  open: 'निमंत्रण स्वीकार करें',
  token: 'आपका निमंत्रण कोड:',
  then: 'स्वीकार करने पर आपको आपकी API कुंजी मिलेगी। वह एक ही बार दिखाई जाती है: उसे सुरक्षित रखें।',
  byHand: (token) =>
    `लिंक के बिना: अपने Parley सर्वर पर POST ${acceptPath} के साथ {"token":"${token}"} भेजें। कुंजी की ज़रूरत नहीं; आपकी कुंजी उत्तर में मिलेगी।`,
  until: (day) => `यह निमंत्रण ${day} तक मान्य है और एक ही बार काम करता है।`,
  unexpected: 'यदि आपको इसकी अपेक्षा नहीं थी, तो कुछ न करें।',
};

const marathi: InvitationWords = {
  lang: 'mr',
  greeting: 'नमस्कार,',
  invited: (inviter, organization) => `${inviter} यांनी तुम्हाला Parley वर ${organization} मध्ये सामील होण्याचे आमंत्रण दिले आहे.`,
  web: 'तुम्ही वेब डॅशबोर्डमध्ये काम कराल.',
  mobile: 'तुम्ही मोबाइल ॲपमधून ग्राहकांना कॉल कराल.',
  open: 'आमंत्रण स्वीकारा',
  token: 'तुमचा आमंत्रण कोड:',
  then: 'स्वीकारल्यावर तुम्हाला तुमची API की मिळेल. ती एकदाच दाखवली जाते: जपून ठेवा.',
  byHand: (token) =>
    `लिंकशिवाय: तुमच्या Parley सर्व्हरवर POST ${acceptPath} ला {"token":"${token}"} पाठवा. की लागत नाही; तुमची की उत्तरात मिळेल.`,
  until: (day) => `हे आमंत्रण ${day} पर्यंत वैध आहे आणि एकदाच वापरता येते.`,
  unexpected: 'तुम्हाला याची अपेक्षा नसेल, तर काहीही करू नका.',
};

/** The variable parts of an invitation. */
interface InvitationMail {
  readonly inviter: string;
  readonly organization: { readonly name: string; readonly defaultRegion: string; readonly timezone: string };
  readonly userType: 'Web' | 'Mobile App';
  readonly token: string;
  readonly inviteUrl: string | undefined;
  readonly expiresAt: Date;
}

/** Writes an invitation as plain text and as HTML, with user input escaped in both. */
export function writeInvitation(mail: InvitationMail): { subject: string; text: string; html: string } {
  const letters = invitationLanguages(mail.organization.defaultRegion).map((words) => paragraphs(words, mail));
  return {
    subject: `${oneLine(mail.organization.name)}: invitation to Parley`,
    text: letters.map(({ lines }) => lines.map(asText).join('\n\n')).join('\n\n— — —\n\n'),
    html: `<!doctype html><html><body>${letters.map(asHtml).join('<hr>')}</body></html>`,
  };
}

type MailLine = string | { readonly label: string; readonly url: string };

function paragraphs(words: InvitationWords, mail: InvitationMail): { lang: string; lines: MailLine[] } {
  const day = new Intl.DateTimeFormat(words.lang, { dateStyle: 'long', timeZone: mail.organization.timezone }).format(
    mail.expiresAt,
  );
  const link = linkTo(mail);
  const lines: MailLine[] = [
    words.greeting,
    words.invited(oneLine(mail.inviter), oneLine(mail.organization.name)),
    mail.userType === 'Web' ? words.web : words.mobile,
    ...(link ? [{ label: words.open, url: link }] : []),
    `${words.token} ${mail.token}`,
    words.then,
    words.byHand(mail.token),
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

function asText(line: MailLine): string {
  return typeof line === 'string' ? line : `${line.label}: ${line.url}`;
}

function asHtml({ lang, lines }: { lang: string; lines: MailLine[] }): string {
  const body = lines.map((line) =>
    typeof line === 'string' ? `<p>${escaped(line)}</p>` : `<p><a href="${escaped(line.url)}">${escaped(line.label)}</a></p>`,
  );
  return `<div lang="${lang}">${body.join('')}</div>`;
}

/** Prevents header injection: a line break in a name would start another header. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ');
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** The languages for invitations in a country: readers in India get all three. */
function invitationLanguages(region: string): readonly InvitationWords[] {
  return region === 'IN' ? [english, hindi, marathi] : [english];
}
