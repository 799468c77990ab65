/** What a run does to one of the keys that there are by then. */
export interface KeyStep {
  readonly what: 'create' | 'rotate' | 'rotateAtOnce' | 'expire' | 'revoke';
  readonly which: number;
}

type Status = 'ACTIVE' | 'ROTATED' | 'EXPIRED' | 'REVOKED';

/** The life of keys in the words of the specification, small enough to be believed without a test. */
export class KeyModel {
  /** In the order in which they were made. */
  readonly keys: Status[] = [];

  /** What the service has to answer. */
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

  /** Whether the door opens to a key. */
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
