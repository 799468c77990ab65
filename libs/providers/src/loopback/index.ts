import { joinSamples, resample } from '@parley/audio';
import type { CarrierDescriptor, MediaClock } from '@parley/ports';
import { z } from 'zod';
import { Flite } from '../flite';
import { commandsOf, LoopbackControl, loopbackControlCapabilities } from './loopback-control';
import { loopbackMedia, loopbackMediaCapabilities } from './loopback-media';
import { LoopbackNetwork } from './loopback-network';
import { LoopbackWebhooks } from './loopback-webhooks';
import { networkRate } from './phone';
import { remoteNetwork } from './remote-network';

export { Handset } from './handset';
export { type LoopbackFaults, LoopbackNetwork, type LoopbackOptions, type LoopbackOrder } from './loopback-network';
export type { ConnectMedia, LineListener, NetworkLine, PostWebhook } from './network-line';
export { menu, networkRate, person, type Phone, phoneByNumber, type PhoneStep, voicemail } from './phone';
export { serveNetwork } from './remote-network';

const Credentials = z.object({
  secret: z
    .string()
    .min(8)
    .default('loopback-demo-secret')
    .meta({ description: 'What the simulated network signs its requests with.', secret: true }),
  networkUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({ description: 'A simulated network in another process; without it there is one in this process.' }),
});

let ownNetwork: LoopbackNetwork | undefined;

/** The network of this process, on a clock of the first who asks for it. Its people speak with flite's voice. */
export function localNetwork(clock: MediaClock): LoopbackNetwork {
  ownNetwork ??= new LoopbackNetwork({ clock, voice: fliteVoice() });
  return ownNetwork;
}

/** The voice of flite that the engine for showing understands best over a telephone. */
const voice = 'rms';

/** English words as 8 kHz samples; the engine starts with the first of them. */
export function fliteVoice(): (words: string) => Promise<Int16Array> {
  let flite: Flite | undefined;
  return async (text) => {
    flite ??= new Flite({ threads: 1 });
    const blocks: Int16Array[] = [];
    let sampleRate = networkRate;
    for await (const block of flite.speak({ text, language: 'english', voice })) {
      blocks.push(block.samples);
      sampleRate = block.sampleRate;
    }
    return resample(joinSamples(blocks), sampleRate, networkRate);
  };
}

/** A telephone network that is not there, for development, demonstrations and tests. */
export const loopback: CarrierDescriptor<typeof Credentials> = {
  id: 'loopback',
  name: 'Simulated network',
  credentials: Credentials,
  capabilities: {
    media: loopbackMediaCapabilities,
    control: loopbackControlCapabilities,
    connects: 'websocket',
    reachesAnyHost: true,
    signs: { webhooks: true, upgrade: false },
  },
  open: ({ secret, networkUrl }, { publicUrl, clock }) => {
    const commands = networkUrl === undefined ? commandsOf(localNetwork(clock)) : remoteNetwork(networkUrl);
    return {
      id: 'loopback',
      media: loopbackMedia,
      control: new LoopbackControl(commands, secret),
      webhooks: new LoopbackWebhooks(secret, publicUrl),
      close: async () => {},
    };
  },
};
