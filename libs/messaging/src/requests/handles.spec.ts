import { Consumes, Handles } from '../index';
import { agentSaved, count, greet, talk } from '../suite/services';

/* Each line marked `ts-expect-error` fails the type check of the repository as soon as it compiles. */
class Handlers {
  @Handles(greet)
  rightRequest({ name }: { name: string }) {
    return Promise.resolve({ text: name, by: 'me' });
  }

  // @ts-expect-error a request takes its own body
  @Handles(greet)
  wrongBody({ age }: { age: number }) {
    return { text: String(age), by: 'me' };
  }

  // @ts-expect-error a request gives its own reply
  @Handles(greet)
  wrongReply() {
    return { text: 1 };
  }

  // @ts-expect-error a stream yields its own items
  @Handles(count)
  async *wrongItem() {
    yield { n: 'one', padding: '' };
  }

  // @ts-expect-error a stream does not return one answer
  @Handles(count)
  noStream() {
    return Promise.resolve({ n: 1, padding: '' });
  }

  // @ts-expect-error a channel is accepted with something to do on it
  @Handles(talk)
  async noLine() {
    return { accepted: { welcome: 'in' } };
  }

  // @ts-expect-error a consumer takes its own payload
  @Consumes(agentSaved)
  wrongPayload({ name }: { name: string }): void {
    void name;
  }
}

it('lets only methods of the right shape answer a contract', () => {
  expect(new Handlers().rightRequest({ name: 'Ada' })).toBeInstanceOf(Promise);
});
