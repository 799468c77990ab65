import type { saveBusinessProfile, saveCatalog } from '@parley/contracts';
import type { z } from 'zod';

type AskedLanguage = 'english' | 'hindi' | 'marathi' | 'hinglish';

/**
 * What a question tests. `plain` uses the words of the knowledge, `paraphrase` others; `follow-up` depends on the previous
 * question; `comparison` compares items and `computing` calculates with prices and quantities; `hours` and `price` ask for the
 * business's own hours and for one item; `exception` falls on a holiday or a date; `trap` looks like hours or a price but is
 * about something else; `negation` is negated; `opposite` asks the opposite of a stored question; `unanswerable` has no answer in
 * the knowledge.
 */
type AskedKind =
  | 'plain'
  | 'paraphrase'
  | 'follow-up'
  | 'comparison'
  | 'computing'
  | 'hours'
  | 'price'
  | 'exception'
  | 'negation'
  | 'opposite'
  | 'trap'
  | 'unanswerable';

/** A question with its criteria for acceptance, which were written before any answer was seen. */
export interface Asked {
  readonly language: AskedLanguage;
  readonly kind: AskedKind;
  /** The caller's earlier questions in the same conversation, oldest first. */
  readonly before?: readonly string[];
  readonly question: string;
  /** Each must be in what the model receives; `a|b` accepts either. */
  readonly reach: readonly string[];
  /** Each must be in an acceptable answer; `a|b` accepts either. */
  readonly says: readonly string[];
  /** None may be in an acceptable answer. */
  readonly never?: readonly string[];
  /** An acceptable answer does not begin with any of these words. */
  readonly notLed?: readonly string[];
}

type Profile = z.input<typeof saveBusinessProfile.request>['businessInfo'];
type Catalog = z.input<typeof saveCatalog.request>;

/** An invented business: what its builder saved, and what its customers ask. */
export interface Business {
  readonly name: string;
  /** Words, thresholds and rules may only be chosen by looking at the tuning part. */
  readonly part: 'tuning' | 'held-out';
  /** Asked only about prices, quantities and sums; every second question is held out, whatever the part. */
  readonly isOfPrices?: boolean;
  readonly profile: Profile & { readonly holidays?: readonly Holiday[] };
  readonly products: NonNullable<Catalog['products']>;
  readonly services: NonNullable<Catalog['services']>;
  readonly faqs: readonly { readonly Question: string; readonly Answer: string }[];
  readonly documents: readonly { readonly fileName: string; readonly text: string }[];
  readonly asked: readonly Asked[];
}

interface Holiday {
  readonly date: string;
  readonly opens: string;
  readonly closes: string;
  readonly note: string;
}

const dayMs = 86_400_000;

/** The date a number of days from now, in India: `2026-12-04`. */
export function inDays(days: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' }).format(Date.now() + days * dayMs);
}

/** The date a number of days from now, as people say it: `4 December`. */
export function dateIn(days: number): string {
  const fields = { day: 'numeric', month: 'long', timeZone: 'Asia/Kolkata' } as const;
  return new Intl.DateTimeFormat('en-GB', fields).format(Date.now() + days * dayMs);
}

/** The same hours on these days, and closed on the others. */
export function week(days: readonly string[], open_time: string, close_time: string): NonNullable<Profile['working_hours']> {
  const all = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
  return all.map((day) => ({
    day,
    is_open: days.includes(day),
    open_time: days.includes(day) ? open_time : '',
    close_time: days.includes(day) ? close_time : '',
  }));
}

/** What an honest answer says if it does not know, in any of the languages. */
export const honest =
  'do not know|don’t know|not know|no information|not have that|cannot say|not sure|जानकारी नहीं|पता नहीं|नहीं जानत|माहिती नाही|माहीत नाही|maloom nahi|pata nahi|jaankari nahi|mahiti nahi';

/** A product of the catalogue, priced in rupees. */
export function product(
  product_name: string,
  category: string,
  price: number,
  availability = true,
): Business['products'][number] {
  return { product_id: null, product_name, category, price, currency: 'INR', availability };
}

/** A service of the catalogue, in minutes and rupees. */
export function service(service_name: string, service_duration: number, service_price: number): Business['services'][number] {
  return { service_id: null, service_name, service_duration, service_price, currency: 'INR', booking_required: true };
}

type Rest = Omit<Asked, 'language' | 'kind' | 'question' | 'reach' | 'says'>;

/** A question in one language; without `says`, an acceptable answer contains what must be in `reach`. */
export function asker(language: AskedLanguage) {
  return (
    kind: AskedKind,
    question: string,
    reach: readonly string[],
    says: readonly string[] = reach,
    rest: Rest = {},
  ): Asked => ({
    language,
    kind,
    question,
    reach,
    says: kind === 'unanswerable' ? [honest] : says,
    ...rest,
  });
}
