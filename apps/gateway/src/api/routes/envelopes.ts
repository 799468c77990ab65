import type { Envelope } from '../../endpoint/route';

/** How a reply is dressed, by the word in a row's `envelope`. */
export const dressed: Record<Envelope, (reply: unknown) => object> = {
  data: (data) => ({ statusCode: 200, message: 'OK', data }),
  list: (reply) => {
    const { rows, ...paging } = pageOf(reply);
    return { statusCode: 200, data: rows, ...paging };
  },
  flat: (reply) => ({ statusCode: 200, ...Object(reply) }),
};

function pageOf(reply: unknown): { rows?: unknown } {
  return typeof reply === 'object' && reply !== null ? reply : {};
}
