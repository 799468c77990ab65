/** What an invitation says in one language. */
export interface InvitationWords {
  readonly lang: 'en' | 'hi' | 'mr';
  readonly greeting: string;
  invited(inviter: string, organization: string): string;
  readonly web: string;
  readonly mobile: string;
  readonly open: string;
  readonly token: string;
  until(day: string): string;
  readonly unexpected: string;
}

const english: InvitationWords = {
  lang: 'en',
  greeting: 'Hello,',
  invited: (inviter, organization) => `${inviter} invites you to join ${organization} on Parley.`,
  web: 'You will work in the web dashboard.',
  mobile: 'You will call customers with the mobile app.',
  open: 'Accept the invitation',
  token: 'Your invitation code:',
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
  until: (day) => `यह निमंत्रण ${day} तक मान्य है और एक ही बार काम करता है।`,
  unexpected: 'यदि आपको इसकी अपेक्षा नहीं थी, तो कुछ न करें।',
};

const marathi: InvitationWords = {
  lang: 'mr',
  greeting: 'नमस्कार,',
  invited: (inviter, organization) =>
    `${inviter} यांनी तुम्हाला Parley वर ${organization} मध्ये सामील होण्याचे आमंत्रण दिले आहे.`,
  web: 'तुम्ही वेब डॅशबोर्डमध्ये काम कराल.',
  mobile: 'तुम्ही मोबाइल ॲपमधून ग्राहकांना कॉल कराल.',
  open: 'आमंत्रण स्वीकारा',
  token: 'तुमचा आमंत्रण कोड:',
  until: (day) => `हे आमंत्रण ${day} पर्यंत वैध आहे आणि एकदाच वापरता येते.`,
  unexpected: 'तुम्हाला याची अपेक्षा नसेल, तर काहीही करू नका.',
};

/** The languages that an organization of this country writes its invitations in: India's readers get all three. */
export function invitationLanguages(region: string): readonly InvitationWords[] {
  return region === 'IN' ? [english, hindi, marathi] : [english];
}
