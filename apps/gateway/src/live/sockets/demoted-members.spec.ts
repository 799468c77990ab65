import { once } from 'node:events';
import { Controller } from '@nestjs/common';
import { examplesOf, memberChanged, type Principal, watchCalls, watchTodayCounts } from '@parley/contracts';
import { type Call, Handles } from '@parley/messaging';
import { eventually, recordOf } from '@parley/testing';
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
  /** A second gateway, which learns of changes by its regular check. The first has hours between two checks. */
  let checking: string;

  beforeAll(async () => {
    by = await SocketHarness.open({ SOCKET_CREDENTIAL_CHECK: '1h' });
    ({ url: checking } = await by.harness.startGateway({ SOCKET_CREDENTIAL_CHECK: '50ms' }));
    await by.harness.play('telephony-bridge', Bridge);
    await by.harness.play('dashboards', Dashboards);
  });
  beforeEach(() => (mine = by.harness.organization()));
  afterEach(() => {
    by.speech.reset();
    by.harness.scripted.knowsMembers = true;
  });
  afterAll(() => by.harness.close());

  const post = (url: string, path: string, key: string, body: object, signal?: AbortSignal) =>
    fetch(`${url}/api/v1/external/${path}`, {
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
  const socketAt = async (url: string, path: string, key: string): Promise<Open> => {
    const offer = await post(url, 'chat', key, { connectionType: 'sts' });
    const { token, message } = recordOf(await offer.json());
    if (typeof token !== 'string') throw new Error(String(message));
    const client = await SocketClient.open(`${url}${path}?token=${token}`);
    client.send({ type: 'session.start', language: 'english' });
    await client.next('session.ready');
    return { ended: client.closed, leave: () => client.socket.terminate() };
  };

  /**
   * Every kind of socket and stream that a member can hold. Others are opened by agent keys, which members' rights do not affect.
   */
  const kinds: Readonly<Record<string, (url: string, key: string) => Promise<Open>>> = {
    '/ws/sts': (url, key) => socketAt(url, '/ws/sts', key),
    '/ws/transcribe': (url, key) => socketAt(url, '/ws/transcribe', key),
    'the live calls': async (url, key) => {
      const leaving = new AbortController();
      const address = `${url}/api/v1/external/dashboard-count/live`;
      return reading(await fetch(address, { headers: { 'x-api-key': key }, signal: leaving.signal }), leaving);
    },
  };
  type Member = Principal & { memberId: string };
  const open = async (url: string, kind: string, { memberId }: Member): Promise<Open & { isOpen: boolean }> => {
    const { key } = await by.harness.key(mine, 'wsk', { memberAdminID: memberId });
    const opened = await kinds[kind]?.(url, key);
    if (!opened) throw new TypeError(kind);
    const state = { ...opened, isOpen: true };
    void opened.ended.then(() => (state.isOpen = false));
    return state;
  };
  const twoMembers = (): [Member, Member] => [
    by.harness.member(mine.orgId, { roleTypeId: 2 }),
    by.harness.member(mine.orgId, { roleTypeId: 2 }),
  ];
  const members = () => by.harness.scripted.members;
  const changes: Readonly<Record<string, (member: Member) => void>> = {
    'a lower role': (member) => members().set(member.memberId, { ...member, roleTypeId: 4 }),
    'no agent any more': (member) => members().set(member.memberId, { ...member, agentIds: [] }),
    'no membership any more': ({ memberId }) => members().delete(memberId),
  };
  const cases = Object.keys(kinds).flatMap((kind) => Object.keys(changes).map((change) => [kind, change] as const));

  it.each(cases)('%s ends at the news of %s', async (kind, change) => {
    const [member, bystander] = twoMembers();
    const [held, other] = [await open(by.url, kind, member), await open(by.url, kind, bystander)];
    changes[change]?.(member);
    const news = { memberAdminID: member.memberId, userID: 1, roleTypeID: 4 as const, userType: 'Web' as const };
    await by.harness.tell(memberChanged, mine.orgId, news);
    await held.ended;
    expect(other.isOpen).toBe(true);
    other.leave();
  });

  it.each(cases)('%s ends after %s although the news of it was lost', async (kind, change) => {
    const [member, bystander] = twoMembers();
    const [held, other] = [await open(checking, kind, member), await open(checking, kind, bystander)];
    changes[change]?.(member);
    await held.ended;
    expect(other.isOpen).toBe(true);
    other.leave();
  });

  it('nothing ends while members’ rights cannot be read; what was lost meanwhile ends afterwards', async () => {
    const [member, bystander] = twoMembers();
    const [held, other] = [await open(checking, '/ws/sts', member), await open(checking, '/ws/sts', bystander)];
    const { scripted } = by.harness;
    scripted.knowsMembers = false;
    changes['a lower role']?.(member);
    const { asked } = scripted;
    // Three questions: at least one whole check of both members has failed.
    await eventually('rights were asked for in vain', () => scripted.asked >= asked + 3);
    expect([held.isOpen, other.isOpen]).toEqual([true, true]);
    scripted.knowsMembers = true;
    await held.ended;
    expect(other.isOpen).toBe(true);
    other.leave();
  });
});
