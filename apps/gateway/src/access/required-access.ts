import type { ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { ChargedAccess } from '../routes/route';

/** What a caller must hold to pass, on a handler or its controller. A handler without it lets nobody in. */
export const RequiredAccess = Reflector.createDecorator<ChargedAccess>();

/** Metadata never changes, and two guards ask for it at every request. */
const known = new WeakMap<object, ChargedAccess>();

/** The access that the handler of a request, or else its controller, requires. */
export function accessOf(context: ExecutionContext, reflector: Reflector): ChargedAccess | undefined {
  const handler = context.getHandler();
  const found = known.get(handler) ?? reflector.getAllAndOverride(RequiredAccess, [handler, context.getClass()]);
  if (found) known.set(handler, found);
  return found;
}
