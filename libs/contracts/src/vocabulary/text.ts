import { z } from 'zod';

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const codeUnitsPerGraphemeMax = 16;

function isStorable(text: string): boolean {
  return !text.includes('\0');
}

/** Free text, possibly empty. Postgres stores no NUL, so none gets in. */
export function text(max: number) {
  return z.string().max(max).refine(isStorable, 'must not contain the NUL character');
}

/** Text that says something: trimmed and not empty. */
export function filledText(max: number, min = 1) {
  return z.string().trim().min(min).max(max).refine(isStorable, 'must not contain the NUL character');
}

/** A name as its reader counts it: `max` visible characters, however many code points each takes. */
export function visibleText(max: number) {
  return z
    .string()
    .trim()
    .min(1)
    .max(max * codeUnitsPerGraphemeMax, { abort: true })
    .refine(isStorable, 'must not contain the NUL character')
    .refine((name) => [...graphemes.segment(name)].length <= max, `must have at most ${max} characters`)
    .meta({ maxLength: max });
}

/** What a search box sends; empty means no filter. */
export const SearchText = text(200).default('');

/** What forms send for "none": an empty text, or else the real thing. */
export function blankOr<S extends z.ZodType>(schema: S, name: string) {
  return z.union([z.literal(''), schema], { error: `must be empty or ${name}` });
}

/** A telephone number with its country prefix, as the platform keeps it. */
export const E164 = z.e164();

/** A telephone number as people write it; the service turns it into E.164. */
export const PhoneNumberInput = filledText(32, 3);

/** A telephone number with its country prefix, in groups as people write it. */
export const InternationalNumber = filledText(32).refine(
  (number) => /^\+[1-9][\d\s().-]+$/.test(number) && isCallableLength(number.replaceAll(/\D/g, '').length),
  'must be a telephone number with its country prefix, such as +91 20 2550 1234',
);

function isCallableLength(digits: number): boolean {
  return digits >= 7 && digits <= 15;
}

export const Email = z.email().max(254);

/** The address of a client, of IPv4 or IPv6. */
export const IpAddress = z.union([z.ipv4(), z.ipv6()]);

/** A web address that the platform may call or show. */
export const WebAddress = z.url({ protocol: /^https?$/ }).max(2048);

/** An IANA time zone that this runtime knows. */
export const TimeZoneName = z.string().max(64).refine(isTimeZone, 'must be an IANA time zone such as Asia/Kolkata');

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name.includes('/') || name === 'UTC';
  } catch {
    return false;
  }
}

/** The languages of the speech endpoints, spelled as in the specification. */
export const SpeechLanguage = z.enum(['english', 'hindi', 'marathi']);
export type SpeechLanguage = z.output<typeof SpeechLanguage>;
