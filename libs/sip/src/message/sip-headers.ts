const compactNames: Readonly<Record<string, string>> = {
  a: 'accept-contact',
  b: 'referred-by',
  c: 'content-type',
  d: 'request-disposition',
  e: 'content-encoding',
  f: 'from',
  i: 'call-id',
  j: 'reject-contact',
  k: 'supported',
  l: 'content-length',
  m: 'contact',
  n: 'identity-info',
  o: 'event',
  r: 'refer-to',
  s: 'subject',
  t: 'to',
  u: 'allow-events',
  v: 'via',
  x: 'session-expires',
  y: 'identity',
};

const spelledOtherwise: Readonly<Record<string, string>> = {
  'call-id': 'Call-ID',
  cseq: 'CSeq',
  'min-se': 'Min-SE',
  'www-authenticate': 'WWW-Authenticate',
};

/** The headers of a message in the order of the wire; names in any spelling, the compact one included. */
export class SipHeaders {
  private constructor(private readonly all: { name: string; value: string }[]) {}

  static of(lines: Iterable<readonly [name: string, value: string]> = []): SipHeaders {
    const headers = new SipHeaders([]);
    for (const [name, value] of lines) headers.add(name, value);
    return headers;
  }

  get size(): number {
    return this.all.length;
  }

  /** The first value as it was written. */
  get(name: string): string | undefined {
    const wanted = canonical(name);
    return this.all.find((line) => line.name === wanted)?.value;
  }

  /** Each line of that name as it was written, for headers whose own parts are behind commas. */
  lines(name: string): string[] {
    const wanted = canonical(name);
    return this.all.filter((line) => line.name === wanted).map((line) => line.value);
  }

  /** Every value of a header that may be a list, in order, whether in lines of its own or behind commas. */
  list(name: string): string[] {
    const wanted = canonical(name);
    return this.all.filter((line) => line.name === wanted).flatMap((line) => splitList(line.value));
  }

  /** Whether a list of tokens names this one, as Supported and Require do. */
  lists(name: string, token: string): boolean {
    return this.list(name).some((value) => value.toLowerCase() === token.toLowerCase());
  }

  add(name: string, value: string): this {
    this.all.push({ name: canonical(name), value: value.replace(/[\r\n]+/g, ' ') });
    return this;
  }

  /** Takes the place of every line of that name. */
  set(name: string, value: string): this {
    this.delete(name);
    return this.add(name, value);
  }

  delete(name: string): this {
    const unwanted = canonical(name);
    for (let i = this.all.length - 1; i >= 0; i--) if (this.all[i]?.name === unwanted) this.all.splice(i, 1);
    return this;
  }

  /** Puts another value in the place of the first of a list: how a Via gets its `received`. */
  replaceFirst(name: string, value: string): this {
    const wanted = canonical(name);
    const line = this.all.find((candidate) => candidate.name === wanted);
    if (line) line.value = [value, ...splitList(line.value).slice(1)].join(', ');
    return this;
  }

  /** A Via goes in front of those that are there. */
  prepend(name: string, value: string): this {
    this.all.unshift({ name: canonical(name), value });
    return this;
  }

  clone(): SipHeaders {
    return new SipHeaders(this.all.map((line) => ({ ...line })));
  }

  toString(): string {
    return this.all.map(({ name, value }) => `${spelled(name)}: ${value}\r\n`).join('');
  }
}

/** Splits at commas outside of quotes and angle brackets. */
export function splitList(value: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  let isBracketed = false;
  for (let i = 0; i < value.length; i++) {
    const character = value[i];
    if (isQuoted && character === '\\') i++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '<' || character === '>')) isBracketed = character === '<';
    else if (character === ',' && !isQuoted && !isBracketed) {
      parts.push(value.slice(from, i));
      from = i + 1;
    }
  }
  parts.push(value.slice(from));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function canonical(name: string): string {
  const lower = name.toLowerCase();
  return compactNames[lower] ?? lower;
}

function spelled(name: string): string {
  return (
    spelledOtherwise[name] ?? name.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
  );
}
