import { describeChannels } from './channels.suite';
import { describeEvents } from './events.suite';
import type { Installation } from './harness';
import { describeRequests } from './requests.suite';
import { describeStreams } from './streams.suite';

/** The guarantees of every transport. Each test has a harness of its own, all on one installation. */
export function describeTransport(name: string, create: () => Promise<Installation>): void {
  describe(`${name} transport`, () => {
    let installation: Installation;
    beforeAll(async () => (installation = await create()), 30_000);
    afterAll(() => installation.stop());
    const place: Installation = { connect: () => installation.connect(), stop: () => installation.stop() };
    describeRequests(place);
    describeStreams(place);
    describeChannels(place);
    describeEvents(place);
  });
}
