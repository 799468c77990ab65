import { migrateSchema } from '@parley/database';
import { testDatabase, type TestDatabase } from '@parley/testing';
import { Client } from 'pg';
import { knowledgeSchema } from '../service';

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await testDatabase();
  client = new Client({ connectionString: database.adminUrl });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.close();
});

describe('a database of an earlier build', () => {
  it('counts what is already indexed, for every organization, and knows which upload of a document is served', async () => {
    await migrateSchema({ ...knowledgeSchema, migrations: knowledgeSchema.migrations.slice(0, 2) }, database.url);
    await client.query('SET search_path TO knowledge');
    const hours = [{ day: 'Monday', is_open: true, open_time: '09:00 AM', close_time: '06:00 PM' }];
    for (const orgId of [1, 2]) {
      const { rows } = await client.query<{ id: number }>(
        `INSERT INTO knowledge_bases (org_id, name, industry_id, agent_type_id, conversational_mode_ids)
         VALUES ($1, 'a', 1, 1, '1') RETURNING id`,
        [orgId],
      );
      const base = rows[0]?.id;
      for (const indexed of [null, 1])
        await client.query(
          `INSERT INTO faqs (org_id, knowledge_base_id, question, answer, normalized, indexed_version)
           VALUES ($1, $2, 'q', 'a', 'q', $3)`,
          [orgId, base, indexed],
        );
      const info = JSON.stringify({ business_name: 'a', office_address: orgId === 1 ? 'MG Road' : '', working_hours: hours });
      await client.query(
        `INSERT INTO business_profiles (org_id, knowledge_base_id, business_name, info, indexed_version)
         VALUES ($1, $2, 'a', $3, 1)`,
        [orgId, base, info],
      );
      await client.query(
        `INSERT INTO documents
           (org_id, knowledge_base_id, file_name, content_type, size, file_key, sha256, indexed_version, status, stage)
         VALUES ($1, $2, 'a.txt', 'text/plain', 1, 'uploads/a', 'hash', 1, 'READY', 'DONE')`,
        [orgId, base],
      );
    }
    await migrateSchema(knowledgeSchema, database.url);
    const countsOf = async (table: string) =>
      (await client.query<{ chunk_count: number }>(`SELECT chunk_count FROM ${table} ORDER BY org_id, id`)).rows.map(
        (row) => row.chunk_count,
      );
    expect(await countsOf('faqs')).toEqual([0, 1, 0, 1]);
    expect(await countsOf('business_profiles')).toEqual([3, 2]);
    const { rows: served } = await client.query(`SELECT served ->> 'fileKey' AS key FROM documents`);
    expect(served).toEqual([{ key: 'uploads/a' }, { key: 'uploads/a' }]);
  });
});
