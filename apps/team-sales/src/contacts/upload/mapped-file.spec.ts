/** @quiet Judged by CPU time. */
import { readContactFile, readContacts, saveContact, Variables, contactVariablesMax } from '@parley/contracts';
import { longestTurnMs, loopBudgetMs } from '@parley/testing';
import { Installation, type TestOrganization } from '../../installation.suite';
import { readMapped } from './mapped-file';

const csv = (...lines: string[]) => lines.join('\n');
async function* pieces(text: string, size = 65_536): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function everything<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
const mapping = { Mobile: 'ContactNumber', Name: 'CustomerName', Amount: 'due_amount' };

describe('a file of people to call', () => {
  let installation: Installation;
  let organization: TestOrganization;
  beforeAll(async () => {
    installation = await Installation.start();
  });
  beforeEach(async () => {
    organization = await installation.organization();
  });
  afterAll(() => installation.stop());

  const owner = () => ({ principal: organization.owner });
  async function read(text: string, columns?: Record<string, string>) {
    const file = await installation.store(organization.OrgID, pieces(text));
    return all(file, columns);
  }
  async function all(file: Awaited<ReturnType<Installation['store']>>, columns?: Record<string, string>, by = owner()) {
    const found = await everything(installation.bus.stream(readContactFile, { file, ...(columns && { mapping: columns }) }, by));
    const ignoredColumns = found.flatMap((item) => item.ignoredColumns);
    return { rows: found.flatMap(({ rows }) => rows), errors: found.flatMap(({ errors }) => errors), ignoredColumns };
  }

  it('is read by its mapping, which renames columns: the others keep the meaning of their own names', async () => {
    const { rows, errors, ignoredColumns } = await read(
      csv(
        'Name,Mobile,Amount,plan,TimeZone,no placeholder!',
        'Ravi,098200 12345,1200,gold,Asia/Dubai,x',
        '"Asha, Dr.",+91 98200 12346,,,,',
        'Zone,9820012347,,,Mars/Base,',
      ),
      mapping,
    );
    expect(errors).toEqual([{ row: 4, field: 'TimeZone', message: 'is not an IANA time zone such as Asia/Kolkata' }]);
    expect(ignoredColumns).toEqual(['no placeholder!']);
    expect(rows).toEqual([
      {
        ...{ row: 2, ContactNumber: '+919820012345', CustomerName: 'Ravi', TimeZone: 'Asia/Dubai' },
        variables: { due_amount: '1200', plan: 'gold' },
      },
      { row: 3, ContactNumber: '+919820012346', CustomerName: 'Asha, Dr.', TimeZone: '', variables: {} },
    ]);
  });

  it.each([
    ['mapped to nothing', { Mobile: 'ContactNumber', plan: '' }, ['plan'], { CustomerName: 'Ravi', TimeZone: 'Asia/Dubai' }],
    [
      'whose field another column is mapped to',
      { Mobile: 'ContactNumber', plan: 'TimeZone' },
      ['TimeZone'],
      { CustomerName: 'Ravi', TimeZone: 'Asia/Kolkata' },
    ],
    [
      'whose field is the name, which another column is mapped to',
      { Mobile: 'ContactNumber', plan: 'name', TimeZone: 'zone' },
      ['CustomerName'],
      { CustomerName: '', TimeZone: '', variables: { name: 'Asia/Kolkata', zone: 'Asia/Dubai' } },
    ],
  ])('leaves out a column %s', async (_what, columns, ignored, row) => {
    const lines = csv('Mobile,CustomerName,plan,TimeZone', '9820012345,Ravi,Asia/Kolkata,Asia/Dubai');
    const { rows, ignoredColumns } = await read(lines, columns);
    expect(ignoredColumns).toEqual(ignored);
    expect(rows).toMatchObject([row]);
  });

  it('may give a contact’s time zone; an unknown one is reported with its line', async () => {
    const lines = csv('Mobile,Zone', '9820012345,Asia/Kolkata', '9820012346,IST', '9820012347,');
    const { rows, errors } = await read(lines, { Mobile: 'ContactNumber', Zone: 'TimeZone' });
    expect(rows.map(({ row, TimeZone, variables }) => [row, TimeZone, variables])).toEqual([
      [2, 'Asia/Kolkata', {}],
      [4, '', {}],
    ]);
    expect(errors).toEqual([{ row: 3, field: 'TimeZone', message: 'is not an IANA time zone such as Asia/Kolkata' }]);
  });

  it('is read by its own column names without a mapping', async () => {
    const { rows, ignoredColumns } = await read(
      csv('ContactNumber,CustomerName,due_amount,no placeholder!,', '9820012345,Ravi,7,x,y'),
    );
    expect(ignoredColumns).toEqual(['no placeholder!', 'column 5']);
    expect(rows).toMatchObject([{ CustomerName: 'Ravi', variables: { due_amount: '7' } }]);
  });

  it('reports every bad row by its line, and still reads the good ones', async () => {
    const { rows, errors } = await read(
      csv('Name,Mobile,Amount', 'Typo,98200,1', '"Two\nlines",9820012346,2', 'Nobody,,3', `${'x'.repeat(201)},9820012347,4`),
      mapping,
    );
    expect(rows.map(({ row, CustomerName }) => [row, CustomerName])).toEqual([[3, 'Two\nlines']]);
    expect(errors).toEqual([
      { row: 2, field: 'ContactNumber', message: 'is not a telephone number' },
      { row: 5, field: 'ContactNumber', message: 'is required' },
      { row: 6, field: 'Name', message: 'is longer than 200 characters' },
    ]);
  });

  it('does not take a number for one of the organization’s country that it is not', async () => {
    const { rows, errors } = await read(csv('Name,Mobile', 'Asha,12124567890', 'Ravi,+12124567890'), {
      Name: 'CustomerName',
      Mobile: 'ContactNumber',
    });
    expect(rows).toMatchObject([{ row: 3, ContactNumber: '+12124567890' }]);
    expect(errors).toEqual([{ row: 2, field: 'ContactNumber', message: 'is not a telephone number' }]);
  });

  it.each([
    ['no column of the mapping', 'Name,Amount\nRavi,1', mapping, 'Mobile of the mapping is missing'],
    ['no row below its first', 'Mobile,Name,Amount\n', mapping, 'it has no rows'],
    ['nothing but blank lines', '\r\n\r\n  \n', undefined, 'it is empty'],
    ['nothing at all', '', undefined, 'it is empty'],
    ['no column for the number', 'Name,Amount\nRavi,1', { Name: 'CustomerName' }, 'no column is mapped to ContactNumber'],
    ['a name that is no placeholder', 'A,B\n1,2', { A: 'ContactNumber', B: 'due amount' }, 'no name for a placeholder'],
    ['two columns for the number', 'A,B\n1,2', { A: 'ContactNumber', B: 'ContactNumber' }, 'A and B are both ContactNumber'],
    ['two columns for a placeholder', 'A,B,C\n1,2,3', { A: 'ContactNumber', B: 'due', C: 'due' }, 'B and C are both due'],
    ['two names', 'A,B,C\n1,2,3', { A: 'ContactNumber', B: 'CustomerName', C: 'name' }, 'B and C are both name'],
    ['two names by their titles', 'ContactNumber,name,CustomerName\n1,2,3', undefined, 'name and CustomerName are both name'],
    ['one column twice', 'Mobile,Name,Amount,Mobile\n9820012345,a,1,9820012346', mapping, 'Mobile and Mobile are both'],
    ['nothing in it', '', mapping, 'it is empty'],
    ['an open quote', 'Mobile,Name,Amount\n9820012345,"Ravi', mapping, 'inside a quoted cell'],
  ])('is refused with %s', async (_what, text, columns, says) => {
    await expect(read(text, columns)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining(says),
    });
  });

  it('is refused with 100,001 rows, and deleted once read, whoever asks for it', async () => {
    const line = (index: number) => `98${String(20_000_000 + index)},a,1`;
    // Without numbers, which would take a minute to read.
    const rows = Array.from({ length: 100_001 }, (_, index) => `,Customer ${index},`);
    await expect(read(csv('Mobile,Name,Amount', ...rows), mapping)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    const file = await installation.store(organization.OrgID, pieces(csv('Mobile,Name,Amount', line(1))));
    const stranger = await installation.organization();
    await expect(all(file, mapping, { principal: stranger.owner })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await all(file, mapping)).rows).toHaveLength(1);
    await expect(all(file, mapping)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('gives a contact as many placeholders as a conversation takes, and reports a row that fills more', async () => {
    const titles = ['ContactNumber', ...Array.from({ length: contactVariablesMax + 1 }, (_, place) => `a${place}`)].join(',');
    const { rows, errors } = await read(
      csv(titles, `9820012345${',1'.repeat(contactVariablesMax)},`, `9820012346${',1'.repeat(contactVariablesMax + 1)}`),
    );
    expect(rows.map(({ variables }) => Variables.safeParse(variables).success)).toEqual([true]);
    expect(errors).toEqual([{ row: 3, field: null, message: expect.stringContaining(`at most ${contactVariablesMax}`) }]);
  });

  it('does not block other requests, however long it is', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => `98${String(20_000_000 + index)},Customer ${index},${index}`);
    let count = 0;
    const longest = await longestTurnMs(async () => {
      for await (const item of readMapped(pieces(csv('Mobile,Name,Amount', ...rows)), mapping, 'IN')) count += item.rows.length;
    });
    expect(count).toBe(20_000);
    expect(longest).toBeLessThan(loopBudgetMs);
  });

  it.each([
    ['wide', ['ContactNumber', ...Array.from({ length: 999 }, (_, place) => `a${place}`)].join(','), `98${','.repeat(999)}`],
    ['high', 'ContactNumber,Note', `9820012345,"${'\n'.repeat(15_000)}"`],
  ])('does not block other requests, however %s its rows are', async (_, header, row) => {
    const rows = Array.from({ length: 300 }, () => row);
    let count = 0;
    const longest = await longestTurnMs(async () => {
      for await (const item of readMapped(pieces(csv(header, ...rows)), undefined, 'IN'))
        count += item.rows.length + item.errors.length;
    });
    expect(count).toBe(300);
    expect(longest).toBeLessThan(loopBudgetMs);
  });

  describe('the organization’s own contacts', () => {
    const known = async (query: object, by = owner()) =>
      (await everything(installation.bus.stream(readContacts, query, by))).flatMap(({ contacts }) => contacts);

    it('are read by id or by filter, within the organization only', async () => {
      const save = (CustomerName: string, place: object, ContactNumber: string) =>
        installation.bus.ask(saveContact, { CustomerName, ContactNumber, ...place }, owner());
      const ravi = await save('Ravi', { City: 'Pune', State: 'Maharashtra', Country: 'India' }, '+919820012345');
      await save('Asha', { City: 'Mumbai', State: 'Maharashtra', Country: 'India' }, '+919820012346');
      await save('Ravi Two', { City: 'pune', State: 'Goa', Country: 'India' }, '+919820012347');
      const names = async (query: object) => (await known(query)).map(({ CustomerName }) => CustomerName);
      expect(await names({})).toEqual(['Ravi', 'Asha', 'Ravi Two']);
      expect(await names({ ContactIDs: [ravi.ContactID, 999_999] })).toEqual(['Ravi']);
      expect(await names({ City: 'Pune' })).toEqual(['Ravi', 'Ravi Two']);
      expect(await names({ City: 'PUNE', State: 'maharashtra' })).toEqual(['Ravi']);
      expect(await names({ searchName: 'asha' })).toEqual(['Asha']);
      expect(await names({ Country: 'Nepal' })).toEqual([]);
      const stranger = await installation.organization();
      expect(await known({ ContactIDs: [ravi.ContactID] }, { principal: stranger.owner })).toEqual([]);
    });
  });
});
