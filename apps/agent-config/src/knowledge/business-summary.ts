import type { BusinessProfile } from '@parley/contracts';
import type { z } from 'zod';

type BusinessInfo = z.output<typeof BusinessProfile>['businessInfo'];

const descriptionMax = 1500;

/** A business profile in the words of a prompt, one fact a line, nothing said about what is empty. */
export function businessSummary(info: BusinessInfo): string {
  const facts: [string, string][] = [
    ['Name', info.business_name],
    ['Kind', info.business_type],
    ['Industry', info.industry],
    ['About', info.company_description.slice(0, descriptionMax)],
    ['Website', info.website_url],
    ['E-mail', info.support_email],
    ['Telephone', info.support_phone],
    ['Address', info.office_address],
    ['Opening hours', hoursOf(info)],
  ];
  return facts.flatMap(([name, fact]) => (fact.trim() ? [`${name}: ${oneLine(fact)}`] : [])).join('\n');
}

function hoursOf({ working_hours: days, timezone }: BusinessInfo): string {
  if (days.length === 0) return '';
  const words = days.map(
    ({ day, is_open: isOpen, open_time: from, close_time: to }) => `${day} ${isOpen ? `${from} to ${to}` : 'closed'}`,
  );
  return `${words.join(', ')} (${timezone})`;
}

/** A profile is typed by people; its line breaks must not look like headings of the prompt. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
