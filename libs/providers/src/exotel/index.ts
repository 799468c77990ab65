import type { CarrierDescriptor } from '@parley/ports';
import { z } from 'zod';
import { ApiUrl } from '../carrier-http';
import { ExotelControl, exotelControlCapabilities } from './exotel-control';
import { exotelMedia, exotelMediaCapabilities } from './exotel-media';
import { ExotelWebhooks } from './exotel-webhooks';

const Credentials = z.object({
  accountSid: z.string().min(1).max(100),
  apiKey: z.string().min(1).meta({ secret: true }),
  apiToken: z.string().min(1).meta({ secret: true }),
  flowId: z.string().regex(/^\d+$/).optional().meta({
    description: 'The flow with the Voicebot applet that answers outbound calls; without it the call is streamed directly.',
  }),
  webhookSecret: z.string().min(16).meta({
    description: 'A password of your own making: Exotel signs nothing, so the addresses it asks bear this.',
    secret: true,
  }),
  apiUrl: ApiUrl('https://api.exotel.com'),
});

/** Exotel: Indian numbers, with the Voicebot applet. */
export const exotel: CarrierDescriptor<typeof Credentials> = {
  id: 'exotel',
  name: 'Exotel',
  credentials: Credentials,
  capabilities: {
    media: exotelMediaCapabilities,
    control: exotelControlCapabilities,
    connects: 'websocket',
    signs: { webhooks: false, upgrade: false },
  },
  open: (credentials, { fetch }) => {
    const control = new ExotelControl(credentials, fetch);
    return {
      id: 'exotel',
      media: exotelMedia,
      control,
      webhooks: new ExotelWebhooks(credentials.webhookSecret),
      test: (signal) => control.test(signal),
      close: async () => {},
    };
  },
};
