import type { CarrierDescriptor } from '@parley/ports';
import { z } from 'zod';
import { ApiUrl } from '../carrier-http';
import { TelnyxControl, telnyxControlCapabilities } from './telnyx-control';
import { telnyxMedia, telnyxMediaCapabilities } from './telnyx-media';
import { telnyxKey, TelnyxWebhooks } from './telnyx-webhooks';

const Credentials = z.object({
  apiKey: z.string().min(1).meta({ secret: true }),
  connectionId: z
    .string()
    .min(1)
    .max(100)
    .meta({ description: 'The id of the Voice API application, which Telnyx calls a connection.' }),
  publicKey: z
    .string()
    .refine((key) => telnyxKey(key) !== undefined, 'must be the public key of the account: 32 bytes in base64')
    .meta({ description: 'The public key of the account, by which its webhooks are checked.' }),
  apiUrl: ApiUrl('https://api.telnyx.com'),
});

/** Telnyx: call control with bidirectional media streams. */
export const telnyx: CarrierDescriptor<typeof Credentials> = {
  id: 'telnyx',
  name: 'Telnyx',
  credentials: Credentials,
  capabilities: {
    media: telnyxMediaCapabilities,
    control: telnyxControlCapabilities,
    connects: 'websocket',
    signs: { webhooks: true, upgrade: false },
  },
  open: (credentials, { fetch }) => {
    const control = new TelnyxControl(credentials, fetch);
    return {
      id: 'telnyx',
      media: telnyxMedia,
      control,
      webhooks: new TelnyxWebhooks(credentials.publicKey, control),
      test: (signal) => control.test(signal),
      close: async () => {},
    };
  },
};
