import { z } from 'zod';
import type { Mapping } from './yaml-documents';

const Labels = z.record(z.string(), z.string()).default({});
const Port = z.looseObject({ name: z.string(), containerPort: z.int() });
const Probe = z.looseObject({ httpGet: z.looseObject({ path: z.string(), port: z.string() }).optional() });

const Container = z.looseObject({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()).optional(),
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })).default([]),
  envFrom: z.array(z.looseObject({})).default([]),
  ports: z.array(Port).default([]),
  volumeMounts: z.array(z.looseObject({ mountPath: z.string() })).default([]),
  startupProbe: Probe.optional(),
  livenessProbe: Probe.optional(),
  readinessProbe: Probe.optional(),
  lifecycle: z.looseObject({ preStop: z.object({ sleep: z.object({ seconds: z.int() }) }) }).optional(),
  resources: z.object({ requests: Labels, limits: Labels }),
  securityContext: z.looseObject({}),
});

const PodSpec = z.looseObject({
  serviceAccountName: z.string().optional(),
  automountServiceAccountToken: z.literal(false),
  terminationGracePeriodSeconds: z.int().optional(),
  securityContext: z.looseObject({}),
  containers: z.array(Container).length(1),
});

/** A Deployment, StatefulSet or Job, as far as our checks look into it. */
export const Workload = z.looseObject({
  kind: z.enum(['Deployment', 'StatefulSet', 'Job']),
  metadata: z.looseObject({ name: z.string(), labels: Labels }),
  spec: z.looseObject({
    selector: z.object({ matchLabels: Labels }).optional(),
    template: z.object({ metadata: z.object({ labels: Labels }), spec: PodSpec }),
  }),
});
export type Workload = z.output<typeof Workload>;

const Named = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), labels: z.record(z.string(), z.string()).optional() }),
});

/** What an object is called among the rendered ones: `Deployment/gateway`. */
export function identityOf(object: Mapping): string {
  const { kind, metadata } = Named.parse(object);
  return `${kind}/${metadata.name}`;
}

/** The workloads among rendered objects. */
export function workloadsIn(objects: readonly Mapping[]): Workload[] {
  const kinds = new Set<unknown>(Workload.shape.kind.options);
  return objects.filter(({ kind }) => kinds.has(kind)).map((object) => Workload.parse(object));
}

/** Any object of the cluster, as far as its type and name go. */
export const ClusterObject = Named;
