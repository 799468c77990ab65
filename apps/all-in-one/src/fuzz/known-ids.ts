import fc from 'fast-check';

/** Stands for an id of a record that exists by the time a request is sent, or for one that nobody has. */
export class KnownId {
  constructor(
    readonly name: string,
    readonly turn: number,
    readonly otherwise: unknown,
  ) {}
}

const remembered = 40;
/** Small numbers that mean the same to everybody come from the lookups, and are drawn as numbers. */
const fromLookups =
  /^(AgentType|RegionType|TimeZone|Industry|Language|Tone|Icon|Template|roleType|Role|Conversational|Transcribe|Voice|LLM)/i;
const sameAs: Readonly<Record<string, string>> = { salesuserkeyid: 'memberadminid', salesuserid: 'userid' };
const namedIds = /"(\w*(?:KeyID|UUID|memberAdminID|[A-Za-z]ID))":("[0-9a-f-]{36}"|\d+)/g;

/** Whether a field of this name holds the id of a record. */
export function isIdName(name: string): boolean {
  return /(ID|Ids?|UUID)$/.test(name) && !fromLookups.test(name);
}

/** The ids that answers have shown, the newest of each name. */
export class KnownIds {
  private readonly byName = new Map<string, unknown[]>();

  /** Ids of what the fuzzing itself stands on are never offered: nothing that is drawn may saw at that branch. */
  constructor(private readonly spared: ReadonlySet<unknown>) {}

  gather(text: string): void {
    for (const [, name = '', value = ''] of text.matchAll(namedIds)) this.remember(name, JSON.parse(value));
  }

  /** A drawn value with a real id in the place of each that it stands for. */
  resolve(value: unknown): unknown {
    if (value instanceof KnownId) return this.oneOf(value);
    if (Array.isArray(value)) return value.map((each) => this.resolve(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.resolve(each)]));
  }

  private oneOf({ name, turn, otherwise }: KnownId): unknown {
    const known = this.byName.get(singular(name)) ?? [];
    return known.length > 0 ? known[turn % known.length] : otherwise;
  }

  private remember(name: string, value: unknown): void {
    if (this.spared.has(value)) return;
    const known = this.byName.get(singular(name)) ?? [];
    if (!known.includes(value)) this.byName.set(singular(name), [value, ...known].slice(0, remembered));
  }
}

/** `agentIds`, `AgentID` and `agentId` name the same kind of thing; a representative is a member, whose ids have other names. */
function singular(name: string): string {
  const plain = name.toLowerCase().replace(/s$/, '');
  return sameAs[plain] ?? plain;
}

/** An id of a record that exists when the request is sent. */
export function knownId(name: string, otherwise: fc.Arbitrary<unknown>): fc.Arbitrary<KnownId> {
  return fc.tuple(fc.nat(), otherwise).map(([turn, value]) => new KnownId(name, turn, value));
}
