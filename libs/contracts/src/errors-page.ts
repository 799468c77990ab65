import { STATUS_CODES } from 'node:http';
import { faultCatalogue } from './fault-catalogue';
import { faultCodes } from './faults';

const intro = `# Errors

Every error has one shape, over HTTP and on a WebSocket alike:

\`\`\`json
{
  "statusCode": 400,
  "error": "Bad Request",
  "code": "VALIDATION_FAILED",
  "message": "question is required",
  "details": [{ "field": "question", "message": "is required" }],
  "requestId": "0b6f2d1e"
}
\`\`\`

Decide by \`code\`: it never changes its meaning. \`message\` is for people and may be worded anew. Quote \`requestId\` (also in
the header \`X-Request-ID\`) when you report a problem. 429 and 503 carry \`Retry-After\` in seconds.

This page is made from \`libs/contracts/src/fault-catalogue.ts\`; a test keeps the two equal.
`;

/** The text of docs/errors.md. */
export function errorsPage(): string {
  const rows = faultCodes.map((code) => {
    const { status, message, remedy, isRetryable } = faultCatalogue[code];
    return `| \`${code}\` | ${statusText(status)} | ${message} | ${remedy} | ${isRetryable ? 'yes' : 'no'} |`;
  });
  return [intro, '| Code | Status | Meaning | What to do | Retry |', '|---|---|---|---|---|', ...rows, ''].join('\n');
}

/** 499 is no registered status; proxies use it for a client that went away. */
function statusText(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? 'Client Closed Request'}`;
}
