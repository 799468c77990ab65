import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A person, known by an e-mail address, whatever organizations it belongs to. */
@Entity({ name: 'users' })
export class User {
  @PrimaryGeneratedColumn('identity', { generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('text')
  email: string;

  @Column('text')
  name: string;
}
