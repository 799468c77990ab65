/** What a run does to one of a few addresses. Address 0 belongs to the first Owner. */
export interface Step {
  readonly what: 'invite' | 'accept' | 'acceptOld' | 'expire' | 'revoke' | 'remove' | 'update';
  readonly who: number;
  readonly roleTypeID: number;
}

type State = 'PENDING' | 'EXPIRED' | 'ACCEPTED' | 'REVOKED';

interface Entry {
  state: State;
  roleTypeID: number;
  /** How many tokens were mailed: only the last is valid. */
  tokens: number;
}

/** The lifecycle of invitations as the specification describes it, simple enough to trust without a test of its own. */
export class InviteModel {
  /** Each address's invitations, the newest last. */
  private readonly byAddress = new Map<number, Entry[]>([[0, [{ state: 'ACCEPTED', roleTypeID: 1, tokens: 0 }]]]);

  /** The answer that the service must give. */
  step({ what, who, roleTypeID }: Step): string {
    const entry = this.byAddress.get(who)?.at(-1);
    switch (what) {
      case 'invite':
        return this.invite(who, roleTypeID, entry);
      case 'accept':
        return accept(entry);
      case 'acceptOld':
        return entry && entry.tokens > 1 ? 'NOT_FOUND' : 'nothing to do';
      case 'expire':
        if (entry?.state === 'PENDING') entry.state = 'EXPIRED';
        return 'nothing to do';
      case 'revoke':
        return entry ? this.end(entry, entry.state !== 'REVOKED' ? 'REVOKED' : 'CONFLICT') : 'nothing to do';
      case 'remove':
        return entry?.state === 'ACCEPTED' ? this.end(entry, 'REMOVED') : 'nothing to do';
      case 'update':
        return this.update(entry, roleTypeID);
    }
  }

  /** Every invitation ever made, as the list shows it. */
  list(): { who: number; status: State; roleTypeID: number }[] {
    return [...this.byAddress].flatMap(([who, entries]) =>
      entries.map(({ state, roleTypeID }) => ({ who, status: state, roleTypeID })),
    );
  }

  private invite(who: number, roleTypeID: number, entry: Entry | undefined): string {
    if (entry?.state === 'ACCEPTED') return 'ALREADY_MEMBER';
    if (entry?.state === 'PENDING') return 'ALREADY_PENDING';
    if (entry?.state === 'EXPIRED') {
      Object.assign(entry, { state: 'PENDING', roleTypeID, tokens: entry.tokens + 1 });
      return 'RENEWED';
    }
    this.byAddress.set(who, [...(this.byAddress.get(who) ?? []), { state: 'PENDING', roleTypeID, tokens: 1 }]);
    return 'INVITED';
  }

  private update(entry: Entry | undefined, roleTypeID: number): string {
    if (!entry) return 'NOT_FOUND';
    if (entry.state === 'REVOKED' || (roleTypeID !== 1 && this.isLastOwner(entry))) return 'CONFLICT';
    // An increase of rights is mailed with a new token: somebody else may have read the previous one.
    if (entry.state === 'PENDING' && roleTypeID < entry.roleTypeID) entry.tokens += 1;
    entry.roleTypeID = roleTypeID;
    return 'UPDATED';
  }

  private end(entry: Entry, outcome: string): string {
    if (outcome === 'CONFLICT' || this.isLastOwner(entry)) return 'CONFLICT';
    entry.state = 'REVOKED';
    return outcome;
  }

  private isLastOwner(entry: Entry): boolean {
    const owners = [...this.byAddress.values()]
      .flat()
      .filter(({ state, roleTypeID }) => state === 'ACCEPTED' && roleTypeID === 1);
    return owners.length === 1 && owners[0] === entry;
  }
}

function accept(entry: Entry | undefined): string {
  if (!entry || entry.tokens === 0) return 'nothing to do';
  if (entry.state !== 'PENDING') return 'CONFLICT';
  entry.state = 'ACCEPTED';
  return 'ACCEPTED';
}
