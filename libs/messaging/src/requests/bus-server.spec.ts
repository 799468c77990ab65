import { InProcessBroker } from '../index';
import { greet } from '../suite/services';
import { Harness } from '../suite/harness';

describe('a service that starts', () => {
  it('reports that it started only once the broker knows its subscriptions', async () => {
    const transport = new InProcessBroker().connect();
    let brokerKnows = () => {};
    const knowing = new Promise<void>((resolve) => (brokerKnows = resolve));
    const settling = jest.spyOn(transport, 'settled').mockReturnValue(knowing);
    const harness = new Harness({ connect: async () => transport, stop: async () => undefined });
    const said: string[] = [];
    const started = harness.start('agent-config').then(() => said.push('started'));
    while (settling.mock.calls.length === 0) await new Promise(setImmediate);
    said.push('the broker knows');
    brokerKnows();
    await started;
    expect(said).toEqual(['the broker knows', 'started']);
    const bus = await harness.caller();
    await expect(bus.ask(greet, { name: 'Ada' })).resolves.toMatchObject({ by: 'agent-config' });
    await harness.leave();
  });
});
