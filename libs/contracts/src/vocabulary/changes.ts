import { z } from 'zod';
import { Fault } from '../faults';

/**
 * A record as a save leaves it, for every save alike: what is absent stays as it was, null empties or brings the default back, and
 * what a record must have is asked for. `before` is the record as it is stored, nothing for a new one.
 */
export function afterSave<Shape extends z.ZodObject>(
  record: Shape,
  before: object | null | undefined,
  sent: object,
): z.output<Shape> {
  const names = Object.keys(record.shape);
  const said = Object.entries(sent).filter(([name, value]) => value !== undefined && names.includes(name));
  const kept = Object.entries(before ?? {}).filter(([name]) => names.includes(name) && !said.some(([other]) => other === name));
  const isNullable = (name: string) => record.shape[name] instanceof z.ZodNullable;
  const filled = said.filter(([name, value]) => value !== null || isNullable(name));
  const parsed = record.safeParse(Object.fromEntries([...kept, ...filled]));
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.map(({ path, message }) => {
    const field = path.join('.');
    return { field, message: said.some(([name]) => name === field) || !names.includes(field) ? message : `${field} is required` };
  });
  throw new Fault('VALIDATION_FAILED', { details });
}

/** Refines a save: the fields that a new record must bring, unless `key` names one that is there. */
export function requiredWhenNew(key: string, fields: readonly string[]) {
  return (body: object, context: z.core.$RefinementCtx): void => {
    if (Reflect.get(body, key)) return;
    const missing = fields.filter((field) => Reflect.get(body, field) === undefined);
    for (const field of missing) context.addIssue({ code: 'custom', path: [field], message: 'is required', input: body });
  };
}
