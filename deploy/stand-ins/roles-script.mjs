/** The statements of deploy/stores/10-parley.sql, one a line, with the passwords put in as psql would. */
export function statementsOf(script, passwordOf) {
  const lines = script.split('\n');
  const variables = new Map(
    lines.flatMap((line) => [...line.matchAll(/^\\set (\w+) `\[ -n "\$(\w+)"/g)].map((found) => found.slice(1))),
  );
  const literal = (name) => `'${passwordOf(variables.get(name)).replaceAll("'", "''")}'`;
  return lines
    .filter((line) => line !== '' && !line.startsWith('\\') && !line.startsWith('--'))
    .map((line) => line.replaceAll(/:'(\w+)'/g, (_, name) => literal(name)).replace(/;$/, ''));
}
