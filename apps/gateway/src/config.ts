import { FileStoreVariables } from '@parley/providers/configured-files';
import { duration, integer, listenHost, port, SecretKeyVariables, variableText, url } from '@parley/service-kit';
import { z } from 'zod';
import { auditVariables } from './door/audit/audit-trail';
import { httpVariables } from './door/http/fastify-options';
import { concurrencyVariables } from './door/limits/rate-limits';
import { PlanAssignments, PlanList } from './door/limits/plans';
import { creditVariables } from './money/credit-variables';

/** What an operator can set about sockets. */
const socketVariables = {
  SOCKETS_MAX: integer({ min: 1, max: 100_000 }).default(5_000).meta({
    description: 'The maximum number of WebSockets open on one gateway; one more is closed with 4429.',
    example: '5000',
  }),
  ...concurrencyVariables,
  SOCKET_START: duration({ min: '1s', max: '5m' }).default(10_000).meta({
    description: 'The time that a client has to send session.start; then its socket is closed with 4408.',
    example: '10s',
  }),
  SOCKET_IDLE: duration({ min: '1s', max: '24h' }).default(300_000).meta({
    description: 'How long a WebSocket may be idle; then it is closed with 4408. Pings do not count.',
    example: '5m',
  }),
  SOCKET_CREDENTIAL_CHECK: duration({ min: '50ms', max: '1h' }).default(5_000).meta({
    description:
      'How often the keys, widgets and rights of members behind open WebSockets and streams are checked: those of an expired key are closed with 4401. A revocation takes effect on every gateway before it is answered, a change of rights when its event arrives. A gateway that such news does not reach accepts the key as it was for 30 seconds at most.',
    example: '5s',
  }),
  SOCKET_PING: duration({ min: '1s', max: '1h' }).default(20_000).meta({
    description: 'How often a WebSocket is pinged; a client without an answer until the next ping is cut off.',
    example: '20s',
  }),
};

/** What an operator can set about the public gateway, with every limit that a client can reach. */
export const GatewayConfig = z
  .object({
    HOST: listenHost().default('127.0.0.1').meta({ description: 'The address that the gateway listens on.', example: '0.0.0.0' }),
    PORT: port().default(8080).meta({ description: 'The port of the gateway; 0 takes a free one.', example: '8080' }),
    PUBLIC_URL: url('http', 'https').optional().meta({
      description: 'The public address of this platform, used in socket URLs. Without it, this machine and PORT.',
      example: 'https://voice.example.com',
    }),
    ...httpVariables,
    DEMO_WIDGET: variableText().optional().meta({
      description:
        'The public id of the widget through which visitors of /demo talk. Without it and the file, the page does not exist.',
      example: 'wdg_3kZpQ81n',
    }),
    DEMO_WIDGET_FILE: variableText().optional().meta({
      description: 'A file with that id, read for each visitor. npm start and npm run cluster write one; production has none.',
      example: '/run/parley/demo-widget',
    }),
    DEMO_PHONE_URL: url('ws', 'wss').optional().meta({
      description:
        'The address of the simulated telephone of /demo, with which visitors call the agent. npm start and npm run cluster provide one.',
      example: 'ws://127.0.0.1:8091',
    }),
    ...FileStoreVariables.shape,
    ...SecretKeyVariables.shape,
    RATE_LIMIT_PLANS: PlanList.default(new Map()).meta({
      description:
        'Plans in addition to, or instead of, the standard one, as JSON by name. Settings left out are those of the standard plan.',
      example: '{"scale":{"key":{"chat":{"limit":6000,"windowSeconds":60}}}}',
    }),
    ORGANIZATION_PLANS: PlanAssignments.default(new Map()).meta({
      description:
        'The plans of organizations that do not have the standard one, each from RATE_LIMIT_PLANS; `plan assign` gives one that `plan save` has saved.',
      example: '7=scale,9=trial',
    }),
    FAILED_KEYS_PER_MINUTE: integer({ min: 1, max: 1_000_000 }).default(60).meta({
      description:
        'Wrong API keys that one address (or IPv6 /64) may try in a minute; then it gets 429. Only keys with valid check digits count, such as revoked ones: any other is refused with 401 without a look-up.',
      example: '60',
    }),
    ...creditVariables,
    ...socketVariables,
    ...auditVariables,
  })
  .superRefine(({ RATE_LIMIT_PLANS: plans, ORGANIZATION_PLANS: assignments }, context) => {
    // Read with the configuration alone: what the operator's command has saved is known only after Postgres was opened.
    for (const [orgId, name] of assignments)
      if (name !== 'standard' && !plans.has(name))
        context.addIssue({
          code: 'custom',
          path: ['ORGANIZATION_PLANS', orgId],
          message: `RATE_LIMIT_PLANS has no plan ${name}`,
        });
  });
export type GatewayConfig = z.output<typeof GatewayConfig>;
