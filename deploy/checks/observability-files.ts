import { stringify } from 'yaml';
import { type Alert, alerts } from '../observability/alerts';
import { dashboards } from '../observability/dashboards';

const warning = '# Made from deploy/observability/alerts.ts by UPDATE_DOCS=1 jest deploy/observability: change it there.\n';
const firesAtMinutes = 19;

/** What Prometheus and Grafana are given, by file of the repository: the rules, promtool's tests of them, the dashboards. */
export function observabilityFiles(): Record<string, string> {
  const boards = Object.entries(dashboards()).map(([name, board]): [string, string] => [
    `deploy/observability/grafana/dashboards/${name}.json`,
    `${JSON.stringify(board, null, 2)}\n`,
  ]);
  const rules = { groups: [{ name: 'parley', rules: alerts.map(ruleOf) }] };
  const tests = { rule_files: ['rules.yaml'], evaluation_interval: '1m', tests: alerts.flatMap(testsOf) };
  const metadata = { name: 'parley' };
  const ofOperator = { apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule', metadata, spec: rules };
  return {
    'deploy/observability/rules.yaml': yaml(rules),
    'deploy/observability/rules.test.yaml': yaml(tests),
    'k8s/components/prometheus-operator/rules.yaml': yaml(ofOperator),
    ...Object.fromEntries(boards),
  };
}

/** The section that tells what to do about an alert. */
export function runbookOf({ name }: Pick<Alert, 'name'>): string {
  return `docs/runbooks.md#${name.toLowerCase()}`;
}

function yaml(value: object): string {
  return warning + stringify(value, { lineWidth: 0 });
}

function ruleOf(alert: Alert): object {
  const { name, expr, forMinutes, severity, summary } = alert;
  return { alert: name, expr, for: `${forMinutes}m`, labels: { severity }, annotations: { summary, runbook: runbookOf(alert) } };
}

/** One in which it fires after twenty minutes, one in which it never does, and where it matters one in which it has ended. What it says is not compared, only that it does. */
function testsOf({ name, fires, quiet, over }: Alert): object[] {
  const seriesOf = (samples: Alert['fires']) => Object.entries(samples).map(([series, values]) => ({ series, values }));
  const firing = `count(ALERTS{alertname="${name}",alertstate="firing"}) > bool 0`;
  const at = (minutes: number, isFiring: boolean) => ({
    expr: firing,
    eval_time: `${minutes}m`,
    exp_samples: isFiring ? [{ labels: '{}', value: 1 }] : [],
  });
  const everyMinute = Array.from({ length: firesAtMinutes + 1 }, (_, minute) => at(minute, false));
  return [
    { name: `${name} fires`, interval: '1m', input_series: seriesOf(fires), promql_expr_test: [at(firesAtMinutes, true)] },
    { name: `${name} keeps quiet`, interval: '1m', input_series: seriesOf(quiet), promql_expr_test: everyMinute },
    ...(over
      ? [{ name: `${name} ends`, interval: '1m', input_series: seriesOf(over), promql_expr_test: [at(firesAtMinutes, false)] }]
      : []),
  ];
}
