import { columnsOf, contributionOf, type FactTable, type FigureTable, quarterOf, version } from '../facts/fact-table';

/**
 * Takes in facts ($1, a JSON array of rows) and brings the figures along by the difference between what each fact says now and what
 * it said before. A fact that says nothing new changes nothing, so repetitions and old news are free and order does not matter.
 * Answers how many facts were older than what was dropped, and whether some figure has lost a fact.
 */
export function projectingStatement(table: FactTable): string {
  const columns = columnsOf(table);
  const names = Object.keys(columns);
  const identity = ['org_id', table.at, table.key];
  const typed = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  const isNewer = `(was_rank IS NULL OR (${version.join(', ')}) > (${version.map((name) => `was_${name}`).join(', ')}))`;
  const replaced = names.filter((name) => !identity.includes(name)).map((name) => `${name} = excluded.${name}`);
  return `
    WITH sealed AS MATERIALIZED (
      SELECT coalesce((SELECT before FROM sealed_facts WHERE name = '${table.name}'), '-infinity') AS before
    ), told AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset($1) AS (${typed.join(', ')})
    ), given AS MATERIALIZED (
      SELECT DISTINCT ON (${identity.join(', ')}) told.* FROM told, sealed WHERE ${table.at} >= sealed.before
      ORDER BY ${identity.join(', ')}, ${version.map((name) => `${name} DESC`).join(', ')}
    ), looked AS MATERIALIZED (
      SELECT given.*, ${names.map((name) => `was.${name} AS was_${name}`).join(', ')}
      FROM given LEFT JOIN LATERAL (
        SELECT * FROM ${table.name} stored WHERE ${identity.map((name) => `stored.${name} = given.${name}`).join(' AND ')} OFFSET 0
      ) was ON true
    ), after AS MATERIALIZED (
      SELECT ${names.join(', ')} FROM looked WHERE ${isNewer}
    ), before AS MATERIALIZED (
      SELECT ${names.map((name) => `was_${name} AS ${name}`).join(', ')} FROM looked WHERE ${isNewer} AND was_rank IS NOT NULL
    ), stored AS (
      INSERT INTO ${table.name} (${names.join(', ')}) SELECT ${names.join(', ')} FROM after
      ON CONFLICT (${identity.join(', ')}) DO UPDATE SET ${replaced.join(', ')}
    )${table.figures.map((figure) => changeOf(table, figure)).join('')}
    SELECT (SELECT count(*) FROM told, sealed WHERE ${table.at} < sealed.before)::int AS sealed,
      ${table.figures.map(({ name, measures: [weight] }) => `EXISTS (SELECT FROM ${name}_change WHERE ${weight} < 0)`).join(' OR ')}
        AS "hasLost"`;
}

function changeOf(table: FactTable, figure: FigureTable): string {
  const { name, measures } = figure;
  const keys = ['org_id', 'quarter', ...Object.keys(figure.dimensions)];
  const sums = measures.map((measure) => `sum(sign * ${measure})::bigint AS ${measure}`);
  return `, ${name}_change AS MATERIALIZED (
      SELECT ${[...keys, ...sums].join(', ')} FROM (
        SELECT 1 AS sign, now.* FROM (${contributionOf(table, figure, 'after')}) now
        UNION ALL
        SELECT -1, was.* FROM (${contributionOf(table, figure, 'before')}) was
      ) signed GROUP BY ${keys.join(', ')} HAVING ${measures.map((measure) => `sum(sign * ${measure}) <> 0`).join(' OR ')}
    ), ${name}_changed AS (
      INSERT INTO ${name} (${[...keys, ...measures].join(', ')}) SELECT ${[...keys, ...measures].join(', ')} FROM ${name}_change
      ON CONFLICT (${keys.join(', ')}) DO UPDATE SET ${measures.map((each) => `${each} = ${name}.${each} + excluded.${each}`).join(', ')}
    )`;
}

/** Takes away the rows of a figure to which no fact adds any more, in the quarters of some facts ($1, as above). */
export function clearingStatement(table: FactTable, { name, measures: [weight] }: FigureTable): string {
  return `
    DELETE FROM ${name} USING (
      SELECT DISTINCT org_id, ${quarterOf(table.at)} AS quarter FROM jsonb_to_recordset($1) AS (org_id int, ${table.at} timestamptz)
    ) touched WHERE ${name}.org_id = touched.org_id AND ${name}.quarter = touched.quarter AND ${weight} = 0`;
}
