import { z } from 'zod';
import { defineRequest } from '../messages';
import { described, filledText, memberKeyExample, Uuid } from '../vocabulary';
import { inviteKeyExample } from './invites';

/** Makes the caller a member of the inviting organization. Accepting twice is a CONFLICT. */
export const acceptInvite = defineRequest({
  subject: 'team-sales.invite.accept',
  request: described(
    'AcceptInviteRequest',
    'The token of the e-mail, or the invitation itself when the caller has the invited address.',
    z
      .object({ token: filledText(200).optional(), TeamInviteKeyID: Uuid.optional() })
      .refine((body) => Boolean(body.token) !== Boolean(body.TeamInviteKeyID), {
        path: ['token'],
        error: 'is required, or TeamInviteKeyID instead of it',
      }),
    { token: 'inv_EXAMPLE' },
    { TeamInviteKeyID: inviteKeyExample },
  ),
  reply: described(
    'AcceptedInvite',
    'The membership that was made.',
    z.object({
      TeamInviteKeyID: Uuid, TeamInviteID: z.int(), memberAdminID: Uuid, userID: z.int(), OrgKeyID: Uuid, OrgID: z.int(),
    }),
    {
      TeamInviteKeyID: inviteKeyExample, TeamInviteID: 9, memberAdminID: memberKeyExample, userID: 31, OrgKeyID: inviteKeyExample,
      OrgID: 1,
    },
  ),
});
