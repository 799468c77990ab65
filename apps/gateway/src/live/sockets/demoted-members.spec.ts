import { once } from 'node:events';
import { Controller } from '@nestjs/common';
import { examplesOf, memberChanged, type Principal, watchCalls, watchTodayCounts } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import { recordOf } from '@parley/testing';
import type { z } from 'zod';
import type { TestOrganization } from '../../testing/harness';
import { SocketClient } from '../../testing/socket-client';
import { SocketHarness } from './socket-harness.suite';

@Controller()
class Bridge {
  @Handles(watchCalls)
  async *watch(_body: object, { signal }: Call): AsyncGenerator<z.input<typeof watchCalls.item>> {
    yield { type: 'counts', change: 1, counts: { activeCalls: 0, limit: 10, byAgent: [] } };
    await once(signal, 'abort');
  }
}

@Controller()
class Dashboards {
  @Handles(watchTodayCounts)
  async *watch(_body: object, { signal }: Call): AsyncGenerator<z.input<typeof watchTodayCounts.item>> {
    yield watchTodayCounts.item.parse(examplesOf(watchTodayCounts.item)[0]);
    await once(signal, 'abort');
  }
}

/** Something a member holds open: when it has ended, and how to leave it. */
interface Open {
  readonly ended: Promise<unknown>;
  leave(): void;
}

describe('when a member’s rights shrink', () => {
  let by: SocketHarness;
  let mine: TestOrganization;

  beforeAll(async () => {
    by = await SocketHarness.open();
    await by.harness.play('telephony-bridge', Bridge);
    await by.harness.play('dashboards', Dashboards);
  });
  beforeEach(() => (mine = by.harness.organization()));
  afterEach(() => by.speech.reset());
  afterAll(() => by.harness.close());

  const post = (path: string, key: string, body: object, signal?: AbortSignal) =>
    fetch(`${by.url}/api/v1/external/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ AgentKeyID: mine.agent.AgentKeyID, ...body }),
      ...(signal && { signal }),
    });
  const reading = async (response: Response, leaving: AbortController): Promise<Open> => {
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    // Everything sent before the change has been read by then.
    await reader?.read();
    const read = async (): Promise<void> => {
      while (reader && !(await reader.read()).done);
    };
    return { ended: read().catch(() => undefined), leave: () => leaving.abort() };
  };
  const socketAt = async (path: string, key: string): Promise<Open> => {
    const offer = await post('chat', key, { connectionType: 'sts' });
    const { token, message } = recordOf(await offer.json());
    if (typeof token !== 'string') throw new Error(String(message));
    const client = await SocketClient.open(`${by.url}${path}?token=${token}`);
    client.send({ type: 'session.start', language: 'english' });
    await client.next('session.ready');
    return { ended: client.closed, leave: () => client.socket.terminate() };
  };

  /**
   * Every kind of socket and stream that a member can hold. Others are opened by agent keys, which members' rights do not affect.
   */
  const kinds: Readonly<Record<string, (key: string) => Promise<Open>>> = {
    '/ws/sts': (key) => socketAt('/ws/sts', key),
    '/ws/transcribe': (key) => socketAt('/ws/transcribe', key),
    'the live calls': async (key) => {
      const leaving = new AbortController();
      const address = `${by.url}/api/v1/external/dashboard-count/live`;
      return reading(await fetch(address, { headers: { 'x-api-key': key }, signal: leaving.signal }), leaving);
    },
  };
  const changes: Readonly<Record<string, Partial<Principal>>> = {
    'a lower role': { roleTypeId: 4 },
    'no agent any more': { agentIds: [] },
  };
  const cases = Object.keys(kinds).flatMap((kind) => Object.keys(changes).map((change) => [kind, change] as const));

  it.each(cases)('%s ends after %s', async (kind, change) => {
    const member = by.harness.member(mine.orgId, { roleTypeId: 2 });
    const bystander = by.harness.member(mine.orgId, { roleTypeId: 2 });
    const open = async ({ memberId }: { memberId: string }): Promise<Open & { isOpen: boolean }> => {
      const { key } = await by.harness.key(mine, 'wsk', { memberAdminID: memberId });
      const opened = await kinds[kind]?.(key);
      if (!opened) throw new TypeError(kind);
      const state = { ...opened, isOpen: true };
      void opened.ended.then(() => (state.isOpen = false));
      return state;
    };
    const [held, other] = [await open(member), await open(bystander)];
    by.harness.scripted.members.set(member.memberId, { ...member, ...changes[change] });
    const news = { memberAdminID: member.memberId, userID: 1, roleTypeID: 4 as const, userType: 'Web' as const };
    await by.harness.tell(memberChanged, mine.orgId, news);
    await held.ended;
    expect(other.isOpen).toBe(true);
    other.leave();
  });
});
