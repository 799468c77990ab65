/** What a run does to one of the keys that exist by then. */
export interface KeyStep {
  readonly what: 'create' | 'rotate' | 'rotateAtOnce' | 'expire' | 'revoke';
  readonly which: number;
}

type Status = 'ACTIVE' | 'ROTATED' | 'EXPIRED' | 'REVOKED';

/** The lifecycle of keys as the specification describes it, simple enough to trust without a test of its own. */
export class KeyModel {
  /** In the order in which they were made. */
  readonly keys: Status[] = [];

  /** The answer that the service must give. */
  step({ what, which }: KeyStep): string {
    const at = which % Math.max(1, this.keys.length);
    const status = this.keys[at];
    if (what === 'create') return this.make();
    if (status === undefined) return 'nothing to do';
    if (what === 'revoke') return this.become(at, 'REVOKED');
    if (what === 'expire') return this.become(at, status === 'REVOKED' ? 'REVOKED' : 'EXPIRED');
    if (status !== 'ACTIVE') return 'CONFLICT';
    this.become(at, what === 'rotate' ? 'ROTATED' : 'EXPIRED');
    return this.make();
  }

  /** Whether a key in this state admits its holder. */
  static opens(status: Status): boolean {
    return status === 'ACTIVE' || status === 'ROTATED';
  }

  private make(): string {
    this.keys.push('ACTIVE');
    return 'MADE';
  }

  private become(at: number, status: Status): string {
    this.keys[at] = status;
    return status;
  }
}
