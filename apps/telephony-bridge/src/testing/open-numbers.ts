import type { CallingHours } from '@parley/contracts';
import type { z } from 'zod';

/** At any time, calls are legal in one of these countries. */
const places = [
  { beginning: '+5731000', digits: 5, timeZone: 'America/Bogota', lastHour: 18 },
  { beginning: '+9198200', digits: 5, timeZone: 'Asia/Kolkata', lastHour: 19 },
  { beginning: '+67992', digits: 5, timeZone: 'Pacific/Fiji', lastHour: 18 },
];
/** From this hour until `lastHour`, calls are legal and will be for a while. */
const firstHour = 9;

/** Numbers of people who may be called for at least the next hour. */
export function openNumbers(count: number): string[] {
  const hourIn = (timeZone: string) =>
    Number(new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' }).format());
  const place = places.find(({ timeZone, lastHour }) => hourIn(timeZone) >= firstHour && hourIn(timeZone) <= lastHour);
  if (!place) throw new Error('nobody may be called anywhere');
  return Array.from({ length: count }, (_, index) => place.beginning + String(index).padStart(place.digits, '0'));
}

/** Hours that restrict nothing, so that only the law does. */
export const anyHour: z.input<typeof CallingHours> = {
  days: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  from: '00:00',
  to: '23:59',
};
