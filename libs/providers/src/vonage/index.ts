import { createPrivateKey } from 'node:crypto';
import type { CarrierDescriptor } from '@parley/ports';
import { z } from 'zod';
import { ApiUrl } from '../carrier-http';
import { VonageControl, vonageControlCapabilities } from './vonage-control';
import { vonageMedia, vonageMediaCapabilities } from './vonage-media';
import { VonageWebhooks } from './vonage-webhooks';

const Credentials = z.object({
  applicationId: z.uuid(),
  privateKey: z
    .string()
    .refine(isPrivateKey, 'must be the private key of the application, in PEM')
    .meta({ description: 'The private key of the voice application, in PEM.', secret: true }),
  signatureSecret: z
    .string()
    .min(1)
    .meta({ description: 'The signature secret of the account, by which Vonage signs its requests.', secret: true }),
  apiUrl: ApiUrl('https://api.nexmo.com'),
});

function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

/** Vonage's Voice API, with WebSocket endpoints. */
export const vonage: CarrierDescriptor<typeof Credentials> = {
  id: 'vonage',
  name: 'Vonage',
  credentials: Credentials,
  capabilities: {
    media: vonageMediaCapabilities,
    control: vonageControlCapabilities,
    connects: 'websocket',
    signs: { webhooks: true, upgrade: true },
  },
  open: (credentials, { fetch }) => {
    const control = new VonageControl(credentials, fetch);
    return {
      id: 'vonage',
      media: vonageMedia,
      control,
      webhooks: new VonageWebhooks(credentials.signatureSecret),
      test: (signal) => control.test(signal),
      close: async () => {},
    };
  },
};
