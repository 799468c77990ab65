import { OptionProblem, readOptions } from './config';

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
