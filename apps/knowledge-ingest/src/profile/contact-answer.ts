import type { SpeechLanguage } from '@parley/contracts';
import { hasPronoun, topicsOf } from '../language/topics';
import { foldSpelling, wordsOf } from '../language/spelling';
import type { BusinessInfo } from './business-profile.entity';

type Contact = Pick<BusinessInfo, 'business_name' | 'office_address' | 'support_phone' | 'support_email'>;

interface Phrases {
  readonly at: (address: string) => string;
  readonly reached: (ways: string) => string;
  readonly or: string;
}

const sentences: Record<SpeechLanguage, Phrases> = {
  english: { at: (address) => `Our address is ${address}.`, reached: (ways) => `You reach us at ${ways}.`, or: ' or ' },
  hindi: { at: (address) => `हमारा पता है: ${address}।`, reached: (ways) => `आप हमसे यहाँ संपर्क कर सकते हैं: ${ways}।`, or: ' या ' },
  marathi: { at: (address) => `आमचा पत्ता: ${address}.`, reached: (ways) => `आमच्याशी संपर्क: ${ways}.`, or: ' किंवा ' },
};
const ofContact = new Set('number no detail details id नंबर नम्बर क्रमांक'.split(' ').map(foldSpelling));

/** Words that mean nothing else in a question for the business itself. */
const sameAs = new Map(
  Object.entries({
    contact: 'email mail e human someone representative manager executive agent support care ईमेल मेल',
    address: 'pata patta',
  }).flatMap(([meant, words]) => words.split(' ').map((word) => [foldSpelling(word), meant] as const)),
);

/** Where the business is, or how to reach it, where a question asks for nothing else; undefined for other questions. */
export function answerContact(question: string, contact: Contact, language: SpeechLanguage): string | undefined {
  if (hasPronoun(question)) return undefined;
  const named = wordsOf(contact.business_name);
  const said = wordsOf(question).filter((word) => !ofContact.has(word) && !named.includes(word));
  const asked = topicsOf(said.map((word) => sameAs.get(word) ?? word).join(' '));
  if (asked.words.length > 0) return undefined;
  const { at, reached, or } = sentences[language];
  const ways = [contact.support_phone, contact.support_email].filter(Boolean);
  if (asked.concepts === 'PLACE' && contact.office_address) return at(contact.office_address);
  return asked.concepts === 'CONTACT' && ways.length > 0 ? reached(ways.join(or)) : undefined;
}
