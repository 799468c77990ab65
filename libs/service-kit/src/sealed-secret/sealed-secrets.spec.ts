import { SealedSecrets } from './sealed-secrets';

const place = 'provider-key/7/12';
const secrets = new SealedSecrets({ secretKey: 'first' });

describe('sealed secrets', () => {
  it('open to what was sealed, and never look the same twice', () => {
    const sealed = secrets.seal('sk-क्ख-🔑', place);
    expect(secrets.open(sealed, place)).toBe('sk-क्ख-🔑');
    expect(secrets.open(secrets.seal('', place), place)).toBe('');
    expect(secrets.seal('sk-क्ख-🔑', place)).not.toBe(sealed);
    expect(sealed).not.toContain('sk-');
  });

  it('do not open elsewhere', () => {
    const sealed = secrets.seal('secret', place);
    expect(() => secrets.open(sealed, 'provider-key/8/12')).toThrow();
  });

  it('do not open if any byte was changed', () => {
    const sealed = secrets.seal('secret', place);
    const start = secrets.currentPrefix.length;
    const body = Buffer.from(sealed.slice(start), 'base64url');
    for (let index = 0; index < body.length; index += 1) {
      const changed = Buffer.from(body);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(() => secrets.open(secrets.currentPrefix + changed.toString('base64url'), place)).toThrow();
    }
    for (const rubbish of ['', 's1', 's1..', `${secrets.currentPrefix}AAAA`, sealed.slice(0, -4), 's2.x.y']) {
      expect(() => secrets.open(rubbish, place)).toThrow();
    }
  });

  it('open after a key change while the old key is configured, and are sealed with the new one', () => {
    const sealed = secrets.seal('secret', place);
    const rotated = new SealedSecrets({ secretKey: 'second', oldSecretKeys: ['first'] });
    expect(rotated.open(sealed, place)).toBe('secret');
    expect(rotated.isCurrent(sealed)).toBe(false);
    const again = rotated.seal('secret', place);
    expect(rotated.isCurrent(again)).toBe(true);
    const forgetful = new SealedSecrets({ secretKey: 'second' });
    expect(forgetful.open(again, place)).toBe('secret');
    expect(() => forgetful.open(sealed, place)).toThrow('PARLEY_SECRET_KEYS_OLD');
  });
});
