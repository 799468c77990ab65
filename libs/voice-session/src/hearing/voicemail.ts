import type { SessionRules } from '../session/talk';

/** What machines say and people who pick up do not, in English, Hindi and Marathi. */
const phrases: readonly RegExp[] = [
  /\bleave (?:me |us )?(?:a|your) (?:message|name)\b|\brecord your message\b|\bafter the (?:tone|beep)\b/iu,
  /\bvoice ?mail\b|\bmail ?box\b|\b(?:can(?:no|')t|unable to) (?:come|get) to the phone\b/iu,
  /\b(?:person|number|subscriber) you (?:have )?(?:called|dialled|dialed|are calling)\b/iu,
  /संदेश (?:छोड़|रिकॉर्ड)|(?:बीप|टोन) के बाद|वॉइस ?मेल|(?:डायल|कॉल) किया गया नंबर|संपर्क क्षेत्र से बाहर|स्विच ऑफ/u,
  /(?:निरोप|संदेश) (?:ठेवा|सोडा|नोंदवा)|(?:बीप|टोन) ?नंतर|व्हॉइस ?मेल|डायल केलेला|संपर्क क्षेत्राच्या बाहेर/u,
];
/** Nobody who picks up says so much before the other side has said a word. */
const wordsMin = 22;

/** Whether a machine answered, by what it says: a phrase that gives it away in any of the languages, or a greeting of great length. */
export const soundsLikeVoicemail: NonNullable<SessionRules['isVoicemail']> = ({ text }) => {
  const words = text.trim().split(/\s+/u);
  return words.length >= wordsMin || phrases.some((phrase) => phrase.test(text));
};
