import { execFile } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { promtool } from '../tools/promtool.mjs';
import { observabilityFiles, runbookOf } from './checks/observability-files';
import { workloadsIn } from './checks/manifest';
import { renderKustomization } from './checks/render-kustomization';
import { repository } from './checks/yaml-documents';
import { alerts } from './observability/alerts';

const folder = path.join(repository, 'deploy/observability');
const made = observabilityFiles();
const run = promisify(execFile);
const Endpoint = z.object({ port: z.string(), relabelings: z.array(z.object({ targetLabel: z.string() })) });
const PodMonitor = z.object({
  spec: z.object({
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    podMetricsEndpoints: z.array(Endpoint),
  }),
});

it('rules and dashboards match their sources (update with UPDATE_DOCS=1 jest deploy/observability)', () => {
  if (process.env['UPDATE_DOCS'])
    for (const [file, text] of Object.entries(made)) {
      mkdirSync(path.dirname(path.join(repository, file)), { recursive: true });
      writeFileSync(path.join(repository, file), text);
    }
  const kept = globSync('{deploy/observability,k8s/components/prometheus-operator}/{rules*.yaml,grafana/dashboards/*.json}', {
    cwd: repository,
  });
  expect(Object.fromEntries(kept.map((file) => [file, readFileSync(path.join(repository, file), 'utf8')]))).toEqual(made);
});

it('query only metrics that a service has', () => {
  const sources = globSync('{apps,libs}/**/src/**/*.ts', { cwd: repository }).filter((file) => !file.endsWith('.spec.ts'));
  const text = sources.map((file) => readFileSync(path.join(repository, file), 'utf8')).join('\n');
  const known = new Set([...text.matchAll(/name: '(parley_\w+)'/g)].map(([, name]) => name));
  const scalers = readFileSync(path.join(repository, 'k8s/components/keda/scalers.yaml'), 'utf8');
  const asked = [...[...Object.values(made), scalers].join('\n').matchAll(/\bparley_\w+/g)].map(([name]) =>
    name.replace(/_bucket$/, ''),
  );
  expect(asked.length).toBeGreaterThan(50);
  expect(asked.filter((name) => !known.has(name))).toEqual([]);
});

it('every alert has a runbook section, and every section an alert', () => {
  const sections = readFileSync(path.join(repository, 'docs/runbooks.md'), 'utf8').matchAll(/^## (.+)$/gm);
  const anchors = [...sections].map(([, title = '']) => `docs/runbooks.md#${title.toLowerCase()}`);
  expect(anchors.sort()).toEqual(alerts.map(runbookOf).sort());
});

it('every alert fires in its case and only there, checked by promtool if available', async () => {
  const { program, why } = await promtool();
  if (!program) {
    // Printed, so that the skipped check is visible.
    process.stdout.write(`promtool is not on this machine, and the rules were not tried: ${why}\n`);
    return;
  }
  await run(program, ['check', 'rules', 'rules.yaml'], { cwd: folder });
  const { stdout } = await run(program, ['test', 'rules', 'rules.test.yaml'], { cwd: folder });
  expect(stdout).toContain('SUCCESS');
});

it('the Prometheus operator scrapes every service’s port, under the job and labels that the alerts use', () => {
  const [monitor] = renderKustomization('k8s/components/prometheus-operator').filter(({ kind }) => kind === 'PodMonitor');
  const { selector, podMetricsEndpoints } = PodMonitor.parse(monitor).spec;
  const pods = workloadsIn(renderKustomization('k8s/base')).filter(({ kind }) => kind === 'Deployment');
  for (const { spec } of pods) {
    expect(spec.template.metadata.labels).toMatchObject(selector.matchLabels);
    expect(spec.template.spec.containers[0]?.ports.map(({ name }) => name)).toEqual(
      expect.arrayContaining(podMetricsEndpoints.map(({ port }) => port)),
    );
  }
  expect(podMetricsEndpoints.flatMap(({ relabelings }) => relabelings.map(({ targetLabel }) => targetLabel))).toEqual([
    'job',
    'component',
  ]);
});
