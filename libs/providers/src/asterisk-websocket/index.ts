import type { CarrierDescriptor } from '@parley/ports';
import { AsteriskControl, asteriskControlCapabilities, AsteriskCredentials, AsteriskWebhooks } from '../asterisk';
import { asteriskWebSocketMedia, asteriskWebSocketMediaCapabilities } from './asterisk-websocket-media';

/** An Asterisk of one's own, with its WebSocket channel: 20.16, 22.6 and later. */
export const asteriskWebSocket: CarrierDescriptor<typeof AsteriskCredentials> = {
  id: 'asterisk-websocket',
  name: 'Asterisk, by WebSocket',
  credentials: AsteriskCredentials,
  capabilities: {
    media: asteriskWebSocketMediaCapabilities,
    control: asteriskControlCapabilities,
    connects: 'websocket',
    signs: { webhooks: false, upgrade: false },
  },
  open: (credentials, { fetch }) => {
    const control = new AsteriskControl(credentials, fetch);
    return {
      id: 'asterisk-websocket',
      media: asteriskWebSocketMedia,
      control,
      webhooks: new AsteriskWebhooks(credentials.webhookSecret),
      test: (signal) => control.test(signal),
      close: async () => {},
    };
  },
};
