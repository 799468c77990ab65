import type { Principal } from '@parley/contracts';
import { OpenConnections } from './open-connections';

const principal: Principal = { kind: 'agt', keyId: 'k-1', orgId: 7, agentId: 12 };
const agentKey = { principal };

function socket() {
  const closed: number[] = [];
  return { closed, close: (code: number) => void closed.push(code) };
}

describe('OpenConnections', () => {
  it('closes every socket of an ended key with 4401, and no other', () => {
    const sockets = new OpenConnections();
    const [one, two, other] = [socket(), socket(), socket()];
    sockets.add(agentKey, one);
    sockets.add(agentKey, two);
    sockets.add({ principal: { ...principal, keyId: 'k-2' } }, other);
    sockets.endKey('k-1');
    expect([one.closed, two.closed, other.closed]).toEqual([[4401], [4401], []]);
  });

  it('closes a socket added just after its key ended', () => {
    const sockets = new OpenConnections();
    sockets.endKey('k-1');
    const late = socket();
    sockets.add(agentKey, late);
    expect(late.closed).toEqual([4401]);
  });

  it('closes the sockets of a deleted agent', () => {
    const sockets = new OpenConnections();
    const one = socket();
    sockets.add(agentKey, one);
    sockets.end((credential) => credential.principal.agentId === 12);
    expect(one.closed).toEqual([4401]);
    expect(sockets.credentials).toEqual([]);
  });

  it('forgets a socket that its owner closed', () => {
    const sockets = new OpenConnections();
    const one = socket();
    sockets.add(agentKey, one)();
    sockets.endKey('k-1');
    expect(one.closed).toEqual([]);
    expect(sockets.credentials).toEqual([]);
  });
});
