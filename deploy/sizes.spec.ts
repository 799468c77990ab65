import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ComposeFile, interpolate, variablesIn } from './checks/compose-file';
import { identityOf, workloadsIn } from './checks/manifest';
import { renderKustomization } from './checks/render-kustomization';
import { Mapping, readYaml, repository } from './checks/yaml-documents';

const read = (file: string) => readFileSync(path.join(repository, file), 'utf8');
const overlays = ['k8s/overlays/trial', 'k8s/overlays/production', 'k8s/overlays/large'];
const Scaler = z.object({
  spec: z.object({
    metrics: z.array(z.object({ resource: z.object({ target: z.object({ averageUtilization: z.number() }) }) })),
  }),
});
const Requests = z.object({ requests: z.object({ cpu: z.string() }) });
const coresOf = (cpu: string): number => (cpu.endsWith('m') ? Number.parseInt(cpu, 10) / 1_000 : Number(cpu));
const written = (cores: number): string => `${Number(cores.toFixed(3))} core`;

/** How many lines of live voice a replica takes in an installation. */
function linesMax(objects: readonly Mapping[]): unknown {
  return Mapping.parse(objects.find((object) => identityOf(object) === 'ConfigMap/parley-speech')?.['data'])['LINES_MAX'];
}

it('a replica of speech takes as many lines everywhere, more than those at which KEDA adds one', () => {
  const source = read('docker-compose.yml');
  const required = Object.fromEntries(variablesIn(source).flatMap(({ name, isRequired }) => (isRequired ? [[name, 'x']] : [])));
  const compose = ComposeFile.parse(interpolate(readYaml('docker-compose.yml')[0], required));
  const chart = z
    .object({ services: z.object({ speech: z.object({ settings: Mapping }) }) })
    .parse(readYaml('deploy/helm/values.yaml')[0]);
  const shipped = [
    compose.services['speech']?.environment['LINES_MAX'],
    chart.services.speech.settings['LINES_MAX'],
    ...overlays.map((overlay) => linesMax(renderKustomization(overlay))),
  ];
  expect(new Set(shipped)).toEqual(new Set(['25']));
  expect(read('docs/operations.md')).toContain('As shipped it\nis 25,');
  const [, threshold] =
    /sum\(parley_lines_held[^\n]*\n\s+threshold: '(\d+)'/u.exec(read('k8s/components/keda/scalers.yaml')) ?? [];
  expect(Number(threshold)).toBeGreaterThan(0);
  expect(Number(threshold)).toBeLessThan(25);
});

it('docs/operations.md says at how much of a core each autoscaler adds a pod', () => {
  const objects = renderKustomization('k8s/overlays/production');
  const scaled = objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
  expect(scaled).toHaveLength(5);
  for (const scaler of scaled) {
    const name = identityOf(scaler).split('/')[1] ?? '';
    const [metric] = Scaler.parse(scaler).spec.metrics;
    const share = metric?.resource.target.averageUtilization ?? 0;
    const pod = workloadsIn(objects).find(({ metadata }) => metadata.name === name)?.spec.template.spec.containers[0];
    const cores = coresOf(Requests.parse(pod?.resources).requests.cpu);
    expect(read('docs/operations.md')).toContain(
      `| ${name} | ${written(cores)} | ${share} %: ${written((cores * share) / 100)} |`,
    );
  }
});
