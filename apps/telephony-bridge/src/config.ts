import { duration, flag, integer, port, SecretKeyVariables, text, url } from '@parley/service-kit';
import { z } from 'zod';

const spanRule = 'must be a port, or a span such as 5060-5069';
/** One port, or the first and the last of many. */
const PortSpan = text()
  .refine((span) => /^\d{1,5}(-\d{1,5})?$/.test(span), spanRule)
  .transform((span) => {
    const [from = 0, to = from] = span.split('-').map(Number);
    return { from, to };
  })
  .refine(({ from, to }) => from > 0 && from <= to && to <= 65_535, spanRule);

/** The variables of the telephony bridge, on top of those that every service has. */
export const TelephonyBridgeVariables = z.object({
  ...SecretKeyVariables.shape,
  TELEPHONY_HOST: text().default('127.0.0.1').meta({
    description: 'The address on which carriers’ webhooks and media are taken.',
    example: '0.0.0.0',
  }),
  TELEPHONY_PORT: port().default(8090).meta({
    description: 'The port of the carriers’ webhooks and media WebSockets; 0 takes a free one.',
    example: '8090',
  }),
  TELEPHONY_PUBLIC_URL: url('http', 'https').optional().meta({
    description:
      'Where carriers find /telephony: signatures are checked against it and media tokens name it. Without it, this machine and TELEPHONY_PORT.',
    example: 'https://voice.example.com',
  }),
  AUDIOSOCKET_PORT: port().optional().meta({
    description:
      'The port on which Asterisk’s AudioSocket connects, on TELEPHONY_HOST. Without it, none does. Of several bridges on one machine (`npm run cluster`) the first listens there, for the calls of all.',
    example: '9092',
  }),
  SIP_PORTS: PortSpan.optional().meta({
    description:
      'The ports, UDP and TCP on TELEPHONY_HOST, that SIP accounts may listen on, each account on one of its own. Without it no calls come in by SIP.',
    example: '5060-5069',
  }),
  CARRIERS_IN_PRIVATE_NETWORKS: flag().default(false).meta({
    description:
      'Whether accounts may name servers in private networks: your own Asterisk or jambonz, a PBX or phone by SIP, the simulated network. Only where every organization is trusted.',
    example: 'true',
  }),
  WEBHOOKS_IN_PRIVATE_NETWORKS: flag().default(false).meta({
    description:
      'Whether webhooks of campaigns may lead into private networks and to this machine, and by http. Only where every organization is trusted.',
    example: 'true',
  }),
  CALLS_PER_ORGANIZATION: integer({ min: 1, max: 10_000 }).default(50).meta({
    description: 'Calls of one organization that may be live at a time, over all replicas; more wait.',
    example: '50',
  }),
  CALLS_WAITING_PER_ORGANIZATION: integer({ min: 1, max: 100_000 }).default(1_000).meta({
    description: 'Calls of one organization that may wait for room; one more is refused with 429.',
    example: '1000',
  }),
  CALLS_RESERVED_FOR_CALLERS: integer({ min: 0, max: 10_000 }).default(5).meta({
    description: 'Calls of CALLS_PER_ORGANIZATION that campaigns leave to those who call; campaigns have at least one.',
    example: '5',
  }),
  CALLS_TO_COSTLY_NUMBERS: flag().default(false).meta({
    description:
      'Whether people may have premium numbers and satellite telephones called, and calls given to them. Campaigns never call them.',
    example: 'true',
  }),
  CALL_WAITING: duration().default(900_000).meta({
    description: 'How long a call may wait for room; then it has failed.',
    example: '15m',
  }),
  CALL_DRAIN: duration().default(15_000).meta({
    description: 'How long calls may go on when the bridge stops; then they are ended. Keep it below DRAIN_SECONDS.',
    example: '15s',
  }),
  CALL_SILENT_MEDIA: duration().default(30_000).meta({
    description: 'How long a call may go without any media from its carrier; then it is ended.',
    example: '30s',
  }),
});
export type TelephonyConfiguration = z.output<typeof TelephonyBridgeVariables>;
