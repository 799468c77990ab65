import { Column, Entity } from 'typeorm';
import { SourceColumns } from '../database/source-columns';

@Entity({ name: 'faqs' })
export class FaqEntity extends SourceColumns {
  @Column('text')
  question: string;

  @Column('text')
  answer: string;

  /** The question as callers may spell it. */
  @Column('text')
  normalized: string;
}
