import { Fault, type SalesRepresentative } from '@parley/contracts';
import { Column, Entity, type EntityManager, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { z } from 'zod';
import { searchable } from '../search/filters';
import { type Member, nameFromEmail } from './membership-rules';
import { type Membership, User } from './membership.entity';

interface Figures {
  readonly membership: Membership | undefined;
  readonly mappedContacts: number;
  readonly callCount: number;
}

interface RepresentativeChoice {
  readonly orgId: number;
  readonly id?: number;
  readonly keyId?: string;
}

/** The representative that a request names by either id, or by both if they match. */
export function choiceOf(
  orgId: number,
  {
    SalesUserID,
    SalesUserKeyID,
  }: { readonly SalesUserID?: number | null | undefined; readonly SalesUserKeyID?: string | null | undefined },
): RepresentativeChoice {
  const keyId = SalesUserKeyID ? { keyId: SalesUserKeyID } : {};
  return { orgId, ...keyId, ...((SalesUserID || !SalesUserKeyID) && { id: SalesUserID ?? 0 }) };
}

/** A representative of the organization in any state; unknown or foreign is NOT_FOUND. */
export async function findRepresentative(manager: EntityManager, choice: RepresentativeChoice): Promise<Representative> {
  const representative = await manager.findOneBy(Representative, choice);
  if (!representative) throw new Fault('NOT_FOUND', { message: 'There is no such sales representative.' });
  return representative;
}

/** The same for new work, which is not assigned to a representative who left. */
export async function findWorkingRepresentative(manager: EntityManager, choice: RepresentativeChoice): Promise<Representative> {
  const representative = await findRepresentative(manager, choice);
  if (representative.status === 'INACTIVE')
    throw new Fault('CONFLICT', { message: 'This sales representative has left the team.' });
  return representative;
}

/** Updates the representative to match its membership. None is created for a member who was never mobile. */
export async function followMembership(manager: EntityManager, membership: Membership): Promise<void> {
  const status = statusOf(membership);
  if (status === 'INACTIVE') {
    await manager.query(`UPDATE representatives SET status = 'INACTIVE' WHERE org_id = $1 AND email = $2`, [
      membership.orgId,
      membership.email,
    ]);
    return;
  }
  const user = membership.userId === null ? null : await manager.findOneBy(User, { id: membership.userId });
  const name = user?.name ?? nameFromEmail(membership.email);
  await manager.query(
    `INSERT INTO representatives (org_id, membership_id, email, name, search, status) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (org_id, email) DO UPDATE SET membership_id = $2, name = $4, search = $5, status = $6`,
    [membership.orgId, membership.id, membership.email, name, searchable(name, membership.email), status],
  );
}

function statusOf({ status, userType }: Membership): Representative['status'] {
  if (userType !== 'Mobile App' || status === 'REVOKED') return 'INACTIVE';
  return status === 'ACCEPTED' ? 'ACTIVE' : 'INVITED';
}

/** Records that a representative's app was just in contact. */
export async function noteSeen(manager: EntityManager, { orgId, id }: Member): Promise<void> {
  await manager.query('UPDATE representatives SET last_seen_on = now() WHERE org_id = $1 AND membership_id = $2', [orgId, id]);
}

/** A representative as the sales part of the API shows it. */
export function representativeToWire(
  { keyId, id, name, email, status, lastSeenOn, createdOn }: Representative,
  { membership, mappedContacts, callCount }: Figures,
): z.input<typeof SalesRepresentative> {
  return {
    SalesUserKeyID: keyId,
    SalesUserID: id,
    memberAdminID: membership?.memberKeyId ?? null,
    userID: membership?.userId ?? null,
    name,
    email,
    userStatus: status,
    isDeviceBound: Boolean(membership?.imei),
    mappedContacts,
    callCount,
    lastSeenOn: lastSeenOn?.toISOString() ?? null,
    CreatedOn: createdOn.toISOString(),
  };
}

/** A person who calls customers with the mobile app: invited, active, or removed and kept for the record. */
@Entity({ name: 'representatives' })
export class Representative {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('int')
  orgId: number;

  @Column('uuid')
  keyId: string;

  @Column('int')
  membershipId: number;

  @Column('text')
  email: string;

  @Column('text')
  name: string;

  @Column('text')
  search: string;

  @Column('text')
  status: 'INVITED' | 'ACTIVE' | 'INACTIVE';

  @Column('timestamptz', { nullable: true })
  lastSeenOn: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdOn: Date;
}

/** The assignment of a contact to a representative. */
@Entity({ name: 'contact_mappings' })
export class ContactMapping {
  @PrimaryColumn('int')
  representativeId: number;

  @PrimaryColumn('int')
  contactId: number;

  @Column('int')
  orgId: number;
}
