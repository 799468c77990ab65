import { isObservable, lastValueFrom } from 'rxjs';

/** A handler as Nest wraps it: guards, interceptors and filters are inside. */
export type Handler = (...args: unknown[]) => unknown;

/** Runs a handler. Nest answers with an observable when an interceptor or a filter had a hand in it. */
export async function invoke(handler: Handler, ...args: unknown[]): Promise<unknown> {
  const result = await handler(...args);
  return isObservable(result) ? lastValueFrom(result, { defaultValue: undefined }) : result;
}
