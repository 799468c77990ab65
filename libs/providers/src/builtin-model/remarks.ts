export type Remark = 'greeting' | 'thanks' | 'farewell' | 'identity' | 'ability' | 'wellbeing' | 'assent' | 'insult';

const phrases = (...lines: string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(', ')));

/** They stand beside a remark and say nothing. */
const fillers = phrases(
  'there, ji, sir, madam, maam, please, so, very, much, a, lot, again, ok, okay, oh, well, then, now, dear, everyone, team',
  'bahut, khup, बहुत, जी, सर, मैडम, अच्छा, ठीक, ओके, खूप, मनापासून, आपका, आपकी, तुमचे, तुमची, बरं, मग',
);

/** What is said in each remark, without fillers. */
const remarks: readonly (readonly [Remark, ReadonlySet<string>])[] = [
  [
    'greeting',
    phrases(
      'hi, hello, hey, hiya, greetings, good morning, good afternoon, good evening, good day, namaste, namaskar',
      'नमस्ते, नमस्कार, हैलो, हेलो, हॅलो, हाय, राम राम, सुप्रभात, शुभ प्रभात',
    ),
  ],
  [
    'thanks',
    phrases('thanks, thank you, thx, thank, many thanks, dhanyavad, dhanyawad, shukriya, धन्यवाद, शुक्रिया, आभारी आहे, आभार'),
  ],
  [
    'farewell',
    phrases(
      'bye, goodbye, good bye, bye bye, good night, see you, see you later, thats all, that is all, nothing else, alvida',
      'अलविदा, बाय, बस इतना ही, येतो, येते, निरोप, चला येतो',
    ),
  ],
  [
    'identity',
    phrases(
      'who are you, who is this, who is speaking, who am i talking to, who am i speaking to, who am i speaking with, what are you',
      'what is your name, whats your name, your name, are you human, are you real, aap kaun ho, aap kaun hain, aap kaun hai, tum kaun ho',
      'aapka naam kya hai, tumhi kon ahat, kya aap robot ho, kya aap robot hain, आप कौन हैं, तुम कौन हो, आपका नाम क्या है',
      'क्या आप रोबोट हैं, क्या आप इंसान हैं, तुम्ही कोण आहात, तुमचे नाव काय आहे, तुमचं नाव काय, तुम्ही रोबोट आहात का',
    ),
  ],
  [
    'ability',
    phrases(
      'what can you do, what can you tell me, what can you help with, what can you help me with, how can you help, how can you help me',
      'what do you do, what do you know, can you help, can you help me, help, help me, i need help, i need some help, what can i ask',
      'what can i ask you, aap kya kar sakte ho, aap kya kar sakte hain, mujhe madad chahiye, आप क्या कर सकते हैं, आप क्या कर सकती हैं',
      'मदद, मुझे मदद चाहिए, क्या आप मेरी मदद करेंगे, क्या आप मेरी मदद कर सकते हैं, तुम्ही काय करू शकता, मदत, मला मदत हवी, मला मदत हवी आहे',
    ),
  ],
  [
    'wellbeing',
    phrases(
      'how are you, how are you doing, how are you today, how are you doing today, how is it going, hows it going, how do you do',
      'kaise ho, kaise hain, aap kaise ho, aap kaise hain, kase ahat, कैसे हैं, कैसे हो, आप कैसे हैं, आप कैसी हैं',
      'कसे आहात, तुम्ही कसे आहात, तुम्ही कशा आहात',
    ),
  ],
  [
    'assent',
    phrases(
      'alright, all right, fine, great, good, nice, cool, perfect, i see, got it, understood, no, no thanks, no thank you',
      'thik hai, theek hai, ठीक, ठीक है, ठीक आहे, समझ गया, समझ गई, समजले, नहीं, नाही',
    ),
  ],
];
const machine = /^(are you|am i (talking|speaking) (to|with)) (an? )?(real )?(bot|robot|human|person|ai|machine|computer)$/u;
const insults = phrases(
  'stupid, idiot, useless, dumb, fool, worthless, rubbish, bewakoof, bakwas, bekaar',
  'बेवकूफ, मूर्ख, बेकार, निकम्मे, निकम्मी, गधे, मूर्खा, बावळट',
);
const askingWords = phrases(
  'what, when, where, how, who, which, can, could, do, does, is, are, kya, kab, kahan, kitna, kitne, kaise',
  'क्या, कब, कहाँ, कहां, कैसे, कितना, कितने, काय, कधी, कुठे, कसे, किती',
);
const shortWordsMax = 7;

/** What a remark is when it asks for no knowledge: a greeting, thanks, a farewell, a question who speaks. */
export function remarkOf(text: string, agentName: string): Remark | undefined {
  const words = wordsOf(text);
  if (words.length === 0) return /\p{Extended_Pictographic}/u.test(text) ? 'assent' : undefined;
  const name = new Set(wordsOf(agentName));
  const bare = words.filter((word) => !fillers.has(word) && !name.has(word)).join(' ');
  if (bare === '') return 'assent';
  const said = words.join(' ');
  if (machine.test(said)) return 'identity';
  const remark = remarks.find(([, known]) => known.has(said) || known.has(bare))?.[0];
  return remark ?? (text.includes('?') || words.length > shortWordsMax ? undefined : exclamationOf(words));
}

/** A remark with more words around it: thanks and what for, a reason and goodbye. */
function exclamationOf(words: readonly string[]): Remark | undefined {
  if (isRemark('farewell', words.slice(-1))) return 'farewell';
  const isThanks = isRemark('thanks', words.slice(0, 1)) || isRemark('thanks', words.slice(0, 2));
  if (isThanks && !words.some((word) => askingWords.has(word))) return 'thanks';
  return words.some((word) => insults.has(word)) ? 'insult' : undefined;
}

function isRemark(remark: Remark, words: readonly string[]): boolean {
  return remarks.some(([name, known]) => name === remark && known.has(words.join(' ')));
}

function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replace(/['’]/gu, '')
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}
