import { runAdmin } from './run-admin';
import type { Operator } from './command';
import { grantCreditsCommand, savePlanCommand, setPricesCommand } from './commands/organizations';

const nobody = {} as Operator;

describe('a command with a wrong option', () => {
  it.each([
    [grantCreditsCommand, { organization: '1', ttt: '0', reference: 'x1' }, '--ttt: must be a whole number from 1 to 1000000000'],
    [grantCreditsCommand, { organization: '1', ttt: '5', reference: ' ' }, '--reference: '],
    [grantCreditsCommand, { organization: 'one', ttt: '5' }, '--organization: must be the number of an organization'],
    [setPricesCommand, { organization: '1', tts: '99999999999' }, '--tts: must be a whole number of at most 1000000, or none'],
    [
      savePlanCommand,
      { name: 'gold', limits: '{"key":{"chat":{"limit":0,"windowSeconds":60}}}' },
      '--limits: key.chat.limit must be an integer',
    ],
  ])('is refused in the words of every other refusal', async (command, texts, complaint) => {
    await expect(command.run(texts, nobody)).rejects.toThrow(complaint);
  });

  it('says in one line how a value that begins with a dash is written', async () => {
    const told = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    await runAdmin(['credits', 'grant', '--organization', '1', '--ttt', '-1000']);
    const lines = told.mock.calls.join('');
    told.mockRestore();
    expect(lines).toMatch(/--ttt: a value that begins with a dash is written --ttt=VALUE/);
    expect(lines.trim().split('\n')).toHaveLength(1);
  });
});
