/** @waits peers are silent for as long as one is believed to live */
import { NatsTransport } from './index';
import { TestNats } from '@parley/testing';
import { describeTransport } from './suite/describe-transport';

describeTransport('NATS', async () => {
  const nats = await TestNats.start();
  return { connect: () => NatsTransport.connect({ servers: nats.url, name: 'suite' }), stop: () => nats.stop() };
});
