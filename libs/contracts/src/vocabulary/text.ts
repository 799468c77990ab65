import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { z } from 'zod';

function isStorable(text: string): boolean {
  return !text.includes('\0');
}

/** Free text, possibly empty. Characters are Unicode code points everywhere, as JSON Schema counts them. NUL is refused, because Postgres cannot store it. */
export function text(max: number) {
  return z.string().max(max).refine(isStorable, 'must not contain the NUL character');
}

/** Trimmed, non-empty text. */
export function filledText(max: number, min = 1) {
  return z.string().trim().min(min).max(max).refine(isStorable, 'must not contain the NUL character');
}

/** Whether a text can be the value of a header: one line of characters that HTTP allows. */
export function fitsHeader(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** The text from a search box; empty means no filter. */
export const SearchText = text(200).default('');

/** Forms send empty text for "none"; otherwise the value must match the schema. */
export function blankOr<S extends z.ZodType>(schema: S, name: string) {
  return z.union([z.literal(''), schema], { error: `must be empty or ${name}` });
}

/** A telephone number in E.164, as the platform stores it. */
export const E164 = z.e164();

/** A telephone number as people write it; the service converts it to E.164. */
export const PhoneNumberInput = filledText(32, 3);

/** A telephone number with its country prefix, grouped as people write it. */
export const InternationalNumber = filledText(32).refine(
  (number) => /^\+[1-9][\d\s().-]+$/.test(number) && isCallableLength(number.replaceAll(/\D/g, '').length),
  'must be a telephone number with its country prefix, such as +91 20 2550 1234',
);

function isCallableLength(digits: number): boolean {
  return digits >= 7 && digits <= 15;
}

/**
 * Prefixes that a country has given up or introduced, and that callers and old lists still have or leave out. The old forms are no valid
 * numbers today. Mexico dropped the 1 of mobiles, and the 01, 044 and 045 before national numbers; Benin put 01 before all numbers.
 */
const renumberings = [
  { old: /^\+52(?:1|01|04[45])(\d{10})$/, now: '+52$1' },
  { old: /^\+229(\d{8})$/, now: '+22901$1' },
] as const;

/**
 * What a number may be without the zeros that people write between its calling code and its area, such as +48 (0)51: with one zero less,
 * two less, and so on, since in some countries one is part of it.
 */
export function withFewerZeros(number: string, callingCode: string): string[] {
  const rest = number.slice(callingCode.length + 1);
  const zeros = rest.length - rest.replace(/^0+/, '').length;
  return Array.from({ length: zeros }, (_, left) => `+${callingCode}${rest.slice(left + 1)}`);
}

/** Removes invisible characters, such as direction marks and zero-width spaces, from numbers copied from pages and messengers. */
export function visible(text: string): string {
  return text.replaceAll(/\p{Cf}/gu, '').trim();
}

/** Converts digits of all scripts, which a carrier may accept, to ASCII. In Unicode the digits of a script are consecutive, from zero. */
export function asciiDigits(text: string): string {
  return text.normalize('NFKC').replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    let value = 0;
    while (value < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(code - value - 1))) value += 1;
    return String(value);
  });
}

/** A number in E.164 as it is dialled today. */
export function currentNumber(number: string): string {
  const changed = renumberings.find(({ old }) => old.test(number));
  return changed ? number.replace(changed.old, changed.now) : number;
}

export const Email = z.email().max(254);

/** The IP address of a client. */
export const IpAddress = z.union([z.ipv4(), z.ipv6()]);

/** A web address that the platform may call or show. */
export const WebAddress = z.url({ protocol: /^https?$/ }).max(2048);

const hostLengthMax = 253;
const hostLabel = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/i;

/**
 * Whether a host can exist: an IP address, or a name that DNS could hold. URL parsers accept more, such as `{{host}}`, `-` and `a..b`.
 * Underscores are allowed, because names of containers have them.
 */
export function isHost(host: string): boolean {
  if (isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0) return true;
  const name = domainToASCII(host.replace(/\.$/, ''));
  const labels = name.split('.');
  // What Punycode cannot decode stays as it is.
  const isDecodable = domainToUnicode(name)
    .split('.')
    .every((label) => !/^xn--/i.test(label));
  const isNumber = /^\d+$/.test(labels.at(-1) ?? '');
  return name.length <= hostLengthMax && isDecodable && !isNumber && labels.every((label) => hostLabel.test(label));
}

/**
 * Whether an address contains neither user name nor password: addresses are read back, logged and audited in clear. What is no
 * address contains neither; whether it is one is for another check, which zod does not wait for.
 */
export function holdsNoPassword(address: string): boolean {
  const url = URL.parse(address);
  return url === null || url.username + url.password === '';
}

/** An IANA time zone known to this runtime, under its current name: former names and other spellings are converted. */
export const TimeZoneName = z
  .string()
  .max(64)
  .refine((name) => zoneNamed(name) !== undefined, 'must be an IANA time zone such as Asia/Kolkata')
  .overwrite((name) => zoneNamed(name) ?? name);
/** The message for an invalid zone in an uploaded row. */
export const notATimeZone = 'is not an IANA time zone such as Asia/Kolkata';

/** The current names of zones for which the runtime still uses the former name. */
const renamedZones: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

/** Former names by current name, for lists that are searched by name. */
export function formerNamesOf(zone: string): string[] {
  return Object.entries(renamedZones).flatMap(([former, today]) => (today === zone ? [former] : []));
}

/** The names without a region in the IANA database. The runtime does not list them, and no more are being added. */
const namesWithoutRegion =
  'CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel Jamaica ' +
  'Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT UTC Universal ' +
  'W-SU WET Zulu';
const zonesWithoutRegion = new Map(namesWithoutRegion.split(' ').map((name) => [name.toLowerCase(), name]));

const namesOfRuntimeOnly = /^(?:SystemV\/|US\/Pacific-New$)/i;

const zonesKnownMax = 2_000;
const zonesKnown = new Map<string, string>();

function zoneNamed(name: string): string | undefined {
  const known = zonesKnown.get(name);
  if (known !== undefined) return known;
  // The runtime also knows names of its own: abbreviations such as IST, which IANA leaves out because they are ambiguous.
  if (!name.includes('/')) return zonesWithoutRegion.get(name.toLowerCase());
  if (namesOfRuntimeOnly.test(name)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // The runtime may treat several IANA names as one zone although they are separate entries: only renamed zones and other
    // spellings are converted.
    const zone = renamedZones[timeZone] ?? (timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name);
    if (zonesKnown.size < zonesKnownMax) zonesKnown.set(name, zone);
    return zone;
  } catch {
    return undefined;
  }
}

/** The languages of the speech endpoints, spelled as in the specification. */
export const SpeechLanguage = z.enum(['english', 'hindi', 'marathi']);
export type SpeechLanguage = z.output<typeof SpeechLanguage>;

/** The query of every lookup table. */
export const LookupQuery = described(
  'LookupQuery',
  'The language of the labels.',
  z.object({ language: z.enum(['en', 'hi', 'mr']).default('en') }),
  { language: 'hi' },
);

const postgresIntegerMax = 2_147_483_647;

/**
 * A `…KeyID`. Any UUID version is accepted, so that an unknown one is 404 and not 400. Swift and .NET write capital letters, Postgres
 * small ones: only with one spelling are two mentions of a record the same wherever they are compared.
 */
export const Uuid = z.guid().toLowerCase();

/** Who pays for the turns of a live session besides its organization: the daily budget of a widget, if its visitor speaks. */
export const TurnsPayer = z.object({ widget: z.object({ keyId: Uuid, dailyCredits: z.int().min(0) }).optional() });

/** A `…ID`, limited to its Postgres column, so that a huge number is 400 and not a database error. */
export const RecordId = z.int().min(1).max(postgresIntegerMax);

/**
 * A `…ID` of records that grow with use, such as calls and contacts: the column is wider, and JSON numbers are exact up to 2^53.
 */
export const LargeRecordId = z.int().min(1);

/** A `…ID` where 0 means "a new record". */
export const RecordIdOrZero = z.int().min(0).max(postgresIntegerMax);

/** A `…ID` from a path, a query or a form, where everything arrives as text. */
export const TextualId = z.coerce.number().int().min(1).max(postgresIntegerMax);

/** Preferred voices or models including fallbacks, as many as an agent can list. */
export const preferencesMax = 4;

/** A switch in the public API: 0 or 1. */
export const Switch = z.literal([0, 1]);

export const agentKeyExample = '5b0c7f0e-6d55-4a86-9f3c-1f8f6f0c2a11';
export const kbKeyExample = '0d9b1a52-3a0e-4c8e-8f5a-7a2f7f3f4b21';
export const memberKeyExample = '8f14e45f-ceea-467f-a8d2-3f6a1b9c4d31';
export const sessionExample = '3f2a8c1e-9b7d-4e52-8a64-0c5d7e9f1a41';

/** One end of a date range: a day in the organization's time zone, or an instant. */
export const DateBound = z.union([z.iso.date(), z.iso.datetime({ offset: true })], {
  error: ({ input }) =>
    input === undefined ? 'is required' : 'must be an ISO 8601 date, or a date-time with a time zone, such as Z or +05:30',
});

/** Null, like absence, means no bound. */
export const OptionalDateBound = DateBound.nullish();

/** An instant in a reply. */
export const Timestamp = z.iso.datetime({ offset: true });

const bareDateLength = 'YYYY-MM-DD'.length;

/** Whether a range is in order. A date and an instant are compared by the service, which knows the time zone. */
function isOrdered(from: string | null | undefined, to: string | null | undefined): boolean {
  if (!from || !to) return true;
  const isDay = from.length === bareDateLength;
  if (isDay !== (to.length === bareDateLength)) return true;
  return isDay ? from <= to : Date.parse(from) <= Date.parse(to);
}

interface DateRange {
  startDate?: string | null;
  endDate?: string | null;
}

interface FromToRange {
  fromDate?: string | null;
  toDate?: string | null;
}

/** Refines a body with `startDate` and `endDate`. */
export const startsBeforeEnd = (body: DateRange) => isOrdered(body.startDate, body.endDate);
export const startAfterEnd = { path: ['startDate'], error: 'must not be after endDate' };

/** Refines a body with `fromDate` and `toDate`. */
export const fromBeforeTo = (body: FromToRange) => isOrdered(body.fromDate, body.toDate);
export const fromAfterTo = { path: ['fromDate'], error: 'must not be after toDate' };

export const createdOnExample = '2026-03-02T09:30:00.000Z';
export const updatedOnExample = '2026-03-05T14:00:00.000Z';

/** A file that the gateway has stored. Messages refer to it and never contain its bytes. */
export const FileReference = described(
  'FileReference',
  'An uploaded file. Over HTTP this is the binary part of a multipart form.',
  z.object({
    fileKey: z.string().min(1).max(300),
    fileName: z.string().min(1).max(255),
    size: z.int().min(0),
    contentType: z.string().max(127),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
  }),
  { fileKey: 'uploads/7/2f6f.csv', fileName: 'contacts.csv', size: 1024, contentType: 'text/csv' },
);
export type FileReference = z.output<typeof FileReference>;

/** The folder of all uploads, which is swept: files to keep become documents, or belong elsewhere. */
export const uploadsFolder = 'uploads';

/** An organization's upload folder. A service opens only files in its caller's folder. */
export function uploadsOf(orgId: number): string {
  return `${uploadsFolder}/${orgId}/`;
}

/** A piece of a text file being sent to the client. */
export const CsvPart = described('CsvPart', 'A batch of complete CSV lines.', z.object({ csv: z.string().max(262_144) }), {
  csv: 'CustomerName,ContactNumber\r\n',
});

/** A request without any fields. */
export const Nothing = described('Nothing', 'No input.', z.object({}), {});

/** Names a schema for the API documents and gives at least one example. A test parses every example. */
export function described<S extends z.ZodType>(
  id: string,
  description: string,
  schema: S,
  example: z.input<S>,
  ...more: z.input<S>[]
): S {
  return schema.meta({ id, description, examples: [example, ...more] });
}

/** The examples of a described schema. */
export function examplesOf(schema: z.ZodType): unknown[] {
  const examples = schema.meta()?.examples;
  return Array.isArray(examples) ? examples : [];
}
