import { z } from 'zod';

export { AsteriskControl, asteriskControlCapabilities, type AsteriskServer } from './asterisk-control';
export { AsteriskWebhooks } from './asterisk-webhooks';

/** How an Asterisk is reached and recognized, whatever its media. */
export const AsteriskCredentials = z.object({
  ariUrl: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .meta({ description: 'The address of ARI, with its path.', example: 'http://pbx.example:8088/ari' }),
  ariUser: z.string().min(1).max(100),
  ariPassword: z.string().min(1).meta({ secret: true }),
  dialString: z
    .string()
    .min(3)
    .max(200)
    .refine((text) => text.includes('{number}') || text.includes('{digits}'), 'must hold {number} or {digits}')
    .meta({
      description: 'How a number is dialled: {number} stands for it with its plus, {digits} without.',
      example: 'PJSIP/{digits}@trunk',
    }),
  context: z.string().min(1).max(80).default('parley-outbound').meta({ description: 'Where an answered outbound call goes on.' }),
  webhookSecret: z
    .string()
    .min(16)
    .meta({ description: 'A password of your own making, which the dialplan sends along.', secret: true }),
});
