import { globSync } from 'node:fs';
import path from 'node:path';
import { readKustomization } from './render-kustomization';
import { repository } from './yaml-documents';

/** Every YAML file below a folder, by its path in the repository. */
export function yamlFilesIn(folder: string): string[] {
  return globSync(`${folder}/**/*.yaml`, { cwd: repository }).sort();
}

/** Every file that a kustomization below a folder names, the kustomizations themselves included. */
export function filesNamedIn(folder: string): string[] {
  const kustomizations = yamlFilesIn(folder).filter((file) => path.basename(file) === 'kustomization.yaml');
  return kustomizations.flatMap((file) => {
    const { resources, patches } = readKustomization(path.dirname(file));
    const named = [...resources, ...patches.flatMap((patch) => patch.path ?? [])].filter((entry) => entry.endsWith('.yaml'));
    return [file, ...named.map((entry) => path.join(path.dirname(file), entry))];
  });
}
