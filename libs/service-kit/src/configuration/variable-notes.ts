import { z } from 'zod';

const Notes = z.object({
  description: z.string().optional(),
  example: z.coerce.string().optional(),
  secret: z.boolean().optional(),
  expected: z.string().optional(),
});

/** What a configuration schema says about one variable, wherever in its layers it says it. */
export type VariableNotes = z.output<typeof Notes> & { isRequired: boolean; default?: unknown };

/** Reads the notes of a variable: the outer layer (`.default()`, `.meta()`) overrules the inner one. */
export function notesOf(variable: z.core.$ZodType): VariableNotes {
  const inner = layerBelow(variable);
  const below: VariableNotes = inner ? notesOf(inner) : { isRequired: true };
  const own = Notes.parse(z.globalRegistry.get(variable) ?? {});
  return { ...below, ...own, ...absence(variable) };
}

function layerBelow(variable: z.core.$ZodType): z.core.$ZodType | undefined {
  if (variable instanceof z.ZodDefault || variable instanceof z.ZodOptional) return variable.def.innerType;
  return variable instanceof z.ZodPipe ? variable.def.in : undefined;
}

function absence(variable: z.core.$ZodType): Partial<VariableNotes> {
  if (variable instanceof z.ZodDefault) return { isRequired: false, default: variable.def.defaultValue };
  return variable instanceof z.ZodOptional ? { isRequired: false } : {};
}
