import { loadConfiguration } from '@parley/service-kit';
import { OptionProblem, readOptions } from './config';
import { services } from './platform';

describe('start options', () => {
  it('prefer a flag to the environment, and the environment to the default', () => {
    expect(readOptions([], {}).port).toBe(8080);
    expect(readOptions([], { PORT: '9000' }).port).toBe(9000);
    expect(readOptions(['--port', '9001'], { PORT: '9000' }).port).toBe(9001);
  });

  it.each(['abc', '-1', '65536', '80.5', ''])('refuse PORT "%s" in one line', (port) => {
    expect(() => readOptions([], { PORT: port })).toThrow(
      new OptionProblem(`PORT must be a number from 0 to 65535, not "${port}".`),
    );
  });

  it('run every service once by default', () => {
    const { replicas } = readOptions(['--replicas', 'speech=2,gateway=3'], {});
    expect([replicas.get('speech'), replicas.get('gateway'), replicas.get('dashboards')]).toEqual([2, 3, 1]);
  });

  it.each(['parrot=2', 'speech=0', 'speech=17', 'speech', 'speech=x'])('refuse --replicas %s', (value) => {
    expect(() => readOptions(['--replicas', value], {})).toThrow(OptionProblem);
  });

  it('refuse an unknown flag', () => {
    expect(() => readOptions(['--prot', '80'], {})).toThrow(/--prot/);
  });
});

describe('a variable of a service', () => {
  /** What the first service that has it says about a variable. */
  const refusals = (name: string, value: string): string => {
    const { config } = services.find((service) => name in service.config.shape) ?? {};
    try {
      if (config) loadConfiguration(config, { [name]: value });
      return '';
    } catch (error) {
      const said = error instanceof Error ? error.message : '';
      const at = said.search(new RegExp(`(?<=^|; )${name} is (?!missing)`));
      return at < 0 ? '' : (said.slice(at).split(/; (?=[A-Z_]+ is )/)[0] ?? '');
    }
  };
  const names = new Set(services.flatMap(({ config }) => Object.keys(config.shape)));

  it('is never refused for what it is: words, or text in one line', () => {
    expect(names.size).toBeGreaterThan(100);
    const said = [...names].flatMap((name) =>
      ['nonsense', '-1', '0-70000', 'a=b', '1:2=3'].map((value) => refusals(name, value)),
    );
    expect(said.filter((text) => text !== '').length).toBeGreaterThan(100);
    expect(said.filter((text) => /text in one line|words between commas/.test(text))).toEqual([]);
  });

  it.each([
    ['TRUSTED_PROXIES', 'nonsense', 'addresses, ranges such as 10.0.0.0/8'],
    ['TRUSTED_PROXIES', '10.0.0.0/99', 'addresses, ranges such as 10.0.0.0/8'],
    ['CREDIT_PRICES', 'TTT_API=-1', 'a whole number up to 1000000'],
    ['SIP_PORTS', '5069-5060', 'the first and the last'],
    ['RATE_LIMIT_PLANS', '{"scale":{"ky":{}}}', 'scale: Unrecognized key: "ky"'],
  ])('%s=%s is refused with what it may be', (name, value, expected) => {
    expect(refusals(name, value)).toContain(expected);
  });
});
