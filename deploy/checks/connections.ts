import { z } from 'zod';
import { services } from '../../apps/all-in-one/src/platform';
import { identityOf, type Workload, workloadsIn } from './manifest';
import type { Mapping } from './yaml-documents';

/** What a Postgres of your own has to allow (`max_connections`) for the maxima of production, large and the chart. */
export const connectionsOfYours = 600;

/** The migration, the operator's command, a backup, your monitoring, and the three that Postgres keeps for superusers. */
export const connectionsBeside = 20;

/** A process has a pool for each of its two roles. */
export const poolsOfProcess = 2;

/** While a Deployment is rolled out, a pod that drains still has its connections, beside the one that starts. */
const drainingPods = 1;

/** The most that an installation opens at Postgres, with every service at its largest and all rolled out at once. */
export interface ConnectionSum {
  readonly pods: number;
  /** Pods beside those, while all are rolled out. */
  readonly rolling: number;
  readonly poolMax: number;
  readonly connections: number;
}

/** Services that keep something, by name: speech has no connection to Postgres. */
export const keepers: readonly string[] = services.flatMap(({ name, database }) => (database ? [name] : []));

const Scaler = z.object({
  spec: z.object({ maxReplicas: z.int().optional(), maxReplicaCount: z.int().optional() }),
});
const Rolled = z.object({
  replicas: z.int().optional(),
  strategy: z.object({ rollingUpdate: z.object({ maxSurge: z.int() }) }),
});

/** Adds up what rendered manifests allow. */
export function connectionsOf(objects: readonly Mapping[]): ConnectionSum {
  const deployments = workloadsIn(objects).filter(
    ({ kind, metadata }) => kind === 'Deployment' && keepers.includes(metadata.name),
  );
  const poolMax = Number(settingOf(objects, 'parley', 'DATABASE_POOL_MAX'));
  const sizes = deployments.map((deployment) => {
    const { strategy } = Rolled.parse(deployment.spec);
    const rolling = strategy.rollingUpdate.maxSurge + drainingPods;
    const own = settingOf(objects, `parley-${deployment.metadata.name}`, 'DATABASE_POOL_MAX');
    return { pods: largest(objects, deployment), rolling, poolMax: Number(own ?? poolMax) };
  });
  const sum = (count: (size: (typeof sizes)[number]) => number) => sizes.reduce((all, size) => all + count(size), 0);
  return {
    pods: sum(({ pods }) => pods),
    rolling: sum(({ rolling }) => rolling),
    poolMax,
    connections: sum((size) => (size.pods + size.rolling) * poolsOfProcess * size.poolMax) + connectionsBeside,
  };
}

/** How many pods its scaler may make of a Deployment, or how many it has. */
function largest(objects: readonly Mapping[], { metadata, spec }: Workload): number {
  const scalers = objects.filter((object) =>
    [`HorizontalPodAutoscaler/${metadata.name}`, `ScaledObject/${metadata.name}`].includes(identityOf(object)),
  );
  const [scaled] = scalers.map((scaler) => Scaler.parse(scaler).spec);
  return scaled?.maxReplicas ?? scaled?.maxReplicaCount ?? Rolled.parse(spec).replicas ?? 1;
}

/** What a ConfigMap sets, or undefined. */
export function settingOf(objects: readonly Mapping[], map: string, variable: string): string | undefined {
  const data = objects.find((object) => identityOf(object) === `ConfigMap/${map}`)?.['data'];
  return z.record(z.string(), z.string()).parse(data ?? {})[variable];
}
