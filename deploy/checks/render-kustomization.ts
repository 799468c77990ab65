import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type ConfigMapGenerator, Kustomization, type Patch } from './kustomization';
import { ClusterObject, identityOf } from './manifest';
import { strategicMerge } from './strategic-merge';
import { type Mapping, parseYaml, readYaml, repository } from './yaml-documents';

/**
 * The objects of a kustomization, for checks on machines without kustomize. It knows only what our files use; where
 * kubectl is installed a test compares the two. Generated names carry no hash here.
 */
export function renderKustomization(folder: string, inherited: readonly Mapping[] = []): Mapping[] {
  const kustomization = readKustomization(folder);
  const resources = kustomization.resources.flatMap((entry) => resourcesAt(path.join(folder, entry)));
  const withComponents = kustomization.components.reduce(
    (objects, component) => renderKustomization(path.join(folder, component), objects),
    [...inherited, ...resources],
  );
  const generated = kustomization.configMapGenerator.reduce(
    (objects, generator) => generate(folder, kustomization, generator, objects),
    withComponents,
  );
  const patched = kustomization.patches.reduce((objects, patch) => applyPatch(folder, patch, objects), generated);
  return patched.map((object) => transform(kustomization, object));
}

/** The kustomization of a folder, refused when it uses what we cannot render. */
export function readKustomization(folder: string): Kustomization {
  return Kustomization.parse(readYaml(path.join(folder, 'kustomization.yaml'))[0]);
}

function resourcesAt(entry: string): Mapping[] {
  return existsSync(path.join(repository, entry, 'kustomization.yaml')) ? renderKustomization(entry) : readYaml(entry);
}

function generate(
  folder: string,
  kustomization: Kustomization,
  generator: ConfigMapGenerator,
  objects: readonly Mapping[],
): Mapping[] {
  const read = (file: string) => [file, readFileSync(path.join(repository, folder, file), 'utf8')] as const;
  const data = Object.fromEntries([...generator.literals.map(splitLiteral), ...generator.files.map(read)]);
  const labels = generator.options?.labels ?? kustomization.generatorOptions?.labels;
  const metadata = { name: generator.name, ...(labels && { labels }) };
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...(Object.keys(data).length > 0 && { data }) };
  if (!generator.behavior) return [...objects, map];
  return mergeInto(objects, map, (object) => identityOf(object) === identityOf(map));
}

function splitLiteral(literal: string): readonly [string, string] {
  const at = literal.indexOf('=');
  return [literal.slice(0, at), literal.slice(at + 1)];
}

function applyPatch(folder: string, patch: Patch, objects: readonly Mapping[]): Mapping[] {
  const [content] = patch.path ? readYaml(path.join(folder, patch.path)) : parseYaml(patch.patch ?? '');
  if (!content) throw new TypeError(`${folder}: an empty patch`);
  const { metadata: _name, ...change } = content;
  const { target } = patch;
  const isMeant = (object: Mapping) => (target ? isTarget(target, object) : identityOf(object) === identityOf(content));
  if (content['$patch'] !== 'delete') return mergeInto(objects, change, isMeant);
  requireAny(objects, change, isMeant);
  return objects.filter((object) => !isMeant(object));
}

function isTarget(target: NonNullable<Patch['target']>, object: Mapping): boolean {
  const { kind, metadata } = ClusterObject.parse(object);
  const [label, value] = target.labelSelector?.split('=') ?? [];
  const hasName = new RegExp(`^(${target.name ?? '.*'})$`).test(metadata.name);
  return kind === target.kind && hasName && (!label || metadata.labels?.[label] === value);
}

function mergeInto(objects: readonly Mapping[], change: Mapping, isMeant: (object: Mapping) => boolean): Mapping[] {
  requireAny(objects, change, isMeant);
  return objects.map((object) => (isMeant(object) ? strategicMerge(object, change) : object));
}

function requireAny(objects: readonly Mapping[], change: Mapping, isMeant: (object: Mapping) => boolean): void {
  if (!objects.some(isMeant)) throw new TypeError(`a patch changes nothing: ${JSON.stringify(change)}`);
}

function transform({ namespace, labels, images }: Kustomization, object: Mapping): Mapping {
  const pairs = Object.fromEntries(labels.flatMap((label) => Object.entries(label.pairs)));
  const own = {
    ...(Object.keys(pairs).length > 0 && { labels: pairs }),
    ...(namespace && object['kind'] !== 'Namespace' && { namespace }),
  };
  const template = hasTemplate(object) && labels.length > 0 ? { spec: { template: { metadata: { labels: pairs } } } } : {};
  return withImages(images, strategicMerge(object, { metadata: own, ...template }));
}

function hasTemplate({ kind }: Mapping): boolean {
  return kind === 'Deployment' || kind === 'StatefulSet' || kind === 'Job';
}

function withImages(images: Kustomization['images'], object: Mapping): Mapping {
  const rename = (key: string, value: unknown) => {
    const image = key === 'image' && images.find(({ name }) => name === String(value).split(':')[0]);
    return image ? `${image.newName ?? image.name}:${image.newTag}` : value;
  };
  return JSON.parse(JSON.stringify(object, rename));
}
