import { DefaultNamingStrategy } from 'typeorm';

/** `createdAt` in code is `created_at` in Postgres, for columns, join columns and tables alike. */
export class SnakeCaseColumns extends DefaultNamingStrategy {
  override tableName(className: string, customName: string | undefined): string {
    return customName ?? snakeCase(className);
  }

  override columnName(propertyName: string, customName: string | undefined, embeddedPrefixes: string[]): string {
    return [...embeddedPrefixes.map(snakeCase), customName ?? snakeCase(propertyName)].join('_');
  }

  override relationName(propertyName: string): string {
    return snakeCase(propertyName);
  }

  override joinColumnName(relationName: string, referencedColumnName: string): string {
    return `${snakeCase(relationName)}_${snakeCase(referencedColumnName)}`;
  }
}

/** `agentKeyID` → `agent_key_id`. */
export function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}
