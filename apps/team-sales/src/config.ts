import { FileStoreVariables } from '@parley/providers/configured-files';
import { text, url } from '@parley/service-kit';
import { z } from 'zod';

/** The variables of the team service, on top of those that every service has. */
export const TeamSalesVariables = z.object({
  ...FileStoreVariables.shape,
  SMTP_URL: url('smtp', 'smtps').optional().meta({
    description: 'The mail server that invitations go out by. Without it, mails wait in the outbox, where admins can read them.',
    example: 'smtps://user:password@mail.example.com:465',
    secret: true,
  }),
  MAIL_FROM: text().default('Parley <no-reply@localhost>').meta({
    description: 'The sender of the platform’s mails.',
    example: 'Demo Bazaar <team@example.com>',
  }),
  INVITE_URL: url('http', 'https')
    .optional()
    .meta({
      description:
        'The page that an invitation links to; the token is added as ?token=. The gateway has one at /accept-invite. Without it, the ' +
        'mail says how to accept by hand.',
      example: 'https://voice.example.com/accept-invite',
    }),
});
export type TeamSalesConfig = z.output<typeof TeamSalesVariables>;
