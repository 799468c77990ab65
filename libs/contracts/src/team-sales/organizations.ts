import { z } from 'zod';
import { defineRequest } from '../messages';
import { described, Email, filledText, memberKeyExample, TimeZoneName, Uuid } from '../vocabulary';

const organization = '4d6f8a02-3c5e-4179-8b9d-0e1f2a3b4c5d';

/**
 * For operators and the demo, never behind a public route: a new tenant with its first Owner.
 * The caller chooses `OrgKeyID`, so that asking twice makes one organization and answers the same.
 */
export const createOrganization = defineRequest({
  subject: 'team-sales.organization.create',
  request: described(
    'CreateOrganizationRequest',
    'A new organization and who owns it.',
    z.object({
      OrgKeyID: Uuid,
      OrganizationName: filledText(120),
      timezone: TimeZoneName,
      defaultRegion: z.string().regex(/^[A-Z]{2}$/, 'must be an ISO 3166 country code such as IN'),
      owner: z.object({ email: Email, name: filledText(120) }),
    }),
    {
      OrgKeyID: organization,
      OrganizationName: 'Demo Bazaar',
      timezone: 'Asia/Kolkata',
      defaultRegion: 'IN',
      owner: { email: 'owner@example.com', name: 'Asha Kulkarni' },
    },
  ),
  reply: described(
    'CreatedOrganization',
    'The ids of an organization and of its Owner.',
    z.object({ OrgKeyID: Uuid, OrgID: z.int(), memberAdminID: Uuid, userID: z.int() }),
    { OrgKeyID: organization, OrgID: 1, memberAdminID: memberKeyExample, userID: 31 },
  ),
});

/** For the operator's command alone, never behind a public route: every tenant, in the order of its number. */
export const listEveryOrganization = defineRequest({
  subject: 'team-sales.organization.list',
  request: described(
    'EveryOrganizationRequest',
    'From where on.',
    z.object({ afterOrgID: z.int().min(0).default(0), count: z.int().min(1).max(500).default(200) }),
    { afterOrgID: 0 },
  ),
  reply: described(
    'EveryOrganization',
    'Organizations; fewer than asked for are the last.',
    z.array(z.object({ OrgKeyID: Uuid, OrgID: z.int(), OrganizationName: z.string(), timezone: z.string() })).max(500),
    [{ OrgKeyID: organization, OrgID: 1, OrganizationName: 'Demo Bazaar', timezone: 'Asia/Kolkata' }],
  ),
});
