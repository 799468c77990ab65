import type { SpeechLanguage } from '@parley/contracts';

/** What an agent says first when neither its builder nor a template decided. */
export const defaultGreetings: Readonly<Record<SpeechLanguage, string>> = {
  english: 'Hello, this is {{agentName}}. How can I help you?',
  hindi: 'नमस्ते, मेरा नाम {{agentName}} है। मैं आपकी क्या मदद करूँ?',
  marathi: 'नमस्कार, माझे नाव {{agentName}} आहे. मी तुम्हाला काय मदत करू?',
};
