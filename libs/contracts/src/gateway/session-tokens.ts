import { z } from 'zod';
import { defineRequest } from '../messages';
import { described, IpAddress, secret, sessionExample, Timestamp, Uuid } from '../vocabulary';

/** Issues the token by which a browser or an app opens a voice socket without holding the agent's key. */
export const createSessionToken = defineRequest({
  subject: 'gateway.session-token.create',
  request: described(
    'SessionTokenRequest',
    'Which conversation the socket shall continue, and variables for the agent prompt.',
    z.object({
      sessionUUID: Uuid.optional(),
      variables: z.record(z.string().max(64), z.unknown()).optional(),
      visitorIp: IpAddress.optional(),
    }),
    { sessionUUID: sessionExample },
    {},
  ),
  reply: described(
    'SessionToken',
    'A single-use token, and the addresses that take it.',
    z.object({
      token: secret(z.string()),
      expiresAt: Timestamp,
      wsUrls: z.object({ sts: z.string(), transcribe: z.string() }),
    }),
    {
      token: 'sst_EXAMPLE',
      expiresAt: '2026-03-02T09:31:00.000Z',
      wsUrls: { sts: 'wss://voice.example/ws/sts', transcribe: 'wss://voice.example/ws/transcribe' },
    },
  ),
});
