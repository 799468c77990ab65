import type { SalesRepresentative } from '@parley/contracts';
import type { z } from 'zod';
import type { Membership } from '../team/membership.entity';
import type { Representative } from './representative.entity';

interface Figures {
  readonly membership: Membership | undefined;
  readonly mappedContacts: number;
  readonly callCount: number;
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
