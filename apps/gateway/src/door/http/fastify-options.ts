import type { FastifyHttpOptions, RawServerDefault } from 'fastify';
import type { GatewayConfig } from '../../config';
import { answerFault } from '../faults/answer-fault';
import { answerClientError } from './client-error';
import { faultOf } from '../faults/fault-of';
import { isSocketPath } from '../../endpoint/socket-paths';
import { requestIdOf } from './request-id';
import { stamp } from './response-headers';

const unreadBytesMax = 16_384;

/** The settings of the public HTTP server: each limit that it enforces before a route is even looked for. */
export function fastifyOptions(config: GatewayConfig): FastifyHttpOptions<RawServerDefault> {
  return {
    bodyLimit: config.BODY_LIMIT_BYTES,
    requestTimeout: config.REQUEST_TIMEOUT,
    keepAliveTimeout: config.KEEP_ALIVE,
    http: {
      // Of a body that nobody reads yet, no more than this is taken in.
      highWaterMark: unreadBytesMax,
      maxHeaderSize: config.HEADERS_LIMIT_BYTES,
      headersTimeout: config.HEADERS_TIMEOUT,
      connectionsCheckingInterval: config.TIMEOUT_CHECK_INTERVAL,
      // Some clients offer HTTP/2 with every request; only what opens a socket is taken out of HTTP.
      shouldUpgradeCallback: ({ url, headers }) => headers.upgrade?.toLowerCase() === 'websocket' && isSocketPath(url),
    },
    routerOptions: { maxParamLength: config.PATH_SEGMENT_LIMIT },
    trustProxy: config.TRUSTED_PROXIES.length > 0 && config.TRUSTED_PROXIES,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    genReqId: requestIdOf,
    requestIdHeader: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      stamp(request, reply);
      answerFault(reply, faultOf(error));
    },
  };
}
