import { Controller, Injectable } from '@nestjs/common';
import {
  type BodyOf,
  createKey,
  Fault,
  type IntegrationKey,
  keyChanged,
  listKeys,
  type Principal,
  revokeKey,
  readKey,
  rotateKey,
} from '@parley/contracts';
import { Outbox, type Page, pageOf, TenantScope } from '@parley/database';
import { Broadcasts, type Call, Handles } from '@parley/messaging';
import { Brackets, type EntityManager, IsNull } from 'typeorm';
import type { z } from 'zod';
import { callerOf } from '../../endpoint/gateway-call';
import { IntegrationKeyRow, KeyHashes } from './integration-key';
import { keyPrefixes, newKeyText, StoredKeys } from './stored-keys';
import { KeyOwners, requireWithinOwn } from './key-owners';
import { OpenConnections } from '../limits/open-connections';

type NewKey = z.output<(typeof createKey)['request']>;
type ListKeysRequest = z.output<(typeof listKeys)['request']>;
type KeyChange = z.input<(typeof keyChanged)['payload']>['change'];
type KeyFields = Pick<IntegrationKeyRow, 'name' | 'kind' | 'allowedIps' | 'expiresAt' | 'agentKeyId' | 'agentId' | 'memberId'>;
type KeyCreator = Pick<Principal, 'orgId' | 'memberId'>;

/** A key with its secret, which is never shown again. */
interface IssuedKey {
  readonly row: IntegrationKeyRow;
  readonly key: string;
}

/** Valid keys of one organization. */
const liveKeysMax = 1_000;
const columns = { CreatedOn: 'key.createdOn', name: 'key.name', lastUsedOn: 'key.lastUsedOn' } as const;

/**
 * Makes changes of keys take effect on every gateway before they are answered. The event in the outbox follows, for a gateway
 * that this did not reach; alone it would be as late as the outbox is.
 */
@Injectable()
export class KeyChanges {
  constructor(
    private readonly known: StoredKeys,
    private readonly sockets: OpenConnections,
    private readonly broadcasts: Broadcasts,
  ) {}

  /** Drops this gateway's cached copy of a key, and closes the connections of a revoked one. */
  apply({ IntegrationKeyID, change }: z.output<(typeof keyChanged)['payload']>): void {
    // A new key is in no cache yet.
    if (change !== 'CREATED') this.known.forget(({ keyId }) => keyId === IntegrationKeyID);
    if (change === 'REVOKED') this.sockets.endKey(IntegrationKeyID);
  }

  /** The same on every gateway. Called after the commit. The broker delivers it to a gateway before the answer that follows. */
  announce({ orgId, keyId, kind }: Pick<IntegrationKeyRow, 'orgId' | 'keyId' | 'kind'>, change: KeyChange): void {
    const payload = { IntegrationKeyID: keyId, kind, change };
    this.apply(payload);
    this.broadcasts.announce(keyChanged, { orgId, payload });
  }
}

/** Creates, lists, replaces and ends API keys. Every change is an event, so that each gateway drops its cached copy. */
@Injectable()
export class KeysService {
  constructor(
    private readonly tenants: TenantScope,
    private readonly outbox: Outbox,
    private readonly hashes: KeyHashes,
    private readonly owners: KeyOwners,
    private readonly changes: KeyChanges,
  ) {}

  async create({ name, allowedIps, expiresAt, ...wanted }: NewKey, caller: Principal): Promise<IssuedKey> {
    const end = expiresAt ? new Date(expiresAt) : null;
    if (end && end.getTime() <= Date.now()) throw wrong('expiresAt', 'must be in the future');
    const owner = await this.owners.ownerOf(wanted, caller);
    return this.tenants.run(caller.orgId, async (manager) => {
      await requireWithinOwn(manager, caller, { expiresAt: end, allowedIps });
      await requireRoom(manager, caller.orgId);
      return this.issue(manager, caller, { name, kind: wanted.kind, allowedIps, expiresAt: end, ...owner });
    });
  }

  /** A caller restricted to certain agents sees their keys, and its own. */
  list(query: ListKeysRequest, { orgId, agentIds, memberId }: Principal): Promise<Page<IntegrationKeyRow>> {
    return this.tenants.read(orgId, (manager) => {
      const keys = manager.createQueryBuilder(IntegrationKeyRow, 'key').where({ orgId });
      if (query.kind) keys.andWhere({ kind: query.kind });
      if (agentIds) {
        const own = 'key.agentId = ANY(:agentIds) OR key.memberId = :memberId';
        keys.andWhere(new Brackets((any) => any.where(own, { agentIds, memberId: memberId ?? null })));
      }
      return pageOf(keys, query, { by: columns[query.sortColumn], nulls: 'NULLS LAST' });
    });
  }

  read(keyId: string, caller: Principal): Promise<IntegrationKeyRow> {
    return this.tenants.read(caller.orgId, (manager) => keyOf(manager, caller, keyId));
  }

  /** Replaces a key with a new one; the old one stays valid for a grace period. */
  async rotate(keyId: string, graceSeconds: number, caller: Principal): Promise<IssuedKey> {
    await this.owners.requireHold(await this.read(keyId, caller), caller);
    const { old, issued } = await this.tenants.run(caller.orgId, async (manager) => {
      const old = await keyOf(manager, caller, keyId, { isLocked: true });
      if (old.revokedOn || old.rotatedOn || hasEnded(old))
        throw new Fault('CONFLICT', { message: 'Only an active key can be rotated.' });
      if (old.keyId !== caller.keyId) await requireWithinOwn(manager, caller, old);
      await requireRoom(manager, caller.orgId);
      const issued = await this.issue(manager, caller, fieldsOf(old));
      const graceEnd = new Date(Date.now() + graceSeconds * 1_000);
      const expiresAt = old.expiresAt && old.expiresAt < graceEnd ? old.expiresAt : graceEnd;
      await manager.update(IntegrationKeyRow, { id: old.id }, { rotatedOn: new Date(), expiresAt });
      await this.publishChange(manager, old, 'ROTATED');
      return { old, issued };
    });
    this.changes.announce(old, 'ROTATED');
    return issued;
  }

  /** Ends a key. Ending it again changes nothing. */
  async revoke(keyId: string, caller: Principal): Promise<IntegrationKeyRow> {
    await this.owners.requireHold(await this.read(keyId, caller), caller);
    const revoked = await this.tenants.run(caller.orgId, async (manager) => {
      const row = await keyOf(manager, caller, keyId, { isLocked: true });
      if (row.revokedOn) return row;
      const revokedOn = new Date();
      await manager.update(IntegrationKeyRow, { id: row.id }, { revokedOn });
      await this.publishChange(manager, row, 'REVOKED');
      return { ...row, revokedOn };
    });
    this.changes.announce(revoked, 'REVOKED');
    return revoked;
  }

  /** Ends every key of an owner who left, only those that one member created, or all of an organization. */
  async endAll(orgId: number, of: { memberId: string; madeBy?: string } | { agentKeyId: string } | 'everybody'): Promise<void> {
    const valid = { orgId, ...(of !== 'everybody' && of), revokedOn: IsNull() };
    const ended = await this.tenants.run(orgId, async (manager) => {
      const rows = await manager.findBy(IntegrationKeyRow, valid);
      await manager.update(IntegrationKeyRow, valid, { revokedOn: new Date() });
      for (const row of rows) await this.publishChange(manager, row, 'REVOKED');
      return rows;
    });
    for (const row of ended) this.changes.announce(row, 'REVOKED');
  }

  /**
   * A member who created a key for another knows its secret. If the key allows more than that member may do, because rights
   * changed or the member left, the key is ended.
   */
  async endBeyondMaker(orgId: number, changedId: string): Promise<void> {
    const lent = await this.tenants.read(orgId, (manager) =>
      manager
        .createQueryBuilder(IntegrationKeyRow, 'key')
        .where({ orgId, revokedOn: IsNull() })
        .andWhere('key.madeBy <> key.memberId AND :changedId IN (key.madeBy, key.memberId)', { changedId })
        .getMany(),
    );
    const pairs = Map.groupBy(lent, ({ madeBy, memberId }) => `${madeBy} ${memberId}`);
    for (const [{ madeBy, memberId } = {}] of pairs.values()) {
      if (!madeBy || !memberId || (await this.owners.mayHoldKeysOf({ orgId, madeBy, memberId }))) continue;
      await this.endAll(orgId, { madeBy, memberId });
    }
  }

  private async issue(manager: EntityManager, { orgId, memberId }: KeyCreator, fields: KeyFields): Promise<IssuedKey> {
    const key = newKeyText(fields.kind);
    const values = { ...fields, orgId, madeBy: memberId ?? null, hash: this.hashes.current(key), lastFour: key.slice(-4) };
    const { identifiers } = await manager.insert(IntegrationKeyRow, values);
    const row = await manager.findOneByOrFail(IntegrationKeyRow, { ...identifiers[0], orgId });
    await this.publishChange(manager, row, 'CREATED');
    return { row, key };
  }

  private async publishChange(
    manager: EntityManager,
    { keyId, kind, orgId }: IntegrationKeyRow,
    change: KeyChange,
  ): Promise<void> {
    await this.outbox.add(manager, keyChanged, { orgId, payload: { IntegrationKeyID: keyId, kind, change } });
  }
}

/** A key the caller may see. A hidden one is NOT_FOUND, like a missing one. */
async function keyOf(
  manager: EntityManager,
  { orgId, agentIds, memberId }: Principal,
  keyId: string,
  { isLocked = false } = {},
): Promise<IntegrationKeyRow> {
  const lock = isLocked ? { lock: { mode: 'pessimistic_write' } as const } : {};
  const row = await manager.findOne(IntegrationKeyRow, { where: { orgId, keyId }, ...lock });
  const isWithheld = agentIds && !agentIds.some((id) => id === row?.agentId) && (!memberId || row?.memberId !== memberId);
  if (!row || isWithheld) throw new Fault('NOT_FOUND', { message: 'There is no such key.' });
  return row;
}

async function requireRoom(manager: EntityManager, orgId: number): Promise<void> {
  const live = await manager
    .createQueryBuilder(IntegrationKeyRow, 'key')
    .where({ orgId })
    .andWhere('key.revokedOn IS NULL')
    .andWhere(new Brackets((end) => end.where('key.expiresAt IS NULL').orWhere('key.expiresAt > now()')))
    .getCount();
  if (live >= liveKeysMax) throw new Fault('CONFLICT', { message: `An organization has at most ${liveKeysMax} keys in use.` });
}

function fieldsOf({ name, kind, allowedIps, expiresAt, agentKeyId, agentId, memberId }: IntegrationKeyRow): KeyFields {
  return { name, kind, allowedIps, expiresAt, agentKeyId, agentId, memberId };
}

function hasEnded({ expiresAt }: IntegrationKeyRow): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now();
}

function wrong(field: string, message: string): Fault {
  return new Fault('VALIDATION_FAILED', { message: `${field} ${message}`, details: [{ field, message }] });
}

type PublicKey = z.input<typeof IntegrationKey>;

/** Answers requests about API keys from the gateway's own routes and from other services. */
@Controller()
export class KeysController {
  constructor(private readonly keys: KeysService) {}

  @Handles(createKey)
  async create(body: BodyOf<typeof createKey>, call: Call) {
    return newKeyReply(await this.keys.create(body, callerOf(call)));
  }

  @Handles(listKeys)
  async list(body: BodyOf<typeof listKeys>, call: Call) {
    const page = await this.keys.list(body, callerOf(call));
    return { ...page, rows: page.rows.map(publicKey) };
  }

  @Handles(readKey)
  async read({ IntegrationKeyID }: BodyOf<typeof readKey>, call: Call) {
    return publicKey(await this.keys.read(IntegrationKeyID, callerOf(call)));
  }

  @Handles(rotateKey)
  async rotate({ IntegrationKeyID, graceSeconds }: BodyOf<typeof rotateKey>, call: Call) {
    return newKeyReply(await this.keys.rotate(IntegrationKeyID, graceSeconds, callerOf(call)));
  }

  @Handles(revokeKey)
  async revoke({ IntegrationKeyID }: BodyOf<typeof revokeKey>, call: Call) {
    return publicKey(await this.keys.revoke(IntegrationKeyID, callerOf(call)));
  }
}

/** The only answer that contains the secret. */
function newKeyReply({ row, key }: IssuedKey) {
  return { ...publicKey(row), key };
}

/** A key's status at a moment. A key past its expiry is EXPIRED, even if it was rotated. */
function statusOf({ revokedOn, expiresAt, rotatedOn }: IntegrationKeyRow, nowMs = Date.now()): PublicKey['status'] {
  if (revokedOn) return 'REVOKED';
  if (expiresAt && expiresAt.getTime() <= nowMs) return 'EXPIRED';
  return rotatedOn ? 'ROTATED' : 'ACTIVE';
}

/** A row as clients see it. */
function publicKey(row: IntegrationKeyRow): PublicKey {
  return {
    IntegrationKeyID: row.keyId,
    IntegrationID: row.id,
    name: row.name,
    kind: row.kind,
    prefix: keyPrefixes[row.kind],
    lastFour: row.lastFour,
    AgentKeyID: row.agentKeyId,
    AgentID: row.agentId,
    memberAdminID: row.memberId,
    madeByAdminID: row.madeBy,
    allowedIps: row.allowedIps,
    status: statusOf(row),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedOn: row.lastUsedOn?.toISOString() ?? null,
    CreatedOn: row.createdOn.toISOString(),
  };
}
