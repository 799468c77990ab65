import type { CarrierDescriptor } from '@parley/ports';
import { z } from 'zod';
import { ApiUrl } from '../carrier-http';
import { TwilioControl, twilioControlCapabilities } from './twilio-control';
import { twilioMedia, twilioMediaCapabilities } from './twilio-media';
import { TwilioWebhooks } from './twilio-webhooks';

const Credentials = z.object({
  accountSid: z
    .string()
    .regex(/^AC[0-9a-f]{32}$/i, 'must be an Account SID, which begins with AC')
    .meta({ example: 'AC…' }),
  authToken: z.string().min(1).meta({ description: 'The Auth Token, by which Twilio also signs its requests.', secret: true }),
  apiUrl: ApiUrl('https://api.twilio.com'),
});

/** Twilio: programmable voice with bidirectional media streams. */
export const twilio: CarrierDescriptor<typeof Credentials> = {
  id: 'twilio',
  name: 'Twilio',
  credentials: Credentials,
  capabilities: {
    media: twilioMediaCapabilities,
    control: twilioControlCapabilities,
    connects: 'websocket',
    signs: { webhooks: true, upgrade: true },
  },
  open: (credentials, { publicUrl, fetch }) => {
    const control = new TwilioControl(credentials, fetch);
    return {
      id: 'twilio',
      media: twilioMedia,
      control,
      webhooks: new TwilioWebhooks(credentials.authToken, publicUrl),
      test: (signal) => control.test(signal),
      close: async () => {},
    };
  },
};
