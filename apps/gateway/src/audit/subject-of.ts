import { plain } from './redacted';

/** What a body is about, as `AgentKeyID 5b0c…`: the first id in it, also inside the `data` of an answer. */
export function subjectOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { data } = { data: undefined, ...body };
  const ids = Object.entries({ ...Object(data), ...body }).filter(([name, value]) => isId(name, value));
  const [name, value] = ids.find(([each]) => each.endsWith('KeyID')) ?? ids[0] ?? [];
  return name && plain(`${name} ${String(value)}`.slice(0, 100));
}

function isId(name: string, value: unknown): boolean {
  return (
    /I[dD]$/.test(name) &&
    name !== 'requestId' &&
    (typeof value === 'number' ? value > 0 : typeof value === 'string' && value !== '')
  );
}
