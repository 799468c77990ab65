import { z } from 'zod';

const Labels = z.record(z.string(), z.string());
const Target = z.strictObject({ kind: z.string(), name: z.string().optional(), labelSelector: z.string().optional() });
const GeneratorOptions = z.strictObject({ labels: Labels.optional(), disableNameSuffixHash: z.literal(true).optional() });

const Generator = z.strictObject({
  name: z.string(),
  behavior: z.literal('merge').optional(),
  literals: z.array(z.string()).default([]),
  files: z.array(z.string()).default([]),
  options: GeneratorOptions.optional(),
});

/** A kustomization as far as we use one. Strict: a feature that our renderer does not know is refused, not ignored. */
export const Kustomization = z.strictObject({
  apiVersion: z.string(),
  kind: z.enum(['Kustomization', 'Component']),
  namespace: z.string().optional(),
  resources: z.array(z.string()).default([]),
  components: z.array(z.string()).default([]),
  labels: z.array(z.strictObject({ pairs: Labels, includeTemplates: z.literal(true) })).default([]),
  patches: z
    .array(z.strictObject({ path: z.string().optional(), patch: z.string().optional(), target: Target.optional() }))
    .default([]),
  images: z.array(z.strictObject({ name: z.string(), newName: z.string().optional(), newTag: z.string() })).default([]),
  configMapGenerator: z.array(Generator).default([]),
  generatorOptions: GeneratorOptions.optional(),
});
export type Kustomization = z.output<typeof Kustomization>;
export type Patch = Kustomization['patches'][number];
export type ConfigMapGenerator = Kustomization['configMapGenerator'][number];
