/**
 * Phrases that only machines say, in English, Hindi and Marathi, the latter two also in Latin letters. A person may ask for a
 * message too ("मुझे मैसेज छोड़ दीजिए"), but does not mention a tone or say "your message".
 */
const machinePhrases: readonly RegExp[] = [
  /\bleave (?:me |us )?(?:a|your) (?:message|name)\b|\brecord your message\b|\bafter the (?:tone|beep)\b/iu,
  /\bvoice ?mail\b|\bmail ?box\b|\b(?:can(?:no|')t|unable to) (?:come|get) to the phone\b/iu,
  /\b(?:person|number|subscriber) you (?:have )?(?:called|dialled|dialed|are calling)\b/iu,
  /संदेश (?:छोड़|रिकॉर्ड|दर्ज)|(?<!मुझे )(?:अपना|आपका) म[ेै]से?ज (?:छोड़|रिकॉर्ड|दर्ज)|वॉ[इय]स ?मेल|स्विच ऑफ/u,
  /(?<!\p{L}|\p{M})(?:बीप|टोन|ध्वनि|सिग्नल) (?:बजने )?के (?:तुरंत )?बाद|आवाज़? के बाद (?:\S+ ){0,3}(?:संदेश|म[ेै]से?ज)/u,
  /(?:डायल|कॉल) किया (?:गया|हुआ) नंबर|(?:संपर्क|कवरेज) क्षेत्र से बाहर|व्यक्ति (?:को|से) आप (?:कॉल|संपर्क|बात) कर/u,
  /(?:निरोप|संदेश|म[ेॅ]से?ज) (?:ठेवा|सोडा|नोंदवा|रेकॉर्ड करा)|व्हॉ[इय]स ?मेल|डायल केलेला|(?:संपर्क|कव्हरेज) क्षेत्राच्या बाहेर/u,
  /(?<!\p{L}|\p{M})(?:बीप|टोन|ध्वनी|ध्वनि|सिग्नल)(?:च्या)? ?नंतर|आवाजा(?:च्या)? ?नंतर (?:\S+ ){0,3}(?:निरोप|संदेश|म[ेॅ]से?ज)/u,
  /\b(?:beep|tone|dh[vw]ani|signal) (?:bajne )?ke (?:turant )?ba+d\b|\b(?:beep|tone|dh[vw]ani|signal)(?: ?chya)? ?nantar\b/iu,
  /\bsandesh (?:ch+h?[ou]+r?d|record|darj)|(?<!\bmujhe )\b(?:apna|aapka) (?:message|msg) (?:ch+h?[ou]+r?d|record|darj)/iu,
  /\b(?:nirop|sandesh|message) (?:theva|thewa|soda|nondva|nondwa|record kara)\b|\b(?:dial|call) (?:kiya (?:gaya|hua)|kelela) (?:number|nambar|kramank)\b/iu,
  /\b(?:sa[mn]park|coverage) kshetra? se ba+ha?r\b|\b(?:sa[mn]park|coverage) kshetra+chya ba+her\b/iu,
];
/** A person who picks up does not say this many words before the other side speaks. */
const greetingWordsMin = 22;

/** Whether a machine answered, judged by its words: a typical phrase in any of the languages, or a very long greeting. */
export function soundsLikeVoicemail({ text }: { readonly text: string }): boolean {
  const words = text.trim().split(/\s+/u);
  if (words.length >= greetingWordsMin) return true;
  // Nukta and nasals have two spellings: ड़ as one code point or two, सन्देश or संदेश.
  const spelt = text
    .normalize('NFC')
    .replaceAll('न्द', 'ंद')
    .replaceAll('म्प', 'ंप')
    .replace(/[\s,।.]+/gu, ' ');
  return machinePhrases.some((phrase) => phrase.test(spelt));
}
