import { FileStoreVariables } from '@parley/providers/configured-files';
import { smtpMail } from '@parley/providers/smtp-mail';
import { url } from '@parley/service-kit';
import { z } from 'zod';

/** The team service's variables, in addition to the common ones. */
export const TeamSalesVariables = z.object({
  ...FileStoreVariables.shape,
  ...smtpMail.variables,
  INVITE_URL: url('http', 'https')
    .optional()
    .meta({
      description:
        'The page that an invitation links to; the token is added as ?token=. The gateway has one at /accept-invite. By default, the ' +
        'e-mail explains how to accept manually.',
      example: 'https://voice.example.com/accept-invite',
    }),
});
export type TeamSalesConfig = z.output<typeof TeamSalesVariables>;
