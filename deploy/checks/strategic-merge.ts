import { Mapping } from './yaml-documents';

/** By what Kubernetes tells the items of a list apart when it merges two of them. Lists not named here are replaced whole. */
const mergeKeys: Record<string, string> = {
  containers: 'name',
  env: 'name',
  ports: 'containerPort',
  volumeMounts: 'mountPath',
  volumes: 'name',
};

/** A strategic merge: mappings are merged, keyed lists item by item, everything else is the patch's. */
export function strategicMerge(target: Mapping, patch: Mapping): Mapping {
  const merged = { ...target };
  for (const [field, value] of Object.entries(patch)) merged[field] = mergeField(field, target[field], value);
  return merged;
}

function mergeField(field: string, target: unknown, patch: unknown): unknown {
  const key = mergeKeys[field];
  if (key && Array.isArray(target) && Array.isArray(patch)) return mergeLists(key, target, patch);
  const [targetMapping, patchMapping] = [Mapping.safeParse(target), Mapping.safeParse(patch)];
  return targetMapping.success && patchMapping.success ? strategicMerge(targetMapping.data, patchMapping.data) : patch;
}

function mergeLists(key: string, target: readonly unknown[], patch: readonly unknown[]): Mapping[] {
  const items = new Map<unknown, Mapping>();
  for (const item of [...target, ...patch].map((value) => Mapping.parse(value))) {
    const present = items.get(item[key]);
    items.set(item[key], present ? strategicMerge(present, item) : item);
  }
  return [...items.values()];
}
