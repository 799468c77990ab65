import { z } from 'zod';
import { defineRequest } from '../messages';
import { described, filledText, memberKeyExample, Uuid } from '../vocabulary';
import { inviteKeyExample } from './invites';

/**
 * Makes the invited person a member of the inviting organization. Who holds the token of the e-mail speaks for the invited
 * address, whosever key carries the request; without it the caller's own user must have that address. Accepting twice is a
 * CONFLICT.
 */
export const acceptInvite = defineRequest({
  subject: 'team-sales.invite.accept',
  request: described(
    'AcceptInviteRequest',
    'The token of the e-mail, with any key; or the invitation itself, when the caller’s own user has the invited address. The ' +
      'invited person becomes the member.',
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
