import { RevisionMemory } from './ready-answers';

describe('what is remembered of knowledge bases', () => {
  const reads: string[] = [];
  const memory = new RevisionMemory<number>((entries) => entries);
  const read = (id: number, revision: number, entries: number) =>
    memory.of({ id, revision }, async () => {
      reads.push(`${id}/${revision}`);
      return entries;
    });
  beforeEach(() => void (reads.length = 0));

  it('is read once per revision', async () => {
    for (const revision of [1, 1, 2, 2]) expect(await read(1, revision, 10)).toBe(10);
    expect(reads).toEqual(['1/1', '1/2']);
  });

  it('drops the longest unread first when full, and counts a changed one once', async () => {
    for (let revision = 1; revision <= 5; revision += 1) await read(7, revision, 40_000);
    await read(8, 1, 40_000);
    await read(7, 5, 40_000);
    expect(reads).toEqual(['7/1', '7/2', '7/3', '7/4', '7/5', '8/1']);
    await read(9, 1, 40_000);
    await read(7, 5, 40_000);
    await read(8, 1, 40_000);
    expect(reads.slice(6)).toEqual(['9/1', '8/1']);
  });
});
