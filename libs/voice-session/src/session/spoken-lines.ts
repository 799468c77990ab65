import type { SpokenLanguage } from '@parley/ports';

/** What an agent says when a call does not go as it should. */
export interface SpokenLines {
  readonly apology: string;
  readonly notUnderstood: string;
  readonly creditsExhausted: string;
  readonly timeIsUp: string;
  readonly notTransferred: string;
}

/** What is said where nobody worded it better. */
export const spokenLines: Record<SpokenLanguage, SpokenLines> = {
  english: {
    apology: 'I am sorry, something went wrong. Could you say that again?',
    notUnderstood: 'I am sorry, I could not hear you. Could you say that again?',
    creditsExhausted: 'I am sorry, I have to end our call here. Goodbye.',
    timeIsUp: 'Our time is up, so I have to end the call here. Thank you, and goodbye.',
    notTransferred: 'I am sorry, nobody could take the call. How else can I help you?',
  },
  hindi: {
    apology: 'माफ़ कीजिए, कुछ गड़बड़ हो गई। क्या आप फिर से कहेंगे?',
    notUnderstood: 'माफ़ कीजिए, मैं सुन नहीं पाई। क्या आप फिर से कहेंगे?',
    creditsExhausted: 'माफ़ कीजिए, मुझे अब कॉल यहीं समाप्त करनी होगी। नमस्ते।',
    timeIsUp: 'हमारा समय पूरा हो गया है, इसलिए मुझे कॉल यहीं समाप्त करनी होगी। धन्यवाद, नमस्ते।',
    notTransferred: 'माफ़ कीजिए, अभी कोई फ़ोन नहीं उठा सका। मैं और कैसे मदद कर सकती हूँ?',
  },
  marathi: {
    apology: 'माफ करा, काहीतरी चूक झाली. कृपया पुन्हा सांगाल का?',
    notUnderstood: 'माफ करा, मला ऐकू आले नाही. कृपया पुन्हा सांगाल का?',
    creditsExhausted: 'माफ करा, मला आता कॉल इथेच संपवावा लागेल. नमस्कार.',
    timeIsUp: 'आपली वेळ संपली आहे, त्यामुळे मला कॉल इथेच संपवावा लागेल. धन्यवाद, नमस्कार.',
    notTransferred: 'माफ करा, आत्ता कोणी फोन घेऊ शकले नाही. मी आणखी कशी मदत करू?',
  },
};
