import { duration, flag, integer, listenHost, port, SecretKeyVariables, variableText, url } from '@parley/service-kit';
import { z } from 'zod';

const spanRule = 'a port, or the first and the last of many, such as 5060-5069';
/** One port, or the first and the last of many. */
const PortSpan = variableText()
  .refine((span) => /^\d{1,5}(-\d{1,5})?$/.test(span), spanRule)
  .transform((span) => {
    const [from = 0, to = from] = span.split('-').map(Number);
    return { from, to };
  })
  .refine(({ from, to }) => from > 0 && from <= to && to <= 65_535, spanRule)
  .meta({ expected: spanRule });

/** The telephony bridge's variables, in addition to the common ones. */
export const TelephonyBridgeVariables = z.object({
  ...SecretKeyVariables.shape,
  TELEPHONY_HOST: listenHost().default('127.0.0.1').meta({
    description: 'The address on which carriers’ webhooks and media are served.',
    example: '0.0.0.0',
  }),
  TELEPHONY_PORT: port().default(8090).meta({
    description: 'The port of the carriers’ webhooks and media WebSockets; 0 takes a free one.',
    example: '8090',
  }),
  TELEPHONY_PUBLIC_URL: url('http', 'https').optional().meta({
    description:
      'The public address of /telephony: signatures are checked against it, and media URLs contain it. Without it, this machine and TELEPHONY_PORT.',
    example: 'https://voice.example.com',
  }),
  AUDIOSOCKET_PORT: port().optional().meta({
    description:
      'The port for Asterisk’s AudioSocket, on TELEPHONY_HOST. By default there is none; 0 takes a free one. Of several bridges on one machine (`npm run cluster`) the first one listens on it, for the calls of all.',
    example: '9092',
  }),
  SIP_PORTS: PortSpan.optional().meta({
    description:
      'The ports, UDP and TCP on TELEPHONY_HOST, that SIP accounts may listen on, one for each account. By default no calls come in by SIP.',
    example: '5060-5069',
  }),
  SIP_PORTS_PER_ORGANIZATION: integer({ min: 1, max: 10_000 })
    .default(3)
    .meta({
      description:
        'How many of SIP_PORTS one organization may have; what it has beyond that, for instance since the number was lowered, it keeps.',
      example: '3',
      needs: ['SIP_PORTS'],
    }),
  CARRIERS_IN_PRIVATE_NETWORKS: flag().default(false).meta({
    description:
      'Whether accounts may name servers in private networks: your own Asterisk or jambonz, a PBX or phone by SIP, the simulated network. Only for installations where every organization is trusted.',
    example: 'true',
  }),
  WEBHOOKS_IN_PRIVATE_NETWORKS: flag().default(false).meta({
    description:
      'Whether campaign webhooks may use private networks, this machine, and http. Only for installations where every organization is trusted.',
    example: 'true',
  }),
  CALLS_PER_ORGANIZATION: integer({ min: 1, max: 10_000 }).default(50).meta({
    description: 'The maximum number of live calls of one organization, over all replicas; further calls wait.',
    example: '50',
  }),
  CALLS_WAITING_PER_ORGANIZATION: integer({ min: 1, max: 100_000 }).default(1_000).meta({
    description: 'The maximum number of calls of one organization that wait for a slot; one more is refused with 429.',
    example: '1000',
  }),
  CALLS_RESERVED_FOR_CALLERS: integer({ min: 0, max: 10_000 })
    .default(5)
    .meta({
      description:
        'Slots of CALLS_PER_ORGANIZATION that campaigns leave free for incoming calls, 0 for none; campaigns always have at least one.',
      example: '5',
      bound: { by: 'CALLS_PER_ORGANIZATION' },
      defaultGivesWay: true,
    }),
  CALLS_TO_COSTLY_NUMBERS: flag().default(false).meta({
    description:
      'Whether calls may be placed or transferred to premium numbers and satellite telephones. Campaigns never call them.',
    example: 'true',
  }),
  CALL_WAITING: duration({ min: '1s', max: '24h' }).default(900_000).meta({
    description: 'How long a call may wait for a slot; then it fails.',
    example: '15m',
  }),
  CALL_DRAIN: duration({ min: '0s', max: '1h' })
    .default(15_000)
    .meta({
      description: 'How long calls may continue while the bridge is stopping; then they are ended, with 0s at once.',
      example: '15s',
      bound: { by: 'DRAIN_SECONDS', isBelow: true },
    }),
  CALL_MONTHS: integer({ min: 14, max: 600 }).default(25).meta({
    description:
      'How many months calls and their numbers are listed. Variables and names of recordings are kept for the agent’s retention days; if these are longer, the calls are listed as long.',
    example: '25',
  }),
  CALL_SILENT_MEDIA: duration({ min: '1s', max: '1h' }).default(30_000).meta({
    description: 'How long a call may be without any media from its carrier; then it is ended.',
    example: '30s',
  }),
});
export type TelephonyConfiguration = z.output<typeof TelephonyBridgeVariables>;
