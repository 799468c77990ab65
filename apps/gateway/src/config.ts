import { FileStoreVariables } from '@parley/providers/configured-files';
import { commaList, duration, flag, integer, port, SecretKeyVariables, text, url } from '@parley/service-kit';
import { z } from 'zod';
import { heldVariables } from './door/limits/held-places';
import { PlanAssignments, PlanList } from './door/limits/plans';
import { creditVariables } from './money/credit-variables';

/** What an operator can set about sockets. */
const socketVariables = {
  SOCKETS_MAX: integer({ min: 1, max: 100_000 }).default(5_000).meta({
    description: 'WebSockets that one gateway holds open at a time; one more is closed with 4429.',
    example: '5000',
  }),
  ...heldVariables,
  SOCKET_START: duration().default(10_000).meta({
    description: 'The time that a client has to send session.start; then its socket is closed with 4408.',
    example: '10s',
  }),
  SOCKET_IDLE: duration().default(300_000).meta({
    description: 'How long a WebSocket may be idle; then it is closed with 4408. Pings do not count.',
    example: '5m',
  }),
  SOCKET_CREDENTIAL_CHECK: duration().default(5_000).meta({
    description:
      'How often the keys and widgets behind open WebSockets are checked: those of an expired key are closed with 4401. Revocations take effect at once.',
    example: '5s',
  }),
  SOCKET_PING: duration().default(20_000).meta({
    description: 'How often a WebSocket is pinged; a client without an answer until the next ping is cut off.',
    example: '20s',
  }),
};

/** What an operator can set about the public door. Every limit that a client can run into is here. */
export const GatewayConfig = z.object({
  HOST: text().default('127.0.0.1').meta({ description: 'The address that the gateway listens on.', example: '0.0.0.0' }),
  PORT: port().default(8080).meta({ description: 'The port of the gateway; 0 takes a free one.', example: '8080' }),
  PUBLIC_URL: url('http', 'https').optional().meta({
    description: 'The public address of this platform, used in socket URLs. Without it, this machine and PORT.',
    example: 'https://voice.example.com',
  }),
  ACCESS_LOG: flag().default(false).meta({
    description:
      'Logs every answered request: route, status, time, organization and key. Health and metrics have their own port and are not logged.',
    example: 'true',
  }),
  BODY_LIMIT_BYTES: integer({ min: 1024 }).default(1_048_576).meta({
    description: 'The largest JSON body; a larger one gets 413. Routes that take files have limits of their own.',
    example: '1048576',
  }),
  HEADERS_LIMIT_BYTES: integer({ min: 1024, max: 1_048_576 }).default(16_384).meta({
    description: 'The largest set of request headers; a larger one gets 431.',
    example: '16384',
  }),
  PATH_SEGMENT_LIMIT: integer({ min: 36, max: 4096 }).default(200).meta({
    description: 'Most characters in one variable segment of a path; a longer one gets 400.',
    example: '200',
  }),
  REQUEST_TIMEOUT: duration().default(60_000).meta({
    description: 'The time that a client has to send a whole request; then it gets 408 and the connection closes.',
    example: '60s',
  }),
  HEADERS_TIMEOUT: duration().default(10_000).meta({
    description: 'The time that a client has to send its headers; then it gets 408 and the connection closes.',
    example: '10s',
  }),
  TIMEOUT_CHECK_INTERVAL: duration().default(1_000).meta({
    description: 'How often slow connections are looked for. A timeout takes effect at most this much later.',
    example: '1s',
  }),
  KEEP_ALIVE: duration().default(72_000).meta({
    description: 'How long an idle connection stays open. It must be longer than that of the load balancer in front.',
    example: '72s',
  }),
  TRUSTED_PROXIES: commaList().default([]).meta({
    description:
      'Addresses and ranges whose X-Forwarded-For is trusted. Without any, a client’s address is that of its connection.',
    example: '10.0.0.0/8,loopback',
  }),
  CORS_ORIGINS: commaList().default([]).meta({
    description: 'Origins whose pages may call the API from a browser; * for all. Without any, none may.',
    example: 'https://app.example.com',
  }),
  DEMO_WIDGET: text().optional().meta({
    description:
      'The public id of the widget through which visitors of /demo talk. Without it and the file, the page does not exist.',
    example: 'wdg_3kZpQ81n',
  }),
  DEMO_WIDGET_FILE: text().optional().meta({
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
      'Plans beside or instead of the standard one, as JSON by name. Settings left out are those of the standard plan.',
    example: '{"scale":{"key":{"chat":{"limit":6000,"windowSeconds":60}}}}',
  }),
  ORGANIZATION_PLANS: PlanAssignments.default(new Map()).meta({
    description: 'The plans of organizations without the standard one.',
    example: '7=scale,9=trial',
  }),
  FAILED_KEYS_PER_MINUTE: integer({ min: 1, max: 1_000_000 }).default(60).meta({
    description: 'Wrong API keys that one address (or IPv6 /64) may try in a minute; then it gets 429.',
    example: '60',
  }),
  ...creditVariables,
  ...socketVariables,
  AUDIT_MONTHS: integer({ min: 3, max: 600 }).default(25).meta({
    description:
      'For how many whole months lines of the audit log are listed. Then they are moved to files below archive/audit, where the check of the chain still reads them.',
    example: '25',
  }),
});
export type GatewayConfig = z.output<typeof GatewayConfig>;
