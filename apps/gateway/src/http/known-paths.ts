/** Every path that the gateway serves with its methods, to tell "no such route" from "not that method". */
export class KnownPaths {
  private readonly fixed = new Map<string, Set<string>>();
  private readonly variable = new Map<string, { segments: string[]; methods: Set<string> }>();

  add(method: string, pattern: string): void {
    if (pattern.includes('*')) return;
    if (!pattern.includes(':')) {
      const methods = this.fixed.get(pattern) ?? new Set();
      this.fixed.set(pattern, methods.add(method));
      return;
    }
    const known = this.variable.get(pattern) ?? { segments: pattern.split('/'), methods: new Set() };
    known.methods.add(method);
    this.variable.set(pattern, known);
  }

  /** The methods that a path answers, OPTIONS included; nothing for a path that is not ours. */
  methodsOf(url: string): string[] | undefined {
    const path = url.split('?', 1)[0] ?? url;
    const segments = path.split('/');
    const fitting = [...this.variable.values()].filter((known) => fits(known.segments, segments));
    const methods = [this.fixed.get(path) ?? [], ...fitting.map((known) => known.methods)].flatMap((known) => [...known]);
    return methods.length > 0 ? [...new Set([...methods, 'OPTIONS'])].sort() : undefined;
  }
}

function fits(pattern: string[], segments: string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]));
}
