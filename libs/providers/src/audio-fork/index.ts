import type { CarrierDescriptor } from '@parley/ports';
import { z } from 'zod';
import { ApiUrl } from '../carrier-http';
import { audioForkMedia, audioForkMediaCapabilities } from './audio-fork-media';
import { JambonzControl, jambonzControlCapabilities } from './jambonz-control';
import { JambonzWebhooks } from './jambonz-webhooks';

const Credentials = z.object({
  accountSid: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'The account at jambonz. Left out for a FreeSWITCH alone.' }),
  apiKey: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'The API key at jambonz. Left out for a FreeSWITCH alone.', secret: true }),
  webhookSecret: z
    .string()
    .min(8)
    .meta({ description: 'The webhook secret of the account; for a FreeSWITCH a password of your own making.', secret: true }),
  apiUrl: ApiUrl('https://api.jambonz.cloud'),
});

/** jambonz, by its `listen` verb; or a FreeSWITCH of one's own with `mod_audio_fork`, which then places no calls. */
export const audioFork: CarrierDescriptor<typeof Credentials> = {
  id: 'audio-fork',
  name: 'jambonz, or FreeSWITCH with mod_audio_fork',
  credentials: Credentials,
  capabilities: {
    media: audioForkMediaCapabilities,
    control: jambonzControlCapabilities,
    connects: 'websocket',
    signs: { webhooks: true, upgrade: true },
  },
  open: ({ accountSid, apiKey, webhookSecret, apiUrl }, { fetch }) => {
    const control = accountSid && apiKey ? new JambonzControl({ accountSid, apiKey, apiUrl }, fetch) : undefined;
    return {
      id: 'audio-fork',
      media: audioForkMedia,
      ...(control && { control, test: (signal?: AbortSignal) => control.test(signal) }),
      webhooks: new JambonzWebhooks(webhookSecret),
      close: async () => {},
    };
  },
};
