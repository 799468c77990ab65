import { placeholdersOf, withPlaceholder, withPlaceholders } from './prompts';

describe('placeholders', () => {
  it('are listed once each, with the first default given', () => {
    expect(placeholdersOf('Hello {{name|friend}}, {{ city }}', '{{name}} {{city|Pune}} {{नाव|मित्र}} {{ order.no }}')).toEqual([
      { name: 'name', default: 'friend' },
      { name: 'city', default: 'Pune' },
      { name: 'नाव', default: 'मित्र' },
      { name: 'order.no', default: null },
    ]);
  });

  it('take the value given, else their default, else nothing', () => {
    expect(withPlaceholders('Hello {{name|friend}} of {{city}}!', { name: 'Asha' })).toBe('Hello Asha of !');
    expect(withPlaceholders('Hello {{name|friend}}!', { name: null })).toBe('Hello friend!');
    expect(withPlaceholders('{{count}} {{paid}}', { count: 0, paid: false })).toBe('0 false');
  });

  it('are filled by a name in other letters, if none has the same', () => {
    expect(withPlaceholders('{{city}} {{City}}', { City: 'Pune' })).toBe('Pune Pune');
    expect(withPlaceholders('{{city}} {{City}}', { City: 'Pune', city: 'Nagpur' })).toBe('Nagpur Pune');
  });

  it('never fill a value in again, and know no name that an object has by birth', () => {
    expect(withPlaceholders('{{name}}', { name: '{{secret}}', secret: 'x' })).toBe('{{secret}}');
    expect(withPlaceholders('{{constructor}}', {})).toBe('');
  });

  it('can be filled one at a time', () => {
    expect(withPlaceholder('{{agentName}} and {{name|you}}', { name: 'agentName', value: 'Maya' })).toBe('Maya and {{name|you}}');
  });
});
