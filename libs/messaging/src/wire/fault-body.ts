import { Fault, isFaultCode } from '@parley/contracts';
import { z } from 'zod';
import { textOf } from './body';

const FaultBody = z.object({
  code: z.string().transform((word) => (isFaultCode(word) ? word : 'INTERNAL')),
  message: z.string(),
  details: z.array(z.object({ field: z.string(), message: z.string() })),
  retryAfterSeconds: z.number().optional(),
  dependency: z.string().max(64).optional(),
});

const detailsMax = 100;

/** What another service may know of a fault. Its cause stays here. */
export function encodeFault({ code, message, details, retryAfterSeconds, dependency }: Fault): string {
  const shortened = { message: message.slice(0, 2000), details: details.slice(0, detailsMax) };
  return JSON.stringify({ code, ...shortened, retryAfterSeconds, dependency });
}

/** The fault that the other side told of; INTERNAL when it cannot be read. */
export function decodeFault(data: Uint8Array): Fault {
  try {
    const { code, ...options } = FaultBody.parse(JSON.parse(textOf(data)));
    return new Fault(code, options);
  } catch (cause) {
    return new Fault('INTERNAL', { cause });
  }
}

/** What a caller may know of whatever was thrown. */
export function faultOf(thrown: unknown): Fault {
  return thrown instanceof Fault ? thrown : new Fault('INTERNAL', { cause: thrown });
}

/** The fault of everything that is not there, or not any more; `dependency` says whose absence it is. */
export function unavailable(cause: string, dependency?: string): Fault {
  return new Fault('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1, cause: new Error(cause), ...(dependency && { dependency }) });
}
