import type { CarrierDescriptor } from '@parley/ports';
import { FrameClock } from '@parley/sip';
import { SipCarrier } from './sip-carrier';
import { sipControlCapabilities } from './sip-control';
import { SipCredentials } from './sip-credentials';
import { sipMediaCapabilities } from './sip-media';

// One beat for every call of the process, whatever its account.
const frames = new FrameClock();

/** SIP without a carrier: soft phones, a PBX, a trunk. */
export const sip: CarrierDescriptor<typeof SipCredentials> = {
  id: 'sip',
  name: 'SIP: a phone, a PBX or a trunk',
  credentials: SipCredentials,
  capabilities: {
    media: sipMediaCapabilities,
    control: sipControlCapabilities,
    connects: 'sip',
    signs: { webhooks: false, upgrade: false },
  },
  open: (account, { clock, reaches }) => new SipCarrier(account, { clock, ...(reaches && { reaches }) }, { frames }),
};
