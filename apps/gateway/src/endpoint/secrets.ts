import { canHoldSecret, holdsSecret, withoutSecrets } from '@parley/contracts';
import { z } from 'zod';
import type { Endpoint, Envelope } from './endpoint';

/** One form of an endpoint's JSON body. */
interface Form {
  readonly schema: z.ZodType;
  readonly envelope: Envelope | undefined;
}

/** Whether any answer of an endpoint may contain a secret, according to its contract. */
export function mayAnswerWithSecret(endpoint: Endpoint): boolean {
  return answersOf(endpoint).some(({ schema }) => canHoldSecret(schema));
}

/** Whether this answer contains a secret. If one may be there and the answer cannot be parsed, it counts as containing one. */
export function answersWithSecret(endpoint: Endpoint, body: Buffer | undefined): boolean {
  const forms = answersOf(endpoint).filter(({ schema }) => canHoldSecret(schema));
  if (forms.length === 0) return false;
  const answer = parsed(body);
  return answer === undefined
    ? !('answers' in endpoint)
    : forms.some(({ schema, envelope }) => holdsSecret(schema, bare(answer, envelope)));
}

/** An endpoint's input without its secrets, and without fields unknown to its contract. */
export function inputWithoutSecrets({ contract, ...endpoint }: Endpoint, input: unknown): unknown {
  const body = 'body' in endpoint ? endpoint.body : undefined;
  const schema = body ?? ('request' in contract ? contract.request : z.object({}));
  return withoutSecrets(schema, input);
}

/** An endpoint's answer in its envelope, without its secrets. */
export function answerWithoutSecrets(endpoint: Endpoint, answer: unknown): unknown {
  const [form] = answersOf(endpoint);
  if (!form || typeof answer !== 'object' || answer === null) return null;
  const { schema, envelope } = form;
  if (envelope !== 'data') return withoutSecrets(schema, bare(answer, envelope));
  return { ...answer, data: withoutSecrets(schema, bare(answer, envelope)) };
}

function answersOf(endpoint: Endpoint): Form[] {
  if (!('answers' in endpoint)) return [{ schema: endpoint.contract.reply, envelope: endpoint.envelope }];
  return endpoint.answers.flatMap(({ schemas, envelope }) => schemas.map((schema) => ({ schema, envelope })));
}

/** The reply without its envelope. */
function bare(answer: object, envelope: Envelope | undefined): unknown {
  if (envelope === 'data') return 'data' in answer ? answer.data : undefined;
  if (envelope === 'list') return { ...answer, rows: 'data' in answer ? answer.data : undefined };
  return answer;
}

function parsed(body: Buffer | undefined): object | undefined {
  try {
    const value: unknown = JSON.parse(body?.toString() ?? '');
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
