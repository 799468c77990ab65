import type { EntityManager } from 'typeorm';
import { User } from './user.entity';

/** An address as this service keeps and compares it. */
export function canonicalEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** What a person is called who never said a name: the part before the @, with blanks for dots. */
export function nameFromEmail(email: string): string {
  return (email.split('@')[0] ?? email).replace(/[._]+/g, ' ').trim() || email;
}

/** The person with this address, made if nobody has it. Whoever came first keeps the name. */
export async function userWithEmail(manager: EntityManager, person: { email: string; name?: string }): Promise<User> {
  const email = canonicalEmail(person.email);
  await manager.query('INSERT INTO users (email, name) VALUES ($1, $2) ON CONFLICT (email) DO NOTHING', [
    email,
    person.name ?? nameFromEmail(email),
  ]);
  return manager.findOneByOrFail(User, { email });
}
