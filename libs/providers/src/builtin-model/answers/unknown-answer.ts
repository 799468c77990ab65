import type { BusinessSchedule } from '@parley/contracts';
import { groupedHours } from '@parley/language';
import type { Contact } from '../facts/fact';
import { type Language, listed, phrases } from './phrases';

/** Says that the answer is not known, and how to reach somebody who knows it, as far as the profile tells. */
export function unknownAnswer(contact: Contact, schedule: BusinessSchedule | null | undefined, language: Language): string {
  const words = phrases[language];
  const ways = [contact.Telephone, contact['E-mail']].filter((way) => way !== '');
  if (ways.length === 0) return `${words.unknown} ${words.nothingElse}`;
  const hours = schedule?.working_hours.some(({ is_open }) => is_open)
    ? groupedHours(
        schedule.working_hours.map(({ day, is_open, open_time, close_time }) => ({
          day,
          isOpen: is_open,
          opens: open_time,
          closes: close_time,
        })),
        language,
      )
    : '';
  return [words.unknown, words.callBack(listed(ways, words.or)), hours && words.openHours(hours.replace(/[.।]$/u, ''))]
    .filter(Boolean)
    .join(' ');
}
