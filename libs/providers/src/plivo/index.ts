import type { CarrierDescriptor } from '@parley/ports';
import { z } from 'zod';
import { ApiUrl } from '../carrier-http';
import { PlivoControl, plivoControlCapabilities } from './plivo-control';
import { plivoMedia, plivoMediaCapabilities } from './plivo-media';
import { PlivoWebhooks } from './plivo-webhooks';

const Credentials = z.object({
  authId: z.string().min(1).max(100).meta({ example: 'MA…' }),
  authToken: z.string().min(1).meta({ description: 'The Auth Token, by which Plivo also signs its requests.', secret: true }),
  apiUrl: ApiUrl('https://api.plivo.com'),
});

/** Plivo: programmable voice with bidirectional audio streams. */
export const plivo: CarrierDescriptor<typeof Credentials> = {
  id: 'plivo',
  name: 'Plivo',
  credentials: Credentials,
  capabilities: {
    media: plivoMediaCapabilities,
    control: plivoControlCapabilities,
    connects: 'websocket',
    signs: { webhooks: true, upgrade: false },
  },
  open: (credentials, { publicUrl, fetch }) => {
    const control = new PlivoControl(credentials, fetch);
    return {
      id: 'plivo',
      media: plivoMedia,
      control,
      webhooks: new PlivoWebhooks(credentials.authToken, publicUrl),
      test: (signal) => control.test(signal),
      close: async () => {},
    };
  },
};
