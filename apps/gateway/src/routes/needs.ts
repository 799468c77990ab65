import type { Need } from '@parley/contracts';
import type { Access, SaveNeed } from './route';

const createsWhen: readonly unknown[] = [undefined, null, '', 0, 'ADD'];

/** The permissions that a workspace key must hold for this body. Empty: being a member is enough. */
export function neededPermissions({ needs }: Access, body: unknown): Need[] {
  if (typeof needs === 'object') return saveNeeds(needs, body);
  return isNeed(needs) ? [needs] : [];
}

function isNeed(needs: string): needs is Need {
  return needs.includes('.');
}

function saveNeeds({ create, update, by }: SaveNeed, body: unknown): Need[] {
  const values = by.flatMap((path) => valuesAt(body, path.split('.')));
  const creates = values.length === 0 || values.some((value) => createsWhen.includes(value));
  const updates = values.some((value) => !createsWhen.includes(value));
  return [...(creates ? [create] : []), ...(updates ? [update] : [])];
}

/** A body that is not of the expected shape yields nothing here and is refused by its contract afterwards. */
function valuesAt(value: unknown, [step, ...rest]: string[]): unknown[] {
  if (step === undefined) return [value];
  const name = step.replace(/\[\]$/, '');
  const inner = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  if (name === step) return valuesAt(inner, rest);
  return Array.isArray(inner) ? inner.flatMap((element) => valuesAt(element, rest)) : [];
}
