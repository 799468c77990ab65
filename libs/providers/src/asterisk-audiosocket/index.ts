import type { CarrierDescriptor } from '@parley/ports';
import { AsteriskControl, asteriskControlCapabilities, AsteriskCredentials, AsteriskWebhooks } from '../asterisk';
import { listenForAudioSockets } from './audiosocket-listener';
import { audioSocketMedia, audioSocketMediaCapabilities } from './audiosocket-media';

export { listenForAudioSockets } from './audiosocket-listener';

/** An Asterisk of one's own, with AudioSocket: TCP, in any version since 18. */
export const asteriskAudioSocket: CarrierDescriptor<typeof AsteriskCredentials> = {
  id: 'asterisk-audiosocket',
  name: 'Asterisk, by AudioSocket',
  credentials: AsteriskCredentials,
  capabilities: {
    media: audioSocketMediaCapabilities,
    control: asteriskControlCapabilities,
    connects: 'tcp',
    tokens: 'uuid',
    signs: { webhooks: false, upgrade: false },
  },
  open: (credentials, { clock, fetch }) => {
    const control = new AsteriskControl(credentials, fetch);
    return {
      id: 'asterisk-audiosocket',
      media: audioSocketMedia,
      control,
      webhooks: new AsteriskWebhooks(credentials.webhookSecret),
      listen: (address, handler) => listenForAudioSockets(address, handler, clock),
      test: (signal) => control.test(signal),
      close: async () => {},
    };
  },
};
