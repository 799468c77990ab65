const confidential = /^(key|token)$|secret|password|api_?key$|token$|credential$/i;
const publicIds = /id$/i;
const textMax = 2_000;
const itemsMax = 100;
const depthMax = 8;
const bytesMax = 32_768;

/** A value as the audit log may keep it: without secrets, cut where it is long, and never larger than a bound. */
export function redacted(value: unknown): Record<string, unknown> | null {
  if (typeof value !== 'object' || value === null) return null;
  const kept = Array.isArray(value) ? { items: keep(value, 0) } : fieldsOf(value, 0);
  const bytes = Buffer.byteLength(JSON.stringify(kept));
  return bytes > bytesMax ? { omitted: `${bytes} bytes` } : kept;
}

function keep(value: unknown, depth: number): unknown {
  if (value === undefined) return null;
  if (typeof value === 'string') return shortened(plain(value));
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= depthMax) return '…';
  if (Array.isArray(value)) return value.slice(0, itemsMax).map((item) => keep(item, depth + 1));
  return fieldsOf(value, depth);
}

function fieldsOf(value: object, depth: number): Record<string, unknown> {
  const fields = Object.entries(value).slice(0, itemsMax);
  const kept = fields.map(([name, field]) => [plain(name), isConfidential(name) ? '(hidden)' : keep(field, depth + 1)] as const);
  return Object.fromEntries(kept);
}

function isConfidential(name: string): boolean {
  return confidential.test(name) && !publicIds.test(name);
}

function shortened(text: string): string {
  return text.length > textMax ? `${plain(text.slice(0, textMax))}…` : text;
}

/** Text that Postgres takes as text and as JSON: no NUL, and no half of a surrogate pair. */
export function plain(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
