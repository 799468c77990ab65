/** @waits peers are silent for as long as one is believed to live */
import { InProcessBroker } from './index';
import { describeTransport } from './suite/describe-transport';

describeTransport('in-process', async () => {
  const broker = new InProcessBroker();
  return { connect: async () => broker.connect(), stop: async () => undefined };
});
