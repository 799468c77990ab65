import { adminDatabaseRole, adminStatements, roleStatements, serviceRole } from '../../libs/database/src';

/** The script that makes the roles of an installation: the owner, and a pair for each schema. psql puts the passwords in. */
export function renderRoles(schemas: readonly string[]): string {
  const variable = (role: string): string => role.replace(/^parley_/, '');
  const roles = schemas.flatMap((schema) => [serviceRole(schema), `${serviceRole(schema)}_system`]);
  const others = ['admin', ...schemas];
  const passwords = [
    passwordLine('owner', 'PARLEY_DATABASE_PASSWORD'),
    ...others.map((name) => passwordLine(name, `DATABASE_PASSWORD_${name.toUpperCase()}`)),
  ];
  return `-- Made from the services' schemas; a test keeps it so. Runs once, when the volume is empty, or by hand as a superuser.
-- Superusers bypass row-level security and owners change schemas, so the services connect as neither.
\\set ON_ERROR_STOP on
${passwords.join('\n')}
-- Divides by nothing, and so stops, where a password is missing: cat has said above which.
SELECT 1 / ('' NOT IN (${['owner', ...others].map((name) => `:'${name}'`).join(', ')}))::int AS passwords;
CREATE ROLE parley LOGIN PASSWORD :'owner' NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION;
${[...roleStatements(schemas, (role) => `:'${variable(role)}'`), ...adminStatements(":'admin'")]
  .map((statement) => `${statement};`)
  .join('\n')}
CREATE DATABASE parley OWNER parley ENCODING 'UTF8' TEMPLATE template0;
REVOKE CONNECT ON DATABASE parley FROM PUBLIC;
GRANT CONNECT ON DATABASE parley TO ${[...roles, adminDatabaseRole].join(', ')};
`;
}

/** A password is in the environment, as Kubernetes gives it, or in a file, as Compose does. */
function passwordLine(name: string, variable: string): string {
  return `\\set ${name} \`[ -n "$${variable}" ] && printf %s "$${variable}" || cat "$SECRETS_DIR/${variable}"\``;
}
