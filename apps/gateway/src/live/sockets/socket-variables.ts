import { duration, integer } from '@parley/service-kit';

/** What an operator can set about sockets. */
export const socketVariables = {
  SOCKETS_MAX: integer({ min: 1, max: 100_000 }).default(5_000).meta({
    description: 'WebSockets that one gateway holds open at a time; one more is closed with 4429.',
    example: '5000',
  }),
  SOCKETS_PER_KEY: integer({ min: 1, max: 100_000 }).default(200).meta({
    description: 'WebSockets of one key on one gateway; for a widget without token, of one visitor’s address.',
    example: '200',
  }),
  SOCKETS_PER_ORGANIZATION: integer({ min: 1, max: 100_000 }).default(1_000).meta({
    description: 'WebSockets of one organization on one gateway.',
    example: '1000',
  }),
  SOCKET_START: duration().default(10_000).meta({
    description: 'The time that a client has to say session.start; then its socket is closed with 4408.',
    example: '10s',
  }),
  SOCKET_IDLE: duration().default(300_000).meta({
    description: 'How long neither side may say anything on a WebSocket; then it is closed with 4408. A ping says nothing.',
    example: '5m',
  }),
  SOCKET_CREDENTIAL_CHECK: duration().default(5_000).meta({
    description:
      'How often the keys and widgets behind open WebSockets are looked at: those of an expired key close with 4401. A revocation needs no look.',
    example: '5s',
  }),
  SOCKET_PING: duration().default(20_000).meta({
    description: 'How often a WebSocket is asked for a sign of life; a client that gave none until the next time is cut off.',
    example: '20s',
  }),
};
